// The scenarios, and how much more CPU time than the baseline each may take.
import type { Caller } from './callers.ts'

export type Work = (caller: Caller) => Promise<void>

const inFlight =
  (width: number, count: number, tool = 'add'): Work =>
  async (caller) => {
    const lane = async () => {
      for (let index = 0; index < count / width; index++) await caller.call(tool, { a: 1, b: 2 })
    }
    await Promise.all(Array.from({ length: width }, lane))
  }

/** Until the compiler is done, for every program that reports its CPU usage. */
const warmUp = inFlight(64, 32_768, 'usage')

const largeResults: Work = async (caller) => {
  for (let index = 0; index < 4; index++) {
    const { content } = await caller.call('large')
    if (content[0]?.text.length !== 10_000_000) throw new Error('a large result is incomplete')
  }
}

const progress: Work = async (caller) => {
  let heard = 0
  await caller.call('progress', {}, () => {
    heard += 1
  })
  if (heard !== 10_000) throw new Error(`${heard} of 10,000 progress notifications came before the result`)
}

export interface Scenario {
  readonly name: string
  readonly work: Work
  readonly turns: number
  /** Turns that do not count, until the compiler is done with the code of this scenario. */
  readonly warmUpTurns: number
  readonly atMost: number
}

/** The number of the warm-up, which is no scenario. */
export const WARM_UP = -1

export function workOf(number: number): Work {
  return number === WARM_UP ? warmUp : (scenarios[number]?.work ?? warmUp)
}

export const scenarios: readonly Scenario[] = [
  { name: '64 in flight', work: inFlight(64, 4_096), turns: 9, warmUpTurns: 3, atMost: 1.3 },
  { name: 'one at a time', work: inFlight(1, 1_024), turns: 15, warmUpTurns: 25, atMost: 1.5 },
  { name: '10 MB results', work: largeResults, turns: 9, warmUpTurns: 3, atMost: 1.15 },
  { name: '10,000 progress notifications', work: progress, turns: 9, warmUpTurns: 3, atMost: 1.4 },
]
