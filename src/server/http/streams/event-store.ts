// Stores the events of streams, so that a client that lost its connection can get the events it missed.
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { checkKeys, checkLimit, type KnownKeys } from '../../../primitives/options.ts'
import { createRandomToken } from '../guards/random-token.ts'

/** Options of `new MemoryEventStore()`. */
export interface MemoryEventStoreOptions {
  /** Default: 1,000. */
  maxEventsPerStream?: number | undefined
  /** Default: 16 MiB. */
  maxBytesPerStream?: number | undefined
  /** Of all streams together (default: 256 MiB). The stream without a new event for the longest time is dropped first. */
  maxBytes?: number | undefined
}

export const MEMORY_EVENT_STORE_KEYS: KnownKeys<MemoryEventStoreOptions> = {
  maxEventsPerStream: true,
  maxBytesPerStream: true,
  maxBytes: true,
}

/** A linked list in the order of the last event: a map would have to be reordered with each event. */
interface StoredStream {
  readonly name: string
  /** Part of every id, so that a stream that was dropped and created again does not reuse ids. */
  readonly epoch: string
  /** The data of the last events; the sequence number of the newest is `lastSequence`. */
  readonly events: string[]
  lastSequence: number
  bytes: number
  older: StoredStream | undefined
  newer: StoredStream | undefined
}

const MIB = 1024 * 1024
const NOT_LATIN_1 = /[^\0-\u00ff]/
const EVENT_ID = /^([\w-]{8})-([1-9][0-9]{0,14})$/
/** What an event takes besides its text. */
const EVENT_OVERHEAD_BYTES = 64

/**
 * Keeps events in the memory of this process, so that a client can resume a stream. The default `eventStore`.
 *
 * @example
 * ```ts
 * import { createHandler, MemoryEventStore } from 'mcpwire/server'
 * const eventStore = new MemoryEventStore({ maxEventsPerStream: 100 })
 * const handler = createHandler(server, { eventStore })
 * ```
 */
export class MemoryEventStore implements EventStore {
  readonly #maxEvents: number
  readonly #maxStreamBytes: number
  readonly #maxBytes: number
  readonly #streams = new Map<string, StoredStream>()
  #oldest: StoredStream | undefined
  #newest: StoredStream | undefined
  #bytes = 0

  constructor(options: MemoryEventStoreOptions = {}) {
    checkKeys('new MemoryEventStore()', options, MEMORY_EVENT_STORE_KEYS)
    this.#maxEvents = checkLimit('maxEventsPerStream', options.maxEventsPerStream ?? 1_000)
    this.#maxStreamBytes = checkLimit('maxBytesPerStream', options.maxBytesPerStream ?? 16 * MIB)
    this.#maxBytes = checkLimit('maxBytes', options.maxBytes ?? 256 * MIB)
  }

  /** How many streams have stored events. */
  get streamCount(): number {
    return this.#streams.size
  }

  /** Stores an event and returns its id. */
  append(name: string, data: string): string {
    const stream = this.#streams.get(name) ?? this.#create(name)
    this.#makeNewest(stream)
    stream.lastSequence += 1
    stream.events.push(data)
    this.#count(stream, sizeOf(data))
    this.#prune(stream)
    return idOf(stream, stream.lastSequence)
  }

  /** Returns the events after an id. `undefined` if the id or the events are no longer known. */
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

  /** Returns all events of a stream. `undefined` if some of them are no longer kept. */
  replayAll(name: string): readonly StoredEvent[] | undefined {
    const stream = this.#streams.get(name)
    if (stream === undefined || stream.lastSequence !== stream.events.length) return undefined
    return stream.events.map((data, index) => ({ id: idOf(stream, index + 1), data }))
  }

  /** Removes a stream with its events. */
  drop(name: string): void {
    const stream = this.#streams.get(name)
    if (stream === undefined) return
    this.#streams.delete(name)
    this.#unlink(stream)
    this.#bytes -= stream.bytes
  }

  #create(name: string): StoredStream {
    const epoch = createRandomToken().slice(0, 8)
    const stream = { name, epoch, events: [], lastSequence: 0, bytes: 0, older: undefined, newer: undefined }
    this.#streams.set(name, stream)
    return stream
  }

  #makeNewest(stream: StoredStream): void {
    if (this.#newest === stream) return
    this.#unlink(stream)
    stream.older = this.#newest
    if (this.#newest === undefined) this.#oldest = stream
    else this.#newest.newer = stream
    this.#newest = stream
  }

  #unlink(stream: StoredStream): void {
    const { older, newer } = stream
    if (older !== undefined) older.newer = newer
    else if (this.#oldest === stream) this.#oldest = newer
    if (newer !== undefined) newer.older = older
    else if (this.#newest === stream) this.#newest = older
    stream.older = undefined
    stream.newer = undefined
  }

  #prune(stream: StoredStream): void {
    while (stream.events.length > this.#maxEvents || stream.bytes > this.#maxStreamBytes) {
      this.#count(stream, -sizeOf(stream.events.shift() ?? ''))
    }
    while (this.#bytes > this.#maxBytes && this.#oldest !== undefined) this.drop(this.#oldest.name)
  }

  #count(stream: StoredStream, bytes: number): void {
    stream.bytes += bytes
    this.#bytes += bytes
  }
}

function idOf({ epoch }: StoredStream, sequence: number): string {
  return `${epoch}-${sequence}`
}

/** In memory, a string takes one byte per character, or two if one of them needs that. */
function sizeOf(data: string): number {
  return EVENT_OVERHEAD_BYTES + data.length * (NOT_LATIN_1.test(data) ? 2 : 1)
}

/** One stored event. Empty `data` marks the beginning of a stream and is no message. */
export interface StoredEvent {
  /** The id that a client names to resume after this event. */
  readonly id: string
  /** The JSON-RPC message as text. */
  readonly data: string
}

/**
 * Stores events by stream. The name of a stream holds 256 random bits and is never sent to a client, so that one store can
 * serve any number of sessions and processes: only who knows the name of a stream can read it. A method that throws, rejects
 * or takes too long is reported to `onFault`, and the event is sent without an id. No client resumes from before such an event.
 */
export interface EventStore {
  /** Adds an event at the end of a stream. Returns its id, unique in that stream: at most 64 letters, digits, `-` and `_`. */
  append(stream: string, data: string): MaybePromise<string>
  /** The events after an event, oldest first; `undefined` if the stream has no such event, or not all later ones are stored. */
  replayAfter(stream: string, eventId: string): MaybePromise<readonly StoredEvent[] | undefined>
  /**
   * All events of a stream, oldest first; `undefined` if the stream does not exist, or not all of them are stored. A store that
   * has this method never gets the empty event that marks the beginning of a stream, and gives no event the id `0`.
   */
  replayAll?(stream: string): MaybePromise<readonly StoredEvent[] | undefined>
  /** Deletes a stream. A stream that does not exist is no error. */
  drop(stream: string): MaybePromise<void>
}
