// Opens a connection to a source, with the means of a client, for one caller.
import type { Client } from '../../client/client.ts'
import { foldExtensions } from '../../client/extensions/fold-extensions.ts'
import type { ClientMode } from '../../client/opening/client-mode.ts'
import { ConnectionReports } from '../../client/opening/connection-reports.ts'
import type { OpenClient } from '../../client/opening/create-open-client.ts'
import { type ClientPlan, openClient } from '../../client/opening/open-client.ts'
import { ConnectClock, openPeer } from '../../client/opening/open-peer.ts'
import { type ClientTarget, parseTarget } from '../../client/opening/targets.ts'
import type { ClientMiddleware, SessionTap } from '../../client/session/middleware.ts'
import type { ReconnectOptions } from '../../client/transports/retry.ts'
import type { ConnectionEvent } from '../../dispatcher/channel.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { isModernVersion, type LegacyVersion } from '../../types/protocol/versions.ts'
import type { Era } from '../base/caller.ts'

export interface UpstreamRequest {
  readonly target: ClientTarget
  readonly mode: ClientMode
  /** The era of the front, which is tried first in mode `auto`. */
  readonly front: Era
  readonly clientInfo: Implementation | undefined
  readonly capabilities: ClientCapabilities
  readonly offered: LegacyVersion | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly auth: HttpAuth | undefined
  readonly connectTimeoutMs: number | undefined
  /** For a target that is a URL. */
  readonly reconnect: ReconnectOptions | false | undefined
  readonly middleware: readonly ClientMiddleware[]
  /** What the handshake says of the proxies that it has passed. */
  readonly marks: JSONObject
  /** How many of its questions are open at once. */
  readonly questionsAtOnce: number
  readonly tap: SessionTap
  readonly signal: AbortSignal
  readonly onFault: OnFault
  readonly onConnection: (event: ConnectionEvent) => void
}

export interface OpenUpstream {
  readonly client: OpenClient
  readonly era: Era
}

/** Rejects with `ConnectError`. Leaves nothing open then. */
export async function openUpstream(request: UpstreamRequest): Promise<OpenUpstream> {
  const { mode, front } = request
  if (mode !== 'auto' || front === 'modern') return open(request, mode)
  try {
    return await open(request, 'legacy')
  } catch (error) {
    if (!speaksModernOnly(error)) throw error
    return open(request, 'modern')
  }
}

async function open(request: UpstreamRequest, mode: ClientMode): Promise<OpenUpstream> {
  const { headers, auth, onFault, tap, clientInfo, capabilities, offered, marks } = request
  const opener = parseTarget(request.target, {
    ...(headers !== undefined && { headers }),
    ...(auth !== undefined && { auth }),
    reconnect: request.reconnect,
  })
  const plan: ClientPlan = {
    opener,
    options: { cache: false, onFault },
    sessionOptions: {
      tap,
      questionsAtOnce: request.questionsAtOnce,
      onFault,
      capabilities,
      middleware: [withMarks(marks), ...request.middleware],
      ...(clientInfo !== undefined && { clientInfo }),
      ...(offered !== undefined && { offeredVersion: offered }),
    },
    ...foldExtensions([], undefined as unknown as Client),
    connection: new ConnectionReports(request.onConnection, onFault),
  }
  const clock = new ConnectClock(request.connectTimeoutMs ?? opener.connectTimeoutMs, request.signal)
  try {
    const opening = openPeer(mode, plan, clock)
    opening.catch(() => {})
    const client = await openClient(mode, plan, opening, clock)
    plan.connection.opened(client.endSignal)
    return { client, era: isModernVersion(client.protocolVersion) ? 'modern' : 'legacy' }
  } finally {
    clock.stop()
  }
}

/** A server that has no legacy revision says so, or rejects the handshake as modern servers do. */
function speaksModernOnly(error: unknown): boolean {
  let at: unknown = error
  for (let depth = 0; depth < 6 && at instanceof Error; depth += 1) {
    if (at instanceof UnsupportedProtocolVersionError) return at.supported.some(isModernVersion)
    if (at instanceof MCPError && !at.local && at.code === ErrorCode.MethodNotFound) return true
    at = at.cause
  }
  return false
}

function withMarks(marks: JSONObject): ClientMiddleware {
  return ({ params }, next) => {
    const meta = params?.['_meta'] as JSONObject | undefined
    return next({ ...params, _meta: { ...meta, ...marks } })
  }
}
