// The body of one `node:http` request on its way in: within its size and its time, or refused.
import type { IncomingMessage } from 'node:http'
import { cutOff, tooLarge, tooSlow } from '../../http/body.ts'
import type { BodyReceiver } from '../../http/exchange.ts'
import type { Deadlines, Due } from '../../primitives/async/deadlines.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'

export interface BodyBounds {
  /** In bytes. */
  readonly limit: number
  readonly timeoutMs: number
  /** What the request declares, if it does. */
  readonly length: number | undefined
}

/** Tells the receiver once, and never before the caller has returned. */
export class BodyReading implements Due {
  dueAt = Infinity
  /** Of `Due`: here from the start, so that all of them have one form. */
  place: number | undefined = undefined
  readonly #request: IncomingMessage
  readonly #deadlines: Deadlines
  readonly #bounds: BodyBounds
  readonly #receiver: BodyReceiver
  #pieces: Buffer[] = []
  #length = 0
  #isSettled = false
  #isComplete = false

  constructor(request: IncomingMessage, deadlines: Deadlines, bounds: BodyBounds, receiver: BodyReceiver) {
    this.#request = request
    this.#deadlines = deadlines
    this.#bounds = bounds
    this.#receiver = receiver
    request.on('data', this.#take).on('end', this.#end)
    process.nextTick(watch, this)
  }

  /** Whether all of it has come. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** From here on time counts, except for a body that came together with its head, as most do. */
  watch(): void {
    if (this.#isSettled || this.#length === this.#bounds.length) return
    this.#request.on('close', this.#leave)
    if (this.#request.destroyed) this.#leave()
    if (this.#isSettled) return
    this.dueAt = monotonicNow() + this.#bounds.timeoutMs
    this.#deadlines.add(this)
  }

  onDue(): void {
    this.#refuse(tooSlow(this.#bounds.timeoutMs))
  }

  /** Takes all listeners off a request whose body has come. */
  detach(): void {
    if (this.#isComplete) this.#request.off('data', this.#take).off('end', this.#end).off('close', this.#leave)
  }

  readonly #take = (piece: Buffer): void => {
    const { limit } = this.#bounds
    this.#length += piece.length
    if (this.#length > limit) this.#refuse(tooLarge(limit))
    else this.#pieces.push(piece)
  }

  readonly #end = (): void => {
    this.#isComplete = true
    this.#isSettled = true
    this.#deadlines.delete(this)
    const [first] = this.#pieces
    const isWhole = first !== undefined && this.#pieces.length === 1
    const bytes = isWhole ? first : Buffer.concat(this.#pieces, this.#length)
    this.#pieces = []
    this.#receiver.take(bytes)
  }

  readonly #leave = (): void => {
    if (!this.#isSettled) this.#refuse(cutOff())
  }

  /** What still comes of a refused body flows by and is dropped. */
  #refuse(error: Error): void {
    this.#isSettled = true
    this.#deadlines.delete(this)
    this.#pieces = []
    this.#request.off('data', this.#take).off('end', this.#end).resume()
    this.#receiver.refuse(error)
  }
}

function watch(reading: BodyReading): void {
  reading.watch()
}
