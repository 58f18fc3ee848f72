// The handlers that every server has: initialize, server/discover, ping and logging/setLevel; and the capabilities they declare.

import { estimateBytes } from '../dispatcher/backpressure.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { SetLevelRequestParams } from '../types/features/logging.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from '../types/protocol/lifecycle.ts'
import { isLegacyVersion, type LegacyVersion, type ProtocolVersion } from '../types/protocol/versions.ts'
import { sieveResult } from '../wire/check.ts'
import { CHANGE_NOTIFICATIONS, requestsWith } from '../wire/method-rows.ts'
import { REQUESTS } from '../wire/methods.ts'
import { connectionOfRequest, extrasOf, type ServerRequestContext, serverOfRequest } from './context.ts'
import type { ServerCore } from './core.ts'
import { MAX_CLIENT_BYTES, tooLarge } from './subscriptions/kept-bytes.ts'

/** Agrees on a revision and, once every middleware has let that pass, makes it the connection's. */
export function initialize(ctx: ServerRequestContext, params: InitializeRequestParams): InitializeResult {
  const server = serverOfRequest(ctx)
  const connection = connectionOfRequest(ctx)
  if (connection.clientParams !== undefined) {
    throw new MCPError(ErrorCode.InvalidRequest, 'The connection is initialized already')
  }
  const version = chooseVersion(server.supportedVersions, params.protocolVersion)
  const bytes = estimateBytes(params, MAX_CLIENT_BYTES)
  if (bytes > MAX_CLIENT_BYTES) throw tooLarge('initialize', 'bytes of clientInfo and capabilities', MAX_CLIENT_BYTES)
  connection.keep(bytes, server.kept)
  // Nothing is agreed before the whole chain has let the answer pass, and then it is what the answer says.
  extrasOf(ctx).onSuccess = (result) => {
    const agreed = result['protocolVersion']
    const declared = result['capabilities'] as ServerCapabilities
    connection.establish(isLegacyVersion(agreed) ? agreed : version, params, declared)
  }
  const result: InitializeResult = {
    protocolVersion: version,
    capabilities: handshakeCapabilities(server),
    serverInfo: server.info,
    ...(server.instructions !== undefined && { instructions: server.instructions }),
  }
  return sieveResult('initialize', version, result)
}

/** The one asked for where we serve it, else our newest that has a handshake. */
function chooseVersion(supported: readonly ProtocolVersion[], requested: string): LegacyVersion {
  const offered = supported.filter(isLegacyVersion)
  const version = offered.find((candidate) => candidate === requested) ?? offered.at(-1)
  // Spec, Versioning: a server without the handshake names what it speaks; the client has no other way to tell its user.
  if (version === undefined) throw new UnsupportedProtocolVersionError(supported, requested.slice(0, 128))
  return version
}

/** What the server offers, for a client that has no handshake. */
export function discover(ctx: ServerRequestContext): DiscoverResult {
  const server = serverOfRequest(ctx)
  return {
    supportedVersions: [...server.supportedVersions],
    capabilities: modernCapabilities(server),
    ...(server.instructions !== undefined && { instructions: server.instructions }),
  }
}

export function ping(): Record<string, never> {
  return {}
}

/** From here on the client sees messages of this level and above. */
export function setLevel(ctx: ServerRequestContext, { level }: SetLevelRequestParams): Record<string, never> {
  connectionOfRequest(ctx).logLevel = level
  return {}
}

/** As told in the result of `initialize`. */
export function handshakeCapabilities(server: ServerCore): ServerCapabilities {
  return derive(server, {
    listChanged: server.subscriptions !== undefined,
    subscribe: has(server, 'resources/subscribe'),
  })
}

/** As told in the result of `server/discover`: changes are announced exactly when someone can listen for them. */
export function modernCapabilities(server: ServerCore): ServerCapabilities {
  const canListen = has(server, 'subscriptions/listen')
  return derive(server, { listChanged: canListen, subscribe: canListen })
}

interface ChangeFacts {
  readonly listChanged: boolean
  readonly subscribe: boolean
}

function derive(server: ServerCore, { listChanged, subscribe }: ChangeFacts): ServerCapabilities {
  const derived: Record<string, object> = {}
  for (const method of requestsWith('capability')) {
    const { capability } = REQUESTS[method]
    if (has(server, method)) derived[capability] = {}
  }
  for (const { change, capability } of Object.values(CHANGE_NOTIFICATIONS)) {
    const declared = derived[capability]
    if (declared === undefined) continue
    if (change === 'resourceUpdated') Object.assign(declared, subscribe && { subscribe })
    else Object.assign(declared, listChanged && { listChanged })
  }
  if (server.extensions !== undefined) derived['extensions'] = server.extensions.settings
  return merge(derived as JSONObject, server.declaredCapabilities as JSONObject) as ServerCapabilities
}

function has(server: ServerCore, method: string): boolean {
  return server.requestHandler(method) !== undefined
}

/** What the author declared goes over what was derived, member by member. */
function merge(derived: JSONObject, declared: JSONObject): JSONObject {
  const merged = { ...derived }
  for (const [key, value] of Object.entries(declared)) {
    const current = merged[key]
    merged[key] = isPlainObject(current) && isPlainObject(value) ? merge(current, value) : value
  }
  return merged
}
