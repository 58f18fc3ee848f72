// The apps extension as a value, for servers and for hosts.
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension } from '../../mcpserver/extensions/extension-parts.ts'

const IDENTIFIER = 'io.modelcontextprotocol/ui'

/** Views that hosts show for tools. One value serves servers and clients. */
export function apps(): MCPServerExtension & ClientExtension {
  return { identifier: IDENTIFIER, isDeclared: () => false }
}
