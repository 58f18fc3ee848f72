import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBreach, isPlainlyHarmless } from '../../../../src/primitives/json/json-scan.ts'
import { countLooks } from '../../../support/counted-bytes.ts'

const encoder = new TextEncoder()
const scan = (text: string, maxDepth = 64, maxElements = 1_000) =>
  findBreach(encoder.encode(text), { maxDepth, maxElements })

/** The same two numbers, counted on the parsed value. */
function structureOf(value: unknown): { depth: number; elements: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, elements: 0 }
  const children = Object.values(value).map(structureOf)
  const depth = 1 + Math.max(0, ...children.map((child) => child.depth))
  const commas = Math.max(0, children.length - 1)
  return { depth, elements: 1 + commas + children.reduce((sum, child) => sum + child.elements, 0) }
}

describe('findBreach', () => {
  it('agrees with the parsed value about depth and elements', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), (text) => {
        const { depth, elements } = structureOf(JSON.parse(text))
        expect(scan(text, depth, elements)).toBeUndefined()
        if (depth > 0) expect(scan(text, depth - 1, elements)).toBe('maxDepth')
        if (elements > 0) expect(scan(text, depth, elements - 1)).toBe('maxElements')
      }),
      { seed: 2, numRuns: 1_000 },
    )
  })

  it('is not fooled by brackets, commas, quotes and backslashes in strings, short or long', () => {
    for (const filler of ['', 'x'.repeat(100)]) {
      for (const content of ['[[[[', '{,,,{', '\\"[[', '\\\\', '\\\\\\"[,', '"', '\\"'.repeat(50)]) {
        const text = JSON.stringify({ key: filler + content })
        expect(scan(text, 1, 1), text).toBeUndefined()
      }
    }
  })

  it('never throws and ends on bytes that are no JSON', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        findBreach(bytes, { maxDepth: 4, maxElements: 20 })
      }),
      { seed: 3, numRuns: 2_000 },
    )
    for (const text of ['"', '"\\', '"\\"', '\\', '[', ']', ']]]][', '"'.repeat(99)]) scan(text)
  })

  it('looks at no byte outside its range, and at each within it a bounded number of times', () => {
    const unit = fc.constantFrom('"', '\\', '[', ']', '{', ',', 'a', 'a'.repeat(40), '\\"', '\\\\')
    const part = fc.string({ unit, maxLength: 40 })
    fc.assert(
      fc.property(part, part, part, (before, text, after) => {
        const counter = { looked: 0 }
        const bytes = countLooks(encoder.encode(before + text + after), counter)
        const limits = { maxDepth: 100_000, maxElements: 100_000 }
        findBreach(bytes, limits, before.length, before.length + text.length)
        // Once while walking, once while searching, and once backward over backslashes.
        expect(counter.looked).toBeLessThanOrEqual(3 * text.length)
      }),
      { seed: 38, numRuns: 2_000 },
    )
  })

  it('is not changed by what stands after its end', () => {
    const text = encoder.encode(`"${'x'.repeat(40)}[[[["[[`)
    expect(findBreach(text, { maxDepth: 1, maxElements: 99 }, 0, 46)).toBeUndefined()
    expect(findBreach(text, { maxDepth: 1, maxElements: 99 })).toBe('maxDepth')
  })
})

describe('what is plainly harmless', () => {
  it('breaks no limit, or is no JSON', () => {
    const limits = { maxDepth: 4, maxElements: 40 }
    const unit = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'a')
    const nested = fc.nat(12).map((depth) => '['.repeat(depth) + ']'.repeat(depth))
    const texts = fc.oneof(fc.string({ unit, maxLength: 60 }), fc.json({ maxDepth: 8, stringUnit: unit }), nested)
    fc.assert(
      fc.property(texts, (text) => {
        if (!isPlainlyHarmless(text, limits) || findBreach(encoder.encode(text), limits) === undefined) return
        expect(() => JSON.parse(text)).toThrow(SyntaxError)
      }),
      { seed: 20260728, numRuns: 2_000 },
    )
  })

  it('is a short and simple message, and nothing that nests too deep', () => {
    const limits = { maxDepth: 64, maxElements: 100_000 }
    expect(isPlainlyHarmless('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}', limits)).toBe(true)
    expect(isPlainlyHarmless('['.repeat(65) + ']'.repeat(65), limits)).toBe(false)
    expect(isPlainlyHarmless(' '.repeat(5_000), limits)).toBe(false)
  })
})
