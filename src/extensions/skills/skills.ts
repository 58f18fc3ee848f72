// The skills extension as a value, for servers and for clients.
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension } from '../../mcpserver/extensions/extension-parts.ts'

const IDENTIFIER = 'io.modelcontextprotocol/skills'

/** Instructions with files that models load when they need them. One value serves servers and clients. */
export function skills(): MCPServerExtension & ClientExtension {
  return { identifier: IDENTIFIER, isDeclared: () => false }
}
