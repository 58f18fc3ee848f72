// Whoever follows logs: after each write of any process, one look at the ends of all logs that are followed.

import { callSafely } from '../../backend/feed/feed-listeners.ts'
import type { LogEntry } from '../../backend/logs.ts'
import { fromColumn } from '../../backend/stored-text.ts'
import type { Engine } from '../engine/engine.ts'

interface LogEnds {
  readonly name: string
  readonly n: number
  readonly first_seq: number
  readonly last_seq: number
}

interface Followed {
  readonly followers: Set<(entry?: LogEntry) => void>
  /** The number of its last entry when it was looked at. */
  seen: number
}

/** Larger entries, and more than so many at once, are left for a read. */
const MAX_HINT_BYTES = 16_384
const MAX_HINTS = 64

const ENDS = `SELECT name, n, first_seq, last_seq FROM json_each(?) CROSS JOIN mcpwire_log ON ns = ? AND name = value WHERE expires_at > ?`
const NEWS = `SELECT seq, bytes, iif(bytes <= ${MAX_HINT_BYTES}, data, '') AS data FROM mcpwire_entry
  WHERE log = ? AND seq > ? ORDER BY seq LIMIT ${MAX_HINTS}`

export class LogFollowers {
  readonly #engine: Engine
  readonly #logs = new Map<string, Followed>()
  #stopWatching: (() => void) | undefined

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onClose(() => {
      this.#logs.clear()
      this.#stop()
    })
  }

  add(log: string, onMore: (entry?: LogEntry) => void): () => void {
    this.#engine.checkOpen('logs.follow')
    // One that is given twice is called twice.
    const own = (entry?: LogEntry) => onMore(entry)
    let isOpen = true
    const begun = this.#engine.whenOpen('logs.follow', () => {
      if (isOpen) this.#begin(log, own)
    })
    // Hints may get lost: whoever follows also reads, and learns of the failure then.
    if (begun !== undefined) begun.catch(() => {})
    return () => {
      isOpen = false
      this.#leave(log, own)
    }
  }

  #begin(log: string, onMore: (entry?: LogEntry) => void): void {
    const known = this.#logs.get(log) ?? { followers: new Set(), seen: this.#endOf(log) }
    this.#logs.set(log, known)
    known.followers.add(onMore)
    this.#stopWatching ??= this.#engine.watch(() => this.#look())
  }

  #leave(log: string, onMore: (entry?: LogEntry) => void): void {
    const known = this.#logs.get(log)
    if (known?.followers.delete(onMore) !== true || known.followers.size > 0) return
    this.#logs.delete(log)
    if (this.#logs.size === 0) this.#stop()
  }

  #stop(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  #endOf(log: string): number {
    return this.#ends([log])[0]?.last_seq ?? 0
  }

  #ends(logs: readonly string[]): LogEnds[] {
    const { sql, namespace, now } = this.#engine
    return sql.all(ENDS, JSON.stringify(logs), namespace, now()) as LogEnds[]
  }

  #look(): void {
    for (const ends of this.#ends([...this.#logs.keys()])) {
      const known = this.#logs.get(ends.name)
      if (known === undefined || known.seen === ends.last_seq) continue
      const { seen } = known
      known.seen = ends.last_seq
      // A log that is shorter than before is another one of the same name.
      this.#tellNews(known, ends, ends.last_seq < seen ? 0 : seen)
    }
  }

  #tellNews(known: Followed, { n, first_seq: first, last_seq: last }: LogEnds, seen: number): void {
    const rows = this.#engine.sql.all(NEWS, n, Math.max(seen, first - 1)) as (LogEntry & { bytes: number })[]
    for (const { seq, bytes, data } of rows) {
      this.#tell(known, bytes <= MAX_HINT_BYTES ? { seq, data: fromColumn(data) } : undefined)
    }
    if (last > (rows.at(-1)?.seq ?? seen)) this.#tell(known, undefined)
  }

  #tell({ followers }: Followed, entry: LogEntry | undefined): void {
    for (const onMore of [...followers]) if (followers.has(onMore)) callSafely(() => onMore(entry))
  }
}
