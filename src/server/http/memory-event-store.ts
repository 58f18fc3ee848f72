// The event store of a single process: bounded per stream and in all, the oldest goes first.
import { positive } from './check-limit.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { createRandomToken } from './random-token.ts'

export interface MemoryEventStoreOptions {
  /** 1,000 unless given. */
  maxEventsPerStream?: number
  /** 16 MiB unless given. */
  maxBytesPerStream?: number
  /** Of all streams together: 256 MiB unless given. The stream that is longest without a new event goes first. */
  maxBytes?: number
}

interface KeptEvent extends StoredEvent {
  readonly sequence: number
  readonly bytes: number
}

interface KeptStream {
  /** Part of every id, so that a stream which had to go and came back does not give the same ids to other events. */
  readonly epoch: string
  readonly events: KeptEvent[]
  nextSequence: number
  bytes: number
}

const MIB = 1024 * 1024
const NOT_LATIN_1 = /[^\0-\u00ff]/
const EVENT_ID = /^([\w-]{8})-([1-9][0-9]{0,14})$/
/** What an event takes beside its text. */
const EVENT_OVERHEAD_BYTES = 64

export class MemoryEventStore implements EventStore {
  readonly #maxEvents: number
  readonly #maxStreamBytes: number
  readonly #maxBytes: number
  /** In the order of their last event. */
  readonly #streams = new Map<string, KeptStream>()
  #bytes = 0

  constructor(options: MemoryEventStoreOptions = {}) {
    this.#maxEvents = positive('maxEventsPerStream', options.maxEventsPerStream ?? 1_000)
    this.#maxStreamBytes = positive('maxBytesPerStream', options.maxBytesPerStream ?? 16 * MIB)
    this.#maxBytes = positive('maxBytes', options.maxBytes ?? 256 * MIB)
  }

  /** How many streams have events here. */
  get streamCount(): number {
    return this.#streams.size
  }

  append(name: string, data: string): string {
    const stream = this.#takeOut(name) ?? createStream()
    const sequence = stream.nextSequence
    const event: KeptEvent = { id: `${stream.epoch}-${sequence}`, data, sequence, bytes: sizeOf(data) }
    stream.nextSequence += 1
    stream.events.push(event)
    this.#count(stream, event.bytes)
    this.#streams.set(name, stream)
    this.#prune(stream)
    return event.id
  }

  replayAfter(name: string, eventId: string): readonly StoredEvent[] | undefined {
    const stream = this.#streams.get(name)
    const [, epoch, sequence] = EVENT_ID.exec(eventId) ?? []
    if (stream === undefined || stream.epoch !== epoch) return undefined
    const after = Number(sequence)
    if (after >= stream.nextSequence) return undefined
    const oldest = stream.events[0]?.sequence ?? stream.nextSequence
    if (after + 1 < oldest) return undefined
    return stream.events.slice(after + 1 - oldest)
  }

  drop(name: string): void {
    const stream = this.#takeOut(name)
    if (stream !== undefined) this.#bytes -= stream.bytes
  }

  #takeOut(name: string): KeptStream | undefined {
    const stream = this.#streams.get(name)
    this.#streams.delete(name)
    return stream
  }

  #prune(stream: KeptStream): void {
    while (stream.events.length > this.#maxEvents || stream.bytes > this.#maxStreamBytes) {
      this.#count(stream, -(stream.events.shift()?.bytes ?? 0))
    }
    for (const name of this.#streams.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.drop(name)
    }
  }

  #count(stream: KeptStream, bytes: number): void {
    stream.bytes += bytes
    this.#bytes += bytes
  }
}

function createStream(): KeptStream {
  return { epoch: createRandomToken().slice(0, 8), events: [], nextSequence: 1, bytes: 0 }
}

/** In memory: a text is kept with one byte per character, or with two if it has any that needs them. */
function sizeOf(data: string): number {
  return EVENT_OVERHEAD_BYTES + data.length * (NOT_LATIN_1.test(data) ? 2 : 1)
}
