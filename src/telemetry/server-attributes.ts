// What a server knows of the connection that a message belongs to.
import type { ServerRequestContext } from '../server/context.ts'
import type { JSONObject } from '../types/json.ts'
import { ownMember } from '../wire/own.ts'
import type { Attributes } from './api.ts'
import { Attribute } from './conventions.ts'

/** For spans only: there is no end of sessions. */
export function describeSession({ dispatch }: ServerRequestContext): Attributes {
  const sessionId = ownMember(dispatch.transport.headers, 'mcp-session-id')
  return typeof sessionId === 'string' ? { [Attribute.SessionId]: sessionId.slice(0, 128) } : {}
}

/** While it is being agreed on, the revision is what the answer says. */
export function describeVersion(ctx: ServerRequestContext, result: JSONObject | undefined): Attributes {
  const version = ctx.method === 'initialize' ? result?.['protocolVersion'] : ctx.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}
