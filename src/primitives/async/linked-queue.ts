// First in, first out, and whatever waits can leave at once, wherever it stands: no step costs more for a long line.

/** Where something stands in a line. */
export class QueuePlace<T> {
  readonly value: T
  ahead: QueuePlace<T> | undefined
  behind: QueuePlace<T> | undefined
  #queue: LinkedQueue<T> | undefined

  constructor(queue: LinkedQueue<T>, value: T) {
    this.#queue = queue
    this.value = value
  }

  /** Leaves the line; `false` where it has done so already. */
  leave(): boolean {
    const queue = this.#queue
    this.#queue = undefined
    queue?.close(this)
    return queue !== undefined
  }
}

export class LinkedQueue<T> {
  #first: QueuePlace<T> | undefined
  #last: QueuePlace<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): QueuePlace<T> | undefined {
    return this.#first
  }

  push(value: T): QueuePlace<T> {
    const place = new QueuePlace(this, value)
    place.ahead = this.#last
    if (this.#last === undefined) this.#first = place
    else this.#last.behind = place
    this.#last = place
    this.#size += 1
    return place
  }

  shift(): T | undefined {
    const first = this.#first
    first?.leave()
    return first?.value
  }

  clear(): void {
    while (this.#first?.leave());
  }

  /** Closes the gap that a place leaves; called by the place itself. */
  close(place: QueuePlace<T>): void {
    const { ahead, behind } = place
    if (ahead === undefined) this.#first = behind
    else ahead.behind = behind
    if (behind === undefined) this.#last = ahead
    else behind.ahead = ahead
    place.ahead = undefined
    place.behind = undefined
    this.#size -= 1
  }
}
