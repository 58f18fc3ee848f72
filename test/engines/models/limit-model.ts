// Limits as a model: who holds a place, and how many tokens are left of a bucket that regains none meanwhile.
import fc from 'fast-check'
import type { Model } from './history.ts'

const TTL = 3_600_000
const PLACES = 2
/** Regains a token in about three years. */
const RATE = { perSecond: 1e-8, burst: 5 }

export interface LimitOperation {
  readonly do: 'hold' | 'release' | 'take'
  readonly holder: 'a' | 'b' | 'c'
  readonly tokens: number
}

interface State {
  readonly holders: readonly string[]
  readonly tokens: number
}

export const limitOperation: fc.Arbitrary<LimitOperation> = fc.record({
  do: fc.constantFrom('hold', 'hold', 'release', 'take'),
  holder: fc.constantFrom('a', 'b', 'c'),
  tokens: fc.integer({ min: 1, max: 2 }),
})

export const limitModel: Model<LimitOperation, State, boolean> = {
  start: { holders: [], tokens: RATE.burst },

  async run({ limits }, { do: what, holder, tokens }) {
    if (what === 'hold') return limits.hold('k', holder, { max: PLACES, ttlMs: TTL })
    if (what === 'take') return (await limits.take('k', { ...RATE, tokens })) === 0
    await limits.release('k', holder)
    return true
  },

  next(state, { do: what, holder, tokens }, result) {
    const others = state.holders.filter((name) => name !== holder)
    if (what === 'release') return { ...state, holders: others }
    if (what === 'take') {
      if (result !== tokens <= state.tokens) return undefined
      return result ? { ...state, tokens: state.tokens - tokens } : state
    }
    const hasPlace = others.length < state.holders.length || others.length < PLACES
    if (result !== hasPlace) return undefined
    return result ? { ...state, holders: [...others, holder].sort() } : state
  },
}
