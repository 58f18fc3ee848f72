// Messages as numbered rows that every process reads: what topics and hints about tasks travel by.

import { type FeedListener, FeedListeners } from '../../backend/feed/feed-listeners.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Engine } from './engine.ts'

interface MessageRow {
  readonly n: number
  readonly ns: string
  readonly topic: string
  readonly text: string
}

/** So many are read at once. */
const PAGE = 256

const SEND = 'INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (?, ?, ?, ?)'
const LAST = 'SELECT max(n) AS n FROM mcpwire_message'
const NEXT = `SELECT n, ns, topic, iif(ns = ?, text, '') AS text FROM mcpwire_message WHERE n > ? ORDER BY n LIMIT ${PAGE}`

export class Feed {
  readonly #engine: Engine
  readonly #listeners = new FeedListeners(() => this.#stop())
  #seen = 0
  #stopWatching: (() => void) | undefined

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onClose(() => this.#listeners.clear())
    engine.onClose(() => this.#stop())
  }

  /** Inside a transaction. */
  send(topic: string, text: string, namespace = this.#engine.namespace): void {
    this.#engine.sql.run(SEND, namespace, topic, toColumn(text), this.#engine.now())
  }

  /** Returns, once nothing is lost from then on, how to stop. */
  listen(operation: string, topic: string, listener: FeedListener): MaybePromise<() => void> {
    return this.#engine.whenOpen(operation, () => {
      const after = this.#last()
      if (this.#stopWatching === undefined) {
        this.#seen = after
        this.#stopWatching = this.#engine.watch(() => this.#look())
      }
      return this.#listeners.add(topic, listener, after)
    })
  }

  #stop(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  #last(): number {
    return (this.#engine.sql.get(LAST) as { n: number | null }).n ?? 0
  }

  #look(): void {
    for (;;) {
      // A listener may have closed the backend.
      if (this.#stopWatching === undefined) return
      const rows = this.#engine.sql.all(NEXT, this.#engine.namespace, this.#seen) as MessageRow[]
      const [first] = rows
      if (first === undefined) return
      // Numbers have no gaps: what is not there any more was removed because this process slept for too long.
      const isBroken = first.n > this.#seen + 1
      this.#seen = (rows.at(-1) as MessageRow).n
      if (isBroken) this.#listeners.tellMissed()
      for (const row of rows) this.#deliver(row)
      if (rows.length < PAGE) return
    }
  }

  #deliver({ n, ns, topic, text }: MessageRow): void {
    if (ns === this.#engine.namespace) this.#listeners.deliver(n, topic, () => fromColumn(text))
  }
}
