// Data types name what the specification names, and nothing else.
import type {
  ClientCapabilities,
  ElicitContent,
  ElicitRequestParams,
  Implementation,
  LoggingLevel,
  PrimitiveSchemaDefinition,
  ResourceLink,
  Role,
  StopReason,
  Tool,
} from '../../src/exports/types.ts'
import {
  contentAsList,
  displayName,
  type LOGGING_LEVELS,
  MCPError,
  type UnsupportedProtocolVersionError,
} from '../../src/exports/types.ts'
import { type Fits, holds, type Same } from './assert.ts'

export const tool: Tool = {
  name: 'find_book',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'], $defs: {} },
  outputSchema: { type: 'array', items: { type: 'string' } },
  annotations: { readOnlyHint: true },
}

// @ts-expect-error: arguments are always an object
export const listInput: Tool = { name: 'x', inputSchema: { type: 'array' } }

// @ts-expect-error: a misspelt hint
export const misspeltHint: Tool = { name: 'x', inputSchema: { type: 'object' }, annotations: { readonlyHint: true } }

// @ts-expect-error: the version is missing
export const unversioned: Implementation = { name: 'me' }

// @ts-expect-error: a link needs a URI
export const nowhere: ResourceLink = { type: 'resource_link', name: 'x' }

export const capabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
}

// @ts-expect-error: a capability that does not exist
export const misspeltCapability: ClientCapabilities = { elicitations: {} }

// @ts-expect-error: the settings of an extension are an object
export const bareExtension: ClientCapabilities = { extensions: { 'com.example/x': true } }

export const form: ElicitRequestParams = {
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: { color: { type: 'string', enum: ['red'], default: 'red' } } },
}

// @ts-expect-error: a URL elicitation needs a URL
export const nowhereToGo: ElicitRequestParams = { mode: 'url', message: '' }

// @ts-expect-error: fields of a form do not nest
export const nested: PrimitiveSchemaDefinition = { type: 'object', properties: {} }

// @ts-expect-error: an answer holds no objects
export const deepAnswer: ElicitContent = { address: {} }

holds<Same<LoggingLevel, (typeof LOGGING_LEVELS)[number]>>()
holds<Same<Role, 'user' | 'assistant'>>()
holds<Fits<'anything', StopReason>>()
holds<Fits<string, LoggingLevel> extends false ? true : false>()

displayName(tool)
displayName({ name: 'x', uri: 'file:///x', annotations: { priority: 1 } } as ResourceLink)
// @ts-expect-error: nothing to show
displayName({ title: 'x' })

contentAsList({ content: { type: 'text', text: '' } })
// @ts-expect-error: links are not for models to sample
contentAsList({ content: { type: 'resource_link', uri: '', name: '' } })

export function supported(error: unknown): readonly string[] {
  if (!(error instanceof MCPError)) return []
  holds<Same<typeof error.data, unknown>>()
  return (error as UnsupportedProtocolVersionError).supported
}
