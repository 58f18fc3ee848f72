// Removes what is over, beside the writes: JetStream before 2.11 has no time to live of its own for a message. Where nothing is written,
// nothing grows.
import type { Link } from '../connection/link.ts'
import type { Trip } from '../connection/trip.ts'
import { fetchHeaders } from './fetch-headers.ts'
import type { Stored, Stream } from './stream.ts'

const WRITES_BETWEEN = 256
const LONGEST_PAUSE_MS = 10_000
/** For each write since the last step, so that of what is stored at most a third is over. */
const LOOKED_AT_PER_WRITE = 3

export class Sweeper {
  readonly #link: Link
  readonly #stream: Stream
  readonly #filterOf: () => string
  readonly #onRemoved = new Set<(trip: Trip, removed: Stored) => Promise<void>>()
  #writes = 0
  #sweptAt = performance.now()
  #cursor = 1
  #isSweeping = false

  constructor(link: Link, stream: Stream, filterOf: () => string) {
    this.#link = link
    this.#stream = stream
    this.#filterOf = filterOf
  }

  /** Called for each subject that was removed, with its newest message. */
  onRemoved(call: (trip: Trip, removed: Stored) => Promise<void>): void {
    this.#onRemoved.add(call)
  }

  wrote(): void {
    this.#writes += 1
    if (this.#writes < WRITES_BETWEEN && performance.now() - this.#sweptAt < LONGEST_PAUSE_MS) return
    this.#sweptAt = performance.now()
    if (this.#isSweeping) return
    const count = LOOKED_AT_PER_WRITE * Math.max(this.#writes, WRITES_BETWEEN)
    this.#writes = 0
    this.#isSweeping = true
    const end = () => {
      this.#isSweeping = false
    }
    // What is left now is removed by a later step.
    this.#link.perform('sweep', (trip) => this.#sweep(trip, count)).then(end, end)
  }

  async #sweep(trip: Trip, count: number): Promise<void> {
    const filter = this.#filterOf()
    const { messages, next = 1 } = await fetchHeaders(this.#link, trip, this.#stream, filter, this.#cursor, count)
    this.#cursor = next
    const done = new Set<string>()
    for (const message of messages) {
      if (!this.#stream.isSurelyOver(message) || done.has(message.subject)) continue
      done.add(message.subject)
      await this.#remove(trip, message.subject)
    }
  }

  /** A log lives as long as its newest entry. Whatever is written meanwhile has a higher sequence, and stays. */
  async #remove(trip: Trip, subject: string): Promise<void> {
    const newest = await this.#stream.last(trip, subject)
    if (newest === undefined || !this.#stream.isSurelyOver(newest)) return
    await this.#stream.purge(trip, subject, newest.seq + 1)
    for (const call of this.#onRemoved) await call(trip, newest)
  }
}
