// `_meta` of messages and data, and the keys in it that the specification reserves, with their types.
import type { LoggingLevel } from '../features/logging.ts'
import type { RelatedTaskMetadata } from '../features/tasks.ts'
import type { ClientCapabilities } from './capabilities.ts'
import type { ProgressToken, RequestId } from './jsonrpc.ts'
import type { Implementation } from './metadata.ts'

/** The key in `_meta` that holds the revision of a modern request. */
export const PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion'
/** The key in `_meta` that holds the name and version of the client. */
export const CLIENT_INFO_META_KEY = 'io.modelcontextprotocol/clientInfo'
/** The key in `_meta` that holds the capabilities of the client. */
export const CLIENT_CAPABILITIES_META_KEY = 'io.modelcontextprotocol/clientCapabilities'
/**
 * The key in `_meta` that holds the lowest level of log messages that the client wants.
 * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
 */
export const LOG_LEVEL_META_KEY = 'io.modelcontextprotocol/logLevel'
/** The key in `_meta` that holds the name and version of the server. */
export const SERVER_INFO_META_KEY = 'io.modelcontextprotocol/serverInfo'
/** The key in `_meta` that holds the subscription of a notification. */
export const SUBSCRIPTION_ID_META_KEY = 'io.modelcontextprotocol/subscriptionId'

/** Ties a message to a task of revision 2025-11-25. */
export const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task'
/** Text for the model while a task of revision 2025-11-25 runs. */
export const MODEL_IMMEDIATE_RESPONSE_META_KEY = 'io.modelcontextprotocol/model-immediate-response'

/**
 * How many milliseconds the sender of a request still waits for its answer: a key of this package, which others ignore. A server
 * can end or change its work in time.
 */
export const PATIENCE_META_KEY = 'mcpwire/patienceMs'

/** `true` beside `PATIENCE_META_KEY`: the time is for the whole call, so that progress does not prolong it. */
export const PATIENCE_IS_TOTAL_META_KEY = 'mcpwire/patienceIsTotal'

/** The key in `_meta` that holds the token for progress of a request. */
export const PROGRESS_TOKEN_META_KEY = 'progressToken'
/** The key in `_meta` that holds the trace and the span of the sender (W3C Trace Context). */
export const TRACEPARENT_META_KEY = 'traceparent'
/** The key in `_meta` that holds the vendor part of a trace (W3C Trace Context). */
export const TRACESTATE_META_KEY = 'tracestate'
/** The key in `_meta` that holds values that travel with a trace (W3C Baggage). */
export const BAGGAGE_META_KEY = 'baggage'

/** The W3C trace context. These keys stand bare because other systems look for them by that name. */
export const TRACE_CONTEXT_META_KEYS = [TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY] as const

const RESERVED_BARE_KEYS: ReadonlySet<string> = new Set([PROGRESS_TOKEN_META_KEY, ...TRACE_CONTEXT_META_KEYS])
const RESERVED_LABELS: ReadonlySet<string> = new Set(['modelcontextprotocol', 'mcp'])

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/

/**
 * Whether `key` follows the grammar `[prefix/]name` of revision 2025-11-25 and later.
 * The specification allows the name to be empty, and with it the whole key.
 */
export function isValidMetaKey(key: string): boolean {
  const slash = key.indexOf('/')
  if (slash === -1) return NAME.test(key)
  const labels = key.slice(0, slash).split('.')
  return labels.every((label) => LABEL.test(label)) && NAME.test(key.slice(slash + 1))
}

/**
 * Whether only the specification may give this key a meaning: one of its bare names, or a prefix whose second label is
 * `modelcontextprotocol` or `mcp` (the rule of 2025-11-25 and later; 2025-06-18 had another).
 */
export function isReservedMetaKey(key: string): boolean {
  const slash = key.indexOf('/')
  if (slash === -1) return RESERVED_BARE_KEYS.has(key)
  const secondLabel = key.slice(0, slash).split('.', 2)[1]
  return secondLabel !== undefined && RESERVED_LABELS.has(secondLabel)
}

/** Any `_meta`. Unknown keys belong to somebody else and are passed on as they are. */
export interface MetaObject {
  [key: string]: unknown
}

/** What the `_meta` of any message may hold. */
export interface MessageMetaObject extends MetaObject {
  /** W3C trace context, since 2026-07-28. */
  traceparent?: string
  /** The vendor part of the trace (W3C Trace Context). */
  tracestate?: string
  /** Values that travel with the trace (W3C Baggage). */
  baggage?: string
  /** The task that the message belongs to; 2025-11-25 only. */
  'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata
}

/** The `_meta` of a request. In the modern era each request carries what the legacy handshake sends once. */
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
   * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
   */
  'io.modelcontextprotocol/logLevel'?: LoggingLevel
}

/** The `_meta` of a notification. */
export interface NotificationMetaObject extends MessageMetaObject {
  /** The id of the `subscriptions/listen` request that this notification answers; since 2026-07-28. */
  'io.modelcontextprotocol/subscriptionId'?: RequestId
}

/** The `_meta` of a result. */
export interface ResultMetaObject extends MessageMetaObject {
  /** Self-reported, for display and logs; since 2026-07-28. */
  'io.modelcontextprotocol/serverInfo'?: Implementation
}
