// The events of one stream in a log, which this node writes: numbered here, stored one after the other without waiting.
import type { AppendOptions, LogEntry, Logs } from '../../../backend/logs.ts'
import { utf8Length } from '../../../backend/rules.ts'
import type { Fault } from '../../../dispatcher/fault.ts'
import { isThenable, type MaybePromise } from '../../../primitives/async/promises.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { StoredEvent } from '../streams/event-store.ts'
import type { StreamEvents } from '../streams/stream-events.ts'
import { EventJoiner, entriesOf } from './log-entry.ts'
import { beginningOf, NO_EVENT } from './stream-name.ts'

/** How long a log lives after its last entry. */
export const LOG_TTL_MS = 5 * 60_000
const MAX_ENTRIES = 1_000
const MAX_BYTES = 16 * 1024 * 1024

/** What the node offers to the streams that it writes. */
export interface LogWriter {
  readonly node: string
  readonly logs: Logs
  /** Whether the engine takes time to answer. */
  isRemote: boolean
  report(fault: Fault): void
  /** Calls its `onSoon` in a few milliseconds. */
  callSoon(events: LogEvents): void
  /** An entry was stored, and another node carries the stream. */
  announce(follower: string, log: string, entry: LogEntry, isLast: boolean): void
  /** False: the limit leaves no space for so many more bytes of this log. */
  takes(log: string, bytes: number): boolean
  /** The node writes nothing more to this log. */
  onEnded(log: string): void
  /** The log is removed. */
  onDropped(log: string): void
}

/** `ended`: the last entry is on its way. `broken`: not everything is stored. `taken`: another node has ended the log. */
type State = 'open' | 'ended' | 'broken' | 'taken'

export class LogEvents implements StreamEvents {
  readonly isPipelined = true
  readonly unstoredId = NO_EVENT
  readonly log: string
  /** The node that carries the stream to the client at present, where that is another one. */
  follower: string | undefined
  readonly #writer: LogWriter
  readonly #ids: readonly RequestId[]
  #state: State = 'open'
  #lastSeq = 0
  #bytes = 0
  /** Lets the beginning go out. */
  #onFirst: (() => void) | undefined
  /** Whether the entry with the highest number is stored. */
  #lastAppend: MaybePromise<boolean> = true

  constructor(writer: LogWriter, log: string, ids: readonly RequestId[]) {
    this.#writer = writer
    this.log = log
    this.#ids = ids
  }

  get length(): number {
    return this.#lastSeq
  }

  get canResume(): boolean {
    return this.#state !== 'broken'
  }

  get isTakenOver(): boolean {
    return this.#state === 'taken'
  }

  /** Where the first event is about to be stored, the beginning waits a moment for it: the client gets both in one write. */
  begin(): MaybePromise<string> {
    const id = beginningOf(this.#ids)
    if (!this.#writer.isRemote) return id
    return new Promise((resolve) => {
      this.#onFirst = () => resolve(id)
      this.#writer.callSoon(this)
    })
  }

  /** Nothing was stored in that moment. */
  onSoon(): void {
    if (this.#lastSeq === 0) this.#letBegin()
  }

  append(data: string, isLast: boolean): MaybePromise<string | undefined> {
    if (this.#state !== 'open') return undefined
    const entries = entriesOf(data, this.#lastSeq === 0 ? this.#ids : undefined)
    if (!this.#fits(entries)) {
      this.#giveUp()
      this.#letBegin()
      return undefined
    }
    if (isLast) this.#state = 'ended'
    for (const [index, entry] of entries.entries()) this.#append(entry, isLast && index === entries.length - 1)
    const id = `${this.#lastSeq}`
    const stored = this.#lastAppend
    if (isThenable(stored)) {
      return stored.then((isStored) => {
        this.#letBegin()
        return isStored && this.#isWhole ? id : undefined
      })
    }
    // An engine may answer at once now and later another time, as SQLite where another process writes.
    this.#letBegin()
    return stored && this.#isWhole ? id : undefined
  }

  /** An entry without an event, so that the log does not expire while the stream is open. */
  keepAlive(): void {
    if (this.#lastSeq > 0) void this.append('', false)
  }

  async readAfter(eventId: string, length: number): Promise<readonly StoredEvent[] | undefined> {
    let after = Number(eventId)
    if (!this.canResume || !(after <= length)) return undefined
    const joiner = new EventJoiner()
    const events: StoredEvent[] = []
    while (after < length) {
      const page = await this.#writer.logs.read(this.log, after)
      if (page === undefined || page.entries.length === 0) return undefined
      for (const entry of page.entries) {
        after = entry.seq
        const event = after <= length ? joiner.take(entry) : undefined
        if (event !== undefined) events.push(event)
      }
    }
    return this.canResume ? events : undefined
  }

  end(): void {
    // Whoever follows the log must learn that nothing comes any more.
    if (this.#state === 'open') void this.append('', true)
    const stored = this.#lastAppend
    if (isThenable(stored)) void stored.then(() => this.#writer.onEnded(this.log))
    else this.#writer.onEnded(this.log)
  }

  async drop(): Promise<void> {
    this.#writer.onDropped(this.log)
    if (this.#lastSeq === 0) return
    try {
      await this.#writer.logs.drop(this.log)
    } catch (error) {
      const message = 'The backend failed to drop the events of a stream. They expire by themselves.'
      this.#writer.report({ kind: 'transport', message, error })
    }
  }

  #letBegin(): void {
    this.#onFirst?.()
    this.#onFirst = undefined
  }

  get #isWhole(): boolean {
    return this.#state === 'open' || this.#state === 'ended'
  }

  #fits(entries: readonly string[]): boolean {
    let bytes = 0
    for (const entry of entries) bytes += utf8Length(entry)
    this.#bytes += bytes
    if (this.#lastSeq + entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) return false
    return this.#writer.takes(this.log, bytes)
  }

  #append(data: string, isLast: boolean): void {
    this.#lastSeq += 1
    const entry = { seq: this.#lastSeq, data }
    const before = this.#lastAppend
    this.#lastAppend = this.#try(entry, isLast, before)
  }

  #try(entry: LogEntry, isLast: boolean, before: MaybePromise<boolean>): MaybePromise<boolean> {
    try {
      const outcome = this.#writer.logs.append(this.log, entry, this.#optionsOf(isLast))
      if (!isThenable(outcome)) return this.#settle(outcome, entry, isLast, before)
      this.#writer.isRemote = true
      return outcome.then((settled) => this.#settle(settled, entry, isLast, before)).catch(this.#fail)
    } catch (error) {
      return this.#fail(error)
    }
  }

  #settle(
    outcome: 'kept' | 'already' | 'conflict',
    entry: LogEntry,
    isLast: boolean,
    before: MaybePromise<boolean>,
  ): MaybePromise<boolean> {
    if (outcome === 'conflict') return this.#isWhole ? this.#repeat(entry, isLast, before) : false
    if (this.follower !== undefined) this.#writer.announce(this.follower, this.log, entry, isLast)
    return true
  }

  /** An engine with several connections may get an entry before the one in front of it, which is a conflict too. */
  async #repeat(entry: LogEntry, isLast: boolean, before: MaybePromise<boolean>): Promise<boolean> {
    if (!(await before) || !this.#isWhole) return false
    const outcome = await this.#writer.logs.append(this.log, entry, this.#optionsOf(isLast))
    if (outcome !== 'conflict') return this.#settle(outcome, entry, isLast, true)
    await this.#explainConflict(entry.seq)
    return false
  }

  async #explainConflict(seq: number): Promise<void> {
    let isTaken = true
    try {
      const page = await this.#writer.logs.read(this.log, seq - 1)
      isTaken = page !== undefined && page.lastSeq >= seq
    } catch {
      // Where nobody can tell, the client must not get two answers: it reconnects, and gets what is stored.
    }
    if (!this.#isWhole) return
    if (!isTaken) {
      this.#report('The backend has lost events of a stream. The stream goes on and cannot be resumed.')
      this.#giveUp()
      return
    }
    this.#state = 'taken'
    // Whoever resumes it here gets what the log says, as on any other node.
    this.#writer.onEnded(this.log)
    this.#report(
      'Another node took this one for lost and has answered in its place. What this node still sends is dropped.',
    )
  }

  readonly #fail = (error: unknown): false => {
    if (!this.#isWhole) return false
    this.#report('The backend failed to store an event. The stream goes on and cannot be resumed.', error)
    this.#giveUp()
    return false
  }

  /** Nobody must find a log with a gap. */
  #giveUp(): void {
    this.#state = 'broken'
    void this.#forget()
  }

  async #forget(): Promise<void> {
    this.#writer.onDropped(this.log)
    try {
      if (this.#lastSeq > 0) await this.#writer.logs.drop(this.log)
    } catch {
      // Resumption is refused all the same while this node has the stream.
    }
  }

  #report(message: string, error?: unknown): void {
    this.#writer.report({ kind: 'transport', message, ...(error !== undefined && { error }) })
  }

  #optionsOf(isLast: boolean): AppendOptions {
    const { node } = this.#writer
    return isLast ? { writer: node, ttlMs: LOG_TTL_MS, isLast } : { writer: node, ttlMs: LOG_TTL_MS }
  }
}
