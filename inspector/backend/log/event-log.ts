// The entries of everything that happened, up to a number and a size, and the whole bodies of messages beside them.
import type { Entry, NewEntry } from '../../protocol/entries.ts'

export const MAX_ENTRIES = 5_000
export const MAX_BYTES = 32 * 1024 * 1024
/** What the stream carries of one body. The whole one is fetched. */
export const MAX_BODY_IN_STREAM = 64 * 1024

export type OnEntry = (entry: Entry) => void

interface Kept {
  readonly entry: Entry
  readonly bytes: number
  /** Where the entry has less than all of it. */
  readonly whole: string | undefined
}

export class EventLog {
  readonly #kept: Kept[] = []
  /** How many at the front of `kept` are dropped: removing each by itself would move all others. */
  #dropped = 0
  #bytes = 0
  #last = 0
  readonly #listeners = new Set<OnEntry>()

  /** The number of the last entry; 0 before the first. */
  get last(): number {
    return this.#last
  }

  add(given: NewEntry): number {
    this.#last += 1
    const n = this.#last
    const { entry, whole } = cut(cutNames({ ...given, n, time: Date.now() } as Entry))
    const bytes = 256 + (whole?.length ?? 0) + textLength(entry)
    this.#kept.push({ entry, bytes, whole })
    this.#bytes += bytes
    this.#drop()
    for (const listener of this.#listeners) listener(entry)
    return n
  }

  /** The entries after number `n` that are still there, oldest first. */
  after(n: number): readonly Entry[] {
    const entries = this.#kept.slice(this.#dropped).map(({ entry }) => entry)
    return n <= 0 ? entries : entries.filter((entry) => entry.n > n)
  }

  /** The whole body of an entry; `undefined` where the entry is gone or has none. */
  bodyOf(n: number): string | undefined {
    const first = this.#kept[this.#dropped]
    const found = first === undefined ? undefined : this.#kept[this.#dropped + n - first.entry.n]
    if (found?.entry.n !== n || !('body' in found.entry)) return undefined
    return found.whole ?? found.entry.body
  }

  /** Returns the function that ends it. */
  listen(listener: OnEntry): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #drop(): void {
    while (this.#kept.length - this.#dropped > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      const oldest = this.#kept[this.#dropped]
      // The newest one stays, however large it is.
      if (oldest === undefined || this.#dropped === this.#kept.length - 1) break
      this.#bytes -= oldest.bytes
      this.#dropped += 1
    }
    if (this.#dropped <= MAX_ENTRIES) return
    this.#kept.splice(0, this.#dropped)
    this.#dropped = 0
  }
}

/** Of all texts in it: servers choose those of methods, ids and loggers too. */
function textLength(entry: Entry): number {
  let length = 0
  for (const member of Object.values(entry) as unknown[]) if (typeof member === 'string') length += member.length
  return length
}

/** A name beyond this is shown by its beginning. */
const MAX_NAME = 1_024

function cutNames(entry: Entry): Entry {
  const long = Object.entries(entry).filter(
    ([key, value]) => NAMES.has(key) && typeof value === 'string' && value.length > MAX_NAME,
  )
  if (long.length === 0) return entry
  return { ...entry, ...Object.fromEntries(long.map(([key, value]) => [key, `${String(value).slice(0, MAX_NAME)}…`])) }
}

const NAMES: ReadonlySet<string> = new Set(['method', 'id', 'logger', 'subject', 'note', 'problem'])

function cut(entry: Entry): { entry: Entry; whole: string | undefined } {
  if (entry.type !== 'message' || entry.body.length <= MAX_BODY_IN_STREAM) return { entry, whole: undefined }
  return { entry: { ...entry, body: entry.body.slice(0, MAX_BODY_IN_STREAM), isCut: true }, whole: entry.body }
}
