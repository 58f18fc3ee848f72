// Slow readers: what waits for them is bounded in bytes and in time, for each stream and over all streams of a handler.
import type { Fault } from '../../../dispatcher/fault.ts'
import type { EventSink, ServerSentEvent } from '../../../http/exchange.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { checkLimit } from '../../../primitives/options.ts'
import type { LegacyOptions } from '../legacy/legacy-options.ts'
import type { Heartbeat } from './heartbeat.ts'

const MIB = 1024 * 1024
const MIN_RECOUNT = 64

export type QueueOptions = Pick<LegacyOptions, 'maxQueuedBytes' | 'maxTotalQueuedBytes'>

/** A queue that `StreamQueues` counts. */
interface Queue {
  readonly queuedBytes: number
  /** What the total holds of it; written by `StreamQueues` only. */
  countedBytes: number
  /** Drops what waits: `queuedBytes` is 0 afterwards. */
  cut(): void
}

/** The queues of all streams of a handler. */
export class StreamQueues {
  /** For one stream. */
  readonly maxBytes: number
  readonly #maxTotalBytes: number
  readonly #queues = new Set<Queue>()
  /** Never too low: a queue that its reader empties is counted again with its next event, or when all are counted. */
  #totalBytes = 0
  /** All queues are counted again when there are so many, so that streams that have ended are forgotten. */
  #recountAt = MIN_RECOUNT
  #heldBytes = 0

  constructor({ maxQueuedBytes = 16 * MIB, maxTotalQueuedBytes = 256 * MIB }: QueueOptions = {}) {
    this.maxBytes = checkLimit('maxQueuedBytes', maxQueuedBytes)
    this.#maxTotalBytes = checkLimit('maxTotalQueuedBytes', maxTotalQueuedBytes)
  }

  /** Counts a queue after it has changed. */
  count(queue: Queue): void {
    const bytes = queue.queuedBytes
    this.#totalBytes += bytes - queue.countedBytes
    queue.countedBytes = bytes
    if (bytes === 0) this.#queues.delete(queue)
    else if (this.#queues.add(queue).size > this.#recountAt) this.#recount()
  }

  /** Closes the streams with the longest queues until the total fits. Call it before an event is added. */
  makeRoom(): void {
    if (this.#totalBytes <= this.#maxTotalBytes) return
    this.#recount()
    while (this.#totalBytes > this.#maxTotalBytes) {
      const longest = this.#findLongest()
      if (longest === undefined) return
      longest.cut()
      this.count(longest)
    }
  }

  /** Whether more text may wait here for an event store, or for a client that is not connected. */
  get canHold(): boolean {
    return this.#heldBytes <= this.#maxTotalBytes
  }

  /** Counts text that waits; negative once it no longer does. */
  hold(bytes: number): void {
    this.#heldBytes += bytes
  }

  #recount(): void {
    this.#recountAt = Infinity
    for (const queue of this.#queues) this.count(queue)
    this.#recountAt = Math.max(MIN_RECOUNT, 2 * this.#queues.size)
  }

  #findLongest(): Queue | undefined {
    let longest: Queue | undefined
    for (const queue of this.#queues) {
      if (longest === undefined || queue.countedBytes > longest.countedBytes) longest = queue
    }
    return longest
  }
}

export interface SinkSettings {
  readonly queues: StreamQueues
  readonly heartbeat: Heartbeat
  /** How long a reader may take nothing before its stream is closed; `Infinity` for no limit. */
  readonly readerTimeoutMs: number
  report(fault: Fault): void
}

/** One open event stream to a client. */
export class BoundedSink implements Queue {
  countedBytes = 0
  /** Called after the stream was closed because its reader is too slow. */
  onCut: (() => void) | undefined
  readonly #sink: EventSink
  readonly #settings: SinkSettings
  #isDestroyed = false

  constructor(sink: EventSink, settings: SinkSettings) {
    this.#sink = sink
    this.#settings = settings
    settings.heartbeat.add(sink)
  }

  get isClosed(): boolean {
    return this.#sink.isClosed
  }

  get queuedBytes(): number {
    return this.#isDestroyed ? 0 : this.#sink.queuedBytes
  }

  /** Sends text or an event, unless the stream is closed. A promise in return means: wait for the reader. */
  send(event: string | ServerSentEvent): Promise<void> | undefined {
    if (!this.makeRoom()) return undefined
    const reading = this.#sink.send(typeof event === 'string' ? { data: event } : event)
    this.#settings.queues.count(this)
    return reading === undefined || this.#settings.readerTimeoutMs === Infinity ? reading : this.#waitForReader(reading)
  }

  /** Closes the stream if too much waits already. `false` where nothing can be sent any more. */
  makeRoom(): boolean {
    const { queues } = this.#settings
    queues.makeRoom()
    // What waits before an event is added: a message alone may be larger than the limit.
    if (this.queuedBytes > queues.maxBytes) this.cut()
    return !this.#sink.isClosed
  }

  /** Ends the stream after everything that was sent. */
  end(): void {
    this.#settings.heartbeat.delete(this.#sink)
    this.#sink.close()
    // What still waits for the reader stays counted.
    this.#settings.queues.count(this)
  }

  /** Closes the connection of a client that reads too slowly. */
  cut(): void {
    const message = 'A client reads its event stream too slowly. The stream was closed.'
    this.#settings.report({ kind: 'overflow', message })
    this.destroy()
    this.onCut?.()
  }

  /** Closes the connection at once, with everything that still waits. */
  destroy(): void {
    this.#isDestroyed = true
    this.#settings.heartbeat.delete(this.#sink)
    this.#sink.destroy()
    this.#settings.queues.count(this)
  }

  async #waitForReader(reading: Promise<void>): Promise<void> {
    const wasRead = await settlesWithin(reading, this.#settings.readerTimeoutMs)
    this.#settings.queues.count(this)
    if (!wasRead && !this.#sink.isClosed) this.cut()
  }
}
