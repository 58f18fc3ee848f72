// Opens one connection to a source for one caller, with its credential, its capabilities and its headers.
import type { ClientTarget } from '../../client/opening/targets.ts'
import { checkUserHeaders } from '../../client/transports/http-options.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { type OpenUpstream, openUpstream } from '../back/open-upstream.ts'
import { callerOf, forwardedHeaders, frontClientOf } from '../base/caller.ts'
import type { Credential, Forwarding, ProxyOptions, ProxySessions } from '../base/options.ts'
import type { Secrets } from '../base/secrets.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { accessOf, learnSecrets, withEnvironment } from './access.ts'
import { needsPublicAddress, toPublicAddresses } from './chosen-target.ts'
import { hopsOf } from './hops.ts'
import { declaredCapabilities } from './keys.ts'

export interface Reaching {
  readonly target: CheckedTarget
  readonly options: ProxyOptions
  readonly forward: Forwarding
  readonly secrets: Secrets
  readonly request: ServerRequestContext
  readonly credential: Credential | undefined
  readonly forwarded: Readonly<Record<string, string>>
  readonly sessions: ProxySessions
  readonly signal: AbortSignal
  readonly onFault: OnFault
}

/** Rejects with whatever became of it. Leaves nothing open then. */
export async function reachUpstream(connection: BackConnection, reaching: Reaching): Promise<OpenUpstream> {
  const { options, request, credential, forwarded, sessions, signal, onFault } = reaching
  const { mode = 'auto', client = {}, network, forwardHeaders = [] } = options
  const front = frontClientOf(request)
  const caller = callerOf(request, reaching.target.name, forwardedHeaders(request, forwardHeaders))
  const chosen = await reaching.target.choose(caller)
  const isGuarded = reaching.target.isChosen && needsPublicAddress(chosen, network)
  const target = withEnvironment(chosen, credential)
  const own = { ...reaching.target.headers, ...checkUserHeaders(client.headers) }
  const { headers, auth } = accessOf(credential, { ...own, ...forwarded }, client.auth)
  learnSecrets(reaching.secrets, target, own, auth, credential)
  return openUpstream({
    target,
    mode,
    front: front.era,
    clientInfo: client.clientInfo ?? front.clientInfo,
    // Of many callers on one connection nobody could be asked.
    capabilities: sessions === 'shared' ? {} : declaredCapabilities(reaching.forward, front.capabilities),
    offered: front.offered,
    headers: isUrl(target) ? headers : undefined,
    auth: isUrl(target) ? (isGuarded ? toPublicAddresses(auth) : auth) : undefined,
    connectTimeoutMs: client.connectTimeoutMs,
    hops: hopsOf(request) + 1,
    tap: connection.tap,
    signal,
    onFault,
    onConnection: (event) => {
      if (event.type === 'stream-closed') connection.streamClosed(event.requestId)
    },
  })
}

function isUrl(target: ClientTarget): boolean {
  return typeof target === 'string' || target instanceof URL
}
