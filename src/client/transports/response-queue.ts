// Answers to what the server asks: each is a POST of its own, so only a few leave at a time, and only so many wait for that.
import type { Fault } from '../../dispatcher/fault.ts'
import { createDeferred, type Deferred } from '../../primitives/async/deferred.ts'
import { LinkedQueue } from '../../primitives/async/linked-queue.ts'

/** Every answer under way may take a connection of its own. */
export const MAX_POSTING_ANSWERS = 16
/** More than a client works on at a time, so that only refusals can be too many. */
export const MAX_WAITING_ANSWERS = 1_024
/** In UTF-16 units, of all that wait. */
const MAX_WAITING_LENGTH = 64 * 1024 * 1024

interface Waiting {
  readonly body: string
  readonly length: number
  readonly done: Deferred<void>
}

export interface AnswerQueueOptions {
  /** Never rejects. */
  post(body: string): Promise<void>
  /** Called for the first answer that is dropped since there was room last. */
  onFull(waiting: number): void
}

export class AnswerQueue {
  readonly #options: AnswerQueueOptions
  readonly #waiting = new LinkedQueue<Waiting>()
  #posting = 0
  #waitingLength = 0
  #isFull = false
  #isOver = false
  #idle: Deferred<void> | undefined

  constructor(options: AnswerQueueOptions) {
    this.#options = options
  }

  /** Resolves when the server has taken the answer, or it was dropped. */
  send(body: string): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    if (this.#posting < MAX_POSTING_ANSWERS) return this.#post(body)
    const { length } = body
    const { size } = this.#waiting
    const isTooLong = size > 0 && this.#waitingLength + length > MAX_WAITING_LENGTH
    if (size >= MAX_WAITING_ANSWERS || isTooLong) return this.#drop(size)
    const done = createDeferred()
    this.#waiting.push({ body, length, done })
    this.#waitingLength += length
    return done.promise
  }

  /** Those that are under way or wait. */
  get size(): number {
    return this.#posting + this.#waiting.size
  }

  /** Resolves when nothing is under way. */
  whenIdle(): Promise<void> {
    if (this.#posting === 0) return Promise.resolve()
    this.#idle ??= createDeferred()
    return this.#idle.promise
  }

  /** What waits is dropped, and so is all that comes later. */
  close(): void {
    this.#isOver = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next.done.resolve()
    this.#waitingLength = 0
  }

  #drop(waiting: number): Promise<void> {
    if (!this.#isFull) this.#options.onFull(waiting)
    this.#isFull = true
    return Promise.resolve()
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

export function answersDropped(waiting: number): Fault {
  const message = `The server asks faster than it takes answers: ${waiting} wait, and further ones are dropped until it takes some`
  return { kind: 'write-failed', message }
}
