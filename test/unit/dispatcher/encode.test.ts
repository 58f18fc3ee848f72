import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { EncodeError, encodeLinePieces, encodeMessage, encodePieces } from '../../../src/dispatcher/encode.ts'
import { prepareJSON } from '../../../src/primitives/json/prepared-json.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import type { JSONRPCMessage, RequestId } from '../../../src/types/protocol/jsonrpc.ts'

const answer = (result: JSONObject, id: RequestId = 1): JSONRPCMessage => ({ jsonrpc: '2.0', id, result })
const long = () => ({ text: 'ä'.repeat(20_000) })

function join(encoded: ReturnType<typeof encodePieces>): string {
  if (typeof encoded === 'string') return encoded
  return `${encoded.head}${new TextDecoder().decode(encoded.body)}`
}

describe('a prepared result', () => {
  it('is sent with the same text as any other, whatever the id', () => {
    const id = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger())
    const result = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(id, result, (id, members) => {
        const message = answer(prepareJSON({ ...members }), id)
        expect(encodeMessage(message)).toBe(JSON.stringify(message))
        expect(join(encodePieces(message))).toBe(JSON.stringify(message))
        expect(join(encodeLinePieces(message))).toBe(`${JSON.stringify(message)}\n`)
      }),
      { seed: 4, numRuns: 200 },
    )
  })

  it('is written out once', () => {
    const toJSON = vi.fn(() => 'written')
    const result = prepareJSON({ member: { toJSON } as never })

    expect(encodeMessage(answer(result, 1))).toBe('{"jsonrpc":"2.0","id":1,"result":{"member":"written"}}')
    expect(encodeMessage(answer(result, 2))).toBe('{"jsonrpc":"2.0","id":2,"result":{"member":"written"}}')
    expect(toJSON).toHaveBeenCalledOnce()
  })

  it('leaves its text behind when it is copied', () => {
    const result = prepareJSON({ a: 1 })
    encodeMessage(answer(result))

    expect(encodeMessage(answer({ ...result, b: 2 }))).toContain('{"a":1,"b":2}')
  })

  it('comes in pieces when it is long, with the same bytes each time', () => {
    const result = prepareJSON(long())
    const [first, second] = [encodePieces(answer(result, 1)), encodePieces(answer(result, 'x'))]

    if (typeof first === 'string' || typeof second === 'string') throw new Error('Expected pieces')
    expect(first.body).toBe(second.body)
    expect(join(second)).toBe(JSON.stringify(answer(result, 'x')))
  })

  it('comes as one text when it is short, and so does what is not prepared', () => {
    expect(encodePieces(answer(prepareJSON({ a: 1 })))).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}')
    expect(encodePieces(answer(long()))).toBe(JSON.stringify(answer(long())))
    expect(encodePieces([])).toBe('[]')
  })
})

it.each([null, 7, 'text', true, [], { result: null }])('%j is written as it is, though it is no message', (value) => {
  expect(encodeMessage(value as never)).toBe(JSON.stringify(value))
  expect(encodePieces(value as never)).toBe(JSON.stringify(value))
})

describe('what cannot be sent', () => {
  it.each([encodeMessage, encodePieces])('is refused by %o before any byte could leave', (encode) => {
    const cyclic: JSONObject = {}
    cyclic['self'] = cyclic

    expect(() => encode(answer(cyclic))).toThrow(EncodeError)
    expect(() => encode(answer(prepareJSON({ cyclic })))).toThrow(EncodeError)
    expect(() => encode(answer(long()), 30_000)).toThrow(LimitError)
    expect(() => encode(answer(prepareJSON(long())), 30_000)).toThrow(LimitError)
    expect(() => encode(answer(prepareJSON(long())), 41_000)).not.toThrow()
  })
})
