// The modern `_meta` envelope: each request names its client and its revision, each result its server.

import { isPlainObject, ownMember } from '../primitives/json/objects.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../types/features/logging.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '../types/protocol/meta.ts'
import type { Implementation } from '../types/protocol/metadata.ts'

/** The envelope of a modern request. */
export interface Envelope {
  readonly protocolVersion: string
  /** What the client can do. */
  readonly clientCapabilities: ClientCapabilities
  /** Self-reported: for display and logs, never to decide anything. */
  readonly clientInfo?: Implementation
  /** Asks for log messages of this level and above. */
  readonly logLevel?: LoggingLevel
}

type EnvelopeReading =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly problem: string }

/**
 * New params with the envelope in `_meta`. The caller's other `_meta` keys stay; its own version, capabilities and
 * client info never do. A log level that the caller set for this one request wins over the envelope's.
 */
export function stampEnvelope(params: JSONObject | undefined, envelope: Envelope): JSONObject {
  const { protocolVersion, clientCapabilities, clientInfo, logLevel } = envelope
  // The usual case by itself, and the spread last: V8 takes twenty times as long to add members to a spread object.
  if (!hasMeta(params) && clientInfo !== undefined && logLevel === undefined) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
      'io.modelcontextprotocol/clientInfo': clientInfo,
    }
    return { _meta, ...params }
  }
  const meta: JSONObject = {
    ...(logLevel && { [LOG_LEVEL_META_KEY]: logLevel }),
    ...plainMeta(params),
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_CAPABILITIES_META_KEY]: clientCapabilities,
  }
  if (clientInfo === undefined) delete meta[CLIENT_INFO_META_KEY]
  else meta[CLIENT_INFO_META_KEY] = clientInfo
  return { ...params, _meta: meta }
}

/** The envelope of a request, or what is wrong with it, in words that hold nothing the peer wrote. */
export function readEnvelope(params: unknown): EnvelopeReading {
  const meta = metaOf(params)
  if (meta === undefined) return refuse(`params._meta is missing; it must have ${REQUIRED_KEYS.join(' and ')}`)

  const protocolVersion = meta[PROTOCOL_VERSION_META_KEY]
  const clientCapabilities = meta[CLIENT_CAPABILITIES_META_KEY]
  if (protocolVersion === undefined || clientCapabilities === undefined) {
    const missing = REQUIRED_KEYS.filter((key) => meta[key] === undefined)
    return refuse(`params._meta lacks ${missing.join(' and ')}`)
  }
  if (typeof protocolVersion !== 'string') return refuse(`${PROTOCOL_VERSION_META_KEY} must be a string`)
  if (!isPlainObject(clientCapabilities)) return refuse(`${CLIENT_CAPABILITIES_META_KEY} must be an object`)
  const logLevel = meta[LOG_LEVEL_META_KEY]
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) return refuse(`${LOG_LEVEL_META_KEY} is not a log level`)

  // Spec, base protocol: a server serves a request without clientInfo, so a useless one costs nothing either.
  const clientInfo = readImplementation(meta[CLIENT_INFO_META_KEY])
  if (clientInfo !== undefined && logLevel === undefined) {
    return { ok: true, envelope: { protocolVersion, clientCapabilities, clientInfo } }
  }
  const envelope = {
    protocolVersion,
    clientCapabilities,
    ...(clientInfo && { clientInfo }),
    ...(logLevel && { logLevel }),
  }
  return { ok: true, envelope }
}

/** The `_meta` of a request's params. What parsing makes inherits no member of these names, so they are read without a check. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> | undefined {
  const meta = isPlainObject(params) ? params['_meta'] : undefined
  return isPlainObject(meta) ? meta : undefined
}

/** The server that a result names. A name of the wrong form is ignored, because it is for display only. */
export function readServerInfo(result: unknown): Implementation | undefined {
  const stamp = readImplementation(ownMember(ownMember(result, '_meta'), SERVER_INFO_META_KEY))
  // Drafts of 2026-07-28 had it in the body of a discovery result.
  return stamp ?? readImplementation(ownMember(result, 'serverInfo'))
}

const REQUIRED_KEYS = [PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY] as const

function refuse(problem: string): EnvelopeReading {
  return { ok: false, problem }
}

function hasMeta(params: JSONObject | undefined): boolean {
  return params !== undefined && Object.hasOwn(params, '_meta')
}

function plainMeta(message: JSONObject | undefined): JSONObject | undefined {
  const meta = ownMember(message, '_meta')
  return isPlainObject(meta) ? meta : undefined
}

function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (LOGGING_LEVELS as readonly unknown[]).includes(value)
}

function readImplementation(value: unknown): Implementation | undefined {
  return isImplementation(value) ? value : undefined
}

/** No object inherits members of these names, so they are read without a check. */
function isImplementation(value: unknown): value is Implementation {
  if (!isPlainObject(value)) return false
  const { name, version, title, description, websiteUrl, icons } = value
  if (typeof name !== 'string' || typeof version !== 'string' || !isStringOrAbsent(title)) return false
  return isStringOrAbsent(description) && isStringOrAbsent(websiteUrl) && isIcons(icons)
}

function isStringOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isIcons(value: unknown): boolean {
  if (value === undefined) return true
  return Array.isArray(value) && value.every((icon) => typeof ownMember(icon, 'src') === 'string')
}
