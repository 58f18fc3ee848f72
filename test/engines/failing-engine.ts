// What tests of engines that fail share: what a caller does, and tasks.
import { setImmediate } from 'node:timers/promises'
import type { BackendError } from '../../src/backend/backend-error.ts'
import type { NewTask } from '../../src/backend/task-store.ts'

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

let tasksMade = 0

export function newTask(change: Partial<NewTask> = {}): NewTask {
  tasksMade += 1
  const times = { ttlMs: TTL, keepMs: TTL, pollIntervalMs: 500 }
  const names = { id: `t${tasksMade}`, owner: 'ada', kind: 'report', dialect: 'core', input: '{}' }
  return { ...names, maxAttempts: 1, ...times, ...change }
}
