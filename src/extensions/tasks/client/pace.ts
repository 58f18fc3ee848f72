// When the next poll of a task may be sent, and which failures of a poll say nothing about the task.
import { isConnectionFailure } from '../../../client/transports/http-status.ts'
import { backoffDelay, isTransient } from '../../../client/transports/retry.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { TransportError } from '../../../types/errors/failures.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 60_000
/** Where the server names no interval, it doubles with every poll: many tasks end soon after they were created. */
const FIRST_INTERVAL_MS = 100
const LONGEST_OWN_INTERVAL_MS = 5_000
/** While a subscription reports changes, polls only guard against one that got lost. */
const WATCHED_INTERVAL_MS = 30_000
const BACKOFF = { initialDelayMs: 500, maxDelayMs: 30_000 }
const MAX_RETRY_AFTER_MS = 600_000
const TOO_MANY_REQUESTS = 429

/** The pace of one task. Other tasks have no part in it. */
export class Pace {
  #polls = 0
  #failures = 0
  /** The delay that the failures ask for. */
  #backoffMs = 0

  /** The number of polls that were answered. */
  get polls(): number {
    return this.#polls
  }

  /** Failed polls since the last one that was answered. */
  get failures(): number {
    return this.#failures
  }

  answered(): void {
    this.#polls += 1
    this.#failures = 0
    this.#backoffMs = 0
  }

  failed(error: unknown): void {
    this.#failures += 1
    this.#backoffMs = Math.max(backoffDelay(this.#failures, BACKOFF), retryAfterOf(error))
  }

  /** The time between the last poll and the next one. */
  delayMs(state: TaskState | undefined, isWatched: boolean): number {
    const intervalMs = Math.max(this.#intervalMs(state?.pollIntervalMs), isWatched ? WATCHED_INTERVAL_MS : 0)
    return Math.max(intervalMs, this.#backoffMs)
  }

  #intervalMs(asked: number | undefined): number {
    if (asked === undefined || Number.isNaN(asked)) {
      return Math.min(FIRST_INTERVAL_MS * 2 ** Math.min(this.#polls, 10), LONGEST_OWN_INTERVAL_MS)
    }
    return Math.ceil(Math.min(Math.max(asked, MIN_INTERVAL_MS), MAX_INTERVAL_MS))
  }
}

/** Whether the failure of a request is one of the connection or of a busy server, so that the same request may succeed later. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof MCPError) {
    if (error.local && error.code === ErrorCode.RequestTimeout) return true
    if (error.code === TOO_MANY_REQUESTS) return true
    // The server says when to try again.
    if (!error.local && error.code === ErrorCode.InternalError && retryAfterOf(error) > 0) return true
  }
  return isTransient(error)
}

/** Whether no response came: nothing says that there is a server. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof MCPError)) return isConnectionFailure(error)
  return error.local && (error.code === ErrorCode.RequestTimeout || isConnectionFailure(error.cause))
}

/** Whether the server says that there is no such task. */
export function isUnknownTask(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.InvalidParams
}

/** What the server asks to wait, by a header or in the data of the error. */
function retryAfterOf(error: unknown): number {
  const transport = error instanceof MCPError ? error.cause : error
  if (transport instanceof TransportError && transport.retryAfterMs !== undefined) return limit(transport.retryAfterMs)
  const data = error instanceof MCPError ? error.data : undefined
  return isPlainObject(data) ? limit(data['retryAfterMs']) : 0
}

function limit(ms: unknown): number {
  return typeof ms === 'number' && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0
}
