// limitConcurrency(): how many requests of a kind run at once. Some wait for their turn; the rest are rejected. Limits that hold
// without it: dispatcher/concurrency-limit.ts for one connection, http/guards/concurrency-limit.ts for an HTTP handler.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { createMethodTest, isFurtherRound, keyByTarget, type RequestKey, Rounds } from './counted-requests.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'

export class WaitingLine {
  /** Requests that run, wait for their turn, or wait for an answer of their client. */
  members = 0
  readonly #max: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<Deferred<void>>()
  #taken = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  /** Whether no further request can run or wait. */
  get isFull(): boolean {
    return this.#taken >= this.#max && this.#waiting.size >= this.#maxWaiting
  }

  /** Takes a place if one is free. */
  takePlace(): boolean {
    if (this.#taken >= this.#max) return false
    this.#taken += 1
    return true
  }

  /** Resolves with a place taken; first come, first served. Rejects with the signal's reason when that aborts first. */
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

  /** Frees a place, or gives it to the request that waits longest. */
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
  readonly #line: WaitingLine
  readonly #signal: AbortSignal
  #isTaken = false
  #isOver = false
  #taking: Promise<void> | undefined

  constructor(line: WaitingLine, signal: AbortSignal) {
    this.#line = line
    this.#signal = signal
  }

  /** Waits for a turn. Rejects with the reason of the signal when that aborts first. */
  async take(): Promise<void> {
    if (!this.#line.takePlace()) await this.#line.waitForPlace(this.#signal)
    this.#isTaken = true
    if (this.#isOver) this.#leave()
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

export interface LimitConcurrencyOptions {
  /** Requests of one key that run at once. */
  max: number
  /** Requests of one key that may wait for their turn (default: none). */
  maxWaiting?: number
  /** The requests that are limited (default: `tools/call`). One that stays open, as `subscriptions/listen`, counts until its end. */
  methods?: readonly string[]
  /** What shares a limit (default: the method with the name or uri, for all callers together). */
  key?: RequestKey
  /** How a tool call is rejected (default: `error`). */
  toolRefusal?: ToolRefusal
}

export const LIMIT_CONCURRENCY_KEYS: KnownKeys<LimitConcurrencyOptions> = {
  max: true,
  maxWaiting: true,
  methods: true,
  key: true,
  toolRefusal: true,
}

const TOOLS_ONLY = ['tools/call'] as const
const MAX_STATES = 10_000

/**
 * A cancelled request waits no longer. A rejected request gets error 503. While a client answers a question of a call, the call
 * does not count; it then waits for a turn, however many wait already. In the modern era that needs a sealed `requestState`.
 * Put this inside `limitTime`, so that a call counts until its handler has really ended.
 */
export function limitConcurrency(options: LimitConcurrencyOptions): Middleware {
  checkKeys('limitConcurrency()', options, LIMIT_CONCURRENCY_KEYS)
  const { max, maxWaiting = 0, key: keyOf = keyByTarget, toolRefusal = 'error' } = options
  assertCount('max', max, 1)
  assertCount('maxWaiting', maxWaiting, 0)
  const refusal = tooBusy(max, maxWaiting)
  /** Only those in use: never more than there are requests. */
  const lines = new Map<string, WaitingLine>()

  const rounds = new Rounds(MAX_STATES)
  const isCounted = createMethodTest(options.methods ?? TOOLS_ONLY)

  return (ctx, next) => {
    const key = isCounted(ctx) ? keyOf(ctx) : undefined
    if (key === undefined) return next()
    const isFurther = isFurtherRound(ctx, rounds)
    const line = lines.get(key) ?? new WaitingLine(max, maxWaiting)
    if (line.isFull && !isFurther) return refuseCall(ctx, refusal, toolRefusal)
    lines.set(key, line)
    return runInTurn(line, ctx, next, () => lines.delete(key))
  }
}

async function runInTurn(
  line: WaitingLine,
  ctx: ServerRequestContext,
  next: Next,
  onEmpty: () => void,
): Promise<JSONObject | undefined> {
  const place = new Place(line, ctx.signal)
  line.members += 1
  try {
    await place.take()
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
