// Carries a log to a connection: every entry once and in order, from hints where they come and from the log where they do not.
import type { LogEntry, LogPage, Logs } from '../../../backend/logs.ts'
import type { Fault } from '../../../dispatcher/fault.ts'
import type { BoundedSink } from '../streams/bounded-sink.ts'
import { EventJoiner, UnreadableEntryError } from './log-entry.ts'
import { readAfter } from './read-after.ts'
import { type Position, positionText } from './stream-name.ts'

/**
 * `ended`: with the last entry. `missing`: what follows is not all in the log any more. `unreadable`: an entry is damaged
 * or of a newer release. `replaced`: another connection carries the log. `gone`: the reader of the connection.
 */
export type ReaderEnd = 'ended' | 'missing' | 'unreadable' | 'replaced' | 'gone'

export interface ReaderSettings {
  readonly logs: Logs
  readonly log: string
  /** The first part of the ids of events. */
  readonly stream: string
  readonly sink: BoundedSink
  /** For a log whose oldest entries may go: the connection that has it, counted from 1. */
  readonly turn?: number
  report(fault: Fault): void
  /** Called once; nothing is sent afterwards. */
  onEnd(reason: ReaderEnd): void
}

/** What waits here while the connection is slow; the rest waits in the log. */
const MAX_QUEUED = 1_000
const MAX_QUEUED_LENGTH = 1024 * 1024

interface Hint {
  readonly entry: LogEntry
  readonly isLast: boolean
}

export class LogReader {
  readonly #settings: ReaderSettings
  readonly #joiner = new EventJoiner()
  #seq: number
  /** Of the entry with that number, where the log has many writers. */
  #mark: string | undefined
  #queue: Hint[] = []
  #queuedLength = 0
  #isBusy = false
  /** Whether the log may have what neither was sent nor waits here. */
  #hasMore = false
  #isEnded = false
  #hasFailed = false

  constructor(settings: ReaderSettings, after: Position) {
    this.#settings = settings
    this.#seq = after.seq
    this.#mark = settings.turn === undefined ? undefined : after.mark
  }

  /** The last entry that was sent, or needed not be. */
  get position(): Position {
    return { seq: this.#seq, mark: this.#mark }
  }

  /** Whether this entry would be sent at once. */
  isNext(seq: number): boolean {
    return !this.#isBusy && seq === this.#seq + 1
  }

  /** Sends what a page has, where it was read already. */
  start(page: LogPage | undefined): void {
    this.#work(async () => {
      if (page !== undefined) await this.#takePage(page)
    })
  }

  /** There may be more: this entry, where it is given. */
  look(entry?: LogEntry, isLast = false): void {
    if (this.#isEnded || (entry !== undefined && entry.seq <= this.#seq)) return
    if (entry === undefined || !this.#queueUp({ entry, isLast })) this.#hasMore = true
    if (!this.#isBusy) this.#work(async () => {})
  }

  end(reason: ReaderEnd): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#settings.onEnd(reason)
  }

  #work(step: () => Promise<void>): void {
    this.#isBusy = true
    void this.#run(step)
  }

  /** What comes meanwhile is taken afterwards. Never rejects. */
  async #run(step: () => Promise<void>): Promise<void> {
    try {
      await step()
      while ((this.#queue.length > 0 || this.#hasMore) && !this.#isEnded) {
        // Before hints: after a break of the engine they may be about entries that are not those which follow.
        if (this.#hasMore) await this.#readPages()
        await this.#takeQueue()
      }
      this.#hasFailed = false
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isBusy = false
    }
  }

  #queueUp(hint: Hint): boolean {
    const { length } = hint.entry.data
    if (this.#queue.length >= MAX_QUEUED || this.#queuedLength + length > MAX_QUEUED_LENGTH) return false
    this.#queue.push(hint)
    this.#queuedLength += length
    return true
  }

  async #takeQueue(): Promise<void> {
    const queue = this.#queue
    this.#queue = []
    this.#queuedLength = 0
    for (const { entry, isLast } of queue) {
      if (this.#isEnded || entry.seq <= this.#seq) continue
      // A hint was lost: the log has what it said, and everything after it.
      if (entry.seq > this.#seq + 1) {
        this.#hasMore = true
        return
      }
      await this.#take(entry)
      if (isLast) this.end('ended')
    }
  }

  async #readPages(): Promise<void> {
    const { logs, log } = this.#settings
    this.#hasMore = false
    for (let isMore = true; isMore && !this.#isEnded; ) {
      const page = await readAfter(logs, log, this.position)
      // A log is made with its first entry.
      if (page === undefined && this.#seq === 0) return
      if (page === undefined || page === 'lost') {
        this.end('missing')
        return
      }
      await this.#takePage(page)
      isMore = page.entries.length > 0 && page.lastSeq > this.#seq
    }
  }

  async #takePage({ entries, lastSeq, isEnded }: LogPage): Promise<void> {
    const first = entries[0]
    if (first !== undefined && first.seq > this.#seq + 1) this.end('missing')
    for (const entry of entries) {
      if (this.#isEnded) return
      if (entry.seq === this.#seq + 1) await this.#take(entry)
    }
    if (isEnded && this.#seq >= lastSeq) this.end('ended')
  }

  async #take(entry: LogEntry): Promise<void> {
    const { sink, stream, turn } = this.#settings
    // What cannot be sent was not sent: the next connection begins with it.
    if (sink.isClosed) {
      this.end('gone')
      return
    }
    const event = this.#joiner.take(entry)
    this.#seq = entry.seq
    if (turn !== undefined) this.#mark = event?.mark
    if (event?.turn !== undefined && turn !== undefined && event.turn > turn) this.end('replaced')
    else if (event !== undefined && event.data !== '') {
      await sink.send({ data: event.data, id: `${stream}.${positionText(this.position)}` })
    }
  }

  /** An engine that fails is asked again with the next look. */
  #fail(error: unknown): void {
    const isUnreadable = error instanceof UnreadableEntryError
    if (!this.#hasFailed) {
      const message = 'The events of a stream could not be read from the backend.'
      this.#settings.report({ kind: 'transport', message, error })
    }
    this.#hasFailed = true
    this.#hasMore = true
    if (isUnreadable) this.end('unreadable')
  }
}
