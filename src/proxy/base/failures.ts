// What a caller reads when the proxy itself fails: a code, the row of the table of failures, the source, and no internals.
import { StreamLost } from '../../client/transports/retry.ts'
import type { Fault } from '../../dispatcher/fault.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { excerptOf } from '../../primitives/received-excerpt.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import {
  ConnectError,
  InvalidResultError,
  LimitError,
  OAuthError,
  TransportError,
} from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Era } from './caller.ts'

/** Failures of a proxy, as `data.mcpwire.id` names them. */
export type ProxyFailureId =
  | 'G007'
  | 'G010'
  | 'G011'
  | 'G012'
  | 'G013'
  | 'G014'
  | 'G015'
  | 'G016'
  | 'G017'
  | 'G018'
  | 'G019'
  | 'G022'
  | 'G024'
  | 'G031'
  | 'G033'

interface FailureDetails {
  readonly code?: number
  readonly data?: JSONObject
  readonly cause?: unknown
}

export function proxyFailure(
  id: ProxyFailureId,
  source: string,
  message: string,
  { code = ErrorCode.InternalError, data, cause }: FailureDetails = {},
): MCPError {
  const failure = new MCPError(code, message, { mcpwire: { id, source }, ...data }, { cause })
  OWN.set(failure, id)
  return failure
}

/** Failures of this proxy, which a source that is a proxy has too. */
const OWN = new WeakMap<object, ProxyFailureId>()

/** An error of the peer as the other peer may read it: code, message, data and further members as they are. */
export function passOn(error: MCPError): MCPError {
  const passed = MCPError.from(error.toErrorData())
  // For this side alone: it may say with which HTTP status the error came.
  passed.cause = error.cause
  return passed
}

/** Whether the peer itself answered with this error. */
export function isPeerError(error: unknown): error is MCPError {
  return error instanceof MCPError && !error.local
}

/** Whether the connection went away, so that nobody knows what became of the request. */
export function isLost(error: unknown): boolean {
  if (error instanceof MCPError) return error.local && error.code === ErrorCode.ConnectionClosed
  return error instanceof TransportError && !(error instanceof ConnectError) && error.status === undefined
}

const AWAY: ReadonlySet<unknown> = new Set<ProxyFailureId>(['G011', 'G013', 'G014', 'G015'])

/** Whether a caller reads by this error that the source is not there, and not that it must not come in. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof MCPError)) return false
  const { reason } = (error.data ?? {}) as { reason?: unknown }
  return AWAY.has(OWN.get(error)) && reason !== 'authorization'
}

/** Whether the source itself has answered, with an error. */
export function isAnswered(error: unknown): boolean {
  return isPeerError(error) && !OWN.has(error)
}

/** Whether the proxy itself has made this error, or the one that it was made of for a caller of the other era. */
export function isOwn(error: MCPError): boolean {
  return OWN.has(error) || (error.cause instanceof MCPError && OWN.has(error.cause))
}

/** What a source says in the words of a proxy stays apart from what this one says: it may be no proxy at all. */
export function inNameOf(source: string, error: MCPError): MCPError {
  const { data } = error
  if (isOwn(error) || error.local || !isPlainObject(data) || !Object.hasOwn(data, 'mcpwire')) return error
  const moved = MCPError.from({
    ...error.toErrorData(),
    data: { ...data, mcpwire: { source, behind: data['mcpwire'] } },
  })
  moved.cause = error.cause
  return moved
}

/**
 * Whether a source answers like one that never opened this connection: none of these is about the request itself, about the access, or
 * about a server that is busy or away.
 */
export function isStrange(error: unknown, era: Era): boolean {
  if (error instanceof TransportError && error.status !== undefined) return isStrangeStatus(error.status)
  if (isLost(error)) return !isUnreached(error)
  if (!isAnswered(error)) return false
  const { code, cause } = error as MCPError
  // Legacy servers answer requests with HTTP 200, whatever is wrong with them.
  const isRefused = era === 'legacy' && cause instanceof TransportError && isStrangeStatus(cause.status)
  return isRefused || STRANGE.has(code)
}

function isStrangeStatus(status: number | undefined): boolean {
  return status === 400 || status === 404 || status === 405 || status === 406
}

const STRANGE: ReadonlySet<number> = new Set([
  ErrorCode.InvalidRequest,
  ErrorCode.UnsupportedProtocolVersion,
  ErrorCode.ConnectionClosed,
])

/** Whether a request did not even leave, so that nothing was executed. */
export function isUnreached(error: unknown): boolean {
  return isLost(error) && [...causesOf(error)].some((one) => UNREACHED.has((one as { code?: unknown }).code))
}

const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

const BUSY: ReadonlySet<string> = new Set(['pending requests', 'queued outbound bytes'])
/** Limits on what is sent: the request never left. */
const OUTBOUND = /^(?:header |all mirrored headers|outbound message bytes)/

function limitFailure(source: string, method: string, error: LimitError): MCPError {
  const { limit, max, message } = error
  const details = { data: { limit, max }, cause: error }
  if (BUSY.has(limit)) {
    return proxyFailure('G012', source, `Too much is under way to '${source}'. Try again later.`, details)
  }
  if (OUTBOUND.test(limit) || message.endsWith('that the peer takes')) {
    const text = `The request '${method}' is too large for '${source}': ${limit} is at most ${max}.`
    return proxyFailure('G033', source, text, { ...details, code: ErrorCode.InvalidParams })
  }
  return proxyFailure('G033', source, `The answer of '${source}' to '${method}' is too large.`, details)
}

/** Whether the source answered with something that is not an answer. */
export function isNoAnswer(failure: unknown): failure is MCPError {
  return failure instanceof MCPError && OWN.get(failure) === 'G016'
}

/** What the author hears of it, with the beginning of what came. Callers read nothing of that. */
export function noAnswerFault({ message, cause }: MCPError, method: string): Fault {
  const excerpt = excerptOf(cause)
  const begins = excerpt === undefined ? '' : ` It begins with ${excerpt}.`
  return { kind: 'invalid-message', message: `${message}${begins}`, method, error: cause }
}

/** What the author hears of a state that is as good as forged. */
export function foreignStateFault(source: string, method: string): Fault {
  const message = `A call of '${source}' came with a requestState that belongs to another call or to another caller. It was refused.`
  return { kind: 'invalid-message', message, method }
}

/** Why a source could not be reached, in one word. */
export type UnreachableReason =
  | 'dns'
  | 'refused'
  | 'spawn'
  | 'handshake'
  | 'version'
  | 'timeout'
  | 'authorization'
  | 'network'

/** What the caller reads of a connection that did not open. */
export function connectFailure(source: string, error: unknown): MCPError {
  if (isUnauthorized(error)) return unauthorized(source, error)
  const reason = reasonOf(error)
  return proxyFailure('G013', source, `The source '${source}' can't be reached (${reason}).`, {
    data: { reason },
    cause: error,
  })
}

function reasonOf(error: unknown): UnreachableReason {
  const codes = [...causesOf(error)].map((one) => String((one as { code?: unknown }).code ?? ''))
  if (codes.some((code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN')) return 'dns'
  if (codes.includes('ECONNREFUSED')) return 'refused'
  if (codes.includes(String(ErrorCode.UnsupportedProtocolVersion))) return 'version'
  if (/within \d+ ms|timed out/i.test(error instanceof Error ? error.message : '')) return 'timeout'
  const phase = error instanceof ConnectError ? error.phase : undefined
  if (phase === 'spawn') return 'spawn'
  if (phase === 'authorize') return 'authorization'
  return phase === 'negotiate' ? 'handshake' : 'network'
}

/** Whether a request came back to a proxy that it had passed, here or further on. */
export function isLoop(error: unknown): boolean {
  return [...causesOf(error)].some((one) => one instanceof MCPError && idOf(one) === 'G031')
}

function idOf({ data }: MCPError): unknown {
  const { mcpwire } = (data ?? {}) as { mcpwire?: { id?: unknown } | null }
  return mcpwire?.id
}

function* causesOf(error: unknown): Generator<object> {
  let at = error
  for (let depth = 0; depth < 8 && typeof at === 'object' && at !== null; depth += 1) {
    yield at
    at = (at as { cause?: unknown }).cause
  }
}

export function isUnauthorized(error: unknown): boolean {
  for (const one of causesOf(error)) {
    if (one instanceof OAuthError) return true
    const { status } = one as { status?: unknown }
    if (status === 401 || status === 403) return true
  }
  return false
}

function unauthorized(source: string, cause: unknown): MCPError {
  const exchange = [...causesOf(cause)].find((one) => one instanceof OAuthError && one.step === 'token')
  if (exchange !== undefined) {
    const data = { error: (exchange as OAuthError).code }
    return proxyFailure('G019', source, `There is no token for '${source}': it was refused.`, { data, cause })
  }
  return proxyFailure('G017', source, `The source '${source}' needs to be connected: it does not accept this access.`, {
    cause,
  })
}

/** What the caller reads whose connection was closed here: its source was removed, or it is let in no more. With a `method`, during that call. */
export function closedFailure(source: string, cause: unknown, method?: string): MCPError {
  const during = method === undefined ? '' : ` during '${method}'`
  return proxyFailure('G007', source, `The connection to '${source}' was closed${during}.`, {
    code: ErrorCode.ConnectionClosed,
    ...(method !== undefined && { data: { maybeExecuted: true } }),
    cause,
  })
}

/** What the caller reads of a request that failed on its way. Errors of the source itself are not among them. */
export function callFailure(source: string, method: string, error: unknown): unknown {
  if (isUnauthorized(error)) return unauthorized(source, error)
  if (error instanceof InvalidResultError) {
    return proxyFailure(
      'G016',
      source,
      `The source '${source}' answered '${method}' with something that is not an answer.`,
      {
        cause: error,
      },
    )
  }
  if (error instanceof LimitError) return limitFailure(source, method, error)
  if (isUnreached(error)) return connectFailure(source, error)
  if (isLost(error)) {
    const hasEnded = error instanceof TransportError || (error as MCPError).cause instanceof StreamLost
    const id = hasEnded ? 'G015' : 'G014'
    return proxyFailure(id, source, `The connection to '${source}' was lost during '${method}'.`, {
      data: { maybeExecuted: true },
      cause: error,
    })
  }
  if (error instanceof TransportError) {
    return proxyFailure('G016', source, `The source '${source}' gave no answer to '${method}'.`, { cause: error })
  }
  return error
}
