import { describe, expect, it } from 'vitest'
import { quoteShort } from '../../../src/primitives/quote.ts'

describe('a value in a message', () => {
  it.each<[string, unknown, number | undefined, string]>([
    ['is in quotes', 'add', undefined, '"add"'],
    ['has its control characters escaped', 'a\n"b"\u001b', undefined, '"a\\n\\"b\\"\\u001b"'],
    ['stays whole up to the limit', 'x'.repeat(60), undefined, `"${'x'.repeat(60)}"`],
    ['is cut off beyond 60 characters', 'x'.repeat(61), undefined, `"${'x'.repeat(60)}…"`],
    ['is cut off beyond another limit', 'abcdef', 3, '"abc…"'],
    ['is a text, whatever it was', 12, undefined, '"12"'],
    ['may be undefined', undefined, undefined, '"undefined"'],
  ])('%s', (_what, value, maxLength, shown) => {
    expect(quoteShort(value, maxLength)).toBe(shown)
  })
})
