// The body of a POST as a message: read within limits, whoever has parsed it, and refused with the status that says why.
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

/** As the option is called, and as a client that is told of it knows it. */
const BODY_LIMIT = 'maxBodyBytes'

const LIMIT_NAMES: Record<keyof BodyLimits, string> = {
  maxBytes: BODY_LIMIT,
  maxDepth: 'JSON nesting',
  maxElements: 'JSON elements',
}

/**
 * The body as it came, or what a framework made of it. A promise that resolves once `take` or `refuse` is done, except where
 * the exchange can do without one: then both must take care of their own failures.
 */
export function readBody(
  exchange: HttpExchange,
  { maxBytes }: MessageLimits,
  timeoutMs: number,
  take: (body: unknown) => Promise<void> | void,
  refuse: (error: unknown) => void,
): Promise<void> | void {
  const { parsedBody } = exchange
  if (parsedBody !== undefined) return take(parsedBody)
  if (exchange.receive === undefined) return exchange.bytes(maxBytes, timeoutMs).then(take, refuse)
  exchange.receive(maxBytes, timeoutMs, { take: (bytes) => void take(bytes), refuse })
}

/** Text or bytes become a message; a value that a framework has parsed is held against our limits. Throws as above. */
export function readMessage(body: unknown, limits: MessageLimits, tools?: ByteTools): unknown {
  if (typeof body === 'string' || body instanceof Uint8Array) return decodeMessage(body, limits, tools)
  const breach = measureParsed(body, limits)
  if (typeof breach === 'string') throw new LimitError(LIMIT_NAMES[breach], limits[breach])
  return body
}

/** What a body that was read weighs; one that breaks a limit as much as it may. */
export function sizeOfBody(body: unknown, limits: MessageLimits): number {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length
  const size = measureParsed(body, limits)
  return typeof size === 'string' ? limits.maxBytes : size
}

/** Answers a request whose body could not be read. What is our own fault is told to the author only. */
export function refuseBody(exchange: HttpExchange, error: unknown, faults: FaultReporter): void {
  if (error instanceof BodyError && error.max !== undefined) {
    refuseLength(exchange, error.max, error.message)
  } else if (error instanceof BodyError) {
    refuse(exchange, error.status, { code: ErrorCode.ParseError, message: error.message })
  } else if (error instanceof LimitError && (error.limit === BODY_LIMIT || error.limit === MESSAGE_BYTES)) {
    refuseLength(exchange, error.max, error.message)
  } else if (error instanceof LimitError) {
    refuse(exchange, 400, limitData(error))
  } else if (error instanceof MCPError) {
    refuse(exchange, 400, { code: ErrorCode.ParseError, message: 'Parse error: the body is not JSON' })
  } else {
    faults.report({ kind: 'transport', message: 'A request body could not be read', error })
    refuse(exchange, 500, INTERNAL_ERROR)
  }
}

function refuseLength(exchange: HttpExchange, max: number, message: string): void {
  refuse(exchange, 413, limitData(new LimitError(BODY_LIMIT, max, message)))
}

function refuse(exchange: HttpExchange, status: number, error: ErrorData): void {
  if (!exchange.isAnswered) replyError(exchange, status, undefined, error)
}
