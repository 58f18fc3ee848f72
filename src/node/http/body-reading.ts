// Reads the body of one `node:http` request, within limits of size and time.
import type { IncomingMessage } from 'node:http'
import { cutOff, tooLarge, tooSlow } from '../../http/body.ts'
import type { BodyReceiver } from '../../http/exchange.ts'
import type { Deadlines, Due } from '../../primitives/async/deadlines.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'

interface BodyBounds {
  /** In bytes. */
  readonly limit: number
  readonly timeoutMs: number
  /** The declared Content-Length, if any. */
  readonly length: number | undefined
}

/** Calls the receiver once, and never before the constructor has returned. */
export class BodyReading implements Due {
  dueAt = Infinity
  /** Of `Due`; declared so that all objects have one hidden class. */
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

  /** Whether all of it has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Starts the timeout, except for a body that arrived together with its head, as most do. */
  watch(): void {
    if (this.#isSettled || this.#length === this.#bounds.length) return
    this.#request.on('close', this.#onClose)
    if (this.#request.destroyed) this.#onClose()
    if (this.#isSettled) return
    this.dueAt = monotonicNow() + this.#bounds.timeoutMs
    this.#deadlines.add(this)
  }

  onDue(): void {
    this.#fail(tooSlow(this.#bounds.timeoutMs))
  }

  /** Removes all listeners from a request whose body has arrived. */
  detach(): void {
    if (this.#isComplete) this.#request.off('data', this.#take).off('end', this.#end).off('close', this.#onClose)
  }

  readonly #take = (piece: Buffer): void => {
    const { limit } = this.#bounds
    this.#length += piece.length
    if (this.#length > limit) this.#fail(tooLarge(limit))
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

  readonly #onClose = (): void => {
    if (!this.#isSettled) this.#fail(cutOff())
  }

  /** The rest of a rejected body is read and dropped. */
  #fail(error: Error): void {
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
