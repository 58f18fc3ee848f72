// The library `postgres`: an `sql` of ours, or one of the user's.
import type { ChannelListener, Row, SqlClient, SqlValue, Statement, Trip } from './sql-client.ts'

interface PostgresQuery extends PromiseLike<unknown> {
  cancel(): unknown
}

/** What is used of an `sql` of the package `postgres`. */
export interface PostgresSql {
  /** Runs a query as it is. The function of `postgres` has it. */
  unsafe(text: string, values?: never[], options?: { prepare?: boolean }): PostgresQuery
  /** Receives the notifications of a channel. The function of `postgres` has it. */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ): Promise<{ unlisten(): Promise<void> }>
  /** Closes all connections. */
  end(options?: { timeout?: number }): Promise<void>
}

/** After a break the library waits for connections that are gone. */
const LONGEST_END_MS = 1_000

export class PostgresJsClient implements SqlClient {
  #sql: PostgresSql
  readonly #renew: (() => PostgresSql) | undefined
  readonly #timeoutMs: number

  /** `renew` makes another `sql` where it is ours: one connection that is stuck cannot be ended alone. */
  constructor(sql: PostgresSql, timeoutMs: number, renew?: () => PostgresSql) {
    this.#sql = sql
    this.#renew = renew
    this.#timeoutMs = timeoutMs
  }

  query({ text }: Statement, values: readonly SqlValue[]): Trip {
    return this.#trip(this.#sql.unsafe(text, values as never[], { prepare: true }))
  }

  script(text: string): Trip {
    return this.#trip(this.#sql.unsafe(text))
  }

  listen(channel: string, { notified, listening }: ChannelListener): () => void {
    let isOpen = true
    const calls: [() => void, () => void] = [() => void (isOpen && notified()), () => void (isOpen && listening())]
    const begun = this.#sql.listen(channel, ...calls)
    // The library tries again by itself.
    begun.catch(() => {})
    return () => {
      isOpen = false
      begun.then((listener) => listener.unlisten()).catch(() => {})
    }
  }

  async close(): Promise<void> {
    if (this.#renew !== undefined) await this.#sql.end({ timeout: Math.min(this.#timeoutMs, LONGEST_END_MS) / 1_000 })
  }

  #trip(query: PostgresQuery): Trip {
    const sql = this.#sql
    const rows = Promise.resolve(query) as Promise<readonly Row[]>
    return {
      rows,
      giveUp: () => {
        // What comes later is nobody's.
        rows.catch(() => {})
        if (this.#renew === undefined) {
          query.cancel()
          return
        }
        if (this.#sql !== sql) return
        this.#sql = this.#renew()
        sql.end({ timeout: this.#timeoutMs / 1_000 }).catch(() => {})
      },
    }
  }
}
