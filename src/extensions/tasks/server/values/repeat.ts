// Repeats an operation on the store while its engine is away. Every one of them can be repeated.
import type { Clock } from '../../../../primitives/async/clock.ts'
import { unref } from '../../../../primitives/async/timer.ts'
import { isEngineAway } from './store-errors.ts'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

/** Rejects as the last attempt did: where the failure is another one, or `goesOn` says no. */
export async function repeatWhileAway<T>(clock: Clock, work: () => Promise<T>, goesOn: () => boolean): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isEngineAway(error) || !goesOn()) throw error
      await pause(clock, waitMs)
    }
  }
}

/** Repeats in the same way, for this many milliseconds. */
export function repeatWithin<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<T> {
  const endsAt = clock.monotonic() + ms
  return repeatWhileAway(clock, work, () => clock.monotonic() < endsAt)
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => unref(clock.setTimer(resolve, ms)))
}
