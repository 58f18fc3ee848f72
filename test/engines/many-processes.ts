// Several processes on one backend: each counts in one record, posts to one log, takes from one bucket, and runs tasks until none is left.
import { expect } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { NewTask } from '../../src/backend/task-store.ts'
import { bundleProgram } from '../support/bundle.ts'
import { startNode } from '../support/child.ts'

const TURNS = 50
const TASKS = 120
const TOKENS = 30
const CLAIM = { kinds: ['report'], max: 3, leaseMs: 60_000 }

/** An expression that makes the backend in a process of its own, and what it imports. */
export interface BackendCode {
  readonly imports: string
  readonly expression: string
}

const programOf = ({ imports, expression }: BackendCode) => `
${imports}
const [name] = process.argv.slice(2)
const backend = ${expression}
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
while (await backend.limits.take('bucket', { perSecond: 0.0001, burst: ${TOKENS} }) === 0) taken += 1
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

export function taskOf(id: string): NewTask {
  const times = { ttlMs: 3_600_000, keepMs: 600_000, pollIntervalMs: 500 }
  return { id, owner: 'ada', kind: 'report', dialect: 'extension', input: '{}', maxAttempts: 20, ...times }
}

interface Report {
  readonly conflicts: number
  readonly taken: number
  readonly ran: readonly string[]
}

/** No write is lost, no number or token given twice, no task run twice. */
export async function expectShared(name: string, processes: number, backend: Backend, code: BackendCode) {
  const program = await bundleProgram(`${name}-sharing`, programOf(code))
  for (let n = 0; n < TASKS; n += 1) await backend.tasks?.create(taskOf(`task-${n}`))
  const children = Array.from({ length: processes }, (_, n) => startNode([program, `p${n}`]))
  const reports: Report[] = []
  for (const child of children) {
    expect(await child.ended, child.output.stderr).toEqual([0, null])
    reports.push(JSON.parse(child.output.stdout) as Report)
  }
  const count = await backend.records.get('count')
  expect(count?.value).toBe(String(processes * TURNS))
  const page = await backend.logs.read('log', 0)
  expect(page?.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: processes * TURNS }, (_, n) => n + 1))
  for (let n = 0; n < processes; n += 1) {
    const own = page?.entries.map(({ data }) => data).filter((data) => data.startsWith(`p${n} `))
    expect(own).toEqual(Array.from({ length: TURNS }, (_, turn) => `p${n} ${turn + 1}`))
  }
  expect(reports.reduce((sum, { taken }) => sum + taken, 0)).toBe(TOKENS)
  const ran = reports.flatMap((report) => report.ran)
  expect(ran).toHaveLength(TASKS)
  expect(new Set(ran).size).toBe(TASKS)
  expect(await backend.tasks?.countOpen()).toBe(0)
}
