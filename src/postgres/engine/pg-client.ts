// The library `pg`: a pool of ours, or one of the user's.
import {
  type ChannelListener,
  type Row,
  reconnectDelay,
  type SqlClient,
  type SqlValue,
  type Statement,
  type Trip,
} from './sql-client.ts'

type Callback<T> = (error: unknown, result: T) => void

/** What is used of a `Client` of `pg`. */
export interface PgClient {
  query(query: string | { name: string; text: string; values: unknown[] }, callback: Callback<unknown>): unknown
  on(event: string, listener: (...values: never[]) => void): unknown
  removeListener(event: string, listener: (...values: never[]) => void): unknown
}

/** What is used of a `Pool` of `pg`. */
export interface PgPool {
  /** Takes a connection from the pool. `Pool` of `pg` has it. */
  connect(
    callback: (
      error: Error | undefined,
      client: PgClient | undefined,
      release: (error?: Error | boolean) => void,
    ) => void,
  ): void
}

interface Leased {
  readonly client: PgClient
  release(isBroken: boolean): void
}

const ignore = () => {}
/** Timers that are later than this were behind something. */
const LATE_MS = 100

export class PgSqlClient implements SqlClient {
  readonly #pool: PgPool
  readonly #close: () => Promise<void>
  readonly #connectMs: number

  /** `close` ends the pool where it is ours. `connectMs` is how long it takes to connect before it gives up. */
  constructor(pool: PgPool, close: () => Promise<void>, connectMs = Number.POSITIVE_INFINITY) {
    this.#pool = pool
    this.#close = close
    this.#connectMs = connectMs
  }

  query({ name, text }: Statement, values: readonly SqlValue[]): Trip {
    return this.#run({ name, text, values: values as unknown[] })
  }

  script(text: string): Trip {
    return this.#run(text)
  }

  listen(channel: string, { notified, listening }: ChannelListener): () => void {
    let isOpen = true
    let leased: Leased | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let attempt = 0
    const connect = () => {
      this.#lease((error, found) => {
        if (found === undefined || !isOpen) {
          found?.release(true)
          if (error !== undefined) reconnect()
          return
        }
        leased = found
        const broken = () => {
          if (leased !== found) return
          leased = undefined
          found.release(true)
          reconnect()
        }
        found.client.on('end', broken)
        found.client.on('error', broken)
        found.client.on('notification', notified)
        found.client.query(`LISTEN "${channel}"`, (failure) => {
          if (failure !== null && failure !== undefined) return broken()
          attempt = 0
          if (isOpen) listening()
        })
      })
    }
    const reconnect = () => {
      if (!isOpen) return
      timer = setTimeout(connect, reconnectDelay(attempt))
      timer.unref()
      attempt += 1
    }
    connect()
    return () => {
      isOpen = false
      clearTimeout(timer)
      const last = leased
      leased = undefined
      // The connection listens: it is of no use to anybody else.
      last?.release(true)
    }
  }

  close(): Promise<void> {
    return this.#close()
  }

  #run(query: Parameters<PgClient['query']>[0]): Trip {
    let leased: Leased | undefined
    let isOver = false
    const rows = new Promise<readonly Row[]>((resolve, reject) => {
      const run = (found: Leased) => {
        leased = found
        found.client.query(query, (failure, result) => {
          if (leased === undefined) return
          leased = undefined
          const isFailed = failure !== null && failure !== undefined
          // An error without a state of SQL comes from the connection.
          found.release(isFailed && !isSqlState((failure as { code?: unknown }).code))
          if (isFailed) reject(failure)
          else resolve((result as { rows: readonly Row[] }).rows)
        })
      }
      const lease = (isAgain: boolean) => {
        const begunAt = performance.now()
        this.#lease((error, found) => {
          if (found !== undefined) return isOver ? found.release(false) : run(found)
          // The pool counts the time for which a handler blocked the event loop. Our deadline does not.
          const wasBlocked = performance.now() - begunAt > this.#connectMs + LATE_MS
          if (wasBlocked && !isAgain && !isOver) lease(true)
          else reject(error)
        })
      }
      lease(false)
    })
    const giveUp = () => {
      isOver = true
      const last = leased
      leased = undefined
      last?.release(true)
    }
    return { rows, giveUp }
  }

  #lease(next: (error: unknown, leased: Leased | undefined) => void): void {
    this.#pool.connect((error, client, release) => {
      if (client === undefined || error) return next(error ?? new Error('The pool gave no client.'), undefined)
      // A client that is in use has no other listener, and an error without one would end the process.
      client.on('error', ignore)
      next(undefined, {
        client,
        release: (isBroken) => {
          // One that is destroyed may still fail.
          if (!isBroken) client.removeListener('error', ignore)
          release(isBroken)
        },
      })
    })
  }
}

export function isSqlState(code: unknown): boolean {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
}
