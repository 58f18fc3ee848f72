// What is decided about a request before the kernel sees it: its era, and for a modern one whether it may go on.
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY } from '../types/protocol/meta.ts'
import { isModernVersion } from '../types/protocol/versions.ts'
import { type Envelope, metaOf, readEnvelope } from './envelope.ts'
import type { HeaderLookup } from './headers/headers.ts'

/** `legacy` opens with `initialize` (up to 2025-11-25); `modern` has an envelope in each request (2026-07-28 on). */
export type Era = 'legacy' | 'modern'

export interface InboundRequest {
  readonly method: string
  readonly params?: JSONObject | undefined
}

interface ClassifyOptions {
  /** The versions the server offers, as its discovery result lists them; legacy versions may be among them. */
  readonly supportedVersions: readonly string[]
  /** The error to answer with where headers contradict the body; leave out where there are none, as on stdio. */
  readonly checkHeaders?: ((protocolVersion: string) => MCPError | undefined) | undefined
}

type Classification = { readonly ok: true; readonly route: Envelope } | { readonly ok: false; readonly error: MCPError }

/** An error repeats a version that the peer named, but never more of it than this. */
const MAX_ECHO_LENGTH = 128

/** Whether the params claim to be modern, well-formed or not: either required key is enough. */
export function hasModernEnvelope(params: unknown): boolean {
  const meta = metaOf(params)
  if (meta === undefined) return false
  return meta[PROTOCOL_VERSION_META_KEY] !== undefined || meta[CLIENT_CAPABILITIES_META_KEY] !== undefined
}

/** The era that a request belongs to. `headers` are those that came with it; leave out where there are none. */
export function eraOf({ method, params }: InboundRequest, headers?: HeaderLookup): Era {
  if (hasModernEnvelope(params)) return 'modern'
  // Spec, Versioning: `initialize` selects the legacy era, even from a client that kept the header of its probe.
  if (method === 'initialize' || headers === undefined) return 'legacy'
  return isModernVersion(headers('mcp-protocol-version')) ? 'modern' : 'legacy'
}

/**
 * Takes a modern request as far as the kernel. The order is part of the protocol: a broken envelope is reported before
 * headers that contradict it, and a contradiction before a version that is not supported.
 */
export function classifyModernRequest(request: InboundRequest, options: ClassifyOptions): Classification {
  const reading = readEnvelope(request.params)
  if (!reading.ok) return refuse(new MCPError(ErrorCode.InvalidParams, `Invalid request envelope: ${reading.problem}`))
  const { envelope } = reading
  const mismatch = options.checkHeaders?.(envelope.protocolVersion)
  if (mismatch !== undefined) return refuse(mismatch)
  if (!isServed(envelope.protocolVersion, options)) return refuse(unsupportedVersion(envelope.protocolVersion, options))
  return { ok: true, route: envelope }
}

/** The HTTP status that a JSON-RPC error of a modern request is answered with, as long as no stream has begun. */
export function httpStatusOf(code: number): 200 | 400 | 404 {
  switch (code) {
    case ErrorCode.ParseError:
    case ErrorCode.InvalidRequest:
    case ErrorCode.InvalidParams:
    case ErrorCode.HeaderMismatch:
    case ErrorCode.MissingRequiredClientCapability:
    case ErrorCode.UnsupportedProtocolVersion:
      return 400
    case ErrorCode.MethodNotFound:
      return 404
    default:
      return 200
  }
}

function isServed(version: string, { supportedVersions }: ClassifyOptions): boolean {
  // A legacy version is offered through `initialize`, never through an envelope.
  return isModernVersion(version) && supportedVersions.includes(version)
}

function unsupportedVersion(requested: string, { supportedVersions }: ClassifyOptions): MCPError {
  // It is in the list, so the client has to hear why it does not do here.
  const isListed = supportedVersions.includes(requested)
  const message = isListed ? `Unsupported protocol version in _meta: ${requested} begins with initialize` : undefined
  return new UnsupportedProtocolVersionError(supportedVersions, requested.slice(0, MAX_ECHO_LENGTH), message)
}

function refuse(error: MCPError): Classification {
  return { ok: false, error }
}
