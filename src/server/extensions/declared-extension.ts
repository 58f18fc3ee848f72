// Whether the client of a message declared an extension.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ClientFacts } from '../asking/client-capabilities.ts'

/**
 * The settings that the client declared the extension with; `undefined` when it did not. Written by the client: check them.
 *
 * @example
 * ```ts
 * import { clientExtension } from 'mcpwire/server'
 * server.use((ctx, next) => {
 *   if (clientExtension(ctx, 'com.example/search') === undefined) console.error('A client without search')
 *   return next()
 * })
 * ```
 */
export function clientExtension({ clientCapabilities }: ClientFacts, identifier: string): JSONObject | undefined {
  const settings = ownMember(clientCapabilities.extensions, identifier)
  return isPlainObject(settings) ? settings : undefined
}
