// Several processes on one file: nothing is lost, nothing is done twice, and what was acknowledged outlives kill -9.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sqlite } from '../../../src/exports/sqlite.ts'
import { expectShared, taskOf } from '../../engines/many-processes.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startNode } from '../../support/child.ts'

const PROCESSES = 4
const CLAIM = { kinds: ['report'], max: 3, leaseMs: 60_000 }

let folder: string
let file: string
let writing: string

/** Writes numbered records, each acknowledged by a line, until it is killed. */
const WRITING = `
import { writeSync } from 'node:fs'
import { sqlite } from './src/exports/sqlite.ts'
const [file, round] = process.argv.slice(2)
const backend = sqlite(file)
await backend.open()
// Once the lease of the one that was killed before is over.
const claim = () => backend.tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: 100 })
while ((await claim()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
for (let n = 0; ; n += 1) {
  await backend.records.put('r' + round + '-' + n, String(n), { ttlMs: 3_600_000 })
  await backend.logs.append('l' + round, { seq: n + 1, data: String(n) }, { writer: 'w', ttlMs: 3_600_000 })
  writeSync(1, n + '\\n')
  if (n % 8 === 0) await new Promise((resolve) => setImmediate(resolve))
}
`

beforeAll(async () => {
  writing = await bundleProgram('sqlite-writing', WRITING)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  file = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('processes on one SQLite file', () => {
  test(`${PROCESSES} of them at once: no write is lost, no number or token given twice, no task run twice`, async () => {
    const backend = sqlite(file)
    await expectShared('sqlite', PROCESSES, backend, {
      imports: "import { sqlite } from './src/exports/sqlite.ts'",
      expression: `sqlite(${JSON.stringify(file)}, { timeoutMs: 60_000 })`,
    })
    await backend.close()
  })

  test('D012, D034 (sqlite): kill -9 in the middle of writes: everything that was acknowledged is there, and the next process goes on', async () => {
    const backend = sqlite(file, { timeoutMs: 60_000 })
    await backend.tasks?.create(taskOf('task'))
    for (let round = 0; round < 4; round += 1) {
      const child = startNode([writing, file, String(round)])
      await child.printed(`\n${20 + round * 17}\n`)
      child.process.kill('SIGKILL')
      expect(await child.ended).toEqual([null, 'SIGKILL'])
      const acknowledged = child.output.stdout.trimEnd().split('\n').length
      for (let n = 0; n < acknowledged; n += 1) {
        expect(await backend.records.get(`r${round}-${n}`)).toMatchObject({ value: String(n) })
      }
      const page = await backend.logs.read(`l${round}`, 0)
      expect(page?.lastSeq).toBeGreaterThanOrEqual(acknowledged)
      expect(page?.entries.map(({ data }) => data)).toEqual(page?.entries.map(({ seq }) => String(seq - 1)))
    }
    // Each of the killed workers had claimed the task.
    await expect.poll(() => backend.tasks?.claim('last', CLAIM)).toHaveLength(1)
    expect(await backend.tasks?.get('task')).toMatchObject({ status: 'working', attempt: 5 })
    await backend.close()
  })

  test('what one publishes and appends, another hears', async () => {
    const backend = sqlite(file, { timeoutMs: 60_000 })
    await backend.open()
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => {} }
    const subscription = backend.topics.subscribe('topic', listener)
    await subscription.ready
    const entries: (string | undefined)[] = []
    const stop = backend.logs.follow('log', (entry) => void entries.push(entry?.data))
    const changed: string[] = []
    const unwatch = backend.tasks?.watch({ changed: (id) => void changed.push(id), work: () => {}, missed: () => {} })
    const telling = await bundleProgram(
      'sqlite-telling',
      `import { sqlite } from './src/exports/sqlite.ts'
      const backend = sqlite(process.argv[2], { timeoutMs: 60_000 })
      for (const text of ['a', 'b', 'c']) await backend.topics.publish('topic', text)
      await backend.logs.append('log', { seq: 1, data: 'first' }, { writer: 'w', ttlMs: 60_000 })
      await backend.tasks.create(${JSON.stringify(taskOf('told'))})
      const [claim] = await backend.tasks.claim('w', ${JSON.stringify(CLAIM)})
      await backend.tasks.finish(claim, { status: 'completed', text: '{}' })
      await backend.close()`,
    )
    const child = startNode([telling, file])
    expect(await child.ended, child.output.stderr).toEqual([0, null])
    await expect.poll(() => heard).toEqual(['a', 'b', 'c'])
    await expect.poll(() => entries).toEqual(['first'])
    await expect.poll(() => changed).toEqual(['told'])
    subscription.close()
    stop()
    unwatch?.()
    await backend.close()
  })
})
