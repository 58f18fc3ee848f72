// HMAC with SHA-256 in the same turn is that of the platform.
import { createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { hmacSHA256 } from '../../../src/primitives/hmac.ts'

it.each([0, 1, 32, 63, 64, 65, 200])('is that of the platform for a key of %i bytes', (length) => {
  for (const size of [0, 1, 55, 64, 1_000]) {
    const [key, message] = [randomBytes(length), randomBytes(size)]
    const expected = createHmac('sha256', key).update(message).digest()
    expect(Buffer.from(hmacSHA256(key, message))).toEqual(expected)
  }
})
