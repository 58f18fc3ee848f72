// What the HTTP status behind an error says about the server. Apart from http-errors.ts, which reads HTTP responses: every client
// loads this file, and only HTTP transports load that one.
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'

/** Whether no HTTP response came, or not all of it. An error with a status means that the server responded. */
export function isConnectionFailure(error: unknown): error is TransportError {
  return error instanceof TransportError && error.status === undefined
}

/** The status behind an error, with or without a JSON-RPC error; `undefined` where no HTTP response came. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof TransportError) return error.status
  return error instanceof MCPError && error.cause instanceof TransportError ? error.cause.status : undefined
}

/** Statuses about the caller, the rate or a proxy. They do not show which protocol the server speaks. */
const INCONCLUSIVE: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429, 502, 503, 504])

export function isInconclusive(status: number | undefined): boolean {
  return status !== undefined && INCONCLUSIVE.has(status)
}

/** Whether a status without a JSON-RPC body shows that a server is at this URL and did not understand the request. */
export function isNotUnderstood(status: number | undefined): boolean {
  if (status === undefined || INCONCLUSIVE.has(status)) return false
  return (status >= 200 && status <= 299) || (status >= 400 && status <= 499)
}

/**
 * Whether the status says that nothing is at this URL, or that it has failed. A JSON-RPC body does not change that: many servers
 * send one with 404 for every unknown path.
 */
export function isNoServerStatus(status: number | undefined): boolean {
  return status === 404 || status === 405 || status === 410 || (status !== undefined && status >= 500)
}
