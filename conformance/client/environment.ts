// Reads the scenario from the environment that the suite sets.
import type { ClientOptions } from 'mcpwire'
import { MODERN_VERSIONS } from 'mcpwire/types'

/** The mock server of the scenario. */
export const url = process.argv.at(-1) ?? ''

export const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''

const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25'

/** The context of this scenario. */
export const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>

/** A required string of the context. */
export function contextText(name: string): string {
  const value = context[name]
  if (typeof value !== 'string') throw new Error(`The context of '${scenario}' has no '${name}'`)
  return value
}

/** The suite starts all clients at once, and has a limit of its own. */
const CONNECT_LIMIT_MS = 60_000

/** A client with every capability, in the era of the scenario. */
export const options: ClientOptions = {
  clientInfo: { name: 'mcpwire-conformance-client', version: '1.0.0' },
  connectTimeoutMs: CONNECT_LIMIT_MS,
  mode: MODERN_VERSIONS.some((modern) => modern === version) ? 'auto' : 'legacy',
  onElicitation: () => ({ action: 'accept', content: { confirmed: true } }),
  onSampling: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } }),
  onListRoots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
}
