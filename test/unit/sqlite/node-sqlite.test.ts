// The contract suite on `node:sqlite`, which the oldest Node that is supported does not have: under a newer one, by `node:test`.
import { beforeAll, expect, test } from 'vitest'
import { describeOn } from '../../runtimes/installed.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startProgram } from '../../support/child.ts'

const PROGRAM = `
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { backendContract } from './src/exports/testing/backend.ts'
import { SQLiteBackend } from './src/sqlite/sqlite.ts'

const clock = () => {
  let now = Date.now()
  return { now: () => now, advance: (ms) => { now += ms } }
}
describe('two connections to one file', () => {
  backendContract(() => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
    const { now, advance } = clock()
    const another = () => new SQLiteBackend(join(folder, 'state.db'), {}, now)
    return { backend: another(), another, advance, close: () => rmSync(folder, { recursive: true }) }
  }, { describe, test })
})
describe('two backends on one connection', () => {
  backendContract(() => {
    const database = new DatabaseSync(':memory:')
    const { now, advance } = clock()
    const another = () => new SQLiteBackend(database, {}, now)
    return { backend: another(), another, advance, close: () => database.close() }
  }, { describe, test })
})
`

describeOn('node22', (node) => {
  let program: string
  beforeAll(async () => {
    program = await bundleProgram('node-sqlite-contract', PROGRAM)
  })

  test('node:sqlite keeps every rule of the contract', async () => {
    const child = startProgram(node, ['--test-reporter=tap', program])
    const end = await child.ended
    const failed = child.output.stdout.split('\n').filter((line) => /^\s*not ok/.test(line))
    expect(failed).toEqual([])
    expect(end, child.output.stderr).toEqual([0, null])
    expect(Number(/^# pass (\d+)$/m.exec(child.output.stdout)?.[1])).toBeGreaterThan(300)
  })
})
