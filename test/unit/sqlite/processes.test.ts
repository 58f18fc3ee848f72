// Several processes on one file: nothing is lost, nothing is done twice, and what was acknowledged outlives kill -9.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sqlite } from '../../../src/exports/sqlite.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startNode } from '../../support/child.ts'

const PROCESSES = 4
const TURNS = 50
const TASKS = 120
const CLAIM = { kinds: ['report'], max: 3, leaseMs: 60_000 }

let folder: string
let file: string
let sharing: string
let writing: string

/** Counts in one record, posts to one log, takes from one bucket, and runs tasks until none is left. */
const SHARING = `
import { sqlite } from './src/exports/sqlite.ts'
const [file, name] = process.argv.slice(2)
const backend = sqlite(file, { timeoutMs: 60_000 })
await backend.open()
let conflicts = 0
for (let turn = 1; turn <= ${TURNS}; turn += 1) {
  for (;;) {
    const kept = await backend.records.get('count')
    const condition = kept === undefined ? 'absent' : { revision: kept.revision }
    const count = Number(kept?.value ?? 0) + 1
    if (await backend.records.put('count', String(count), { ttlMs: 3_600_000, if: condition }) !== undefined) break
    conflicts += 1
  }
  await backend.logs.post('log', name + ' ' + turn, { writer: name, nth: turn, ttlMs: 3_600_000, maxEntries: 10_000, maxBytes: 1e6 })
}
let taken = 0
while (await backend.limits.take('bucket', { perSecond: 0.0001, burst: 30 }) === 0) taken += 1
const ran = []
for (;;) {
  const claims = await backend.tasks.claim(name, ${JSON.stringify(CLAIM)})
  if (claims.length === 0) break
  for (const claim of claims) {
    const outcome = await backend.tasks.finish(claim, { status: 'completed', text: name })
    if (outcome === 'finished') ran.push(claim.id)
  }
}
await backend.close()
console.log(JSON.stringify({ conflicts, taken, ran }))
`

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
  sharing = await bundleProgram('sqlite-sharing', SHARING)
  writing = await bundleProgram('sqlite-writing', WRITING)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  file = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

function task(id: string) {
  const times = { ttlMs: 3_600_000, keepMs: 600_000, pollIntervalMs: 500 }
  return { id, owner: 'ada', kind: 'report', dialect: 'extension', input: '{}', maxAttempts: 20, ...times }
}

describe('processes on one SQLite file', () => {
  test(`${PROCESSES} of them at once: no write is lost, no number or token given twice, no task run twice`, async () => {
    const backend = sqlite(file)
    for (let n = 0; n < TASKS; n += 1) await backend.tasks?.create(task(`task-${n}`))
    const children = Array.from({ length: PROCESSES }, (_, n) => startNode([sharing, file, `p${n}`]))
    const reports: { conflicts: number; taken: number; ran: string[] }[] = []
    for (const child of children) {
      expect(await child.ended, child.output.stderr).toEqual([0, null])
      reports.push(JSON.parse(child.output.stdout) as (typeof reports)[number])
    }
    const count = await backend.records.get('count')
    expect(count?.value).toBe(String(PROCESSES * TURNS))
    const page = await backend.logs.read('log', 0)
    expect(page?.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: PROCESSES * TURNS }, (_, n) => n + 1))
    for (let n = 0; n < PROCESSES; n += 1) {
      const own = page?.entries.map(({ data }) => data).filter((data) => data.startsWith(`p${n} `))
      expect(own).toEqual(Array.from({ length: TURNS }, (_, turn) => `p${n} ${turn + 1}`))
    }
    expect(reports.reduce((sum, { taken }) => sum + taken, 0)).toBe(30)
    const ran = reports.flatMap((report) => report.ran)
    expect(ran).toHaveLength(TASKS)
    expect(new Set(ran).size).toBe(TASKS)
    expect(await backend.tasks?.countOpen()).toBe(0)
    await backend.close()
  })

  test('kill -9 in the middle of writes: everything that was acknowledged is there, and the next process goes on', async () => {
    const backend = sqlite(file, { timeoutMs: 60_000 })
    await backend.tasks?.create(task('task'))
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
    // D034: each of the killed workers had claimed the task.
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
      await backend.tasks.create(${JSON.stringify(task('told'))})
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
