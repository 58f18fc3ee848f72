// What is measured of a backend, whatever engine it is on: single operations one at a time, and whole tasks in flight together.
import { randomBytes } from 'node:crypto'
import type { Backend } from '../../src/backend/backend.ts'
import type { Claim, TaskStore } from '../../src/backend/task-store.ts'
import { type Contender, type Measured, measure, report } from '../measure.ts'

const HOUR_MS = 3_600_000
const RECORD = 'r'.repeat(540)
const EVENT = 'e'.repeat(299)
const INPUT = 'i'.repeat(300)
const MAX_TRIES = 1_000
/** As many as a busy node has at the same time. */
const IN_FLIGHT = 32
/** Keys go round, so that an engine has more than one, and no more than a server would have. */
const KEYS = 1_000

/** Every operation that a request makes, one at a time. */
export function operations({ records, logs, topics, limits }: Backend): Contender[] {
  let turn = 0
  let appended = -1
  const key = () => {
    turn += 1
    return `k${turn % KEYS}`
  }
  /** Logs of ten events, which soon expire. */
  const append = () => {
    appended += 1
    const entry = { seq: 1 + (appended % 10), data: EVENT }
    return logs.append(`log-${Math.floor(appended / 10)}`, entry, { writer: 'w', ttlMs: 1_000 })
  }
  return [
    { name: 'records.get', run: () => records.get(key()) },
    { name: 'records.get with touchMs', run: () => records.get(key(), { touchMs: HOUR_MS }) },
    { name: 'records.put', run: () => records.put(key(), RECORD, { ttlMs: HOUR_MS }) },
    { name: 'logs.append', run: append },
    { name: 'limits.take', run: () => limits.take('bucket', { perSecond: 1e6, burst: 1e6 }) },
    { name: 'topics.publish', run: () => topics.publish('topic', EVENT) },
  ]
}

/** Creates, claims and finishes tasks, so many at the same time. One run is all of them. */
export function tasksInFlight(tasks: TaskStore, inFlight = IN_FLIGHT): () => Promise<unknown> {
  // Made beforehand: a random id takes as long as a statement.
  let ids: string[] = []
  const seeThrough = async () => {
    if (ids.length === 0) ids = Array.from({ length: 4_096 }, () => randomBytes(32).toString('base64url'))
    const id = ids.pop() as string
    const names = { id, owner: 'ada', kind: 'report', dialect: 'extension' }
    await tasks.create({ ...names, input: INPUT, ttlMs: 1_000, keepMs: 0, pollIntervalMs: 500, maxAttempts: 1 })
    let claim: Claim | undefined
    // Postgres passes over what another transaction looks at in the same moment.
    for (let tries = 0; claim === undefined && tries < MAX_TRIES; tries += 1) {
      ;[claim] = await tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: 30_000 })
    }
    if (claim === undefined) throw new Error('There was no task to claim')
    await tasks.finish(claim, { status: 'completed', text: INPUT })
  }
  return () => Promise.all(Array.from({ length: inFlight }, seeThrough))
}

export async function measureOperations(title: string, backend: Backend): Promise<Measured[]> {
  const measured = await measure(operations(backend), { rounds: 9, warmUpMs: 200 })
  report(`${title}, one operation at a time`, measured)
  return measured
}

/** Microseconds of CPU time for each task. */
export async function measureTasks(backend: Backend, inFlight = IN_FLIGHT): Promise<number> {
  if (backend.tasks === undefined) throw new Error('The engine keeps no tasks')
  const run = tasksInFlight(backend.tasks, inFlight)
  const [measured] = await measure([{ name: 'tasks', run }], { rounds: 9, warmUpMs: 500, sliceMs: 100 })
  return (measured as Measured).nanoseconds / 1000 / inFlight
}
