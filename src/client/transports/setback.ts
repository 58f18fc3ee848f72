// An attempt that failed in a way that another one may not, told apart from failures that would be the same every time.
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import { brand } from '../../types/errors/brand.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { isConnectionFailure } from './event-stream.ts'
import { statusOf } from './http-status.ts'

/** The response to one request ended without the answer; other requests are not concerned. */
export class StreamLost extends TransportError {
  static {
    brand(this, 'StreamLost')
  }
}

/** Whether a call failed for that reason and no other. */
export function isStreamLost(error: unknown): boolean {
  return error instanceof MCPError && error.cause instanceof StreamLost
}

/** Whether no server could be reached at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && error.status === undefined
}

export interface Setback {
  /** What the caller reads where nothing comes after this attempt. */
  readonly error: Error
  readonly retryAfterMs?: number | undefined
  /** What has to be done first, where the server refused us before doing anything. */
  readonly renew?: () => Promise<void>
}

/** Statuses that say: not now. The request may or may not have reached whoever works on it. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504])

export function isBusy(status: number | undefined): boolean {
  return BUSY.has(status)
}

/** Whether the failure is one of the way to the server, and no answer that would be the same another time. */
export function mayPass(error: Error): boolean {
  const cause = error instanceof MCPError && error.local ? error.cause : error
  return isConnectionFailure(cause) || isBusy(statusOf(error))
}

/** The error of a call whose response broke off, or ended without the answer. */
export function streamEnded(method: string, cause?: Error): MCPError {
  const message = `The response to '${method}' ended without an answer; it may have been carried out`
  return connectionClosed(new StreamLost(message, { cause }))
}

/** Why a promise was rejected; `undefined` where it was not. */
export function reasonOf(work: Promise<void>): Promise<Error | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : connectionClosed()),
  )
}
