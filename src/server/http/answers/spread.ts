// Streams that clients open again at other nodes once this one has ended them: not all of them in the same moment.
import { type Timer, unref } from '../../../primitives/async/timer.ts'

const TICK_MS = 50
const PER_STREAM_MS = 10

/** Ends one stream; called once. */
export type End = () => void

/**
 * Calls all of them in random order, 10 ms apart where `withinMs` allows that. A few are called at once. Resolves after the last one;
 * from the moment that `hurry` settles nobody waits any more.
 */
export async function spread(ends: readonly End[], withinMs: number, hurry?: Promise<unknown>): Promise<void> {
  const left = shuffle([...ends])
  const ticks = Math.max(1, Math.floor(Math.min(left.length * PER_STREAM_MS, withinMs) / TICK_MS))
  const perTick = Math.ceil(left.length / ticks)
  let isHurried = false
  void hurry?.then(() => {
    isHurried = true
  })
  for (;;) {
    for (const end of left.splice(0, isHurried ? left.length : perTick)) end()
    if (left.length === 0) return
    await Promise.race([tick(), ...(hurry === undefined ? [] : [hurry])])
  }
}

function tick(): Promise<void> {
  return new Promise((resolve) => {
    const timer: Timer = setTimeout(resolve, TICK_MS)
    unref(timer)
  })
}

function shuffle<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const item = items[last] as T
    items[last] = items[other] as T
    items[other] = item
  }
  return items
}
