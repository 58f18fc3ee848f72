// Records as a model: for each key a value with its revision, or none.
import fc from 'fast-check'
import type { Kept } from '../../../src/backend/records.ts'
import type { Model } from './history.ts'

const TTL = 3_600_000

type Condition = 'none' | 'absent' | number | { readonly revision: string }

export interface RecordOperation {
  readonly do: 'get' | 'touch' | 'put' | 'delete'
  readonly key: 'a' | 'b'
  readonly value: string
  /** A number stands for a revision that somebody has seen. */
  readonly if: Condition
}

type Result = Kept | { readonly revision: string | null } | boolean | null
type State = Readonly<Record<'a' | 'b', Kept | null>>

let values = 0

export const recordOperation: fc.Arbitrary<RecordOperation> = fc.record({
  do: fc.constantFrom('get', 'get', 'touch', 'put', 'put', 'put', 'delete'),
  key: fc.constantFrom('a', 'b'),
  value: fc.constant(''),
  if: fc.oneof(fc.constant('none' as const), fc.constant('absent' as const), fc.nat(3)),
})

export const recordModel: Model<RecordOperation, State, Result> = {
  start: { a: null, b: null },

  prepare(operation, seen) {
    values += 1
    // Sometimes others put the same.
    const value = `v${values % 3}`
    if (typeof operation.if !== 'number') return { ...operation, value }
    // The newest are the most likely to be there still.
    const revisions = seen.flatMap((result) =>
      typeof result === 'object' && result?.revision != null ? [result.revision] : [],
    )
    return { ...operation, value, if: { revision: revisions.at(-1 - operation.if) ?? 'never' } }
  },

  async run({ records }, { do: what, key, value, if: condition }) {
    if (what === 'get') return (await records.get(key)) ?? null
    if (what === 'touch') return (await records.get(key, { touchMs: TTL })) ?? null
    const given = condition === 'none' ? {} : { if: condition as 'absent' | { revision: string } }
    if (what === 'put') return { revision: (await records.put(key, value, { ttlMs: TTL, ...given })) ?? null }
    return typeof condition === 'object' ? records.delete(key, { if: condition }) : records.delete(key)
  },

  next(state, { do: what, key, value, if: condition }, result) {
    const known = state[key]
    const holds =
      condition === 'none' || (condition === 'absent' ? known === null : known?.revision === revisionOf(condition))
    if (what === 'get' || what === 'touch') return same(result, known) ? state : undefined
    if (what === 'put') {
      const { revision } = result as { revision: string | null }
      if (!holds) return revision === null ? state : undefined
      if (revision === null || revision === known?.revision) return undefined
      return { ...state, [key]: { value, revision } }
    }
    const deletes = known !== null && (holds || condition === 'absent')
    if (result !== deletes) return undefined
    return deletes ? { ...state, [key]: null } : state
  },
}

function revisionOf(condition: Condition): string | undefined {
  return typeof condition === 'object' ? condition.revision : undefined
}

function same(result: Result, known: Kept | null): boolean {
  if (result === null || known === null) return result === known
  const { value, revision } = result as Kept
  return value === known.value && revision === known.revision
}
