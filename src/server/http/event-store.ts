// Where the events of a stream are kept, so that a client which lost its connection can have those it missed.
import type { MaybePromise } from '../handlers.ts'

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
