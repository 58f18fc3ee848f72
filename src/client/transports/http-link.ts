// The way to one endpoint: whatever goes over it has the same address, headers, limits and fortunes.

import type { OnConnection } from '../../dispatcher/connection-events.ts'
import type { MessageLimits } from '../../dispatcher/decode.ts'
import type { PeerLimit } from '../../dispatcher/peer-limit.ts'
import type { Poster } from '../../http/poster.ts'
import type { ReconnectPolicy } from './retry.ts'

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>

export interface HttpLink {
  readonly poster: Poster
  readonly url: string
  /** What every POST of ours says. */
  readonly postHeaders: RequestHeaders
  /** What every other request says. */
  readonly streamHeaders: RequestHeaders
  readonly limits: MessageLimits
  readonly policy: ReconnectPolicy
  readonly health: ConnectionHealth
  /** What the server takes in one body, once it has refused one for that. */
  readonly bodyLimit: PeerLimit
}

/** Whether a response says that its body is of this type, whatever else it says about it. */
export function hasType(contentType: string | undefined, type: string): boolean {
  if (contentType === undefined) return false
  if (contentType === type) return true
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === type
}

/** Both together; of two with one name the second counts. By hand: spreading two objects into one costs eight times as much. */
export function joinHeaders(first: RequestHeaders, second: RequestHeaders): RequestHeaders {
  const joined: Record<string, string> = {}
  for (const name in first) joined[name] = first[name] as string
  for (const name in second) joined[name] = second[name] as string
  return joined
}

// Whether the way to the server is good, seen from everything that travels on it, and told once per change.

export class ConnectionHealth {
  readonly #listener: OnConnection | undefined
  #wasHeard = false
  #isDegraded = false
  #awaitsSession = false

  constructor(listener: OnConnection | undefined) {
    this.#listener = listener
  }

  /** Whether the server has ever answered. Until then an address may just as well be wrong. */
  get wasHeard(): boolean {
    return this.#wasHeard
  }

  /** The server answered. */
  heard(): void {
    this.#wasHeard = true
    if (this.#isDegraded && !this.#awaitsSession) this.#recovered(false)
  }

  failed(reason: Error): void {
    if (this.#isDegraded || !this.#wasHeard) return
    this.#isDegraded = true
    this.#listener?.({ type: 'degraded', reason })
  }

  /** The server answers, but has forgotten us: nothing is good again until there is a new session. */
  sessionLost(reason: Error): void {
    this.failed(reason)
    this.#awaitsSession = true
  }

  /** There is no new session, and so the old one is all that there is: should the server answer to it, it is good again. */
  renewalFailed(): void {
    this.#awaitsSession = false
  }

  sessionRenewed(): void {
    this.#awaitsSession = false
    this.#recovered(true)
  }

  #recovered(isNewSession: boolean): void {
    this.#isDegraded = false
    this.#listener?.({ type: 'recovered', isNewSession })
  }
}
