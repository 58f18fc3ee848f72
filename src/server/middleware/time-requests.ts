// Tells how long each message took, for whoever keeps statistics.
import type { Middleware } from '../handlers.ts'
import { type Outcome, observe } from './outcome.ts'
import { targetOf } from './target.ts'

export interface RequestTiming {
  readonly method: string
  /** The name of a tool or prompt, or the uri of a resource, as the client sent it: it need not exist. */
  readonly target: string | undefined
  readonly isNotification: boolean
  /** By a clock that nobody can set. */
  readonly durationMs: number
  readonly outcome: Outcome
}

/** Calls `onTiming` when a message has been handled, however that ended. */
export function timeRequests(onTiming: (timing: RequestTiming) => void): Middleware {
  return (ctx, next) =>
    observe(ctx, next, (outcome, durationMs) => {
      const { method, requestId } = ctx
      onTiming({ method, target: targetOf(ctx), isNotification: requestId === undefined, durationMs, outcome })
    })
}
