// Meeting a peer: the handshake, discovery, and asking whether anyone is there.
import type { CacheableResult, NotificationParams, PlainResult, RequestParams } from './base.ts'
import type { ClientCapabilities, ServerCapabilities } from './capabilities.ts'
import type { Implementation } from './metadata.ts'

/** Until 2025-11-25. */
export type InitializeRequestParams = RequestParams & {
  /** The latest revision that the client speaks. */
  protocolVersion: string
  /** What the client can do for the server. */
  capabilities: ClientCapabilities
  /** The name and version of the client. */
  clientInfo: Implementation
}

/** Opens a connection; until 2025-11-25. */
export interface InitializeRequest {
  /** `initialize` starts the handshake. */
  method: 'initialize'
  /** Who the client is and what it can do. */
  params: InitializeRequestParams
}

/** Until 2025-11-25. */
export type InitializeResult = PlainResult & {
  /** The revision to speak from here on. A client that cannot must disconnect. */
  protocolVersion: string
  /** What the server offers. */
  capabilities: ServerCapabilities
  /** The name and version of the server. */
  serverInfo: Implementation
  /** How to use this server, as a hint to a model. */
  instructions?: string
}

/** Ends the handshake; until 2025-11-25. */
export interface InitializedNotification {
  /** `notifications/initialized` ends the handshake. */
  method: 'notifications/initialized'
  /** Holds `_meta` only. */
  params?: NotificationParams
}

/** Until 2025-11-25, in both directions. */
export interface PingRequest {
  /** `ping` checks that the peer answers. */
  method: 'ping'
  /** Holds `_meta` only. */
  params?: RequestParams
}

/** Asks a server what it speaks and offers; since 2026-07-28. */
export interface DiscoverRequest {
  /** `server/discover` returns what the server supports. */
  method: 'server/discover'
  /** Holds the envelope in `_meta`. */
  params: RequestParams
}

/** Since 2026-07-28. */
export type DiscoverResult = CacheableResult & {
  /** The revisions that the server supports. */
  supportedVersions: string[]
  /** What the server offers. */
  capabilities: ServerCapabilities
  /** How to use this server, as a hint to a model. */
  instructions?: string
}
