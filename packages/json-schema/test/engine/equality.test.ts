import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOOKALIKES } from '../../../../test/support/lookalikes.ts'
import { compileJsonSchema } from '../../src/compile.ts'
import { canonicalText, isEqual } from '../../src/engine/equality.ts'
import { UNMETERED } from '../../src/engine/steps.ts'
import { createMultipleTest } from '../../src/keywords/numbers.ts'

const json = fc.jsonValue({ maxDepth: 3 })

/** Objects with their members the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).reverse()
  const copy = {}
  for (const [key, member] of entries) {
    Object.defineProperty(copy, key, { value: reversed(member), enumerable: true, configurable: true })
  }
  return copy
}

describe('equality of JSON values', () => {
  it('has nothing to do with the order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isEqual(value, reversed(value))).toBe(true)
        expect(canonicalText(value, UNMETERED)).toBe(canonicalText(reversed(value), UNMETERED))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it.each(LOOKALIKES)('tells %j from %j, alone and inside, by comparison and by text', (one, other) => {
    for (const wrap of [(value: unknown) => value, (value: unknown) => [value], (value: unknown) => ({ a: value })]) {
      expect(isEqual(wrap(one), wrap(other))).toBe(false)
      expect(canonicalText(wrap(one), UNMETERED)).not.toBe(canonicalText(wrap(other), UNMETERED))
    }
  })

  it.each(LOOKALIKES)('holds for uniqueItems, enum and const: %j is not %j', (one, other) => {
    const accepts = (schema: object, value: unknown) => compileJsonSchema(schema).check(value)
    for (const [a, b] of [
      [one, other],
      [[one], [other]],
      [{ x: one }, { x: other }],
    ] as const) {
      expect(accepts({ uniqueItems: true }, [a, b])).toBe(true)
      expect(accepts({ uniqueItems: true }, [a, b, a])).toBe(false)
      expect([accepts({ enum: [a] }, a), accepts({ enum: [a] }, b)]).toEqual([true, false])
      expect([accepts({ const: a }, a), accepts({ const: a }, b)]).toEqual([true, false])
    }
  })

  it('is the same by comparison and by text', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(canonicalText(a, UNMETERED) === canonicalText(b, UNMETERED)).toBe(isEqual(a, b))
      }),
      { seed: 2, numRuns: 500 },
    )
  })

  it.each<[unknown, unknown, boolean]>([
    [0, -0, true],
    [1, true, false],
    [0, false, false],
    ['1', 1, false],
    [null, 'null', false],
    [['a,b'], ['a', 'b'], false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[], {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ constructor: 1 }, {}, false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(isEqual(a, b)).toBe(expected)
    expect(isEqual(b, a)).toBe(expected)
  })
})

describe('multiples', () => {
  it.each<[number, number, boolean]>([
    [0.3, 0.1, true],
    [4.35, 0.01, true],
    [1.1, 0.1, true],
    [0.0075, 0.0001, true],
    [0.00751, 0.0001, false],
    [12391239123, 1e-8, true],
    [1e308, 0.123456789, false],
    [1e308, 0.5, true],
    [-7.5, 2.5, true],
    [0, 3, true],
    [9007199254740993e3, 7, false],
  ])('%d of %d: %s', (value, divisor, expected) => {
    expect(createMultipleTest(divisor)(value, UNMETERED)).toBe(expected)
  })

  it('hold for every whole number of hundredths', () => {
    fc.assert(
      fc.property(fc.integer(), (whole) => createMultipleTest(0.01)(Number(`${whole}e-2`), UNMETERED)),
      { seed: 3, numRuns: 500 },
    )
  })
})
