// Timers that survive large values, keep no process alive by themselves, and bound a wait.

/** Longer delays make `setTimeout` fire at once, so waits are cut into pieces of at most this. */
export const MAX_TIMER_MS = 2_147_483_647

export type Timer = ReturnType<typeof setTimeout>

interface ProcessTimer {
  ref?(): unknown
  unref?(): unknown
}

/** Lets the process end although the timer is set. Runtimes without the notion ignore it. */
export function unref(timer: Timer): void {
  ;(timer as unknown as ProcessTimer).unref?.()
}

/** Undoes `unref`: while something waits for this timer, the process stays. */
export function ref(timer: Timer): void {
  ;(timer as unknown as ProcessTimer).ref?.()
}

/** Milliseconds of a clock that no one can set back. */
export function monotonicNow(): number {
  return performance.now()
}

/** Waits for `work`, but not longer than `ms`. Resolves to whether the work was done in time; never rejects. */
export function settlesWithin(work: PromiseLike<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), Math.min(ms, MAX_TIMER_MS))
    const done = () => {
      clearTimeout(timer)
      resolve(true)
    }
    work.then(done, done)
  })
}

/** Calls the listener in a microtask. Returns how to prevent that. */
export function callSoon(listener: () => void): () => void {
  let isWanted = true
  queueMicrotask(() => {
    if (isWanted) listener()
  })
  return () => {
    isWanted = false
  }
}
