// Logs whose entries are sealed under the name of the log, and under their number where the writer has given it.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../logs.ts'
import { MAX_PAGE_BYTES, utf8Length } from '../rules.ts'
import type { Seal } from './seal.ts'

const APPENDED = 'a'
const POSTED = 'p'

/** A sealed entry of some length takes less than this many times its size. */
const GROWTH = 2

export class SealedLogs implements Logs {
  readonly #logs: Logs
  readonly #seal: Seal

  constructor(logs: Logs, seal: Seal) {
    this.#logs = logs
    this.#seal = seal
  }

  append(log: string, { seq, data }: LogEntry, options: AppendOptions): MaybePromise<'kept' | 'already' | 'conflict'> {
    const sealed = this.#seal.seal(appendedName(log, seq), data)
    return whenDone(sealed, (text) => this.#logs.append(log, { seq, data: APPENDED + text }, options))
  }

  post(log: string, data: string, options: PostOptions): MaybePromise<number> {
    const sealed = this.#seal.seal(log, data)
    const grown = { ...options, maxBytes: options.maxBytes * GROWTH }
    return whenDone(sealed, (text) => this.#logs.post(log, POSTED + text, grown))
  }

  read(log: string, afterSeq: number, options: ReadOptions = {}): MaybePromise<LogPage | undefined> {
    const { maxBytes = MAX_PAGE_BYTES } = options
    return whenDone(this.#logs.read(log, afterSeq, { ...options, maxBytes: maxBytes * GROWTH }), (page) => {
      if (page === undefined) return undefined
      const texts = page.entries.map((entry) => this.#open(log, entry))
      const opened = texts.some(isThenable) ? Promise.all(texts) : (texts as (string | undefined)[])
      return whenDone(opened, (all) => toPage(page, all, maxBytes))
    })
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    let isFollowed = true
    const stop = this.#logs.follow(log, (entry) => {
      if (entry === undefined) return onMore()
      const text = this.#open(log, entry)
      const hint = (data: string | undefined) => {
        if (isFollowed) onMore(data === undefined ? undefined : { seq: entry.seq, data })
      }
      if (!isThenable(text)) return hint(text)
      // A listener that throws, or an entry of a newer release, costs only this hint.
      void Promise.resolve(text)
        .then(hint)
        .catch(() => {})
    })
    return () => {
      isFollowed = false
      stop()
    }
  }

  drop(log: string): MaybePromise<void> {
    return this.#logs.drop(log)
  }

  #open(log: string, { seq, data }: LogEntry): MaybePromise<string | undefined> {
    const name = data.startsWith(APPENDED) ? appendedName(log, seq) : log
    return this.#seal.open('logs.read', name, data.slice(1))
  }
}

/** A page with an entry that cannot be opened is not all there. */
function toPage(page: LogPage, texts: readonly (string | undefined)[], maxBytes: number): LogPage | undefined {
  const entries: LogEntry[] = []
  let bytes = 0
  for (const [index, data] of texts.entries()) {
    if (data === undefined) return undefined
    bytes += utf8Length(data)
    if (bytes > maxBytes && entries.length > 0) break
    entries.push({ seq: (page.entries[index] as LogEntry).seq, data })
  }
  return { ...page, entries }
}

/** No name of a log has a space. */
function appendedName(log: string, seq: number): string {
  return `${log} ${seq}`
}
