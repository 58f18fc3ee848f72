// The connection behind a backend: that of the user, or one that URLs open with @nats-io/transport-node.
import { BackendError } from '../../backend/backend-error.ts'
import { withHelp } from '../../primitives/help.ts'
import type { NatsConnectionLike, NatsLibrary } from './nats-client.ts'
import type { NatsPlace } from './url.ts'

export type LoadLibrary = () => Promise<unknown>

/** To connect and to prepare takes many requests one after another: each of the two may take as long as so many operations. */
export const OPENING_DEADLINES = 3
const PACKAGE = '@nats-io/transport-node'
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
/** A connection that is half open is found after two of these. */
const PING_MS = 5_000

export const loadInstalled: LoadLibrary = () => import('@nats-io/transport-node')

export async function loadLibrary(load: LoadLibrary): Promise<NatsLibrary> {
  try {
    return (await load()) as NatsLibrary
  } catch (cause) {
    const message = `nats() needs the package ${PACKAGE}. Run: npm install ${PACKAGE}@3`
    throw withHelp('package-missing', new BackendError(message, { kind: 'unavailable', operation: 'open', cause }))
  }
}

/** Spread between 0.1 and 5 s, so that the nodes of a server do not all come back at once. */
export class Backoff {
  #attempt = 0
  #delayMs = delayOf(0)

  /** The library asks any number of times before an attempt, and gets the same each time. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** An attempt begins. */
  attempted(): void {
    this.#attempt += 1
    this.#delayMs = delayOf(this.#attempt)
  }

  reset(): void {
    this.#attempt = 0
    this.#delayMs = delayOf(0)
  }
}

function delayOf(attempt: number): number {
  const most = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt + 1, 10))
  return FIRST_DELAY_MS + Math.random() * (most - FIRST_DELAY_MS)
}

export function connectTo(
  library: NatsLibrary,
  place: NatsPlace,
  timeoutMs: number,
  backoff: Backoff,
): Promise<NatsConnectionLike> {
  const { user, pass, token } = place
  return library.connect({
    servers: place.servers,
    ...(user !== undefined && { user, pass }),
    ...(token !== undefined && { token }),
    ...(place.hasTls && { tls: {} }),
    name: 'mcpwire',
    // No stack trace is made for each request.
    noAsyncTraces: true,
    // A connection that is slow to be made is better than none, however many times it is tried.
    timeout: timeoutMs * OPENING_DEADLINES,
    pingInterval: PING_MS,
    maxReconnectAttempts: -1,
    // Credentials may be right again after a change of the server's configuration.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => backoff.delayMs,
  })
}
