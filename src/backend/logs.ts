// Events in order, numbered from 1.
import type { MaybePromise } from '../primitives/async/promises.ts'

/** One entry of a log. */
export interface LogEntry {
  /** The number of the entry, counted from 1. */
  readonly seq: number
  /** What was appended. */
  readonly data: string
}

/** Entries of a log, as far as the limit of the read allows. */
export interface LogPage {
  /** The entries, oldest first. */
  readonly entries: readonly LogEntry[]
  /** Of the newest entry of the log, in this page or not. */
  readonly lastSeq: number
  /** The last entry was appended with `isLast`. */
  readonly isEnded: boolean
}

/** Options of `logs.append()`. */
export interface AppendOptions {
  /** The name of the one writer of the log. */
  readonly writer: string
  /** How long the log is kept after its last entry, in milliseconds. */
  readonly ttlMs: number
  /** Ends the log with this entry (default: `false`). */
  readonly isLast?: boolean
}

/** Options of `logs.post()`. */
export interface PostOptions {
  /** The name of the writer, one of many. */
  readonly writer: string
  /** Counts the entries of this writer, from 1. */
  readonly nth: number
  /** How long the log is kept after its last entry, in milliseconds. */
  readonly ttlMs: number
  /** The oldest entries go where there are more. */
  readonly maxEntries: number
  /** How many bytes the log keeps. The oldest entries are dropped first. */
  readonly maxBytes: number
}

/** Options of `logs.read()`. */
export interface ReadOptions {
  /** Default: 1 MiB. */
  readonly maxBytes?: number
  /** Begins with the oldest entry that is there where some after `afterSeq` are gone (default: `undefined` is returned). */
  readonly fromOldest?: boolean
}

/** Ordered entries that processes append and read. */
export interface Logs {
  /**
   * For a log with one writer, which numbers its entries. `already`: this writer has appended this number before. `conflict`: the
   * number is taken by another writer, leaves a gap, or the log has ended.
   */
  append(log: string, entry: LogEntry, options: AppendOptions): MaybePromise<'kept' | 'already' | 'conflict'>
  /**
   * For a log with many writers: the engine numbers the entries. A repeat, known by writer and `nth`, returns the number of the
   * first time. The newest entry is kept, whatever `maxBytes` says.
   */
  post(log: string, data: string, options: PostOptions): MaybePromise<number>
  /**
   * What came after `afterSeq`, oldest first, at most `maxBytes` but at least one entry. `undefined`: no such log, `afterSeq` is
   * beyond its end, or what came after is not all there.
   */
  read(log: string, afterSeq: number, options?: ReadOptions): MaybePromise<LogPage | undefined>
  /**
   * Called when there may be more, with the entry where it is small: after `post`, and after `append` where that costs the engine
   * nothing. Hints get lost: whoever follows also reads every second. Never called inside the call that writes.
   */
  follow(log: string, onMore: (entry?: LogEntry) => void): () => void
  /** A log that does not exist is no error. */
  drop(log: string): MaybePromise<void>
}
