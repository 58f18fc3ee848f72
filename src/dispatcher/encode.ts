// JSON out: messages as text, with a bound, and errors that tell whether anything has left.
import { brand } from '../types/brand.ts'
import { MCPError } from '../types/errors.ts'
import { InvalidResultError, LimitError, OAuthError, TransportError } from '../types/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage } from '../types/jsonrpc.ts'
import { connectionClosed } from './error-policy.ts'

/** The most that one message of ours may measure. */
export const MAX_OUTBOUND_BYTES = 64 * 1024 * 1024

/** A message cannot be said in JSON: a cycle, a BigInt, a getter that throws. Nothing of it was sent. */
export class EncodeError extends Error {
  static {
    brand(this, 'EncodeError')
  }
}

/** The message as one line of JSON text. Throws `EncodeError` or `LimitError` before any byte could leave. */
export function encodeMessage(message: JSONRPCMessage | JSONRPCBatch, maxBytes = MAX_OUTBOUND_BYTES): string {
  let text: string
  try {
    text = JSON.stringify(message)
  } catch (cause) {
    throw new EncodeError('The message cannot be encoded as JSON', { cause })
  }
  // A UTF-16 unit takes at most three bytes, so most messages need no counting.
  if (text.length * 3 > maxBytes && byteLength(text) > maxBytes)
    throw new LimitError('outbound message bytes', maxBytes)
  return text
}

function byteLength(text: string): number {
  return text.length > MAX_OUTBOUND_BYTES ? text.length : new TextEncoder().encode(text).length
}

/** Whether a failed `send` is known to have sent nothing. */
export function isUnsent(error: unknown): boolean {
  return error instanceof EncodeError || error instanceof LimitError
}

/** What a caller reads when its request could not be written: our own errors as they are, others as a closed connection. */
export function asCallError(error: unknown): unknown {
  const isOurs = [MCPError, TransportError, LimitError, EncodeError, OAuthError, InvalidResultError].some(
    (kind) => error instanceof kind,
  )
  if (isOurs) return error
  return connectionClosed(error instanceof Error ? error : new Error('the message could not be written'))
}
