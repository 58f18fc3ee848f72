// A call that is answered inside its request although it may take long: the caller is kept waiting by progress and, when it waits
// no longer, gets a result that says so instead of nothing.
import { Patience, patienceMsOf } from '../../../mcpserver/handlers/patience.ts'
import { toToolFailure } from '../../../mcpserver/values/results.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { extrasOf, type ServerRequestContext } from '../../../server/context.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { PATIENCE_IS_TOTAL_META_KEY } from '../../../types/protocol/meta.ts'

const KEEP_ALIVE_MS = 10_000

/** A stream is given up after so many signs of life, where the client can resume it: what stays open for a minute may be cut. */
const SIGNS_PER_STREAM = 3

/** The answer must reach the caller while it still waits. */
const MARGIN_SHARE = 0.1
const MAX_MARGIN_MS = 1_000

/** Stops the handler, and answers the call with a result in its place. */
export type StopCall = (result: JSONObject, reason: unknown) => void

export class InlineCall implements Due {
  dueAt = Infinity
  place: number | undefined
  readonly #request: ServerRequestContext
  readonly #clock: Clock
  readonly #deadlines: Deadlines
  readonly #stop: StopCall
  readonly #startedAt: number
  #patience: Patience | undefined
  readonly #patienceMs: number
  #nextSignAt: number
  #signs = 0

  /** `startedAt` is a time of the monotonic clock. */
  constructor(
    request: ServerRequestContext,
    clock: Clock,
    deadlines: Deadlines,
    { startedAt, stop }: { readonly startedAt: number; readonly stop: StopCall },
  ) {
    this.#request = request
    this.#clock = clock
    this.#deadlines = deadlines
    this.#stop = stop
    this.#startedAt = startedAt
    this.#nextSignAt = startedAt + KEEP_ALIVE_MS
    const patienceMs = patienceMsOf(request)
    this.#patienceMs = patienceMs ?? Infinity
    if (patienceMs === undefined || !isPatienceFinal(request)) return
    const patience = new Patience(patienceMs - (clock.monotonic() - startedAt), clock)
    this.#patience = patience
    // The client's time stands still while the server asks within the open call.
    extrasOf(request).aroundSending((_method, params, send) => patience.pausedWhile(send(params)))
  }

  /** Starts the clock of the call, which runs until `end`. */
  begin(): void {
    this.#arm()
    this.#deadlines.add(this)
  }

  end(): void {
    this.#deadlines.delete(this)
  }

  onDue(): void {
    if (this.#request.signal.aborted) return
    const now = this.#clock.monotonic()
    if (this.#leftMs <= 0) {
      this.#giveUp(now)
      return
    }
    if (now >= this.#nextSignAt) this.#giveSign(now)
    this.#arm()
    this.#deadlines.add(this)
  }

  #giveSign(now: number): void {
    this.#nextSignAt = now + KEEP_ALIVE_MS
    this.#signs += 1
    const { dispatch } = this.#request
    // A client that is gone hears nothing, and its request ends by itself.
    dispatch.keepAlive?.().catch(() => {})
    if (this.#signs % SIGNS_PER_STREAM === 0) dispatch.transport.closeStream?.()
  }

  #giveUp(now: number): void {
    const seconds = ((now - this.#startedAt) / 1000).toFixed(1)
    const message =
      `The work was stopped after ${seconds} s, because the caller waits no longer than ${this.#patienceMs / 1000} s. ` +
      'There is no result. Ask for less at a time, or allow more time.'
    const result = toToolFailure(message) as unknown as JSONObject
    this.#stop(result, new LimitError('patienceMs', this.#patienceMs, message))
  }

  /** Milliseconds until the call is given up. */
  get #leftMs(): number {
    if (this.#patience === undefined) return Infinity
    return this.#patience.leftMs - Math.min(MAX_MARGIN_MS, this.#patienceMs * MARGIN_SHARE)
  }

  #arm(): void {
    this.dueAt = Math.min(this.#nextSignAt, this.#clock.monotonic() + Math.max(1, this.#leftMs))
  }
}

/** Whether the caller gives up at the end of its patience whatever it hears: progress can't prolong it. */
export function isPatienceFinal(request: ServerRequestContext): boolean {
  const { meta } = request
  return meta.progressToken === undefined || meta[PATIENCE_IS_TOTAL_META_KEY] === true
}
