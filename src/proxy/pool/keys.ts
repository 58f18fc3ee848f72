// Which callers share a connection: those whose keys are equal.
import type { ServerRequestContext } from '../../server/context.ts'
import { frontClientOf, peerOf, principalKeyOf } from '../base/caller.ts'
import type { Credential, Forwarding, ProxySessions } from '../base/options.ts'
import { wayOf } from '../base/passage.ts'
import { declaredCapabilities } from '../base/questions.ts'
import { credentialId } from './access.ts'

/** The key of a connection that nobody else gets. */
export class OneCall {}

export interface KeyFacts {
  readonly request: ServerRequestContext
  readonly sessions: ProxySessions
  readonly credential: Credential | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly forward: Forwarding
}

/** Different verified callers never have the same key, even with equal credentials. */
export function keyOf({ request, sessions, credential, headers, forward }: KeyFacts): unknown {
  const id = credentialId(credential)
  if (sessions === 'connection') return peerOf(request)
  if (sessions === 'call') return new OneCall()
  const { era, capabilities } = frontClientOf(request)
  const who = sessions === 'principal' ? principalKeyOf(request) : ''
  // A session declares what its client can be asked, so that clients with other abilities need another one.
  const declared = sessions === 'principal' ? declaredCapabilities(forward, capabilities) : {}
  // Of two in a loop of proxies each would wait for the connection that the other one is opening.
  const { hops } = wayOf(request)
  return JSON.stringify([sessions, era, who, id, headers, declared, hops])
}
