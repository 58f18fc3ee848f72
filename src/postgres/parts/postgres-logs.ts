// Logs as rows: one for the log, one for each entry.
import { BackendError } from '../../backend/backend-error.ts'
import { Lines } from '../../backend/engine/lines.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../../backend/logs.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_PAGE_BYTES, utf8Length } from '../../backend/rules.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/feed.ts'
import type { Outbox } from '../engine/outbox.ts'

interface ReadRow {
  readonly first_seq: number
  readonly last_seq: number
  readonly is_ended: boolean
  readonly seq: number | null
  readonly data: string
}

const APPEND = 'SELECT mcpwire.append_entry($1, $2, $3, $4, $5, $6, $7, $8) AS outcome'
const POST = 'SELECT mcpwire.post_entry($1, $2, $3, $4, $5, $6, $7, $8, $9) AS seq'
const DROP = 'SELECT mcpwire.drop_log($1, $2)'
/** So many entries are looked at for one page. */
const PAGE = 1_000
/** One statement sees one moment. The sum before an entry is 0 for the first, so that there is at least one. */
const READ = `SELECT log.first_seq, log.last_seq, log.is_ended, page.seq, page.data FROM mcpwire.log LEFT JOIN LATERAL (
    SELECT seq, data, sum(bytes) OVER (ORDER BY seq) AS total, sum(bytes) OVER (ORDER BY seq) - bytes AS before FROM (
      SELECT seq, data, bytes FROM mcpwire.entry
      WHERE entry.log = log.n AND seq > $3::float8 AND seq >= log.first_seq ORDER BY seq LIMIT ${PAGE}) entries
  ) page ON page.total <= $4::float8 OR page.before = 0 AND page.seq = greatest($3::float8 + 1, log.first_seq)
  WHERE ns = $1 AND name = $2 AND expires_at > mcpwire.now_ms() ORDER BY page.seq`

export class PostgresLogs implements Logs {
  readonly #engine: Engine
  readonly #feed: Feed
  readonly #outbox: Outbox
  readonly #maxValueBytes: number
  /** What is being written, by log. */
  readonly #lines = new Lines()

  constructor(engine: Engine, feed: Feed, outbox: Outbox, maxValueBytes: number) {
    this.#engine = engine
    this.#feed = feed
    this.#outbox = outbox
    this.#maxValueBytes = maxValueBytes
  }

  async append(log: string, { seq, data }: LogEntry, options: AppendOptions): Promise<'kept' | 'already' | 'conflict'> {
    const { writer, ttlMs, isLast = false } = options
    this.#check('logs.append', log, data, options)
    checkCount('logs.append', 'seq', seq)
    const values = [this.#engine.namespace, log, seq, toColumn(data), utf8Length(data), writer, ttlMs, isLast]
    const [row] = await this.#inTurn('logs.append', log, () => this.#engine.write('logs.append', APPEND, values))
    return row?.['outcome'] as 'kept' | 'already' | 'conflict'
  }

  async post(log: string, data: string, options: PostOptions): Promise<number> {
    const { writer, nth, ttlMs, maxEntries, maxBytes } = options
    this.#check('logs.post', log, data, options)
    checkCount('logs.post', 'nth', nth)
    checkCount('logs.post', 'maxEntries', maxEntries)
    checkCount('logs.post', 'maxBytes', maxBytes)
    const size = utf8Length(data)
    const values = [this.#engine.namespace, log, toColumn(data), size, writer, nth, ttlMs, maxEntries, maxBytes]
    const [row] = await this.#inTurn('logs.post', log, () => this.#engine.write('logs.post', POST, values))
    const seq = Number(row?.['seq'])
    if (seq === 0) {
      const message = 'logs.post was called for a log that has ended.'
      throw new BackendError(message, { kind: 'refused', operation: 'logs.post' })
    }
    this.#outbox.hint(`l:${log}`, '')
    return seq
  }

  async read(
    log: string,
    afterSeq: number,
    { maxBytes = MAX_PAGE_BYTES, fromOldest = false }: ReadOptions = {},
  ): Promise<LogPage | undefined> {
    checkName('logs.read', log)
    checkCount('logs.read', 'afterSeq', afterSeq, 0)
    checkCount('logs.read', 'maxBytes', maxBytes)
    const found = await this.#engine.read('logs.read', READ, [this.#engine.namespace, log, afterSeq, maxBytes])
    const rows = found as unknown as readonly ReadRow[]
    const [known] = rows
    if (known === undefined || afterSeq > known.last_seq) return undefined
    if (afterSeq + 1 < known.first_seq && !fromOldest) return undefined
    const entries =
      known.seq === null ? [] : rows.map(({ seq, data }) => ({ seq: seq as number, data: fromColumn(data) }))
    return { entries, lastSeq: known.last_seq, isEnded: known.is_ended }
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    checkName('logs.follow', log)
    this.#engine.checkOpen('logs.follow')
    let isOpen = true
    let stop: (() => void) | undefined
    const more = () => void (isOpen && onMore())
    const begun = this.#feed.listen('logs.follow', `l:${log}`, { message: more, missed: more })
    // Hints may get lost: whoever follows also reads, and learns of the failure then.
    begun.then(
      (found) => {
        if (isOpen) stop = found
        else found()
      },
      () => {},
    )
    return () => {
      isOpen = false
      stop?.()
      stop = undefined
    }
  }

  async drop(log: string): Promise<void> {
    checkName('logs.drop', log)
    await this.#engine.write('logs.drop', DROP, [this.#engine.namespace, log])
  }

  /** Connections do not keep the order among each other: what is written to one log waits for what was written before. */
  #inTurn<T>(operation: string, log: string, work: () => Promise<T>): Promise<T> {
    return this.#lines.join(log, operation, this.#engine.timeoutMs, work)
  }

  #check(operation: string, log: string, data: string, { writer, ttlMs }: { writer: string; ttlMs: number }): void {
    checkName(operation, log)
    checkName(operation, writer)
    checkTtl(operation, ttlMs)
    checkValue(operation, data, this.#maxValueBytes)
  }
}
