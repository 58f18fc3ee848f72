// Error codes: those of JSON-RPC, those the specification defines, and the two that never travel.

import type { ElicitRequestURLParams } from '../features/elicitation.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'

/**
 * The codes of `MCPError`: those of JSON-RPC, those of the specification, and two local ones for timeouts and closed
 * connections.
 */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,

  /** A missing resource, up to 2025-11-25. From 2026-07-28 on it is `InvalidParams`. */
  ResourceNotFound: -32002,
  /** An HTTP header is missing, malformed or differs from the body (2026-07-28). */
  HeaderMismatch: -32020,
  /** The request needs a client capability that it did not declare (2026-07-28). */
  MissingRequiredClientCapability: -32021,
  /** The request names a revision that the server does not implement (2026-07-28). */
  UnsupportedProtocolVersion: -32022,
  /** The request waits for the user to visit a URL (2025-11-25 only). */
  UrlElicitationRequired: -32042,

  /** Local, never on the wire: the connection closed before the answer came. */
  ConnectionClosed: -32000,
  /** Local, never on the wire: no sign of life within the time allowed. */
  RequestTimeout: -32001,
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** With -32022; since 2026-07-28. */
export interface UnsupportedProtocolVersionErrorData {
  /** The revisions that the server supports. */
  supported: string[]
  /** The revision that the request named. */
  requested: string
}

/** With -32021; since 2026-07-28. */
export interface MissingRequiredClientCapabilityErrorData {
  /** The capabilities that the client would have to declare. */
  requiredCapabilities: ClientCapabilities
}

/** With -32042; 2025-11-25 only. */
export interface UrlElicitationRequiredErrorData {
  /** The URLs to open, each with the message to show to the user. */
  elicitations: ElicitRequestURLParams[]
}
