// Logs: a subject each, in one stream. The newest entry carries the state of the log, and is what every write expects to be the newest.
import { BackendError } from '../../backend/backend-error.ts'
import { Lines } from '../../backend/engine/lines.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../../backend/logs.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_PAGE_BYTES, utf8Length } from '../../backend/rules.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import { LogEntries } from './log-entries.ts'
import { headerOf, type LogState, type NextState, stateAfter, stateOf } from './log-state.ts'
import { afterPost, goneNumber, mayBeRepeat, type Post } from './posting.ts'

type Kept = 'kept' | 'already' | 'conflict'

interface Entry {
  readonly subject: string
  readonly data: string
  readonly ttlMs: number
  /** Of this write, to know it again. */
  readonly id: string
}

/** The state of so many logs is known here without a trip. A write that it is wrong for is refused, and finds the right one. */
const MAX_KNOWN = 10_000
const SMALL_HINT = 16_384
/** Entries that had to go are removed from the stream when there are so many. */
const PURGE_AT = 32

export class NatsLogs implements Logs {
  readonly #engine: Engine
  readonly #entries: LogEntries
  readonly #known = new Map<string, LogState>()
  /** What is being written, by log. */
  readonly #lines = new Lines()

  constructor(engine: Engine) {
    this.#engine = engine
    this.#entries = new LogEntries(engine.logs)
    engine.onLost(() => this.#known.clear())
  }

  async append(log: string, { seq: number, data }: LogEntry, options: AppendOptions): Promise<Kept> {
    const { writer, ttlMs, isLast = false } = options
    this.#check('logs.append', log, data, options)
    checkCount('logs.append', 'seq', number)
    const entry = this.#entryOf(log, data, ttlMs)
    const next: NextState = { number, first: 1, isEnded: isLast, writer }
    const kept = await this.#inTurn('logs.append', log, () => {
      return this.#engine.perform('logs.append', (trip) => this.#append(trip, entry, next))
    })
    if (kept === 'kept') this.#hint(log, number, data)
    return kept
  }

  async post(log: string, data: string, options: PostOptions): Promise<number> {
    const { writer, nth, ttlMs, maxEntries, maxBytes } = options
    this.#check('logs.post', log, data, options)
    for (const [name, value] of Object.entries({ nth, maxEntries, maxBytes })) checkCount('logs.post', name, value)
    const entry = this.#entryOf(log, data, ttlMs)
    const post = { writer, nth, bytes: utf8Length(data), maxEntries, maxBytes }
    const number = await this.#inTurn('logs.post', log, () => {
      return this.#engine.perform('logs.post', (trip) => this.#post(trip, entry, post))
    })
    this.#hint(log, number, data)
    return number
  }

  read(
    log: string,
    afterSeq: number,
    { maxBytes = MAX_PAGE_BYTES, fromOldest = false }: ReadOptions = {},
  ): Promise<LogPage | undefined> {
    checkName('logs.read', log)
    checkCount('logs.read', 'afterSeq', afterSeq, 0)
    checkCount('logs.read', 'maxBytes', maxBytes)
    return this.#engine.perform('logs.read', async (trip) => {
      for (;;) {
        const newest = await this.#engine.logs.last(trip, this.#engine.names.log(log))
        const state = newest === undefined ? undefined : await this.#live(trip, stateOf(newest))
        if (newest === undefined || state === undefined || afterSeq > state.number) return undefined
        const isAllThere = afterSeq + 1 >= state.first
        if (!isAllThere && !fromOldest) return undefined
        const from = Math.max(afterSeq + 1, state.first)
        const entries = await this.#entries.page(trip, state, newest, from, maxBytes)
        if (entries !== undefined) return { entries, lastSeq: state.number, isEnded: state.isEnded }
        // Some went between the looks: the log was dropped, or others have pushed them out.
      }
    })
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    checkName('logs.follow', log)
    const subscription = this.#engine.subjects.listen('logs.follow', () => this.#engine.names.logHints(log), {
      message: (text) => onMore(hintedEntry(text)),
      missed: () => onMore(),
    })
    return () => subscription.close()
  }

  async drop(log: string): Promise<void> {
    checkName('logs.drop', log)
    const { logs, names } = this.#engine
    await this.#inTurn('logs.drop', log, async () => {
      await this.#engine.perform('logs.drop', (trip) => logs.purge(trip, names.log(log)))
      this.#known.delete(names.log(log))
    })
  }

  async #append(trip: Trip, entry: Entry, next: NextState): Promise<Kept> {
    const { number, writer } = next
    let before = this.#known.get(entry.subject)
    const known = this.#surelyLive(before)
    // A first entry has nothing before it, but for a log whose time is over.
    const isNext = before === undefined ? number === 1 : known?.number === number - 1 && !known.isEnded
    let isSure = trip.isUncertain || !isNext
    for (;;) {
      const found = isSure ? await this.#engine.logs.last(trip, entry.subject) : undefined
      if (found?.id === entry.id) return 'kept'
      if (isSure) before = found === undefined ? undefined : stateOf(found)
      const live = isSure ? await this.#live(trip, before) : known
      const last = live?.number ?? 0
      if (live !== undefined && number <= last) {
        if (number < live.first) return 'conflict'
        const there = await this.#entries.writerOf(trip, live, number)
        if (there !== undefined) return there.writer === writer ? 'already' : 'conflict'
        // The log was dropped between the two looks.
        isSure = true
        continue
      }
      if (number > last + 1 || live?.isEnded === true) return 'conflict'
      const expected = found?.seq ?? before?.seqs[0] ?? 0
      if (await this.#write(trip, entry, { ...next, first: live?.first ?? 1 }, live, expected)) return 'kept'
      isSure = true
    }
  }

  async #post(trip: Trip, entry: Entry, post: Post): Promise<number> {
    let before = this.#known.get(entry.subject)
    const known = this.#surelyLive(before)
    let isSure = trip.isUncertain || known === undefined || mayBeRepeat(known.posts, post) || known.isEnded
    for (;;) {
      const found = isSure ? await this.#engine.logs.last(trip, entry.subject) : undefined
      if (isSure) before = found === undefined ? undefined : stateOf(found)
      const live = isSure ? await this.#live(trip, before) : known
      if (found?.id === entry.id && live !== undefined) return live.number
      const number = await this.#repeated(trip, live, post)
      if (number !== undefined) return number
      if (live?.isEnded === true) {
        const message = 'logs.post was called for a log that has ended.'
        throw new BackendError(message, { kind: 'refused', operation: 'logs.post' })
      }
      const sizes = live === undefined ? [] : (live.posts?.sizes ?? (await this.#entries.sizes(trip, live)))
      const names = await this.#entries.names(trip, live, sizes, post)
      const next = afterPost(live, sizes, post, (old) => names.get(old))
      if (await this.#write(trip, entry, next, live, found?.seq ?? before?.seqs[0] ?? 0)) {
        this.#purgeSometimes(entry.subject, live, next)
        return next.number
      }
      isSure = true
    }
  }

  /** The number of the first time. */
  async #repeated(trip: Trip, live: LogState | undefined, post: Post): Promise<number | undefined> {
    if (live === undefined || !mayBeRepeat(live.posts, post)) return undefined
    return (await this.#entries.find(trip, live, post)) ?? goneNumber(live.posts, post)
  }

  /** False: another entry is the newest by now. */
  async #write(
    trip: Trip,
    { subject, data, ttlMs, id }: Entry,
    next: NextState,
    live: LogState | undefined,
    expected: number,
  ): Promise<boolean> {
    const { logs, clock } = this.#engine
    logs.checkSize(trip.operation, utf8Length(data))
    // Not later than the engine has it.
    const now = clock.now() - logs.clockErrorMs
    const about = headerOf(next, live)
    const seq = await logs.write(trip, subject, { id, ttlMs, data, about, expected })
    this.#known.delete(subject)
    if (seq === undefined) return false
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(subject, stateAfter(next, live, seq, now, ttlMs))
    return true
  }

  async #live(trip: Trip, state: LogState | undefined): Promise<LogState | undefined> {
    return state !== undefined && (await this.#engine.logs.isLive(trip, state)) ? state : undefined
  }

  #surelyLive(state: LogState | undefined): LogState | undefined {
    return state !== undefined && this.#engine.logs.isSurelyLive(state) ? state : undefined
  }

  /** Nobody waits for it. What it misses goes with the log. */
  #purgeSometimes(subject: string, before: LogState | undefined, { first }: NextState): void {
    if (before === undefined || Math.floor(before.first / PURGE_AT) === Math.floor(first / PURGE_AT)) return
    const state = this.#known.get(subject)
    if (state === undefined) return
    const purged = this.#engine.perform('logs.post', async (trip) => {
      const [seq] = (await this.#entries.seqs(trip, state, first, first)) ?? []
      if (seq !== undefined) await this.#engine.logs.purge(trip, subject, seq)
    })
    purged.catch(() => {})
  }

  /** What is begun in order is written in order. */
  #inTurn<T>(operation: string, log: string, work: () => Promise<T>): Promise<T> {
    return this.#lines.join(log, operation, this.#engine.link.timeoutMs, work)
  }

  #hint(log: string, number: number, data: string): void {
    const text = data.length < SMALL_HINT ? `${number} ${data}` : String(number)
    this.#engine.subjects.hint(this.#engine.names.logHints(log), text)
  }

  #entryOf(log: string, data: string, ttlMs: number): Entry {
    return { subject: this.#engine.names.log(log), data, ttlMs, id: this.#engine.newId() }
  }

  #check(operation: string, log: string, data: string, { writer, ttlMs }: { writer: string; ttlMs: number }): void {
    checkName(operation, log)
    checkName(operation, writer)
    checkTtl(operation, ttlMs)
    checkValue(operation, data, this.#engine.maxValueBytes)
    this.#engine.link.checkOpen(operation)
  }
}

/** A hint is the number, and where the entry is small its data. */
function hintedEntry(hint: string): LogEntry | undefined {
  const at = hint.indexOf(' ')
  return at === -1 ? undefined : { seq: Number(hint.slice(0, at)), data: hint.slice(at + 1) }
}
