// Responses to requests of the server: each is a POST of its own, so few are sent at a time, and a limited number waits.
import type { Fault } from '../../dispatcher/fault.ts'
import { LinkedQueue } from '../../primitives/async/linked-queue.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'

/** Each POST may take a connection of its own. */
export const MAX_POSTING_RESPONSES = 16
/** More requests than a client works on at a time, so that only rejections can be too many. */
export const MAX_WAITING_RESPONSES = 1_024
/** In UTF-16 units, of all that wait. */
const MAX_WAITING_LENGTH = 64 * 1024 * 1024

interface WaitingResponse {
  readonly body: string
  readonly length: number
  readonly done: Deferred<void>
}

export interface ResponseQueueOptions {
  /** Never rejects. */
  post(body: string): Promise<void>
  /** Called for the first response that is dropped since the queue was last below its limit. */
  onFull(waiting: number): void
}

export class ResponseQueue {
  readonly #options: ResponseQueueOptions
  readonly #waiting = new LinkedQueue<WaitingResponse>()
  #posting = 0
  #waitingLength = 0
  #isFull = false
  #isClosed = false
  #idle: Deferred<void> | undefined

  constructor(options: ResponseQueueOptions) {
    this.#options = options
  }

  /** Resolves when the server has accepted the response, or the response was dropped. */
  send(body: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    if (this.#posting < MAX_POSTING_RESPONSES) return this.#post(body)
    const { length } = body
    const { size } = this.#waiting
    const isTooLong = size > 0 && this.#waitingLength + length > MAX_WAITING_LENGTH
    if (size >= MAX_WAITING_RESPONSES || isTooLong) return this.#drop(size)
    const done = createDeferred()
    this.#waiting.push({ body, length, done })
    this.#waitingLength += length
    return done.promise
  }

  /** Responses that are being sent or wait. */
  get size(): number {
    return this.#posting + this.#waiting.size
  }

  /** Resolves when nothing is being sent. */
  whenIdle(): Promise<void> {
    if (this.#posting === 0) return Promise.resolve()
    this.#idle ??= createDeferred()
    return this.#idle.promise
  }

  /** Drops what waits, and everything that is sent later. */
  close(): void {
    this.#isClosed = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next.done.resolve()
    this.#waitingLength = 0
  }

  async #drop(waiting: number): Promise<void> {
    if (!this.#isFull) this.#options.onFull(waiting)
    this.#isFull = true
  }

  async #post(body: string): Promise<void> {
    this.#posting += 1
    await this.#options.post(body)
    this.#posting -= 1
    this.#postNext()
  }

  #postNext(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      if (this.#posting === 0) this.#idle?.resolve()
      return
    }
    this.#isFull = false
    this.#waitingLength -= next.length
    void this.#post(next.body).then(next.done.resolve)
  }
}

export function responsesDropped(waiting: number): Fault {
  const message = `The server sends requests and does not accept the responses in time: ${waiting} responses wait. The client drops further ones until that changes.`
  return { kind: 'write-failed', message }
}
