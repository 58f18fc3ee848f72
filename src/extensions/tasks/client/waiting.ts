// Waiting for the end of a task, within the limits of whoever waits.
import { forgetAbort, listenForAbort } from '../../../primitives/async/abort.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { JobWaitOptions } from '../../../types/extensions/tasks.ts'
import { after } from './pause.ts'
import type { TaskEnd, TaskFollower } from './task-follower.ts'

export interface WaitLimits extends JobWaitOptions {
  /** Stops the wait without an error. */
  leaveAfterMs?: number
}

/** How a wait ended: with the task, at a limit (`stopped`), or because it was not meant to be longer (`left`). */
export type WaitEnd = TaskEnd | { readonly kind: 'stopped'; readonly error: unknown } | { readonly kind: 'left' }

/** For the answer to a request that is under way when the server may drop the task. */
const LAST_ANSWER_MS = 60_000

/** Never rejects, and hears an abort at once. `timeoutMs` counts only while the server owes an answer. */
export function waitForEnd(follower: TaskFollower, clock: Clock, limits: WaitLimits): Promise<WaitEnd> {
  const { signal, timeoutMs, maxTotalMs, leaveAfterMs, onStatus } = limits
  if (signal?.aborted) return Promise.resolve({ kind: 'stopped', error: signal.reason })
  return new Promise((resolve) => {
    let isOver = false
    let stopSilence: (() => void) | undefined
    const stops: (() => void)[] = []
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
    }
    const leave = follower.join({ ended: settle, silent, heard, ...(onStatus && { changed: onStatus }) })
    if (isOver) leave()
    else stops.push(leave)
  })
}

function stopped(message: string): WaitEnd {
  return { kind: 'stopped', error: new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true }) }
}
