// The digest of questions, held against the one of the platform.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestOf } from '../../../../src/mcpserver/asking/digest.ts'
import { sha256 } from '../../../../src/primitives/sha256.ts'
import { LOOKALIKES } from '../../../support/lookalikes.ts'

function reference(message: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(message).digest())
}

it('is SHA-256 for messages of every length around the blocks', () => {
  for (let length = 0; length <= 200; length += 1) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 31 + length) & 0xff)
    expect(sha256(message)).toEqual(reference(message))
  }
})

it('is SHA-256 for any message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (message) => {
      expect(sha256(message)).toEqual(reference(message))
    }),
    { seed: 1, numRuns: 100 },
  )
})

it('is different for different questions, whatever the order of their members', () => {
  const ask = (params: object) => digestOf({ method: 'elicitation/create', params } as never)
  const question = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
  const reordered = { requestedSchema: { properties: {}, type: 'object' }, message: 'Who?', mode: 'form' }
  expect(ask(reordered)).toBe(ask(question))
  expect(ask({ ...question, message: 'Who' })).not.toBe(ask(question))
  expect(ask({ ...question, mode: 'url' })).not.toBe(ask(question))
  expect(digestOf({ method: 'roots/list' })).not.toBe(ask(question))
  for (const [one, other] of LOOKALIKES) expect(ask({ default: one })).not.toBe(ask({ default: other }))
  expect(ask(question)).toMatch(/^[\w-]{43}$/)
})
