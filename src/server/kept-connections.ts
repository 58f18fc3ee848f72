// The connections of a server: those that are served, those that are being opened, and clients that are about to leave.
import type { CloseOptions } from '../dispatcher/dispatcher.ts'
import { connectionClosedError } from '../dispatcher/error-policy.ts'
import { settlesWithin } from '../primitives/async/timer.ts'
import type { ServedConnection } from './serve.ts'

/** How long `close()` waits for a connection that is being opened. One that opens later is closed then. */
const OPENING_MS = 1_000

export class KeptConnections {
  readonly #served = new Set<ServedConnection>()
  readonly #openings = new Set<Promise<ServedConnection>>()
  readonly #leavingPeers = new WeakSet<object>()
  #closes = 0
  /** How many times the server is being closed at present. */
  #closing = 0

  /** Whether what this client opens ends at once: a request may be a while under way before it stays open. */
  isLeaving(peer: object): boolean {
    return this.#closing > 0 || this.#leavingPeers.has(peer)
  }

  /** From here on this client is about to leave. */
  leaves(peer: object): void {
    this.#leavingPeers.add(peer)
  }

  /** The server closes, until the returned function is called. */
  beginClosing(): () => void {
    this.#closes += 1
    this.#closing += 1
    return () => {
      this.#closing -= 1
    }
  }

  async close(options: CloseOptions): Promise<void> {
    const served = [...this.#served].map((one) => one.close(options))
    const openings = [...this.#openings].map((opening) => settlesWithin(opening, OPENING_MS))
    await Promise.all([...served, ...openings])
  }

  /**
   * Keeps a connection until it has ended. `open` calls `onBegun` as soon as its client may be answered. One that begins while the
   * server closes is closed at once.
   */
  async keep(
    open: (onBegun: (served: ServedConnection) => void) => Promise<ServedConnection>,
  ): Promise<ServedConnection> {
    const closes = this.#closes
    let isKept = false
    const keep = (served: ServedConnection) => {
      if (isKept || closes !== this.#closes) return
      isKept = true
      this.#served.add(served)
      const forget = () => this.#served.delete(served)
      served.ended.then(forget, forget)
    }
    const opening = open(keep).then(async (served) => {
      keep(served)
      if (isKept) return served
      await served.close()
      throw connectionClosedError(new Error('the server was closed meanwhile'))
    })
    this.#openings.add(opening)
    return opening.finally(() => this.#openings.delete(opening))
  }
}
