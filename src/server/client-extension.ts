// Whether a client takes part in an extension: asked before anything of it is offered.
import { isPlainObject } from '../primitives/objects.ts'
import type { JSONObject } from '../types/json.ts'
import { ownMember } from '../wire/own.ts'
import { type ClientFacts, requireCapabilities } from './client-capabilities.ts'

/** The settings that the client declared the extension with; `undefined` when it did not. Written by the client: check them. */
export function clientExtension({ clientCapabilities }: ClientFacts, identifier: string): JSONObject | undefined {
  const settings = ownMember(clientCapabilities.extensions, identifier)
  return isPlainObject(settings) ? settings : undefined
}

/** As `clientExtension`; throws `MCPError` -32021, which names the extension, for a client that did not declare it. */
export function requireClientExtension(ctx: ClientFacts, identifier: string): JSONObject {
  requireCapabilities(ctx, { extensions: { [identifier]: {} } })
  return clientExtension(ctx, identifier) ?? {}
}
