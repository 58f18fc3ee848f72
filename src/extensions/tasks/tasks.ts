// The tasks extension as a value: small on its own, its server half and its client half are loaded when they are needed.
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension } from '../../mcpserver/extensions/extension-parts.ts'

const IDENTIFIER = 'io.modelcontextprotocol/tasks'

/** Calls that take long become tasks. One value serves servers and clients. */
export function tasks(): MCPServerExtension & ClientExtension {
  return { identifier: IDENTIFIER, isDeclared: () => false, toolOptions: { task: () => undefined } }
}
