// Who calls: what the functions of an author get to know, and how callers are told apart.
import { type Principal, principalKey, principalOf } from '../../http/principal.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { isLegacyVersion, isModernVersion, type LegacyVersion } from '../../types/protocol/versions.ts'

/** The caller that a back connection is opened for. It holds no token. */
export interface ProxyCaller {
  /** Who was verified; `undefined` for callers without a verified token. */
  readonly principal: Principal
  /** What is known of the verified token. */
  readonly auth: AuthInfo | undefined
  /** Self-reported: for display and logs. */
  readonly clientInfo: Implementation | undefined
  /** The name of the source that is to be called. */
  readonly source: string
  /** Whether it came by stdio or from this process, and not over HTTP: then it is the user who runs the proxy. */
  readonly isLocal: boolean
  /** The inbound headers that `forwardHeaders` names, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

export type Era = 'legacy' | 'modern'

/** What a front request says of its client, in either era; during the handshake from its params. */
export interface FrontClient {
  readonly era: Era
  readonly clientInfo: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** What a legacy client offered or has agreed on. */
  readonly offered: LegacyVersion | undefined
}

export function frontClientOf(request: ServerRequestContext): FrontClient {
  if (request.method === 'initialize') {
    const { clientInfo, capabilities, protocolVersion } = (request.params ?? {}) as JSONObject
    return {
      era: 'legacy',
      clientInfo: clientInfo as Implementation | undefined,
      capabilities: (capabilities ?? {}) as ClientCapabilities,
      offered: isLegacyVersion(protocolVersion) ? protocolVersion : undefined,
    }
  }
  const { protocolVersion, clientInfo, clientCapabilities } = request
  const isModern = isModernVersion(protocolVersion)
  return {
    era: isModern ? 'modern' : 'legacy',
    clientInfo,
    capabilities: clientCapabilities,
    offered: isModern ? undefined : (protocolVersion as LegacyVersion),
  }
}

export function callerOf(
  request: ServerRequestContext,
  source: string,
  headers: Readonly<Record<string, string>>,
): ProxyCaller {
  const { auth } = request
  const { clientInfo } = frontClientOf(request)
  return { principal: principalOf(auth), auth, clientInfo, source, isLocal: isLocal(request), headers }
}

/** Every request over HTTP has headers, and no other one. */
export function isLocal({ dispatch }: ServerRequestContext): boolean {
  return dispatch.transport.headers === undefined
}

export function principalKeyOf(request: ServerRequestContext): string {
  return principalKey(request.auth)
}

/** What stays the same over all requests of one client, as far as the transport can tell. */
export function peerOf(request: ServerRequestContext): object {
  const connection = connectionOfRequest(request)
  return PEERS_OF_RUNS.get(connection) ?? connection.peer
}

/** The run of a task has a connection of its own, and acts for the client that called. */
const PEERS_OF_RUNS = new WeakMap<object, object>()

export function actFor(peer: object, request: ServerRequestContext): void {
  PEERS_OF_RUNS.set(connectionOfRequest(request), peer)
}

/** Whether each request comes by itself, so that the transport does not tell clients apart. */
export function isStateless(request: ServerRequestContext): boolean {
  const connection = connectionOfRequest(request)
  return isModernVersion(request.protocolVersion) && peerOf(request) === connection
}

/** The inbound headers that may be repeated at the back. */
export function forwardedHeaders(
  request: ServerRequestContext,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const inbound = names.length === 0 ? undefined : request.dispatch.transport.headers
  for (const name of names) {
    const value = inbound?.[name.toLowerCase()]
    if (value !== undefined) headers[name.toLowerCase()] = value
  }
  return headers
}
