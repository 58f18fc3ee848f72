// Request ids: which values are ids at all, and when two of them name the same call.
import type { RequestId } from '../types/protocol/jsonrpc.ts'

/** An id is kept as long as its request lives, so that a long one would be a way to fill memory. */
const MAX_ID_LENGTH = 1_024

/** What is wrong with an id that is none, for the peer that sent it. */
export const INVALID_ID = 'id must be an integer or a string of at most 1,024 characters'

/** A string or a safe integer. `true` is not 1, and an integer beyond 2^53 could be another one's neighbour. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value)
}

const PLAIN_DECIMAL = /^(?:0|-?[1-9][0-9]{0,15})$/

/**
 * What ids are compared by. A peer may echo 7 as "7", and both must find the same call; only plain decimals are taken so,
 * never " 7", "+7", "07" or "7.0".
 */
export function correlationKey(id: RequestId): RequestId {
  if (typeof id === 'number' || !PLAIN_DECIMAL.test(id)) return id
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : id
}
