// Inputs for several targets: text that is nearly JSON, and bytes in random chunks.
import fc from 'fast-check'

const encoder = new TextEncoder()

/** Tokens of JSON in any order, long and short strings, and text that is not JSON. */
const token = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\"', '\\\\', '\\u00e9', '\\ud800', '"a"', '"id"', '"__proto__"'],
  ...['0', '-1', '1e400', '1.5', 'true', 'null', ' ', '\t', '\r', 'é', '😀', '\u2028', '\ufeff', 'x'.repeat(40), 'NaN'],
)

/** Mostly valid; sometimes with tokens inserted or a part removed. */
export const nearlyJSON: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 5, stringUnit: 'binary' }),
  fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join('')),
  fc
    .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(12), fc.array(token, { maxLength: 4 }))
    .map(([text, at, length, tokens]) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + tokens.join('') + text.slice(start + length)
    }),
  fc.tuple(fc.constantFrom('[', '{"a":', '[[],'), fc.nat(80)).map(([open, depth]) => open.repeat(depth)),
)

/** Text as UTF-8, sometimes with an invalid byte. */
export function bytesOf(text: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  return fc.tuple(text, fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 4 })).map(([whole, change]) => {
    const bytes = encoder.encode(whole)
    if (change !== null && bytes.length > 0) bytes[change[0] % bytes.length] = change[1]
    return bytes
  })
}

/** Positions of cuts, for any length. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat(), { maxLength: 8 })

export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))
}
