// The changes of this node on their way to the others: equal ones once, a few messages a second however many there are, and again
// while the engine is away.
import type { Clock } from '../../primitives/async/clock.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { unref } from '../../primitives/async/timer.ts'
import type { SubscriptionEvent } from './subscriptions.ts'
import { keyOf } from './subscriptions.ts'

/** Between two messages on one topic; the longer one where changes come faster than that. */
const PAUSE_MS = 20
const BUSY_PAUSE_MS = 100

/** After a failure: twice as long each time. */
const RETRY_MS = 250
const MAX_RETRY_MS = 5_000

/** Different changes that may wait on one topic, and the characters of their names. Beyond it, everything there counts as changed. */
const MAX_WAITING = 1_000
const MAX_CHARACTERS = 128 * 1024

export type Changes = readonly SubscriptionEvent[] | 'all'

export class OutgoingChanges {
  readonly #clock: () => Clock
  readonly #send: (topic: string, changes: Changes) => unknown
  readonly #onFailed: (error: unknown) => void
  readonly #lines = new Map<string, Line>()
  #isClosed = false

  constructor(
    clock: () => Clock,
    send: (topic: string, changes: Changes) => unknown,
    onFailed: (error: unknown) => void,
  ) {
    this.#clock = clock
    this.#send = send
    this.#onFailed = onFailed
  }

  add(topic: string, event: SubscriptionEvent): void {
    if (this.#isClosed) return
    const known = this.#lines.get(topic)
    const line = known ?? new Line()
    line.add(event)
    if (known !== undefined) return
    this.#lines.set(topic, line)
    void this.#run(topic, line)
  }

  /** Sends what waits, once and without a pause; what fails then is lost. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const lines = [...this.#lines]
    await Promise.all(lines.map(([topic, line]) => this.#trySend(topic, line)))
    for (const [, line] of lines) line.wake?.()
  }

  async #run(topic: string, line: Line): Promise<void> {
    let failures = 0
    while (!this.#isClosed && !line.isEmpty) {
      const isBusy = line.size > 1
      failures = (await this.#trySend(topic, line)) ? 0 : failures + 1
      const retryMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (failures - 1))
      await this.#pause(line, failures > 0 ? retryMs * (0.5 + Math.random() / 2) : isBusy ? BUSY_PAUSE_MS : PAUSE_MS)
    }
    this.#lines.delete(topic)
  }

  async #trySend(topic: string, line: Line): Promise<boolean> {
    if (line.isEmpty) return true
    const changes = line.take()
    try {
      await this.#send(topic, changes)
      return true
    } catch (error) {
      line.putBack(changes)
      this.#onFailed(error)
      return false
    }
  }

  #pause(line: Line, ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const { promise, resolve } = createDeferred()
    const clock = this.#clock()
    const timer = clock.setTimer(resolve, ms)
    unref(timer)
    line.wake = () => {
      clock.clearTimer(timer)
      resolve()
    }
    return promise
  }
}

/** What waits on one topic. */
class Line {
  /** Ends the pause. */
  wake: (() => void) | undefined
  #waiting = new Map<string, SubscriptionEvent>()
  #characters = 0
  #isAll = false

  get size(): number {
    return this.#isAll ? MAX_WAITING : this.#waiting.size
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  add(event: SubscriptionEvent): void {
    const key = keyOf(event)
    if (this.#isAll || this.#waiting.has(key)) return
    this.#waiting.set(key, event)
    this.#characters += key.length
    if (this.#waiting.size > MAX_WAITING || this.#characters > MAX_CHARACTERS) this.#become('all')
  }

  take(): Changes {
    const changes = this.#isAll ? 'all' : [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#characters = 0
    this.#isAll = false
    return changes
  }

  putBack(changes: Changes): void {
    if (changes === 'all') this.#become(changes)
    else for (const event of changes) this.add(event)
  }

  #become(_all: 'all'): void {
    this.#isAll = true
    this.#waiting.clear()
    this.#characters = 0
  }
}
