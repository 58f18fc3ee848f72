// Requires that the client of a message declared an extension.
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ClientFacts, requireCapabilities } from '../asking/client-capabilities.ts'
import { clientExtension } from './declared-extension.ts'

/**
 * As `clientExtension`; throws `MCPError` -32021, which names the extension, for a client that did not declare it.
 *
 * @example
 * ```ts
 * import { requireClientExtension } from 'mcpwire/server'
 * server.tool('search', (_args, ctx) => {
 *   const settings = requireClientExtension(ctx, 'com.example/search')
 *   return `At most ${settings['maxResults']} results`
 * })
 * ```
 */
export function requireClientExtension(ctx: ClientFacts, identifier: string): JSONObject {
  const settings = clientExtension(ctx, identifier)
  if (settings !== undefined) return settings
  requireCapabilities(ctx, { extensions: { [identifier]: {} } })
  return {}
}
