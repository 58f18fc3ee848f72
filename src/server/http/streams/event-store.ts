// Where the events of a stream are kept, so that a client which lost its connection can have those it missed.
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import { positive } from '../guards/check-limit.ts'
import { createRandomToken } from '../guards/random-token.ts'

export interface MemoryEventStoreOptions {
  /** 1,000 unless given. */
  maxEventsPerStream?: number
  /** 16 MiB unless given. */
  maxBytesPerStream?: number
  /** Of all streams together: 256 MiB unless given. The stream that is longest without a new event goes first. */
  maxBytes?: number
}

export const MEMORY_EVENT_STORE_KEYS: KnownKeys<MemoryEventStoreOptions> = {
  maxEventsPerStream: true,
  maxBytesPerStream: true,
  maxBytes: true,
}

/** The streams form a chain in the order of their last event: a map's own order would have to be mended for each event. */
interface KeptStream {
  readonly name: string
  /** Part of every id, so that a stream which had to go and came back does not give the same ids to other events. */
  readonly epoch: string
  /** The data of the last events; the sequence number of the newest is `lastSequence`. */
  readonly events: string[]
  lastSequence: number
  bytes: number
  older: KeptStream | undefined
  newer: KeptStream | undefined
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
  readonly #streams = new Map<string, KeptStream>()
  #oldest: KeptStream | undefined
  #newest: KeptStream | undefined
  #bytes = 0

  constructor(options: MemoryEventStoreOptions = {}) {
    checkKeys('new MemoryEventStore()', options, MEMORY_EVENT_STORE_KEYS)
    this.#maxEvents = positive('maxEventsPerStream', options.maxEventsPerStream ?? 1_000)
    this.#maxStreamBytes = positive('maxBytesPerStream', options.maxBytesPerStream ?? 16 * MIB)
    this.#maxBytes = positive('maxBytes', options.maxBytes ?? 256 * MIB)
  }

  /** How many streams have events here. */
  get streamCount(): number {
    return this.#streams.size
  }

  append(name: string, data: string): string {
    const stream = this.#streams.get(name) ?? this.#create(name)
    this.#makeNewest(stream)
    stream.lastSequence += 1
    stream.events.push(data)
    this.#count(stream, sizeOf(data))
    this.#prune(stream)
    return idOf(stream, stream.lastSequence)
  }

  replayAfter(name: string, eventId: string): readonly StoredEvent[] | undefined {
    const stream = this.#streams.get(name)
    const [, epoch, sequence] = EVENT_ID.exec(eventId) ?? []
    if (stream === undefined || stream.epoch !== epoch) return undefined
    const { events, lastSequence } = stream
    const missed = lastSequence - Number(sequence)
    if (missed < 0 || missed > events.length) return undefined
    return events
      .slice(events.length - missed)
      .map((data, index) => ({ id: idOf(stream, lastSequence - missed + index + 1), data }))
  }

  drop(name: string): void {
    const stream = this.#streams.get(name)
    if (stream === undefined) return
    this.#streams.delete(name)
    this.#unlink(stream)
    this.#bytes -= stream.bytes
  }

  #create(name: string): KeptStream {
    const epoch = createRandomToken().slice(0, 8)
    const stream = { name, epoch, events: [], lastSequence: 0, bytes: 0, older: undefined, newer: undefined }
    this.#streams.set(name, stream)
    return stream
  }

  #makeNewest(stream: KeptStream): void {
    if (this.#newest === stream) return
    this.#unlink(stream)
    stream.older = this.#newest
    if (this.#newest === undefined) this.#oldest = stream
    else this.#newest.newer = stream
    this.#newest = stream
  }

  #unlink(stream: KeptStream): void {
    const { older, newer } = stream
    if (older !== undefined) older.newer = newer
    else if (this.#oldest === stream) this.#oldest = newer
    if (newer !== undefined) newer.older = older
    else if (this.#newest === stream) this.#newest = older
    stream.older = undefined
    stream.newer = undefined
  }

  #prune(stream: KeptStream): void {
    while (stream.events.length > this.#maxEvents || stream.bytes > this.#maxStreamBytes) {
      this.#count(stream, -sizeOf(stream.events.shift() ?? ''))
    }
    while (this.#bytes > this.#maxBytes && this.#oldest !== undefined) this.drop(this.#oldest.name)
  }

  #count(stream: KeptStream, bytes: number): void {
    stream.bytes += bytes
    this.#bytes += bytes
  }
}

function idOf({ epoch }: KeptStream, sequence: number): string {
  return `${epoch}-${sequence}`
}

/** In memory: a text is kept with one byte per character, or with two if it has any that needs them. */
function sizeOf(data: string): number {
  return EVENT_OVERHEAD_BYTES + data.length * (NOT_LATIN_1.test(data) ? 2 : 1)
}

/** One event as it was kept. Empty `data` marks the beginning of a stream and is no message. */
export interface StoredEvent {
  readonly id: string
  readonly data: string
}

/**
 * Keeps events by stream. The name of a stream holds 256 random bits and is never told to a client, so that one store can
 * serve any number of sessions and processes: whoever cannot name a stream cannot read it. A method that throws, rejects
 * or takes too long is reported to `onFault`, and the event goes out without an id.
 */
export interface EventStore {
  /** Adds an event at the end of a stream. Returns its id, unique in that stream: at most 64 letters, digits, `-` and `_`. */
  append(stream: string, data: string): MaybePromise<string>
  /** What came after an event, oldest first; `undefined` where the stream has no such event, or not all after it was kept. */
  replayAfter(stream: string, eventId: string): MaybePromise<readonly StoredEvent[] | undefined>
  /** Forgets a stream. One that is not there is no mistake. */
  drop(stream: string): MaybePromise<void>
}
