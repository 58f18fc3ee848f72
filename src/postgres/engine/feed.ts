// Messages as numbered rows that every node reads: what topics, and hints about logs and tasks, travel by. NOTIFY says when to look;
// a look every second finds what a connection that broke without a sign has not said.
import { BackendError } from '../../backend/backend-error.ts'
import { fromColumn } from '../../backend/stored-text.ts'
import type { Engine } from './engine.ts'

interface MessageRow {
  readonly first: number | null
  readonly last: number | null
  readonly n: number | null
  readonly topic: string
  readonly text: string
}

export interface FeedListener {
  message(text: string): void
  missed(): void
}

interface Subscriber {
  readonly listener: FeedListener
  /** What came before is not for it. */
  readonly after: number
}

/** So many are read at once. */
const PAGE = 64
const LOOK_EVERY_MS = 1_000

const LAST = 'SELECT max(n)::float8 AS last FROM mcpwire.message'
const NEXT = `SELECT ends.first, ends.last, next.n, next.topic, next.text
  FROM (SELECT min(n)::float8 AS first, max(n)::float8 AS last FROM mcpwire.message) ends LEFT JOIN LATERAL (
    SELECT n::float8, topic, text FROM mcpwire.message WHERE n > $1::float8::bigint AND ns = $2
    AND topic IN (SELECT json_array_elements_text($3::text::json)) ORDER BY message.n LIMIT ${PAGE}) next ON true`

export class Feed {
  readonly #engine: Engine
  readonly #topics = new Map<string, Set<Subscriber>>()
  #seen = 0
  #listening: Promise<void> | undefined
  #stopListening: (() => void) | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  /** Looks and new subscriptions come one after the other, so that none misses what the other has read. */
  #line: Promise<unknown> = Promise.resolve()
  #isLookDue = false
  #isBroken = false
  /** Listeners were told of a gap since the connection began to listen. */
  #hasTold = false

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onClose(() => {
      this.#topics.clear()
      this.#stop()
    })
  }

  /** Returns, once nothing is lost from then on, how to stop. */
  async listen(operation: string, topic: string, listener: FeedListener): Promise<() => void> {
    await this.#begin(operation)
    return this.#inLine(async () => {
      const [row] = await this.#engine.read(operation, LAST, [])
      const after = Number(row?.['last'] ?? 0)
      if (this.#topics.size === 0) this.#seen = after
      const subscriber = { listener, after }
      const subscribers = this.#topics.get(topic) ?? new Set()
      this.#topics.set(topic, subscribers.add(subscriber))
      return () => {
        if (!subscribers.delete(subscriber) || subscribers.size > 0) return
        if (this.#topics.get(topic) === subscribers) this.#topics.delete(topic)
        if (this.#topics.size === 0) this.#stop()
      }
    })
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#line.then(work)
    this.#line = done.catch(() => {})
    return done
  }

  async #begin(operation: string): Promise<void> {
    const client = await this.#engine.client(operation)
    this.#listening ??= new Promise((resolve, reject) => {
      const { timeoutMs, channel } = this.#engine
      const timer = setTimeout(() => {
        this.#stop()
        const message = `${operation} took longer than ${timeoutMs} ms, because Postgres gave no connection to listen on.`
        reject(new BackendError(message, { kind: 'timeout', operation }))
      }, timeoutMs)
      let isFirst = true
      this.#stopListening = client.listen(channel, {
        notified: () => this.#lookSoon(),
        listening: () => {
          clearTimeout(timer)
          // What was missed in this break may be known already, by a look.
          if (!isFirst && !this.#hasTold) this.#isBroken = true
          this.#hasTold = false
          isFirst = false
          resolve()
          this.#lookSoon()
        },
      })
      this.#timer = setInterval(() => this.#lookSoon(), LOOK_EVERY_MS)
      // Whoever listens keeps the process alive by what it serves, not by listening.
      this.#timer.unref()
    })
    await this.#listening
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
    if (this.#isLookDue || this.#topics.size === 0) return
    this.#isLookDue = true
    // The next look comes soon.
    this.#inLine(() => this.#look()).catch(() => {})
  }

  async #look(): Promise<void> {
    this.#isLookDue = false
    for (;;) {
      if (this.#topics.size === 0) return
      const topics = JSON.stringify([...this.#topics.keys()])
      const found = await this.#engine.read('topics.subscribe', NEXT, [this.#seen, this.#engine.namespace, topics])
      const rows = found as unknown as readonly MessageRow[]
      const [{ first, last }] = rows as readonly [MessageRow]
      // Numbers have no gaps: what is not there any more was removed because this process slept for too long, or in a crash.
      if (last === null ? this.#seen > 0 : last < this.#seen || (first as number) > this.#seen + 1)
        this.#isBroken = true
      const isPage = rows.length === PAGE
      this.#seen = (isPage ? rows.at(-1)?.n : last) ?? 0
      const isBroken = this.#isBroken
      this.#isBroken = false
      for (const row of rows) if (row.n !== null) this.#deliver(row.n, row)
      if (isBroken) this.#tellMissed()
      if (!isPage) return
    }
  }

  #deliver(n: number, { topic, text }: MessageRow): void {
    const subscribers = this.#topics.get(topic)
    if (subscribers === undefined) return
    for (const subscriber of [...subscribers]) {
      if (n > subscriber.after && subscribers.has(subscriber)) {
        callSafely(() => subscriber.listener.message(fromColumn(text)))
      }
    }
  }

  #tellMissed(): void {
    for (const subscribers of [...this.#topics.values()]) {
      for (const { listener } of [...subscribers]) callSafely(() => listener.missed())
    }
  }
}

/** A listener that throws costs only itself. */
export function callSafely(call: () => void): void {
  try {
    call()
  } catch {}
}
