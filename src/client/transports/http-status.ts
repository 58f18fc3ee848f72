// What the HTTP status behind a failure says about the server at the other end. Apart from `http-errors`, which reads responses:
// a program loads this with every client.
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'

/** The status, whether the refusal came in JSON-RPC or in HTTP alone; `undefined` where no response came. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof TransportError) return error.status
  return error instanceof MCPError && error.cause instanceof TransportError ? error.cause.status : undefined
}

/** Statuses about who asks, how often, or what stands in between. They say nothing about what the server understands. */
const BESIDE_THE_POINT: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429, 502, 503, 504])

export function isBesideThePoint(status: number | undefined): boolean {
  return status !== undefined && BESIDE_THE_POINT.has(status)
}

/** Whether a bare response shows that somebody at this address understands HTTP, and did not understand us. */
export function isNotUnderstood(status: number | undefined): boolean {
  if (status === undefined || BESIDE_THE_POINT.has(status)) return false
  return (status >= 200 && status <= 299) || (status >= 400 && status <= 499)
}

/**
 * Whether the status says that nothing is at this address, or that what is there has failed. A body in JSON-RPC does not change
 * that: many servers refuse every path that they do not know with one.
 */
export function isOfNoServer(status: number | undefined): boolean {
  return status === 404 || status === 405 || status === 410 || (status !== undefined && status >= 500)
}

/** Whether no response came, or not all of it. A status means that somebody answered, if only to refuse. */
export function isConnectionFailure(error: unknown): error is TransportError {
  return error instanceof TransportError && error.status === undefined
}
