// Opens one connection to a source for one caller, with its credential, its capabilities and its headers.
import type { ClientTarget } from '../../client/opening/targets.ts'
import { checkUserHeaders } from '../../client/transports/http-options.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { type OpenUpstream, openUpstream } from '../back/open-upstream.ts'
import { type HeaderValues, OwnHeaders } from '../back/own-headers.ts'
import { callerOf, forwardedHeaders, frontClientOf } from '../base/caller.ts'
import {
  type Credential,
  type Forwarding,
  maxParkedOf,
  type ProxyOptions,
  type ProxySessions,
} from '../base/options.ts'
import { declaredCapabilities } from '../base/questions.ts'
import type { Secrets } from '../base/secrets.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { accessOf, checkNeedsNoUrl, learningTokens, learnSecrets, withEnvironment, withoutLogin } from './access.ts'
import { needsPublicAddress, toPublicAddresses } from './chosen-target.ts'

export interface Reaching {
  readonly target: CheckedTarget
  readonly options: ProxyOptions
  readonly forward: Forwarding
  readonly secrets: Secrets
  readonly request: ServerRequestContext
  readonly credential: Credential | undefined
  readonly forwarded: Readonly<Record<string, string>>
  readonly sessions: ProxySessions
  /** What the handshake says of the proxies that it has passed. */
  readonly marks: JSONObject
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
  if (!isUrl(target)) checkNeedsNoUrl(credential)
  const accessFor = (given: HeaderValues) => accessOf(credential, own, given, client.auth)
  const { headers, auth } = accessFor(forwarded)
  if (isUrl(target) && forwardHeaders.length > 0)
    connection.ownHeaders = new OwnHeaders(forwarded, (given) => accessFor(given).headers)
  learnSecrets(reaching.secrets, target, own, auth, credential)
  const login = learningTokens(reaching.secrets, auth)
  // Of many callers on one connection nobody could be asked.
  const capabilities = sessions === 'shared' ? {} : declaredCapabilities(reaching.forward, front.capabilities)
  connection.declared = capabilities
  connection.asksNobody = sessions === 'shared'
  connection.hasSideStream = isUrl(target)
  return openUpstream({
    target: credential === 'none' ? withoutLogin(target) : target,
    mode,
    front: front.era,
    clientInfo: client.clientInfo ?? front.clientInfo,
    capabilities,
    offered: front.offered,
    headers: isUrl(target) ? headers : undefined,
    auth: isUrl(target) ? (isGuarded ? toPublicAddresses(login) : login) : undefined,
    connectTimeoutMs: client.connectTimeoutMs,
    reconnect: isUrl(target) ? client.reconnect : undefined,
    middleware: client.middleware ?? [],
    marks: reaching.marks,
    // Those of parked calls, and of others. What waits in line would be a call that nobody answers.
    questionsAtOnce: maxParkedOf(options) + QUESTIONS,
    tap: connection.tap,
    signal,
    onFault: (fault) => {
      // What was under way as this side ended the connection is missed by nobody.
      if (!signal.aborted || fault.kind !== 'write-failed') onFault(fault)
    },
    onConnection: (event) => {
      if (event.type === 'stream-closed') connection.streamClosed(event.requestId)
    },
  })
}

const QUESTIONS = 256

function isUrl(target: ClientTarget): boolean {
  return typeof target === 'string' || target instanceof URL
}
