// The body of a POST as a message: read within limits, also where a framework has parsed it, and rejected with the fitting status.
import { decodeMessage, MESSAGE_BYTES, type MessageLimits } from '../../../dispatcher/decode.ts'
import { INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { limitData } from '../../../dispatcher/unreadable.ts'
import { type BodyLimits, measureParsed } from '../../../http/body.ts'
import { BodyError, type HttpExchange } from '../../../http/exchange.ts'
import type { ByteTools } from '../../../primitives/byte-tools.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import type { ErrorData } from '../../../types/protocol/jsonrpc.ts'
import { replyError } from './reply.ts'

/** The name of the option, which clients read in `data.limit`. */
const BODY_LIMIT = 'maxBodyBytes'

const LIMIT_NAMES: Record<keyof BodyLimits, string> = {
  maxBytes: BODY_LIMIT,
  maxDepth: 'JSON nesting',
  maxElements: 'JSON elements',
}

/** Gets the body, or why there is none; exactly one of the two is called, once. Both must not throw or reject. */
export interface BodyListener {
  /** With the bytes, or with the value that a framework parsed. */
  take(body: unknown): Promise<void> | void
  refuse(error: unknown): void
}

/** A promise resolves when the listener is done. An exchange that calls the listener without a promise returns none. */
export function readBody(
  exchange: HttpExchange,
  { maxBytes }: MessageLimits,
  timeoutMs: number,
  listener: BodyListener,
): Promise<void> | void {
  const { parsedBody } = exchange
  if (parsedBody !== undefined) return listener.take(parsedBody)
  if (exchange.receive !== undefined) return exchange.receive(maxBytes, timeoutMs, listener)
  return exchange.bytes(maxBytes, timeoutMs).then(
    (bytes) => listener.take(bytes),
    (error) => listener.refuse(error),
  )
}

/** Decodes text or bytes; checks a parsed value against the limits. Throws what `rejectBody` takes. */
export function readMessage(body: unknown, limits: MessageLimits, tools?: ByteTools): unknown {
  if (typeof body === 'string' || body instanceof Uint8Array) return decodeMessage(body, limits, tools)
  const breach = measureParsed(body, limits)
  if (typeof breach === 'string') throw new LimitError(LIMIT_NAMES[breach], limits[breach])
  return body
}

/** The size of a body in bytes; the largest allowed size for a value that breaks a limit. */
export function sizeOfBody(body: unknown, limits: MessageLimits): number {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length
  const size = measureParsed(body, limits)
  return typeof size === 'string' ? limits.maxBytes : size
}

/** Answers a request whose body could not be read. Failures of our own are reported and answered without details. */
export function rejectBody(exchange: HttpExchange, error: unknown, faults: FaultReporter): void {
  if (error instanceof BodyError && error.max !== undefined) {
    rejectLength(exchange, error.max, error.message)
  } else if (error instanceof BodyError) {
    replyBodyError(exchange, error.status, { code: ErrorCode.ParseError, message: error.message })
  } else if (error instanceof LimitError && (error.limit === BODY_LIMIT || error.limit === MESSAGE_BYTES)) {
    rejectLength(exchange, error.max, error.message)
  } else if (error instanceof LimitError) {
    replyBodyError(exchange, 400, limitData(error))
  } else if (error instanceof MCPError) {
    replyBodyError(exchange, 400, { code: ErrorCode.ParseError, message: 'Parse error: the body is not JSON.' })
  } else {
    faults.report({ kind: 'transport', message: 'A request body could not be read.', error })
    replyBodyError(exchange, 500, INTERNAL_ERROR)
  }
}

function rejectLength(exchange: HttpExchange, max: number, message: string): void {
  replyBodyError(exchange, 413, limitData(new LimitError(BODY_LIMIT, max, message)))
}

function replyBodyError(exchange: HttpExchange, status: number, error: ErrorData): void {
  if (!exchange.isAnswered) replyError(exchange, status, undefined, error)
}
