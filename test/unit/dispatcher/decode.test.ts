import { describe, expect, it } from 'vitest'
import { CLIENT_LIMITS, decodeMessage, SERVER_LIMITS } from '../../../src/dispatcher/decode.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function failureOf(source: string | Uint8Array, limits = SERVER_LIMITS): unknown {
  try {
    decodeMessage(source, limits)
  } catch (error) {
    return error
  }
  throw new Error('this should not have been accepted')
}

/** Both forms that a message may arrive in. */
const forms: [string, (text: string) => string | Uint8Array][] = [
  ['bytes', bytes],
  ['text', (text) => text],
]

describe.each(forms)('decodeMessage of %s', (_form, form) => {
  it('gives the value', () => {
    expect(decodeMessage(form('{"a":[1,"ü😀",null,true]}'), SERVER_LIMITS)).toEqual({ a: [1, 'ü😀', null, true] })
  })

  it('F057 refuses 100,000 nested arrays before parsing', () => {
    const failure = failureOf(form('['.repeat(100_000) + ']'.repeat(100_000)))
    expect(failure).toBeInstanceOf(LimitError)
    expect(failure).toMatchObject({ limit: 'JSON nesting', max: 64 })
  })

  it('F057 takes 64 levels and refuses 65', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    decodeMessage(form(nested(64)), SERVER_LIMITS)
    expect(failureOf(form(nested(65)))).toBeInstanceOf(LimitError)
  })

  it('F058 refuses 4 MiB of empty objects by their number, before parsing', () => {
    const text = `[${'{},'.repeat(1_390_000)}{}]`
    expect(text.length).toBeLessThan(SERVER_LIMITS.maxBytes)
    expect(failureOf(form(text))).toMatchObject({ limit: 'JSON elements', max: 100_000 })
    expect(failureOf(form(text), CLIENT_LIMITS)).toMatchObject({ limit: 'JSON elements', max: 1_000_000 })
  })

  it('refuses more bytes than allowed, counted as bytes', () => {
    const limits = { ...SERVER_LIMITS, maxBytes: 10 }
    expect(decodeMessage(form('"12345678"'), limits)).toBe('12345678')
    expect(failureOf(form('"123456789"'), limits)).toMatchObject({ limit: 'message bytes', max: 10 })
    expect(failureOf(form('"üüüüü"'), limits)).toMatchObject({ limit: 'message bytes', max: 10 })
  })

  it.each([[''], ['{'], ['{"a":}'], ['nope secret-token'], ['{"a":1}{"b":2}'], ["{'a':1}"], ['NaN'], ['[1,]']])(
    'answers %j with -32700 and none of its content',
    (text) => {
      const failure = failureOf(form(text))
      expect(failure).toBeInstanceOf(MCPError)
      expect(failure).toMatchObject({ code: -32700, message: 'Parse error', data: undefined })
      expect((failure as Error).cause).toBeUndefined()
    },
  )

  it('F060 takes the last of duplicate keys', () => {
    const value = decodeMessage(form('{"method":"a","params":{"x":1,"x":2},"method":"b"}'), SERVER_LIMITS)
    expect(value).toEqual({ method: 'b', params: { x: 2 } })
  })

  it('F059 keeps __proto__ and constructor as plain keys', () => {
    const value = decodeMessage(
      form('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      SERVER_LIMITS,
    )
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('F062 keeps escaped lone surrogates, and F064 gives numbers as JavaScript does', () => {
    expect(decodeMessage(form('"\\ud800"'), SERVER_LIMITS)).toBe('\ud800')
    expect(decodeMessage(form('[1e400,-0,1e-400]'), SERVER_LIMITS)).toEqual([Infinity, -0, 0])
    expect(decodeMessage(form('9'.repeat(10_000)), SERVER_LIMITS)).toBe(Infinity)
    expect(decodeMessage(form(`1e${'9'.repeat(400)}`), SERVER_LIMITS)).toBe(Infinity)
  })
})

describe('decodeMessage', () => {
  it('F011 refuses bytes that are no UTF-8, and is fit for the next message', () => {
    for (const broken of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]) {
      expect(failureOf(Uint8Array.of(0x22, ...broken, 0x22))).toMatchObject({ code: -32700 })
      expect(decodeMessage(bytes('{"fine":true}'), SERVER_LIMITS)).toEqual({ fine: true })
    }
  })

  it('F008 steps over a byte order mark', () => {
    expect(decodeMessage(Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('{}')), SERVER_LIMITS)).toEqual({})
  })
})
