// A bounded first-in-first-out queue with one asynchronous reader.
import { createDeferred, type Deferred } from './promises.ts'

/**
 * Holds at most `capacity` items. A producer never waits: past the bound the oldest item goes, and `push` returns it so that
 * the loss can be reported.
 */
export class BoundedQueue<T> implements AsyncIterable<T> {
  readonly #capacity: number
  readonly #items: T[] = []
  #head = 0
  #waiting: Deferred<IteratorResult<T, undefined>> | undefined
  #end: { error?: unknown } | undefined

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError('A queue needs a capacity of at least 1')
    this.#capacity = capacity
  }

  get size(): number {
    return this.#items.length - this.#head
  }

  /** Adds an item and returns the one that had to go for it, if any. Items after the end are ignored. */
  push(item: T): T | undefined {
    if (this.#end !== undefined) return undefined
    if (this.#waiting !== undefined) {
      this.#takeWaiting()?.resolve({ done: false, value: item })
      return undefined
    }
    const dropped = this.size >= this.#capacity ? this.#shift() : undefined
    this.#items.push(item)
    return dropped
  }

  /** Ends the queue: what is in it can still be read, then readers see the end, or `error` where one is given. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    const reader = this.#takeWaiting()
    if (reader === undefined) return
    if (error === undefined) reader.resolve({ done: true, value: undefined })
    else reader.reject(error)
  }

  /** Ends the queue and forgets what is in it. */
  discard(): void {
    this.#items.length = 0
    this.#head = 0
    this.end()
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.size > 0) return { done: false, value: this.#shift() as T }
    if (this.#end !== undefined) {
      if ('error' in this.#end) throw this.#end.error
      return { done: true, value: undefined }
    }
    if (this.#waiting !== undefined) throw new Error('This queue has one reader, and it is already waiting')
    this.#waiting = createDeferred()
    return this.#waiting.promise
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.next(),
      return: async () => {
        this.discard()
        return { done: true, value: undefined }
      },
    }
  }

  #takeWaiting(): Deferred<IteratorResult<T, undefined>> | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }

  #shift(): T | undefined {
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined as T
    this.#head += 1
    // Compact now and then, so that the array does not grow with everything that ever passed through it.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head)
      this.#head = 0
    }
    return item
  }
}
