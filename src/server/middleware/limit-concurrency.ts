// limitConcurrency(): how many requests of a kind run at once. Some wait for their turn; the rest are rejected. Limits that hold
// without it: dispatcher/concurrency-limit.ts for one connection, http/guards/concurrency-limit.ts for an HTTP handler.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred, type MaybePromise } from '../../primitives/async/promises.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { createMethodTest, isFurtherRound, keyByTarget, type RequestKey, Rounds } from './counted-requests.ts'
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

/** The places of one key, in this process or over all nodes. */
export interface PlaceLine {
  /** Requests that run, wait for their turn, or wait for an answer of their client. */
  members: number
  /** Whether no further request can run or wait, as far as this is known without a trip. */
  readonly isFull: boolean
  /** Whether one more may wait for its turn. */
  readonly canWait: boolean
  /** Takes a place if one is free. */
  takePlace(): MaybePromise<boolean>
  /** Resolves with a place taken; first come, first served. Rejects with the signal's reason when that aborts first. */
  waitForPlace(signal: AbortSignal): Promise<void>
  /** Frees a place, or gives it to the request that waits longest. */
  giveBack(): void
}

export class WaitingLine implements PlaceLine {
  members = 0
  readonly #max: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<Deferred<void>>()
  #taken = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  get isFull(): boolean {
    return this.#taken >= this.#max && !this.canWait
  }

  get canWait(): boolean {
    return this.#waiting.size < this.#maxWaiting
  }

  takePlace(): boolean {
    if (this.#taken >= this.#max) return false
    this.#taken += 1
    return true
  }

  async waitForPlace(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason
    const turn = createDeferred()
    const leave = () => {
      if (this.#waiting.delete(turn)) turn.reject(signal.reason)
    }
    this.#waiting.add(turn)
    listenForAbort(signal, leave)
    try {
      await turn.promise
    } finally {
      forgetAbort(signal, leave)
    }
  }

  giveBack(): void {
    const [first] = this.#waiting
    if (first === undefined) {
      this.#taken -= 1
      return
    }
    this.#waiting.delete(first)
    first.resolve()
  }
}

export class Place {
  readonly #line: PlaceLine
  readonly #signal: AbortSignal
  #isTaken = false
  #isOver = false
  #taking: Promise<void> | undefined

  constructor(line: PlaceLine, signal: AbortSignal) {
    this.#line = line
    this.#signal = signal
  }

  /** Waits for a turn. Rejects with the reason of the signal when that aborts first. */
  async take(): Promise<void> {
    await this.takeUnlessFull(true)
  }

  /** False where no place is free, and no further request may wait. */
  async takeUnlessFull(mustWait: boolean): Promise<boolean> {
    const taking = this.#line.takePlace()
    if (!(typeof taking === 'boolean' ? taking : await taking)) {
      if (!mustWait && !this.#line.canWait) return false
      await this.#line.waitForPlace(this.#signal)
    }
    this.#isTaken = true
    if (this.#isOver) this.#leave()
    return true
  }

  /** Frees the place for good. A call may end before its questions are answered. */
  end(): void {
    this.#isOver = true
    this.#leave()
  }

  /** Frees the place while `ask` runs. Of several questions at a time, the first answer takes a place again. */
  async leftWhile<T>(ask: () => Promise<T>): Promise<T> {
    this.#leave()
    try {
      return await ask()
    } finally {
      await this.#retake()
    }
  }

  async #retake(): Promise<void> {
    if (this.#isTaken || this.#isOver) return
    this.#taking ??= this.take()
    try {
      await this.#taking
    } finally {
      this.#taking = undefined
    }
  }

  #leave(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    this.#line.giveBack()
  }
}

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
