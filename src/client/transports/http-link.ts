// The way to one endpoint: whatever goes over it has the same address, headers, limits and fortunes.
import type { MessageLimits } from '../../dispatcher/decode.ts'
import type { PeerLimit } from '../../dispatcher/peer-limit.ts'
import type { Poster } from '../../http/poster.ts'
import type { ConnectionHealth } from './connection-health.ts'
import type { ReconnectPolicy } from './reconnect.ts'

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
