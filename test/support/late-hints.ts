// A store as over a network: its hints come late, twice, in another order or never, and its answers take their time.
import type { TaskListener, TaskStore } from '../../src/backend/task-store.ts'
import type { Clock } from '../../src/primitives/async/clock.ts'

export interface LateHintsOptions {
  readonly seed: number
  /** Of 100 hints, so many never come (default: 40). */
  readonly lost?: number
  /** Of 100 hints, so many come twice (default: 30). */
  readonly doubled?: number
  /** The latest that a hint comes, in milliseconds (default: 6,000). */
  readonly latestMs?: number
  /** The latest that a request arrives, and again that its answer does (default: 40 each). */
  readonly answerMs?: number
}

/** The same store for one process. The same seed gives the same delays for the same sequence of calls. */
export function lateHints(store: TaskStore, clock: Clock, options: LateHintsOptions): TaskStore {
  const { lost = 40, doubled = 30, latestMs = 6_000, answerMs = 40 } = options
  const random = createRandom(options.seed)
  const passes = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms))
  const deliver = (hint: () => void) => {
    if (random(100) < lost) return
    const times = random(100) < doubled ? 2 : 1
    for (let time = 0; time < times; time += 1) clock.setTimer(hint, random(latestMs))
  }
  const watch = (listener: TaskListener) =>
    store.watch({
      changed: (id) => deliver(() => listener.changed(id)),
      work: () => deliver(() => listener.work()),
      missed: () => listener.missed(),
    })
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'watch') return watch
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        if (answerMs > 0) await passes(random(answerMs))
        const settled = await Promise.allSettled([Reflect.apply(member, target, args) as unknown])
        if (answerMs > 0) await passes(random(answerMs))
        const [outcome] = settled
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }
    },
  })
}

/** Whole numbers from 0 up to, and without, a maximum (mulberry32). */
function createRandom(seed: number): (max: number) => number {
  let state = seed >>> 0
  return (max) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * max)
  }
}
