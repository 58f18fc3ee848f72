import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdTable } from '../../../src/primitives/id-table.ts'

const keys = fc.oneof(
  fc.integer({ min: -40, max: 3_000 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 32 + 1, 1, 0, '', '1', '__proto__'),
)
const steps = fc.array(fc.tuple(fc.constantFrom('set', 'delete', 'get'), keys), { maxLength: 400 })

describe('a table by id', () => {
  it('does what a map does, whatever comes and goes', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const table = new IdTable<object>()
        const map = new Map<number | string, object>()
        for (const [step, key] of taken) {
          if (step === 'delete') expect(table.delete(key)).toBe(map.delete(key))
          if (step === 'set') {
            const value = { key }
            table.set(key, value)
            map.set(key, value)
          }
          expect(table.get(key)).toBe(map.get(key))
          expect(table.has(key)).toBe(map.has(key))
          expect(table.size).toBe(map.size)
        }
        expect(new Set(table.values())).toEqual(new Set(map.values()))
      }),
      { seed: 20260728, numRuns: 200 },
    )
  })

  it('holds more than it has places for', () => {
    const table = new IdTable<number>()
    for (let key = 0; key < 5_000; key++) table.set(key * 1_024, key)
    expect(table.size).toBe(5_000)
    for (let key = 0; key < 5_000; key++) expect(table.get(key * 1_024)).toBe(key)
  })
})
