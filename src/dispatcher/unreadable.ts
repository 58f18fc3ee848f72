// A message that could not be kept or read: what it was, told from its two ends, and what its sender is answered.
// Members of JSON-RPC stand before the long ones or behind them.
import { withExcerpt } from '../primitives/received-excerpt.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { InvalidResultError, LimitError } from '../types/errors/failures.ts'
import {
  type ErrorData,
  JSONRPC_VERSION,
  type JSONRPCErrorResponse,
  type RequestId,
} from '../types/protocol/jsonrpc.ts'
import { isRequestId } from './request-id.ts'

/** How much of a line is looked at, at either end. */
const END_BYTES = 1_024

export interface MessageIdentity {
  /** Whether this is JSON-RPC at all, as far as can be seen. */
  readonly isMessage: boolean
  readonly kind: 'request' | 'notification' | 'answer' | 'unknown'
  readonly id: RequestId | undefined
}

const decoder = new TextDecoder()

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])
const BATCH = /^\s*\[\s*\{/
const OPENING = /^\s*\{/
const NAME = /\s*"([a-z]{1,16})"\s*:\s*/y
const SCALAR = /("(?:[^"\\]|\\.){0,256}"|-?\d{1,16}|null|true|false)\s*([,}])/y
/** The id, behind which at most short members of a message may follow. */
const ID_AT_END =
  /"id"\s*:\s*("(?:[^"\\]|\\.){0,256}"|-?\d{1,16})\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,256}"\s*){0,2}\}\s*$/y

/** The beginning of a line and, where it has come to its end, the end of it. Both may be cut, also within a character. */
export function identifyMessage(head: Uint8Array, tail?: Uint8Array): MessageIdentity {
  const text = decoder.decode(head.subarray(0, END_BYTES))
  const members = readMembers(text)
  const isMessage = BATCH.test(text) || [...members.keys()].some((name) => MEMBERS.has(name))
  const isAnswer = members.has('result') || members.has('error')
  const isCall = members.has('method') || members.has('params')
  if (isAnswer === isCall) return { isMessage, kind: 'unknown', id: undefined }
  const id = asId(members.get('id')) ?? (tail === undefined ? undefined : findIdAtEnd(tail))
  if (isAnswer) return { isMessage, kind: 'answer', id }
  const method = members.get('method')
  const isNotification = typeof method === 'string' && method.startsWith('notifications/')
  const kind = id !== undefined ? 'request' : isNotification ? 'notification' : 'unknown'
  return { isMessage, kind, id }
}

/** The names of members from the first one on, with the values of those that are short, up to the first that is not. */
function readMembers(text: string): Map<string, unknown> {
  const members = new Map<string, unknown>()
  let at = OPENING.exec(text)?.[0].length
  while (at !== undefined) {
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[1]
    if (name === undefined) break
    SCALAR.lastIndex = NAME.lastIndex
    const scalar = SCALAR.exec(text)
    members.set(name, scalar === null ? undefined : readLiteral(scalar[1]))
    at = scalar?.[2] === ',' ? SCALAR.lastIndex : undefined
  }
  return members
}

function findIdAtEnd(tail: Uint8Array): RequestId | undefined {
  const text = decoder.decode(tail.subarray(-END_BYTES))
  const at = text.lastIndexOf('"id"')
  if (at === -1 || !/[,{]\s*$/.test(text.slice(Math.max(0, at - 16), at))) return undefined
  ID_AT_END.lastIndex = at
  return asId(readLiteral(ID_AT_END.exec(text)?.[1]))
}

function readLiteral(literal: string | undefined): unknown {
  try {
    return literal === undefined ? undefined : JSON.parse(literal)
  } catch {
    return undefined
  }
}

function asId(value: unknown): RequestId | undefined {
  return isRequestId(value) ? value : undefined
}

const PARSE_ERROR: ErrorData = Object.freeze({ code: ErrorCode.ParseError, message: 'Parse error' })

/** With the id where it is known. Nothing for what was no request: that waits for no answer. */
export function createRejection(problem: Error, { kind, id }: MessageIdentity): JSONRPCErrorResponse | undefined {
  if (kind === 'answer' || kind === 'notification') return undefined
  const error = problem instanceof LimitError ? limitData(problem) : PARSE_ERROR
  return id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error }
}

/** A broken limit as the peer reads it. */
export function limitData({ limit, max, message }: LimitError): ErrorData {
  return { code: ErrorCode.InvalidRequest, message: `Invalid request: ${message}`, data: { limit, max } }
}

/** What the caller reads whose answer could not be read. */
export function toLostAnswerError(problem: Error, received: Uint8Array | string | undefined): Error {
  if (problem instanceof LimitError) return problem
  return withExcerpt(new InvalidResultError('The answer is not JSON in UTF-8', '', { cause: problem }), received)
}
