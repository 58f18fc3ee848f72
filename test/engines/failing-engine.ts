// What tests of engines that fail share: what a caller does, and tasks.
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { BackendError } from '../../src/backend/backend-error.ts'
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
