// Meeting a peer: the handshake, discovery, and asking whether anyone is there.
import type { CacheableResult, NotificationParams, PlainResult, RequestParams } from './base.ts'
import type { ClientCapabilities, ServerCapabilities } from './capabilities.ts'
import type { Implementation } from './metadata.ts'

/** Until 2025-11-25. */
export type InitializeRequestParams = RequestParams & {
  /** The latest revision that the client speaks. */
  protocolVersion: string
  capabilities: ClientCapabilities
  clientInfo: Implementation
}

/** Opens a connection; until 2025-11-25. */
export interface InitializeRequest {
  method: 'initialize'
  params: InitializeRequestParams
}

/** Until 2025-11-25. */
export type InitializeResult = PlainResult & {
  /** The revision to speak from here on. A client that cannot must disconnect. */
  protocolVersion: string
  capabilities: ServerCapabilities
  serverInfo: Implementation
  /** How to use this server, as a hint to a model. */
  instructions?: string
}

/** Ends the handshake; until 2025-11-25. */
export interface InitializedNotification {
  method: 'notifications/initialized'
  params?: NotificationParams
}

/** Until 2025-11-25, in both directions. */
export interface PingRequest {
  method: 'ping'
  params?: RequestParams
}

/** Asks a server what it speaks and offers; since 2026-07-28. */
export interface DiscoverRequest {
  method: 'server/discover'
  params: RequestParams
}

/** Since 2026-07-28. */
export type DiscoverResult = CacheableResult & {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  /** How to use this server, as a hint to a model. */
  instructions?: string
}
