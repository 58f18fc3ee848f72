// What everything that is sent to one server URL shares: address, headers, limits, retry policy and the state of the connection.
import type { OnConnection } from '../../dispatcher/channel.ts'
import type { MessageLimits } from '../../dispatcher/decode.ts'
import type { PeerLimit } from '../../dispatcher/peer-max-bytes.ts'
import type { Poster } from '../../http/poster.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RetryPolicy } from './retry.ts'

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>

export interface HttpLink {
  readonly poster: Poster
  readonly url: string
  /** Headers of every POST. */
  readonly postHeaders: RequestHeaders
  /** Headers of every GET and DELETE. */
  readonly streamHeaders: RequestHeaders
  readonly limits: MessageLimits
  readonly policy: RetryPolicy
  readonly health: ConnectionHealth
  /** The largest body that the server accepts, once it has rejected one for its size. */
  readonly bodyLimit: PeerLimit
}

/** Whether the server can be reached, as seen by all requests together. Reports each change once. */
export class ConnectionHealth {
  readonly #listener: OnConnection | undefined
  #hasResponded = false
  #isDegraded = false
  #awaitsSession = false

  constructor(listener: OnConnection | undefined) {
    this.#listener = listener
  }

  /** Whether the server has ever responded. Before that, the address may be wrong. */
  get hasResponded(): boolean {
    return this.#hasResponded
  }

  responded(): void {
    this.#hasResponded = true
    if (this.#isDegraded && !this.#awaitsSession) this.#recovered(false)
  }

  failed(reason: Error): void {
    if (this.#isDegraded || !this.#hasResponded) return
    this.#isDegraded = true
    this.#listener?.({ type: 'degraded', reason })
  }

  /** The server responds, but rejects the session: the connection stays degraded until there is a new one. */
  sessionExpired(reason: Error): void {
    this.failed(reason)
    this.#awaitsSession = true
  }

  /** There is no new session. Should the server accept the old one after all, the connection has recovered. */
  renewalFailed(): void {
    this.#awaitsSession = false
  }

  sessionRenewed(): void {
    this.#awaitsSession = false
    this.#recovered(true)
  }

  /** The server can no longer send messages of its own; requests still work. */
  notificationsLost(reason: Error): void {
    this.#listener?.({ type: 'notifications-lost', reason })
  }

  /** The server has closed the stream of a request in good order, before its answer. */
  streamClosed(requestId: RequestId, retryMs: number | undefined): void {
    this.#listener?.({ type: 'stream-closed', requestId, ...(retryMs !== undefined && { retryMs }) })
  }

  #recovered(isNewSession: boolean): void {
    this.#isDegraded = false
    this.#listener?.({ type: 'recovered', isNewSession })
  }
}

/** Whether a `Content-Type` header names this type, whatever its parameters. */
export function hasMediaType(contentType: string | undefined, type: string): boolean {
  if (contentType === undefined) return false
  if (contentType === type) return true
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === type
}

/** Of two headers with one name the second counts. A loop, because spreading two objects into one takes eight times as long. */
export function joinHeaders(first: RequestHeaders, second: RequestHeaders): RequestHeaders {
  const joined: Record<string, string> = {}
  for (const name in first) joined[name] = first[name] as string
  for (const name in second) joined[name] = second[name] as string
  return joined
}
