// Logs in memory.
import { BackendError } from '../backend-error.ts'
import { bytesOf } from '../byte-budget.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../logs.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_PAGE_BYTES, utf8Length } from '../rules.ts'
import { type Expiring, ExpiringMap, type Space } from './expiring.ts'
import { Hints } from './hints.ts'

interface WrittenEntry extends LogEntry {
  readonly writer: string
  /** 0 for those that the writer has numbered. */
  readonly nth: number
}

interface KeptLog extends Expiring {
  /** The oldest first, without gaps. */
  entries: WrittenEntry[]
  lastSeq: number
  isEnded: boolean
  /** The last ones that had to go, without their text, so that a late repeat is known. */
  trimmed?: WrittenEntry[]
}

/** What an entry takes beside its text, about. */
const ENTRY_BYTES = 96
/** Larger entries are not part of a hint. */
const MAX_HINT_CHARACTERS = 16_384
const MAX_TRIMMED_KNOWN = 64

export class MemoryLogs implements Logs {
  readonly #space: Space
  readonly #maxValueBytes: number
  readonly #logs: ExpiringMap<KeptLog>
  readonly #hints: Hints<LogEntry | undefined>

  constructor(space: Space, maxValueBytes: number, onListenerError: (error: unknown) => void) {
    this.#space = space
    this.#maxValueBytes = maxValueBytes
    this.#logs = new ExpiringMap(space)
    this.#hints = new Hints(onListenerError)
  }

  append(log: string, { seq, data }: LogEntry, options: AppendOptions): 'kept' | 'already' | 'conflict' {
    const { writer, ttlMs, isLast = false } = options
    this.#check('logs.append', log, data, options)
    checkCount('logs.append', 'seq', seq)
    const known = this.#logs.get(log)
    const next = (known?.lastSeq ?? 0) + 1
    if (seq < next) return known?.entries[seq - firstSeq(known)]?.writer === writer ? 'already' : 'conflict'
    if (seq > next || known?.isEnded === true) return 'conflict'
    this.#add('logs.append', log, known, { seq, data, writer, nth: 0 }, ttlMs, isLast)
    return 'kept'
  }

  post(log: string, data: string, options: PostOptions): number {
    const { writer, nth, ttlMs, maxEntries, maxBytes } = options
    this.#check('logs.post', log, data, options)
    for (const [name, value] of Object.entries({ nth, maxEntries, maxBytes })) checkCount('logs.post', name, value)
    const known = this.#logs.get(log)
    const isRepeat = (entry: WrittenEntry) => entry.nth === nth && entry.writer === writer
    const before = known?.entries.findLast(isRepeat) ?? known?.trimmed?.findLast(isRepeat)
    if (before !== undefined) return before.seq
    if (known?.isEnded === true) {
      throw new BackendError('logs.post was called for a log that has ended.', {
        kind: 'refused',
        operation: 'logs.post',
      })
    }
    const seq = (known?.lastSeq ?? 0) + 1
    this.#add('logs.post', log, known, { seq, data, writer, nth }, ttlMs, false)
    this.#trim(this.#logs.get(log), maxEntries, maxBytes)
    return seq
  }

  read(
    log: string,
    afterSeq: number,
    { maxBytes = MAX_PAGE_BYTES, fromOldest = false }: ReadOptions = {},
  ): LogPage | undefined {
    checkName('logs.read', log)
    checkCount('logs.read', 'afterSeq', afterSeq, 0)
    checkCount('logs.read', 'maxBytes', maxBytes)
    this.#space.checkOpen('logs.read')
    const known = this.#logs.get(log)
    if (known === undefined || afterSeq > known.lastSeq) return undefined
    const first = firstSeq(known)
    if (afterSeq + 1 < first && !fromOldest) return undefined
    const entries: LogEntry[] = []
    let bytes = 0
    for (let index = Math.max(0, afterSeq + 1 - first); index < known.entries.length; index += 1) {
      const { seq, data } = known.entries[index] as WrittenEntry
      bytes += utf8Length(data)
      if (bytes > maxBytes && entries.length > 0) break
      entries.push({ seq, data })
    }
    return { entries, lastSeq: known.lastSeq, isEnded: known.isEnded }
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    checkName('logs.follow', log)
    this.#space.checkOpen('logs.follow')
    return this.#hints.add(log, onMore)
  }

  drop(log: string): void {
    checkName('logs.drop', log)
    this.#space.checkOpen('logs.drop')
    this.#logs.delete(log)
  }

  close(): void {
    this.#hints.clear()
  }

  #check(operation: string, log: string, data: string, { writer, ttlMs }: { writer: string; ttlMs: number }): void {
    checkName(operation, log)
    checkName(operation, writer)
    checkTtl(operation, ttlMs)
    checkValue(operation, data, this.#maxValueBytes)
    this.#space.checkOpen(operation)
  }

  #add(
    operation: string,
    name: string,
    known: KeptLog | undefined,
    entry: WrittenEntry,
    ttlMs: number,
    isLast: boolean,
  ): void {
    const bytes = sizeOf(entry)
    const expiresAt = this.#space.now() + ttlMs
    if (known === undefined) {
      const log: KeptLog = { entries: [entry], lastSeq: entry.seq, isEnded: isLast, expiresAt, bytes }
      this.#logs.set(operation, name, log)
    } else {
      this.#logs.resize(operation, known, known.bytes + bytes)
      known.entries.push(entry)
      known.lastSeq = entry.seq
      known.isEnded = isLast
      known.expiresAt = expiresAt
    }
    const { seq, data } = entry
    this.#hints.send(name, data.length <= MAX_HINT_CHARACTERS ? { seq, data } : undefined)
  }

  /** The newest entry stays, however large it is. */
  #trim(log: KeptLog | undefined, maxEntries: number, maxBytes: number): void {
    if (log === undefined) return
    let gone = Math.max(0, log.entries.length - maxEntries)
    let bytes = 0
    for (let index = log.entries.length - 1; index >= gone; index -= 1) {
      bytes += utf8Length((log.entries[index] as WrittenEntry).data)
      if (bytes > maxBytes && index < log.entries.length - 1) gone = index + 1
    }
    if (gone === 0) return
    const removed = log.entries.splice(0, gone)
    const less = removed.reduce((sum, entry) => sum + bytesOf(entry.data), 0)
    const trimmed = [...(log.trimmed ?? []), ...removed.map((entry) => ({ ...entry, data: '' }))]
    const forgotten = trimmed.splice(0, Math.max(0, trimmed.length - MAX_TRIMMED_KNOWN))
    log.trimmed = trimmed
    this.#logs.resize('logs.post', log, log.bytes - less - forgotten.reduce((sum, entry) => sum + sizeOf(entry), 0))
  }
}

function sizeOf({ data, writer }: WrittenEntry): number {
  return ENTRY_BYTES + bytesOf(data) + writer.length
}

function firstSeq({ entries, lastSeq }: KeptLog): number {
  return lastSeq - entries.length + 1
}
