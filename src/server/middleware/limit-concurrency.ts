// limitConcurrency(): how many requests of a kind run at once. Some wait for their turn; the rest are rejected. Limits that hold
// without it: dispatcher/in-flight.ts for one connection, http/guards/admission.ts for an HTTP handler.
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { createMethodTest, isFurtherRound, keyByTarget, type RequestKey, Rounds } from './counted-requests.ts'
import { Place, type PlaceLine, WaitingLine } from './places.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'
import {
  checkOnUnavailable,
  keyInStore,
  type LimitStore,
  limitsFor,
  type OnUnavailable,
  reportUnavailable,
  type SharedLimit,
} from './shared-limits.ts'
import { SharedLine } from './shared-line.ts'

/** Options of `limitConcurrency()`. */
export interface LimitConcurrencyOptions {
  /** Requests of one key that run at once. */
  max: number
  /** Requests of one key that may wait for their turn (default: none). */
  maxWaiting?: number | undefined
  /** The requests that are limited (default: `tools/call`). One that stays open, as `subscriptions/listen`, counts until its end. */
  methods?: readonly string[] | undefined
  /** What shares a limit (default: the method with the name or uri, for all callers together). */
  key?: RequestKey | undefined
  /** How a tool call is rejected (default: `error`). */
  toolRefusal?: ToolRefusal | undefined
  /**
   * Counts over all nodes, with two trips per limited request (default: `limits` of the backend of the server, where it has one).
   * `false` counts in this process. Requests wait in the process that got them.
   */
  store?: LimitStore | undefined
  /**
   * While the store does not answer: `local` lets `max` requests run in this process, `refuse` rejects, `allow` lets every request
   * run (default: `local`).
   */
  onUnavailable?: OnUnavailable | undefined
}

export const LIMIT_CONCURRENCY_KEYS: KnownKeys<LimitConcurrencyOptions> = {
  max: true,
  maxWaiting: true,
  methods: true,
  key: true,
  toolRefusal: true,
  store: true,
  onUnavailable: true,
}

const TOOLS_ONLY = ['tools/call'] as const
const MAX_STATES = 10_000

/**
 * A cancelled request waits no longer. On a server with a backend the limit counts over all nodes; the places of a node that is lost
 * are free after 15 s. A rejected request gets error 503. While a client answers a question of a call, the call
 * does not count; it then waits for a turn, however many wait already. In the modern era that needs a sealed `requestState`.
 * Put this inside `limitTime`, so that a call counts until its handler has really ended.
 *
 * @example
 * ```ts
 * import { limitConcurrency } from 'mcpwire/server'
 * server.use(limitConcurrency({ max: 4 }))
 * ```
 */
export function limitConcurrency(options: LimitConcurrencyOptions): Middleware {
  checkKeys('limitConcurrency()', options, LIMIT_CONCURRENCY_KEYS)
  const { max, maxWaiting = 0, key: keyOf = keyByTarget, toolRefusal = 'error' } = options
  assertCount('max', max, 1)
  assertCount('maxWaiting', maxWaiting, 0)
  const { store, onUnavailable = 'local', methods = TOOLS_ONLY } = options
  checkOnUnavailable(onUnavailable)
  const refusal = tooBusy(max, maxWaiting)
  const limit: SharedLimit = { name: ['concurrency', max, ...methods], onUnavailable }
  /** Only those in use: never more than there are requests. */
  const lines = new Map<string, PlaceLine>()
  const createLine = (ctx: ServerRequestContext, key: string): PlaceLine => {
    const limits = limitsFor(ctx, store)
    if (limits === undefined) return new WaitingLine(max, maxWaiting)
    const report = (error: unknown) => reportUnavailable(ctx, limits, limit, error)
    return new SharedLine({ limits, key: keyInStore(limit, key), max, maxWaiting, onUnavailable, report })
  }

  const rounds = new Rounds(MAX_STATES)
  const isCounted = createMethodTest(methods)

  return (ctx, next) => {
    const key = isCounted(ctx) ? keyOf(ctx) : undefined
    if (key === undefined) return next()
    const isFurther = isFurtherRound(ctx, rounds)
    const line = lines.get(key) ?? createLine(ctx, key)
    const refuse = () => refuseCall(ctx, refusal, toolRefusal)
    if (line.isFull && !isFurther) return refuse()
    lines.set(key, line)
    return runInTurn(line, ctx, isFurther, { next, refuse, onEmpty: () => lines.delete(key) })
  }
}

interface Turn {
  readonly next: Next
  readonly refuse: () => JSONObject
  onEmpty(): void
}

async function runInTurn(
  line: PlaceLine,
  ctx: ServerRequestContext,
  mustWait: boolean,
  { next, refuse, onEmpty }: Turn,
): Promise<JSONObject | undefined> {
  const place = new Place(line, ctx.signal)
  line.members += 1
  try {
    if (!(await place.takeUnlessFull(mustWait))) return refuse()
    // Outside, so that several limits take their places again in the same order, and `limitTime` counts the wait.
    extrasOf(ctx).outsideSending((_method, params, send) => place.leftWhile(() => send(params)))
    return await next()
  } finally {
    place.end()
    line.members -= 1
    if (line.members === 0) onEmpty()
  }
}

function tooBusy(max: number, maxWaiting: number): Refusal {
  const others = maxWaiting === 0 ? '' : ` and ${maxWaiting} wait for their turn`
  return {
    code: RefusalCode.TooBusy,
    message: `Too busy: ${max} such requests are being handled${others}. Try again when one of them is done`,
    data: { max, maxWaiting },
  }
}
