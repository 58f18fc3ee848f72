// What a caller reads when the proxy itself fails: a code, the row of the table of failures, the source, and no internals.
import { StreamLost } from '../../client/transports/retry.ts'
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
  return new MCPError(code, message, { mcpwire: { id, source }, ...data }, { cause })
}

/** An error of the peer as the other peer may read it: code, message, data and further members as they are. */
export function passOn(error: MCPError): MCPError {
  return MCPError.from(error.toErrorData())
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

/** What the caller reads of a request that failed on its way. Errors of the source itself are not among them. */
export function callFailure(source: string, method: string, error: unknown): unknown {
  if (isUnauthorized(error)) return unauthorized(source, error)
  if (error instanceof InvalidResultError) {
    return proxyFailure(
      'G016',
      source,
      `The source '${source}' answered '${method}' with something that is no answer.`,
      {
        cause: error,
      },
    )
  }
  if (error instanceof LimitError) {
    const { limit, max } = error
    return proxyFailure('G033', source, `The answer of '${source}' to '${method}' is too large.`, {
      data: { limit, max },
      cause: error,
    })
  }
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
