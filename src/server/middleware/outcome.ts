// How a message ended and how long that took, for those who watch.
import { monotonicNow } from '../../primitives/async/timer.ts'
import { isForCaller } from '../../types/errors/received-error.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ServerRequestContext } from '../context.ts'
import type { Next } from '../handlers.ts'

/**
 * `ok`, `tool-error` (a result with `isError`), `input-required` (a result that asks), `error` (an answer with a code),
 * `failed` (an exception that the client does not read), or `cancelled` (the client no longer wants an answer).
 */
export type OutcomeKind = 'ok' | 'tool-error' | 'input-required' | 'error' | 'failed' | 'cancelled'

export interface Outcome {
  readonly kind: OutcomeKind
  /** The error's code, with `error`. */
  readonly code?: number
  /** The exception's name, with `failed`. */
  readonly errorName?: string
}

const OK: Outcome = Object.freeze({ kind: 'ok' })
const TOOL_ERROR: Outcome = Object.freeze({ kind: 'tool-error' })
const INPUT_REQUIRED: Outcome = Object.freeze({ kind: 'input-required' })
const CANCELLED: Outcome = Object.freeze({ kind: 'cancelled' })

/** Goes on with the message, and tells how it ended. What the listener throws is reported, and costs the message nothing. */
export async function observe(
  ctx: ServerRequestContext,
  next: Next,
  onEnd: (outcome: Outcome, durationMs: number) => void,
): Promise<JSONObject | undefined> {
  const startedAt = monotonicNow()
  const tell = (outcome: Outcome) => {
    try {
      onEnd(outcome, monotonicNow() - startedAt)
    } catch (error) {
      ctx.server.faults.report({ kind: 'callback-failed', message: 'A listener of a middleware threw', error })
    }
  }
  try {
    const result = await next()
    tell(outcomeOf(result))
    return result
  } catch (error) {
    tell(outcomeOfError(ctx, error))
    throw error
  }
}

export function outcomeOf(result: JSONObject | undefined): Outcome {
  if (result?.['isError'] === true) return TOOL_ERROR
  return result?.['resultType'] === 'input_required' ? INPUT_REQUIRED : OK
}

export function outcomeOfError(ctx: ServerRequestContext, error: unknown): Outcome {
  if (ctx.dispatch.signal.aborted) return CANCELLED
  if (isForCaller(error)) return { kind: 'error', code: error.code }
  return { kind: 'failed', errorName: error instanceof Error ? error.name : typeof error }
}
