// Ends requests that take too long, and aborts their handlers.

import { Countdown } from '../../primitives/async/countdown.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { hasFact, nameOf } from './counted-requests.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'

/** Options of `limitTime()`. */
export interface LimitTimeOptions {
  /**
   * Maximum time in milliseconds (default: no limit). For every request that is named nowhere below, except those that open or keep a connection (`server/discover`, `initialize`,
   * `ping`) and those that are meant to stay open (`subscriptions/listen`, `tasks/result`, and those of extensions that say so).
   */
  timeoutMs?: number | undefined
  /** By method. */
  methods?: Readonly<Record<string, number>> | undefined
  /** By tool; takes precedence over `methods`. */
  tools?: Readonly<Record<string, number>> | undefined
  /** How a tool call is rejected (default: `result`). */
  toolRefusal?: ToolRefusal | undefined
}

export const LIMIT_TIME_KEYS: KnownKeys<LimitTimeOptions> = {
  timeoutMs: true,
  methods: true,
  tools: true,
  toolRefusal: true,
}

/**
 * When the time is up, `ctx.signal` aborts and the client gets a response at once: a result with `isError` for a tool call, error
 * 504 for anything else. The result of a handler that ignores its signal is dropped. The time of a client's answer to a question
 * does not count; in the modern era each round has its own time.
 *
 * @example
 * ```ts
 * import { limitTime } from 'mcpwire/server'
 * server.use(limitTime({ timeoutMs: 30_000, tools: { report: 120_000 } }))
 * ```
 */
export function limitTime(options: LimitTimeOptions): Middleware {
  checkKeys('limitTime()', options, LIMIT_TIME_KEYS)
  const { toolRefusal = 'result' } = options
  const findLimit = createLookup(options)
  return (ctx, next) => {
    const timeoutMs = ctx.requestId === undefined ? Infinity : findLimit(ctx)
    return timeoutMs > MAX_TIMER_MS ? next() : runWithin(timeoutMs, ctx, next, toolRefusal)
  }
}

function createLookup(options: LimitTimeOptions): (ctx: ServerRequestContext) => number {
  const { timeoutMs = Infinity } = options
  const methods = new Map(Object.entries(options.methods ?? {}))
  const tools = new Map(Object.entries(options.tools ?? {}))
  assertDuration('timeoutMs', timeoutMs)
  for (const [name, value] of [...methods, ...tools]) assertDuration(`The limit of '${name}'`, value)
  return (ctx) => {
    const { method } = ctx
    const ofTool = method === 'tools/call' ? tools.get(nameOf(ctx) ?? '') : undefined
    return ofTool ?? methods.get(method) ?? (hasFact(ctx, 'untimed') ? Infinity : timeoutMs)
  }
}

function runWithin(
  timeoutMs: number,
  ctx: ServerRequestContext,
  next: Next,
  toolRefusal: ToolRefusal,
): Promise<JSONObject | undefined> {
  const abort = extrasOf(ctx).makeAbortable()
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      const refusal = tookTooLong(timeoutMs)
      // Settled before the handler is aborted, so that what it then throws is not the response.
      resolve(refuseLate(ctx, refusal, toolRefusal))
      abort(new LimitError('timeoutMs', timeoutMs, refusal.message))
    }
    const countdown = new Countdown(timeoutMs, giveUp)
    ctx.aroundSending((_method, params, send) => countdown.pausedWhile(send(params)))
    const settle = (end: () => void) => {
      countdown.stop()
      end()
    }
    next().then(
      (result) => settle(() => resolve(result)),
      (error) => settle(() => reject(error)),
    )
  })
}

/** Async, so that a refusal which is thrown becomes a rejection. */
async function refuseLate(ctx: ServerRequestContext, refusal: Refusal, toolRefusal: ToolRefusal): Promise<JSONObject> {
  return refuseCall(ctx, refusal, toolRefusal)
}

function tookTooLong(timeoutMs: number): Refusal {
  return {
    code: RefusalCode.TookTooLong,
    message: `Gave up after ${timeoutMs} ms, the most that this server allows for it`,
    data: { timeoutMs },
  }
}
