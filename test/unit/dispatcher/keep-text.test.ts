// Messages that keep the text of their results are the same as any others, and are refused for the same reasons.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeMessage } from '../../../src/dispatcher/decode.ts'
import { decodeKeepingText } from '../../../src/dispatcher/keep-text.ts'
import { findPreparedJSON } from '../../../src/primitives/json/prepared-json.ts'

const LIMITS = { maxBytes: 1_000_000, maxDepth: 8, maxElements: 60 }
const RUNS = process.env['FULL_TESTS'] === '1' ? 50_000 : 2_000

const piece = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '"result"', '"result":', '"res\\u0075lt":', '"id":1', '""', '1'],
  ...['0', '-', '.', 'e', 'E+', '1.5e3', 'true', 'false', 'null', 'nul', ' ', '\t', '\n', '\r', '\u0001', '\\u00e9'],
  ...['\\q', 'é', '😀', '{"a":1}', '[1,2]', '{"a":{"b":[]}}', '"x\\\\"', ',"b":2', ' : '],
)
const nearly = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.array(piece, { maxLength: 6 }), fc.boolean())
  .map(([first, second, isLong]) => {
    const pad = isLong ? `,"pad":"${'x'.repeat(5_000)}"` : ''
    return `{"jsonrpc":"2.0","id":1,"result":{"a":1${pad}${first.join('')}}${second.join('')}}`
  })
const text = fc.oneof(
  nearly,
  fc.json({ maxDepth: 4 }).map((json) => `{"id":1,"result":${json}}`),
  fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
)

function outcomeOf(decode: () => unknown): unknown {
  try {
    return { value: decode() }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

it('takes and refuses what decodeMessage does, as text and as bytes', () => {
  fc.assert(
    fc.property(text, (given) => {
      const wanted = outcomeOf(() => decodeMessage(given, LIMITS))
      const bytes = new TextEncoder().encode(given)
      for (const source of [given, bytes]) {
        const got = outcomeOf(() => decodeKeepingText(source, LIMITS))
        expect(got).toEqual(wanted)
        const { result } = ((got as { value?: { result?: unknown } }).value ?? {}) as { result?: unknown }
        const kept = findPreparedJSON(result)
        if (kept === undefined) continue
        expect(JSON.parse(kept.text)).toEqual(result)
        expect(given.replace(/[\r\n]/g, ' ')).toContain(kept.text)
        expect(new TextDecoder().decode(kept.closingBytes)).toBe(`${kept.text}}`)
        expect(new TextDecoder().decode(kept.closingLine)).toBe(`${kept.text}}\n`)
      }
    }),
    { numRuns: RUNS },
  )
})

it('parses what is long when it is read, and a change of it is one', () => {
  const long = JSON.stringify('x'.repeat(10_000))
  const decode = () =>
    (
      decodeKeepingText(`{"id":1,"result":{"a":${long},"b":${long},"__proto__":${long},"c":1}}`, LIMITS) as {
        result: Record<string, unknown>
      }
    ).result
  const result = decode()
  expect(Object.keys(result)).toEqual(['a', 'b', '__proto__', 'c'])
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  expect(result['a']).toBe(result['b'])
  result['b'] = 2
  expect({ ...result }['b']).toBe(2)
  expect(findPreparedJSON({ ...result })).toBeUndefined()
  expect(JSON.stringify(decode())).toBe(`{"a":${long},"b":${long},"__proto__":${long},"c":1}`)
})

it.each([
  [
    'bytes that are no UTF-8',
    new Uint8Array([...new TextEncoder().encode('{"result":{"a":"'), 0xff, 0x22, 0x7d, 0x7d]),
  ],
])('refuses %s', (_what, bytes) => {
  expect(() => decodeKeepingText(bytes, LIMITS)).toThrow('Parse error')
})
