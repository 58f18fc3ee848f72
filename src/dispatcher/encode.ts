// JSON out: messages as text, with a bound, and errors that tell whether anything has left.
import { findPreparedJSON, type PreparedJSON } from '../primitives/json/prepared-json.ts'
import { brand, MCPError } from '../types/errors/errors.ts'
import { InvalidResultError, LimitError, OAuthError, TransportError } from '../types/errors/failures.ts'
import type { JSONRPCBatch, JSONRPCMessage, JSONRPCResultResponse } from '../types/protocol/jsonrpc.ts'
import { connectionClosedError } from './error-policy.ts'

/** The most that one message of ours may measure. */
export const MAX_OUTBOUND_BYTES = 64 * 1024 * 1024

/** A message has no JSON form: a cycle, a BigInt, a getter that throws. Nothing of it was sent. */
export class EncodeError extends Error {
  static {
    brand(this, 'EncodeError')
  }
}

/** The message as one line of JSON text. Throws `EncodeError` or `LimitError` before any byte could leave. */
export function encodeMessage(message: JSONRPCMessage | JSONRPCBatch, maxBytes = MAX_OUTBOUND_BYTES): string {
  let text: string
  try {
    text = writeAround(message) ?? JSON.stringify(message)
  } catch (cause) {
    throw new EncodeError('The message cannot be encoded as JSON', { cause })
  }
  // A UTF-16 unit takes at most three bytes, so most messages need no counting.
  if (text.length * 3 > maxBytes && byteLength(text) > maxBytes)
    throw new LimitError('outbound message bytes', maxBytes)
  return text
}

/** A long message in two pieces that make the whole when they are written one after the other. */
export interface MessagePieces {
  /** The start of the message as text. */
  readonly head: string
  /** Set where that is known: then it has as many bytes as characters. */
  readonly isHeadASCII?: boolean
  /** The rest of the message as bytes. */
  readonly body: Uint8Array
}

/**
 * As `encodeMessage`, for a transport that can write bytes: a long list, whose bytes are prepared, comes in pieces. Joining
 * them would cost several times what writing them does.
 */
export function encodePieces(message: JSONRPCMessage | JSONRPCBatch, maxBytes?: number): MessagePieces | string {
  const prepared = findLong(message)
  const pieces = prepared && startWith(message, prepared.closingBytes)
  return pieces !== undefined && fits(pieces, maxBytes) ? pieces : encodeMessage(message, maxBytes)
}

/** The same for a transport of lines: what comes of it ends with a line break. */
export function encodeLinePieces(message: JSONRPCMessage | JSONRPCBatch): MessagePieces | string {
  const prepared = findLong(message)
  const pieces = prepared && startWith(message, prepared.closingLine)
  return pieces !== undefined && fits(pieces) ? pieces : `${encodeMessage(message)}\n`
}

function findLong(message: unknown): PreparedJSON | undefined {
  const prepared = findPrepared(message)
  try {
    return prepared?.isLong === true ? prepared : undefined
  } catch {
    // What cannot be written at all is told by who writes it whole.
    return undefined
  }
}

/** A UTF-16 unit takes at most three bytes. */
function fits({ head, body }: MessagePieces, maxBytes = MAX_OUTBOUND_BYTES): boolean {
  return head.length * 3 + body.length <= maxBytes
}

/** The text of an answer around that of its result, where this is known already. */
function writeAround(message: JSONRPCMessage | JSONRPCBatch): string | undefined {
  const text = findPrepared(message)?.text
  return text === undefined ? undefined : `${openAnswer(message)}${text}}`
}

/** Whatever a caller passes off as a message. */
function findPrepared(message: unknown): PreparedJSON | undefined {
  return findPreparedJSON((message as { readonly result?: unknown } | null | undefined)?.result)
}

function startWith(message: JSONRPCMessage | JSONRPCBatch, body: Uint8Array): MessagePieces {
  return { head: openAnswer(message), isHeadASCII: typeof (message as JSONRPCResultResponse).id === 'number', body }
}

function openAnswer(message: JSONRPCMessage | JSONRPCBatch): string {
  const { id } = message as JSONRPCResultResponse
  return `{"jsonrpc":"2.0","id":${Number.isSafeInteger(id) ? id : JSON.stringify(id)},"result":`
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
  return connectionClosedError(error instanceof Error ? error : new Error('the message could not be written'))
}
