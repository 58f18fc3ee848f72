// What tests of engines that fail share: what a caller does, and tasks.
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { BackendError } from '../../src/backend/backend-error.ts'
import { startDeadline } from '../../src/backend/engine/deadline.ts'
import type { NewTask } from '../../src/backend/task-store.ts'
import type { Fault, FaultyProxy } from './faulty-proxy.ts'

const TTL = 3_600_000

export async function failureOf(work: unknown): Promise<BackendError> {
  try {
    await work
  } catch (error) {
    return error as BackendError
  }
  throw new Error('it did not fail')
}

/** What a caller does after an unknown outcome. */
export async function untilDone<T>(work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!['unavailable', 'timeout'].includes((error as BackendError).kind)) throw error
      // Operations may fail at once, and connections are made in turns of the event loop.
      await setImmediate()
    }
  }
}

/** Breaks each of the first requests of a backend in turn. It may say so, but does not find out by its deadline. */
export async function expectBreaksHeard(
  fault: Fault,
  make: () => Promise<{ readonly proxy: FaultyProxy; readonly backend: Backend }>,
): Promise<void> {
  for (let nth = 1; ; nth += 1) {
    const { proxy, backend } = await make()
    const when = new NthRequest(nth)
    void proxy.plan(fault, when)
    const kinds: string[] = []
    for (let isOpen = false; !isOpen; ) {
      await backend.open({ namespace: 'calculator' }).then(
        () => {
          isOpen = true
        },
        (error: BackendError) => void kinds.push(error.kind),
      )
    }
    expect(kinds, `request ${nth}`).not.toContain('timeout')
    if (!when.hasCome) return expect(nth).toBeGreaterThan(2)
    expect(await backend.health()).toMatchObject({ isReady: true })
    await backend.close()
  }
}

/** More than any engine sends in one piece. */
const MANY = 3_000
/** One for what is on its way already, one for the own turn, and one to spare. */
const MOST_DEADLINES = 3

/**
 * The engine answers nothing: whatever is asked settles by its deadline, also where many wait in one line. So does what still waits when the
 * backend closes. `proxy` stands before the engine, and is released at the end.
 */
export async function expectAllSettle(proxy: FaultyProxy, backend: Backend, timeoutMs: number): Promise<void> {
  const { records, logs, topics, limits } = backend
  const tasks = backend.tasks as NonNullable<Backend['tasks']>
  const listener = { message: () => {}, missed: () => {} }
  const first = topics.subscribe('first', listener)
  await first.ready
  proxy.hold()
  const pending = new Map<string, Promise<unknown>>()
  const failures = new Set<string>()
  const ask = (name: string, work: () => unknown) => {
    const settled = failureOf((async () => work())()).then(({ kind }) => {
      failures.add(kind)
      pending.delete(name)
    })
    pending.set(name, settled)
  }
  const options = { writer: 'w', ttlMs: TTL }
  for (let nth = 1; nth <= MANY; nth += 1) {
    ask(`publish ${nth}`, () => topics.publish(`t${nth}`, 'm'))
    ask(`take ${nth}`, () => limits.take('b', { perSecond: 1, burst: 1 }))
  }
  for (let nth = 1; nth <= 20; nth += 1) {
    ask(`subscribe ${nth}`, () => topics.subscribe(`t${nth}`, listener).ready)
    ask(`get ${nth}`, () => records.get(`k${nth}`))
    ask(`put ${nth}`, () => records.put(`k${nth}`, 'v', { ttlMs: TTL }))
    ask(`append ${nth}`, () => logs.append(`l${nth}`, { seq: 1, data: 'e' }, options))
    ask(`post ${nth}`, () => logs.post('p', 'e', { ...options, nth, maxEntries: 9, maxBytes: 1e6 }))
    ask(`read ${nth}`, () => logs.read(`l${nth}`, 0))
    ask(`hold ${nth}`, () => limits.hold('p', `h${nth}`, { max: 1, ttlMs: TTL }))
    ask(`create ${nth}`, () => tasks.create(newTask(), { limits: { perOwner: 9 } }))
    ask(`claim ${nth}`, () => tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: TTL }))
  }
  // Deadlines as theirs: those that began before them end before them, however busy the machine is.
  for (let nth = 1; nth <= MOST_DEADLINES; nth += 1) {
    await new Promise<void>((resolve) => void startDeadline(timeoutMs, resolve))
  }
  expect([...pending.keys()]).toEqual([])
  expect([...failures].filter((kind) => kind !== 'timeout' && kind !== 'unavailable')).toEqual([])
  const last = [1, 2].map((nth) => failureOf(topics.publish(`last${nth}`, 'm')))
  await backend.close()
  await Promise.all(last)
  proxy.release()
}

class NthRequest extends RegExp {
  #left: number

  constructor(nth: number) {
    super('')
    this.#left = nth
  }

  get hasCome(): boolean {
    return this.#left <= 0
  }

  override test(): boolean {
    this.#left -= 1
    return this.#left === 0
  }
}

let tasksMade = 0

export function newTask(change: Partial<NewTask> = {}): NewTask {
  tasksMade += 1
  const times = { ttlMs: TTL, keepMs: TTL, pollIntervalMs: 500 }
  const names = { id: `t${tasksMade}`, owner: 'ada', kind: 'report', dialect: 'core', input: '{}' }
  return { ...names, maxAttempts: 1, ...times, ...change }
}
