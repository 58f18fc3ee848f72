// `_meta`, where messages and data carry what is not theirs; the keys that the specification reserves have types here.

import type { LoggingLevel } from '../features/logging.ts'
import type { RelatedTaskMetadata } from '../features/tasks.ts'
import type { ClientCapabilities } from './capabilities.ts'
import type { ProgressToken, RequestId } from './jsonrpc.ts'
import type { Implementation } from './metadata.ts'

/** Any `_meta`. Unknown keys belong to somebody else and are passed on as they are. */
export interface MetaObject {
  [key: string]: unknown
}

/** What the `_meta` of any message may hold. */
export interface MessageMetaObject extends MetaObject {
  /** W3C trace context, since 2026-07-28. */
  traceparent?: string
  tracestate?: string
  baggage?: string
  /** The task that the message belongs to; 2025-11-25 only. */
  'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata
}

/** The `_meta` of a request. In the modern era it says in each request what the handshake used to say once. */
export interface RequestMetaObject extends MessageMetaObject {
  /** Asks for progress notifications under this token. */
  progressToken?: ProgressToken
  /** Required since 2026-07-28. */
  'io.modelcontextprotocol/protocolVersion'?: string
  /** Self-reported, for display and logs; since 2026-07-28. */
  'io.modelcontextprotocol/clientInfo'?: Implementation
  /** Required since 2026-07-28; `{}` declares none. */
  'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities
  /**
   * Asks for log messages of this level and above; since 2026-07-28.
   * @deprecated Logging is deprecated since 2026-07-28.
   */
  'io.modelcontextprotocol/logLevel'?: LoggingLevel
}

export interface NotificationMetaObject extends MessageMetaObject {
  /** The id of the `subscriptions/listen` request that this notification answers; since 2026-07-28. */
  'io.modelcontextprotocol/subscriptionId'?: RequestId
}

export interface ResultMetaObject extends MessageMetaObject {
  /** Self-reported, for display and logs; since 2026-07-28. */
  'io.modelcontextprotocol/serverInfo'?: Implementation
}
