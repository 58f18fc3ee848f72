// Limits how many requests of a kind run at once. Some wait for their turn; the rest are rejected.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { createMethodTest, keyByTarget, type RequestKey, Rounds, resumedFrom } from './counted-requests.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './rejection.ts'

export class WaitingLine {
  /** Those who belong to it: at work, in the line, or away for a while. */
  members = 0
  readonly #max: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<Deferred<void>>()
  #taken = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  /** Whether neither a place nor room in the line is left. */
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

  /** Gives a place back, or rather to whoever waits longest for it. */
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

  /** For good. A call may end before its questions are answered. */
  end(): void {
    this.#isOver = true
    this.#leave()
  }

  /** Of several that are asked at the same time, the first answer brings the place back. */
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
  /** Requests of one key at work at once. */
  max: number
  /** Requests of one key that may wait for their turn; none unless given. */
  maxWaiting?: number
  /** The requests that take a place: `tools/call` unless given. One that stays open, as `subscriptions/listen`, keeps its place. */
  methods?: readonly string[]
  /** What shares a limit: each tool by itself, or whatever else is named or has a uri, whoever calls it, unless given. */
  key?: RequestKey
  /** `error` unless given. */
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
 * A request that is cancelled leaves the line. The refusal is error 503. A call takes no place while its question is being
 * answered, and waits for a turn to go on, however long the line; in the modern era only where its `requestState` is sealed.
 * Put it inside `limitTime`, so that a place stays taken until its handler has really ended.
 */
export function limitConcurrency(options: LimitConcurrencyOptions): Middleware {
  checkKeys('limitConcurrency()', options, LIMIT_CONCURRENCY_KEYS)
  const { max, maxWaiting = 0, key: keyOf = keyByTarget, toolRefusal = 'error' } = options
  assertCount('max', max, 1)
  assertCount('maxWaiting', maxWaiting, 0)
  const refusal = tooBusy(max, maxWaiting)
  /** Only those in use, so there are never more of them than requests. */
  const lines = new Map<string, WaitingLine>()

  const rounds = new Rounds(MAX_STATES)
  const isCounted = createMethodTest(options.methods ?? TOOLS_ONLY)

  return (ctx, next) => {
    const key = isCounted(ctx) ? keyOf(ctx) : undefined
    if (key === undefined) return next()
    const isFurtherRound = rounds.isFurther(resumedFrom(ctx))
    const line = lines.get(key) ?? new WaitingLine(max, maxWaiting)
    if (line.isFull && !isFurtherRound) return refuse(ctx, refusal, toolRefusal)
    lines.set(key, line)
    return runInTurn(line, ctx, next, () => lines.delete(key))
  }
}

async function runInTurn(
  line: WaitingLine,
  ctx: ServerRequestContext,
  next: Next,
  onDeserted: () => void,
): Promise<JSONObject | undefined> {
  const place = new Place(line, ctx.signal)
  line.members += 1
  try {
    await place.take()
    // Outside, so that several limits take their places again in the order in which they took them, and time goes on meanwhile.
    extrasOf(ctx).outsideSending((_method, params, send) => place.leftWhile(() => send(params)))
    return await next()
  } finally {
    place.end()
    line.members -= 1
    if (line.members === 0) onDeserted()
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
