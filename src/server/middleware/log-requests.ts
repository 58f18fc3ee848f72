// Observes messages: one log line, or one measurement, for each message that a server has handled.
import { callBack } from '../../primitives/async/call-back.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { withoutSecrets } from '../../primitives/command-line.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { isForCaller } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ServerRequestContext, serverOfRequest } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { nameOf, targetOf, uriOf } from './counted-requests.ts'

/**
 * `ok`, `tool-error` (a result with `isError`), `input-required` (a result that asks), `error` (an answer with a code),
 * `failed` (an exception that the client does not read), or `cancelled` (the client no longer wants an answer).
 */
export type OutcomeKind = 'ok' | 'tool-error' | 'input-required' | 'error' | 'failed' | 'cancelled'

/** How a request ended, as `timeRequests()` and `logRequests()` report it. */
export interface Outcome {
  /** How the request ended. */
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

/** Continues with the message, and reports how it ended. An exception of the listener is a fault and does not affect the message. */
export async function observe(
  ctx: ServerRequestContext,
  next: Next,
  onEnd: (outcome: Outcome, durationMs: number) => void,
): Promise<JSONObject | undefined> {
  const startedAt = monotonicNow()
  const tell = (outcome: Outcome) => {
    const durationMs = monotonicNow() - startedAt
    callBack(
      (end) => onEnd(end, durationMs),
      outcome,
      (error) => {
        const message = 'A listener of a middleware threw'
        serverOfRequest(ctx).faults.report({ kind: 'callback-failed', message, error })
      },
    )
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

const PLAIN = /^[\w./:@+-]+$/
// Line and paragraph separators, control characters, and other characters that are invisible or change how text is shown.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The value as it is where it is plain, else in quotes and escaped; cut off past `maxLength` characters. */
export function quote(value: string, maxLength: number): string {
  if (value.length <= maxLength && PLAIN.test(value)) return value
  const shown = value.length > maxLength ? `${value.slice(0, maxLength)}…` : value
  return JSON.stringify(shown).replace(INVISIBLE, escapeCodePoint)
}

function escapeCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** Options of `logRequests()`. */
export interface LogRequestsOptions {
  /** Also writes the arguments, and uris with their query, which can contain secrets (default: `false`). */
  includeArguments?: boolean | undefined
  /** The longest value that is written, in characters (default: 256). */
  maxValueLength?: number | undefined
}

export const LOG_REQUESTS_KEYS: KnownKeys<LogRequestsOptions> = {
  includeArguments: true,
  maxValueLength: true,
}

/**
 * One line per message once it has been handled, as in `method=tools/call name=add id=7 ms=1.2 outcome=ok`. `write` gets
 * it without a line break; a stdio server must not write it to its standard output.
 *
 * @example
 * ```ts
 * import { logRequests } from 'mcpwire/server'
 * server.use(logRequests((line) => console.error(line), { includeArguments: true }))
 * ```
 */
export function logRequests(write: (line: string) => void, options: LogRequestsOptions = {}): Middleware {
  checkKeys('logRequests()', options, LOG_REQUESTS_KEYS)
  const { includeArguments = false, maxValueLength = 256 } = options
  assertCount('maxValueLength', maxValueLength, 1)
  const formatLine = (ctx: ServerRequestContext, outcome: Outcome, durationMs: number): string => {
    const fields = fieldsOf(ctx, outcome, durationMs, includeArguments)
    return fields
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${quote(String(value), maxValueLength)}`)
      .join(' ')
  }
  return (ctx, next) => observe(ctx, next, (outcome, durationMs) => write(formatLine(ctx, outcome, durationMs)))
}

type Field = [key: string, value: string | number | undefined]

function fieldsOf(ctx: ServerRequestContext, outcome: Outcome, durationMs: number, includeArguments: boolean): Field[] {
  const uri = uriOf(ctx)
  return [
    ['method', ctx.method],
    ['name', nameOf(ctx)],
    ['uri', uri === undefined || includeArguments ? uri : withoutSecrets(uri)],
    ['id', ctx.requestId],
    ['attempt', ctx.task?.attempt],
    ['ms', durationMs.toFixed(1)],
    ['outcome', outcome.kind],
    ['code', outcome.code],
    ['error', outcome.errorName],
    ['arguments', includeArguments ? argumentsOf(ctx.params) : undefined],
  ]
}

function argumentsOf(params: JSONObject | undefined): string | undefined {
  const given = ownMember(params, 'arguments')
  return given === undefined ? undefined : JSON.stringify(given)
}

/** One finished request, as `timeRequests()` reports it. */
export interface RequestTiming {
  /** The method of the request, such as `tools/call`. */
  readonly method: string
  /** The name of a tool or prompt, or the uri of a resource, as the client sent it: it need not exist. */
  readonly target: string | undefined
  /** True for a notification, which has no answer. */
  readonly isNotification: boolean
  /** How long the request took, in milliseconds, by a monotonic clock. */
  readonly durationMs: number
  /** How the request ended. */
  readonly outcome: Outcome
}

/**
 * Calls `onTiming` when a message has been handled, however that ended.
 *
 * @example
 * ```ts
 * import { timeRequests } from 'mcpwire/server'
 * server.use(timeRequests(({ method, durationMs }) => console.error(method, durationMs)))
 * ```
 */
export function timeRequests(onTiming: (timing: RequestTiming) => void): Middleware {
  return (ctx, next) =>
    observe(ctx, next, (outcome, durationMs) => {
      const { method, requestId, task } = ctx
      const isNotification = requestId === undefined && task === undefined
      onTiming({ method, target: targetOf(ctx), isNotification, durationMs, outcome })
    })
}
