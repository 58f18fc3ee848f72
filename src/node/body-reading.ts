// The body of one `node:http` request on its way in: within its size and its time, or refused.
import type { IncomingMessage } from 'node:http'
import { cutOff, tooLarge, tooSlow } from '../http/body.ts'
import type { Deadlines, Due } from '../primitives/deadlines.ts'
import { createDeferred } from '../primitives/deferred.ts'
import { monotonicNow } from '../primitives/timer.ts'

export class BodyReading implements Due {
  dueAt: number
  /** Of `Due`: here from the start, so that all of them have one form. */
  place: number | undefined = undefined
  readonly #done = createDeferred<Uint8Array>()
  readonly #request: IncomingMessage
  readonly #deadlines: Deadlines
  readonly #limit: number
  readonly #timeoutMs: number
  #pieces: Buffer[] = []
  #length = 0
  #isSettled = false
  #isComplete = false

  constructor(request: IncomingMessage, deadlines: Deadlines, limit: number, timeoutMs: number) {
    this.#request = request
    this.#deadlines = deadlines
    this.#limit = limit
    this.#timeoutMs = timeoutMs
    this.dueAt = monotonicNow() + timeoutMs
    deadlines.add(this)
    request.on('data', this.#take).on('end', this.#end).on('close', this.#leave)
  }

  /** The whole body. Rejects with `BodyError`. */
  get done(): Promise<Uint8Array> {
    return this.#done.promise
  }

  /** Whether all of it has come. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  onDue(): void {
    this.#refuse(tooSlow(this.#timeoutMs))
  }

  /** Takes all listeners off a request whose body has come. */
  detach(): void {
    if (this.#isComplete) this.#request.off('data', this.#take).off('end', this.#end).off('close', this.#leave)
  }

  readonly #take = (piece: Buffer): void => {
    this.#length += piece.length
    if (this.#length > this.#limit) this.#refuse(tooLarge(this.#limit))
    else this.#pieces.push(piece)
  }

  readonly #end = (): void => {
    this.#isComplete = true
    this.#isSettled = true
    this.#deadlines.delete(this)
    const [first] = this.#pieces
    const isWhole = first !== undefined && this.#pieces.length === 1
    this.#done.resolve(isWhole ? first : Buffer.concat(this.#pieces, this.#length))
    this.#pieces = []
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
    this.#done.reject(error)
  }
}
