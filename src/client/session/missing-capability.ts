// What the author of a client can do about a call that the server refused, because the client lacks something that the call needs.
import { ownMember } from '../../primitives/json/objects.ts'
import { MCPError, MissingClientCapabilityError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'io.modelcontextprotocol/tasks': 'tasks',
  'io.modelcontextprotocol/ui': 'apps',
  'io.modelcontextprotocol/skills': 'skills',
}

const CALLBACKS: Readonly<Record<string, string>> = {
  elicitation: 'onElicitation',
  sampling: 'onSampling',
  roots: 'onListRoots',
}

/**
 * The error of a call with what to add to the client; as it is where nothing is known about it. An error without a capability is
 * of revision 2025-11-25, which has none for a tool that needs a task.
 */
export function addRemedy(error: MCPError): MCPError {
  if (error.local) return error
  if (!(error instanceof MissingClientCapabilityError)) {
    const message = `${sentence(error.message)} ${addExtension('tasks')}`
    return new MCPError(error.code, message, error.data, { cause: error })
  }
  const remedies = remediesFor(error.requiredCapabilities)
  if (remedies.length === 0) return error
  const message = [sentence(error.message), ...remedies].join(' ')
  return new MissingClientCapabilityError(error.requiredCapabilities, message, error.data as object, { cause: error })
}

function remediesFor({ extensions = {}, ...capabilities }: ClientCapabilities): string[] {
  const missing = Object.keys(extensions).flatMap((identifier) => ownMember(EXTENSIONS, identifier) ?? [])
  const callbacks = Object.keys(capabilities).flatMap((name) => ownMember(CALLBACKS, name) ?? [])
  return [
    ...missing.map((name) => addExtension(name as string)),
    ...callbacks.map((name) => `Set the option ${name as string} of the client.`),
  ]
}

function addExtension(name: string): string {
  return `Add ${name}() from 'mcpwire/extensions/${name}' to the option extensions of the client.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
