import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import {
  assertHeaderLimits,
  decodeHeaderValue,
  encodeHeaderValue,
  type HeaderLookup,
  readHeader,
} from '../../../../src/wire/headers/headers.ts'

const seed = 2243

describe('encodeHeaderValue', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['two words', 'two words'],
    ['', ''],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['in\tside', '=?base64?aW4Jc2lkZQ==?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['=?BASE64?literal?=', '=?BASE64?literal?='],
    ['=?base64?open', '=?base64?open'],
    [' ', '=?base64?IA==?='],
    ['\u007F', '=?base64?fw==?='],
    ['\u0000', '=?base64?AA==?='],
  ])('writes %j as %j', (value, text) => {
    expect(encodeHeaderValue(value)).toBe(text)
    expect(decodeHeaderValue(text)).toBe(value)
  })

  it('C-HTTP-07 F118 emits nothing but printable ASCII without outer spaces, whatever the value', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\r', '\n', '\0', ' ', 'a', 'é', '=?base64?', '?=') }),
    )
    fc.assert(
      fc.property(value, (text) => {
        const written = encodeHeaderValue(text) ?? ''
        expect(written).toMatch(/^[ -~]*$/)
        expect(written.trim()).toBe(written)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('F117 is exactly undone by decodeHeaderValue', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('=?base64?', '?=', '=', 'QQ==', ' ', '\uFEFF') }),
    )
    fc.assert(
      fc.property(value, (text) => {
        expect(decodeHeaderValue(encodeHeaderValue(text) ?? 'not encoded')).toBe(text)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('F062 has no form for a lone surrogate', () => {
    expect(encodeHeaderValue('a\uD800')).toBeUndefined()
    expect(encodeHeaderValue('\uDC00\uD800')).toBeUndefined()
    expect(encodeHeaderValue('😀')).toBe('=?base64?8J+YgA==?=')
  })
})

describe('decodeHeaderValue', () => {
  it.each([
    ['padding missing', '=?base64?SGVsbG8?='],
    ['garbage inside', '=?base64?SGVs!!!bG8=?='],
    ['stray bits', '=?base64?SGVsbG9=?='],
    ['whitespace inside', '=?base64?SGVs bG8=?='],
    ['the URL alphabet', '=?base64?8J-YgA==?='],
    ['not UTF-8', '=?base64?/w==?='],
    ['half a surrogate pair', '=?base64?7aCA?='],
    ['beyond ASCII', 'é'],
    ['a carriage return', 'a\rb'],
    ['a line feed at the end', 'a\n'],
    ['NUL', 'a\u0000'],
    ['DEL', '\u007F'],
  ])('F117 has no value for %s', (_what, text) => {
    expect(decodeHeaderValue(text)).toBeUndefined()
  })

  it.each(['SGVsbG8=', '=?base64?SGVsbG8=', 'SGVsbG8=?=', '=?Base64?SGVsbG8=?=', '=?base64?=', 'a\tb'])(
    'F117 takes %j literally',
    (text) => {
      expect(decodeHeaderValue(text)).toBe(text)
    },
  )

  it('decodes a value that needed no encoding, and a nested one only once', () => {
    expect(decodeHeaderValue('=?base64?SGVsbG8=?=')).toBe('Hello')
    expect(decodeHeaderValue('=?base64??=')).toBe('')
    const once = encodeHeaderValue('é') ?? ''
    expect(decodeHeaderValue(encodeHeaderValue(once) ?? '')).toBe(once)
  })
})

describe('readHeader', () => {
  const lookup: HeaderLookup = (name) =>
    ({ one: ' \ta b\t ', single: ['x'], none: [], two: ['x', 'x'], newline: 'x\n' })[name]

  it('trims spaces and tabs', () => {
    expect(readHeader('one', lookup)).toBe('a b')
    expect(readHeader('single', lookup)).toBe('x')
  })

  it('R37 keeps a trailing newline, so that it can match nothing', () => {
    expect(readHeader('newline', lookup)).toBe('x\n')
  })

  it('tells an absent header from a repeated one', () => {
    expect(readHeader('none', lookup)).toBeUndefined()
    expect(readHeader('absent', lookup)).toBeUndefined()
    expect(readHeader('two', lookup)).toEqual(['x', 'x'])
  })
})

describe('limits', () => {
  it('F118 refuses a value over 8 KiB and headers over 16 KiB, and quotes none', () => {
    const limitOf = (headers: Record<string, string>) => {
      try {
        assertHeaderLimits(headers)
      } catch (error) {
        if (error instanceof LimitError) return [error.limit, error.max]
      }
      return undefined
    }
    expect(limitOf({ 'Mcp-Name': 'x'.repeat(8192) })).toBeUndefined()
    expect(limitOf({ 'Mcp-Name': 'x'.repeat(8193) })).toEqual(['header Mcp-Name', 8192])
    expect(limitOf({ a: 'x'.repeat(8191), b: 'x'.repeat(8191) })).toBeUndefined()
    expect(limitOf({ a: 'x'.repeat(8192), b: 'x'.repeat(8191) })).toEqual(['all mirrored headers together', 16_384])
  })
})
