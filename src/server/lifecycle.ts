// The handlers that every server has: initialize, server/discover, ping and logging/setLevel; and the capabilities they declare.
// `initialize` chooses a legacy revision; a modern request names its own, which wire/inbound-era.ts checks.

import { estimateBytes } from '../dispatcher/backpressure.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { SetLevelRequestParams } from '../types/features/logging.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from '../types/protocol/lifecycle.ts'
import { SERVER_INFO_META_KEY } from '../types/protocol/meta.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import {
  isLegacyVersion,
  isModernVersion,
  type LegacyVersion,
  type ProtocolVersion,
} from '../types/protocol/versions.ts'
import { sieveResult } from '../wire/check.ts'
import { CHANGE_NOTIFICATIONS, requestsWith } from '../wire/method-rows.ts'
import { REQUESTS } from '../wire/methods.ts'
import { connectionOfRequest, extrasOf, type ServerRequestContext, serverOfRequest } from './context.ts'
import type { ServerCore } from './core.ts'
import { NO_BACK_CHANNEL } from './outbound.ts'
import type { SourceDescription } from './source.ts'
import { MAX_CLIENT_BYTES, tooLarge } from './subscriptions/kept-bytes.ts'

/** Agrees on a revision. It counts for the connection once every middleware has accepted the result. */
export async function initialize(
  ctx: ServerRequestContext,
  params: InitializeRequestParams,
): Promise<InitializeResult> {
  const server = serverOfRequest(ctx)
  const connection = connectionOfRequest(ctx)
  if (connection.clientParams !== undefined) {
    throw new MCPError(ErrorCode.InvalidRequest, 'The connection is initialized already')
  }
  const offered = chooseVersion(server.supportedVersions, params.protocolVersion)
  const bytes = estimateBytes(params, MAX_CLIENT_BYTES)
  if (bytes > MAX_CLIENT_BYTES) throw tooLarge('initialize', 'bytes of clientInfo and capabilities', MAX_CLIENT_BYTES)
  connection.keep(bytes, server.kept)
  // Agreed once the whole chain has accepted the result, and as the final result says.
  extrasOf(ctx).onSuccess = (result) => {
    const agreed = result['protocolVersion']
    const declared = result['capabilities'] as ServerCapabilities
    connection.establish(isLegacyVersion(agreed) ? agreed : offered, params, declared)
  }
  const { capabilities, instructions, info, further, version = offered } = await describeServer(ctx, offered)
  const result: InitializeResult = {
    ...further,
    protocolVersion: version,
    capabilities: connection.backChannel === NO_BACK_CHANNEL ? withoutChanges(capabilities) : capabilities,
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  }
  return sieveResult('initialize', version, result)
}

/** Without a session there is no stream on which a change could be announced. */
function withoutChanges(capabilities: ServerCapabilities): ServerCapabilities {
  const kept: JSONObject = { ...(capabilities as JSONObject) }
  for (const { capability } of Object.values(CHANGE_NOTIFICATIONS)) {
    const declared = kept[capability]
    if (!isPlainObject(declared)) continue
    const { listChanged: _list, subscribe: _subscribe, ...rest } = declared
    kept[capability] = rest
  }
  return kept as ServerCapabilities
}

/** The requested revision where the server has it, else its newest legacy one. */
function chooseVersion(supported: readonly ProtocolVersion[], requested: string): LegacyVersion {
  const offered = supported.filter(isLegacyVersion)
  const version = offered.find((candidate) => candidate === requested) ?? offered.at(-1)
  // Spec, Versioning: a server without legacy revisions names those that it has, so that the client can show them.
  if (version === undefined) throw new UnsupportedProtocolVersionError(supported, requested.slice(0, 128))
  return version
}

/** What the server offers, for a client that has no handshake. */
export async function discover(ctx: ServerRequestContext): Promise<DiscoverResult> {
  const { capabilities, instructions, sourceInfo, further } = await describeServer(ctx, ctx.protocolVersion)
  const meta = further?.['_meta']
  return {
    ...further,
    supportedVersions: [...serverOfRequest(ctx).supportedVersions],
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...(sourceInfo !== undefined && {
      _meta: { ...(isPlainObject(meta) && meta), [SERVER_INFO_META_KEY]: sourceInfo },
    }),
  }
}

export function ping(): Record<string, never> {
  return {}
}

/** From here on the client sees messages of this level and above. */
export function setLevel(
  ctx: ServerRequestContext,
  { level }: SetLevelRequestParams,
): MaybePromise<Record<string, never>> {
  const connection = connectionOfRequest(ctx)
  connection.logLevel = level
  const keeping = connection.keeper?.keep({ logLevel: level })
  return keeping === undefined ? {} : keeping.then(() => ({}))
}

/** What a server is and offers to one caller. */
export interface ServerDescription {
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly info: Implementation
  /** Where the source names another server than this one. */
  readonly sourceInfo: Implementation | undefined
  /** Where the source says which revision a handshake agrees on. */
  readonly version: LegacyVersion | undefined
  readonly further: JSONObject | undefined
}

/** What the server is and offers, to this caller at this revision. `server` is another one where that is mounted in the caller's. */
export async function describeServer(
  ctx: ServerRequestContext,
  version: ProtocolVersion,
  server: ServerCore = serverOfRequest(ctx),
): Promise<ServerDescription> {
  const fromSource: SourceDescription = (await server.source?.describe(ctx)) ?? {}
  const fromAuthor: SourceDescription = (await server.describe?.(ctx)) ?? {}
  const description = { ...fromSource, ...fromAuthor }
  const { info } = description
  const derived = deriveCapabilities(server, version)
  const added = server.extensions?.capabilitiesAt(version, ctx) ?? []
  const described = [fromSource, fromAuthor].flatMap(({ capabilities = {}, extensions }) =>
    extensions === undefined ? [capabilities] : [capabilities, { extensions }],
  )
  const offered = [...added, ...described]
  const capabilities = [...offered, server.declaredCapabilities].reduce(mergeCapabilities, derived)
  return {
    capabilities,
    instructions: server.instructions ?? description.instructions,
    info: info ?? server.info,
    sourceInfo: info,
    version: description.protocolVersion,
    // The author's go over those of the source, member by member: for whom a source says it is must not get lost.
    further:
      fromSource.further && fromAuthor.further ? { ...fromSource.further, ...fromAuthor.further } : description.further,
  }
}

/** Which changes a server announces to clients of a revision. */
export interface ChangesOffered {
  readonly listChanged: boolean
  readonly subscribe: boolean
}

/** In the modern era changes are announced exactly when someone can listen for them. */
export function changesOffered(server: ServerCore, version: ProtocolVersion): ChangesOffered {
  const canListen = has(server, 'subscriptions/listen')
  if (isModernVersion(version)) return { listChanged: canListen, subscribe: canListen }
  return { listChanged: server.subscriptions !== undefined, subscribe: has(server, 'resources/subscribe') }
}

/** What the handlers of a server offer. */
function deriveCapabilities(server: ServerCore, version: ProtocolVersion): ServerCapabilities {
  const { listChanged, subscribe } = changesOffered(server, version)
  const derived: Record<string, object> = {}
  for (const method of requestsWith('capability')) {
    const { capability } = REQUESTS[method]
    // What comes from the source, the source describes.
    if (has(server, method) && !server.isFromSource(method)) derived[capability] = {}
  }
  for (const { change, capability } of Object.values(CHANGE_NOTIFICATIONS)) {
    const declared = derived[capability]
    if (declared === undefined) continue
    if (change === 'resourceUpdated') Object.assign(declared, subscribe && { subscribe })
    else Object.assign(declared, listChanged && { listChanged })
  }
  const extensions = server.extensions?.settingsAt(version)
  if (extensions !== undefined) derived['extensions'] = extensions
  return derived as ServerCapabilities
}

function has(server: ServerCore, method: string): boolean {
  return server.requestHandler(method) !== undefined
}

/** The second goes over the first, member by member. */
function mergeCapabilities(first: ServerCapabilities, second: ServerCapabilities): ServerCapabilities {
  return merge(first as JSONObject, second as JSONObject) as ServerCapabilities
}

function merge(first: JSONObject, second: JSONObject): JSONObject {
  const merged = { ...first }
  for (const [key, value] of Object.entries(second)) {
    const current = merged[key]
    merged[key] = isPlainObject(current) && isPlainObject(value) ? merge(current, value) : value
  }
  return merged
}
