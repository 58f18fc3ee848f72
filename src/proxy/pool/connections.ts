// The open connections to one source: who uses them, for how long, and which goes when there are too many.
import { type Timer, unref } from '../../primitives/async/timer.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { proxyFailure } from '../base/failures.ts'
import type { ProxyOptions } from '../base/options.ts'
import { OneCall } from './keys.ts'
import { Missed } from './missed.ts'

/** A connection, for as long as it is held. */
export interface Held {
  readonly connection: BackConnection
  release(): void
}

export interface Entry {
  readonly key: unknown
  readonly owner: string
  readonly connection: BackConnection
  readonly opening: Promise<void>
  /** The legacy clients that hear what belongs to no call. */
  readonly listening: WeakSet<object>
  /** Takes back what clients of the front were to do when they end: a client may live through any number of connections. */
  readonly undo: Set<() => void>
  users: number
  isOpen: boolean
  usedAt: number
  timer: Timer | undefined
  close(): Promise<void>
}

const IDLE_MS = 300_000
const MAX_CONNECTIONS = 256
const RETIRE_MS = 60_000
const RETIRE_LOOK_MS = 50

export class Connections {
  /** What those kept for their callers that have ended. */
  readonly missed = new Missed()
  readonly #source: string
  readonly #options: Pick<ProxyOptions, 'idleMs' | 'maxConnections'>
  readonly #entries = new Map<unknown, Entry>()
  /** What nobody gets any more and is still to be closed on this side, as a process that needs its time to end. */
  readonly #endings = new Set<Promise<void>>()
  readonly #retired = new Set<Entry>()

  constructor(source: string, options: Pick<ProxyOptions, 'idleMs' | 'maxConnections'>) {
    this.#source = source
    this.#options = options
  }

  get all(): readonly Entry[] {
    return [...this.#entries.values()]
  }

  /** Those whose handshake is over. */
  get open(): Entry[] {
    return this.all.filter(({ isOpen }) => isOpen)
  }

  find(key: unknown): Entry | undefined {
    return this.#entries.get(key)
  }

  add(entry: Entry): void {
    this.#entries.set(entry.key, entry)
  }

  /** Whether it was there. */
  remove(entry: Entry): boolean {
    clearTimeout(entry.timer)
    for (const undo of entry.undo) undo()
    entry.undo.clear()
    return this.#entries.get(entry.key) === entry && this.#entries.delete(entry.key)
  }

  /** A connection that was removed has ended by then. Never rejects. */
  endsBy(closing: Promise<void>): Promise<void> {
    const ending = closing.catch(() => {})
    this.#endings.add(ending)
    return ending.finally(() => this.#endings.delete(ending))
  }

  async whenEnded(): Promise<void> {
    for (const entry of this.#retired) void entry.close()
    this.#retired.clear()
    await Promise.all(this.#endings)
  }

  /** Nobody gets it any more; calls that use it go on to their end. */
  retire(entry: Entry): void {
    if (!this.remove(entry)) return
    if (entry.users === 0) void entry.close()
    else this.#retired.add(entry)
  }

  /** Rejects where the connection does not open. */
  async use(entry: Entry): Promise<Held> {
    entry.users += 1
    clearTimeout(entry.timer)
    try {
      await entry.opening
    } catch (error) {
      entry.users -= 1
      throw error
    }
    let isReleased = false
    return {
      connection: entry.connection,
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users -= 1
        entry.usedAt = Date.now()
        if (entry.users > 0) return
        if (this.#retired.delete(entry)) void entry.close()
        else this.#idle(entry)
      },
    }
  }

  /** Closes the one that nobody has used for longest, where there are as many as allowed. Throws where all are in use. */
  makeRoom(): void {
    const { maxConnections = MAX_CONNECTIONS } = this.#options
    if (this.#entries.size < maxConnections) return
    const idle = this.all.filter(({ users }) => users === 0).sort((a, b) => a.usedAt - b.usedAt)
    const oldest = idle[0]
    if (oldest === undefined) {
      throw proxyFailure(
        'G012',
        this.#source,
        `The source '${this.#source}' has too many connections. Try again later.`,
        {
          data: { limit: 'maxConnections', max: maxConnections },
        },
      )
    }
    void oldest.close()
  }

  /** Settles when no call is under way, at the latest after a minute. */
  async whenUnused(): Promise<void> {
    const giveUpAt = Date.now() + RETIRE_MS
    while (this.all.some(({ users }) => users > 0) && Date.now() < giveUpAt) {
      await new Promise((resolve) => {
        unref(setTimeout(resolve, RETIRE_LOOK_MS))
      })
    }
  }

  #idle(entry: Entry): void {
    const { idleMs = IDLE_MS } = this.#options
    if (entry.key instanceof OneCall) {
      const { leaving } = entry.connection
      if (leaving === undefined) void entry.close()
      else void leaving.then(() => entry.close())
      return
    }
    if (idleMs === 0 || idleMs === Infinity) return
    entry.timer = setTimeout(() => {
      if (entry.users > 0) return
      this.missed.add(entry.key, entry.connection.kept)
      void entry.close()
    }, idleMs)
    unref(entry.timer)
  }
}
