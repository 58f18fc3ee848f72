// What this package adds to the protocol by itself keeps out of what the specification has reserved.
import { expect, it } from 'vitest'
import { REFUSAL_META_KEY, RefusalCode } from '../../../../src/server/middleware/refusal.ts'
import { isReservedMetaKey, isValidMetaKey } from '../../../../src/types/protocol/meta.ts'

it('B-RPC-19 our own codes are outside the range that JSON-RPC and the specification share', () => {
  const codes = Object.values(RefusalCode)
  expect(codes.filter((code) => code >= -32768 && code <= -32000)).toEqual([])
  expect(new Set(codes).size).toBe(codes.length)
})

it('B-META-01 B-META-02 our own key obeys the grammar and has no reserved prefix', () => {
  expect([isValidMetaKey(REFUSAL_META_KEY), isReservedMetaKey(REFUSAL_META_KEY)]).toEqual([true, false])
})
