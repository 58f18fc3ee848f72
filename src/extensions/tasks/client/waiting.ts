// Waiting for the end of a task, within the limits of whoever waits.
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { JobWaitOptions } from '../../../types/extensions/tasks.ts'
import { isUnanswered } from './pace.ts'
import { after } from './pause.ts'
import type { TaskEnd, TaskFollower } from './task-follower.ts'

export interface WaitLimits extends JobWaitOptions {
  /** Stops the wait without an error. */
  leaveAfterMs?: number | undefined
  /** How long polls in a row may get no response at all (default: `timeoutMs`, else `UNREACHABLE_MS`). */
  unreachableMs?: number | undefined
}

/**
 * How a wait ended: with the task, at a limit (`stopped`), because it was not meant to be longer (`left`), or because nobody answers
 * where the server was (`unreachable`).
 */
export type WaitEnd =
  | TaskEnd
  | { readonly kind: 'stopped' | 'unreachable'; readonly error: unknown }
  | { readonly kind: 'left' }

/** Long enough for a server that restarts. After that a caller rather learns of it, with what finds the task again. */
export const UNREACHABLE_MS = 60_000
/** A server that answers slowly makes a poll time out, which says less than a connection that is refused. */
const UNREACHABLE_POLLS = 3

/** How long to wait for the answer to a request that is under way when the server may drop the task. */
const LAST_ANSWER_MS = 60_000

/** Never rejects, and hears an abort at once. `timeoutMs` counts only while the server owes an answer. */
export function waitForEnd(follower: TaskFollower, clock: Clock, limits: WaitLimits): Promise<WaitEnd> {
  const { signal, timeoutMs, maxTotalMs, leaveAfterMs, onStatus } = limits
  const { unreachableMs = timeoutMs ?? UNREACHABLE_MS } = limits
  if (signal?.aborted) return Promise.resolve({ kind: 'stopped', error: signal.reason })
  return new Promise((resolve) => {
    let isOver = false
    let stopSilence: (() => void) | undefined
    const stops: (() => void)[] = []
    /** Polls in a row without a response, and when the first of them failed. */
    const unanswered = { polls: 0, since: 0 }
    const settle = (end: WaitEnd): void => {
      if (isOver) return
      isOver = true
      stopSilence?.()
      for (const stop of stops) stop()
      resolve(end)
    }
    const stopAfter = (ms: number | undefined, end: () => WaitEnd): void => {
      if (ms !== undefined) stops.push(after(clock, ms, () => settle(end())))
    }
    stopAfter(maxTotalMs, () => stopped(`The task did not end within ${maxTotalMs} ms in all.`))
    stopAfter(leaveAfterMs, () => ({ kind: 'left' }))
    if (signal !== undefined) {
      const abort = () => settle({ kind: 'stopped', error: signal.reason })
      listenForAbort(signal, abort)
      stops.push(() => forgetAbort(signal, abort))
    }
    const silent = (): void => {
      if (stopSilence !== undefined) return
      const silentMs = timeoutMs ?? Math.max(0, follower.keptMs) + LAST_ANSWER_MS
      const message = `The server gave no sign of life about the task for ${silentMs} ms.`
      stopSilence = after(clock, silentMs, () => settle(stopped(message)))
    }
    const heard = (): void => {
      stopSilence?.()
      stopSilence = undefined
      unanswered.polls = 0
    }
    const failed = (error: unknown): void => {
      if (!isUnanswered(error)) {
        unanswered.polls = 0
        return
      }
      if (unanswered.polls === 0) unanswered.since = clock.monotonic()
      unanswered.polls += 1
      const ms = clock.monotonic() - unanswered.since
      if (unanswered.polls >= UNREACHABLE_POLLS && ms >= unreachableMs) settle({ kind: 'unreachable', error })
    }
    const leave = follower.join({ ended: settle, silent, heard, failed, ...(onStatus && { changed: onStatus }) })
    if (isOver) leave()
    else stops.push(leave)
  })
}

function stopped(message: string): WaitEnd {
  return { kind: 'stopped', error: new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true }) }
}
