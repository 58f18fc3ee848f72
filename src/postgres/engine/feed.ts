// Messages as numbered rows that every node reads: what topics, and hints about logs and tasks, travel by. NOTIFY says when to look;
// a look every second finds what a connection that broke without a sign has not said.
import { BackendError } from '../../backend/backend-error.ts'
import { startDeadline } from '../../backend/engine/deadline.ts'
import { Line } from '../../backend/engine/lines.ts'
import { type FeedListener, FeedListeners } from '../../backend/feed/feed-listeners.ts'
import { fromColumn } from '../../backend/stored-text.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import type { Engine } from './engine.ts'
import type { Row, SqlClient, SqlValue } from './sql-client.ts'

interface MessageRow {
  readonly first: number | null
  readonly last: number | null
  readonly n: number | null
  readonly topic: string
  readonly text: string
}

/** So many are read at once. */
const PAGE = 64
const LOOK_EVERY_MS = 1_000
/** So long a connection that was lost may take to listen again. */
const RECONNECT_MS = 30_000
/** Looks come one after the other, and a connection that broke without a sign would hold all of them up until its deadline. */
const ASK_AGAIN_MS = 1_000
const MAX_ASKED = 3

const LAST = 'SELECT max(n)::float8 AS last FROM mcpwire.message'
const NEXT = `SELECT ends.first, ends.last, next.n, next.topic, next.text
  FROM (SELECT min(n)::float8 AS first, max(n)::float8 AS last FROM mcpwire.message) ends LEFT JOIN LATERAL (
    SELECT n::float8, topic, text FROM mcpwire.message WHERE n > $1::float8::bigint AND ns = $2
    AND topic IN (SELECT json_array_elements_text($3::text::json)) ORDER BY message.n LIMIT ${PAGE}) next ON true`

export class Feed {
  readonly #engine: Engine
  readonly #listeners = new FeedListeners(() => this.#stop())
  #seen = 0
  #listening: Promise<void> | undefined
  #stopListening: (() => void) | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  /** Looks and new subscriptions come one after the other, so that none misses what the other has read. */
  readonly #line = new Line()
  #isLookDue = false
  #isBroken = false
  /** When listeners last heard of a gap, by the clock of the process. */
  #missedAt = Number.NEGATIVE_INFINITY

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onClose(() => {
      this.#listeners.clear()
      this.#stop()
    })
  }

  /** Returns, once nothing is lost from then on, how to stop. */
  async listen(operation: string, topic: string, listener: FeedListener): Promise<() => void> {
    await this.#begin(operation)
    return this.#line.join(operation, this.#engine.timeoutMs, async (isLate) => {
      const [row] = await this.#read(operation, LAST, [])
      const after = Number(row?.['last'] ?? 0)
      if (this.#listeners.isEmpty) this.#seen = after
      // Whoever was told that it failed would never stop it.
      return isLate() ? () => {} : this.#listeners.add(topic, listener, after)
    })
  }

  async #begin(operation: string): Promise<void> {
    const client = await this.#engine.client(operation)
    this.#listening ??= this.#startListening(operation, client)
    await this.#listening
  }

  #startListening(operation: string, client: SqlClient): Promise<void> {
    const listening = new Promise<void>((resolve, reject) => {
      const { timeoutMs, channel } = this.#engine
      const stop = startDeadline(timeoutMs, () => {
        // Whoever has stopped it meanwhile may have begun anew.
        if (this.#listening === listening) this.#stop()
        const message = `${operation} took longer than ${timeoutMs} ms, because Postgres gave no connection to listen on.`
        reject(new BackendError(message, { kind: 'timeout', operation }))
      })
      let isFirst = true
      this.#stopListening = client.listen(channel, {
        notified: () => this.#lookSoon(),
        listening: () => {
          stop()
          // A look may have found the same gap while this connection was being made.
          if (!isFirst && performance.now() - this.#missedAt > RECONNECT_MS) this.#isBroken = true
          isFirst = false
          resolve()
          this.#lookSoon()
        },
      })
      this.#timer = setInterval(() => this.#lookSoon(), LOOK_EVERY_MS)
      // Whoever listens keeps the process alive by what it serves, not by listening.
      this.#timer.unref()
    })
    return listening
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#listening = undefined
    this.#isBroken = false
  }

  #lookSoon(): void {
    if (this.#isLookDue || this.#listeners.isEmpty) return
    this.#isLookDue = true
    // The next look comes soon.
    this.#line.join('topics.subscribe', Number.POSITIVE_INFINITY, () => this.#look()).catch(() => {})
  }

  async #look(): Promise<void> {
    this.#isLookDue = false
    for (;;) {
      if (this.#listeners.isEmpty) return
      const topics = JSON.stringify(this.#listeners.topics)
      const found = await this.#read('topics.subscribe', NEXT, [this.#seen, this.#engine.namespace, topics])
      const rows = found as unknown as readonly MessageRow[]
      const [{ first, last }] = rows as readonly [MessageRow]
      // Numbers have no gaps: what is not there any more was removed because this process slept for too long, or in a crash.
      const isRenumbered = (last ?? 0) < this.#seen
      if (isRenumbered) this.#listeners.onRenumbered()
      if (isRenumbered || (first ?? 0) > this.#seen + 1) this.#isBroken = true
      const isPage = rows.length === PAGE
      this.#seen = (isPage ? rows.at(-1)?.n : last) ?? 0
      const isBroken = this.#isBroken
      this.#isBroken = false
      for (const row of rows) this.#deliver(row)
      if (isBroken) {
        this.#missedAt = performance.now()
        this.#listeners.tellMissed()
      }
      if (!isPage) return
    }
  }

  /** The first answer. Where none comes soon another connection is asked too, because this one may be dead. */
  async #read(operation: string, text: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const { promise, resolve, reject } = createDeferred<readonly Row[]>()
    const answered = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let asked = 0
    let failed = 0
    const ask = () => {
      asked += 1
      timer = asked < MAX_ASKED ? setTimeout(ask, ASK_AGAIN_MS) : undefined
      this.#engine.read(operation, text, values, answered.signal).then(resolve, (error: unknown) => {
        failed += 1
        if (failed === asked) reject(error)
      })
    }
    ask()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      answered.abort()
    }
  }

  #deliver({ n, topic, text }: MessageRow): void {
    if (n !== null) this.#listeners.deliver(n, topic, () => fromColumn(text))
  }
}
