// What this module needs of a client library of Postgres.

export type SqlValue = string | number | boolean | null

export interface Statement {
  /** Prepared under this name, once per connection. */
  readonly name: string
  readonly text: string
}

export type Row = Readonly<Record<string, unknown>>

export interface Trip {
  readonly rows: Promise<readonly Row[]>
  /** The deadline is over: what waits is dropped, with its connection where that may be stuck. */
  giveUp(): void
}

export interface ChannelListener {
  notified(): void
  /** Listens from now on: the first time, and again after each break. */
  listening(): void
}

export interface SqlClient {
  query(statement: Statement, values: readonly SqlValue[]): Trip
  /** Any number of statements, in one transaction. */
  script(text: string): Trip
  /** Listens until the returned function is called, over breaks too. */
  listen(channel: string, listener: ChannelListener): () => void
  /** Ends the connections that this client has opened. */
  close(): Promise<void>
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000

/** Spread between 0.1 and 5 s, so that the nodes of a server do not all come back at once. */
export function reconnectDelay(attempt: number): number {
  const most = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
  return FIRST_DELAY_MS + Math.random() * (most - FIRST_DELAY_MS)
}
