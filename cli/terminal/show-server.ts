// What a server offers, as lines for a terminal.
import type { Client, Prompt, Resource, ResourceTemplate, Tool } from 'mcpwire'
import type { Paint } from './output.ts'
import { showLine, showText } from './terminal-text.ts'

/** Everything that a server lists. */
export interface ServerOverview {
  server: { name: string; version: string; title?: string } | undefined
  protocolVersion: string
  instructions: string | undefined
  tools: Tool[]
  resources: Resource[]
  resourceTemplates: ResourceTemplate[]
  prompts: Prompt[]
}

/** Requests only the lists that the server declares. */
export async function listServer(client: Client): Promise<ServerOverview> {
  const { tools, resources, prompts } = client.serverCapabilities
  return {
    server: client.serverInfo,
    protocolVersion: client.protocolVersion,
    instructions: client.instructions,
    tools: tools === undefined ? [] : await collect(client.tools()),
    resources: resources === undefined ? [] : await collect(client.resources()),
    resourceTemplates: resources === undefined ? [] : await collect(client.resourceTemplates()),
    prompts: prompts === undefined ? [] : await collect(client.prompts()),
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export function showOverview(overview: ServerOverview, paint: Paint): string {
  const { server, protocolVersion, instructions, tools, resources, resourceTemplates, prompts } = overview
  const name =
    server === undefined ? 'A server without a name' : showLine(`${server.title ?? server.name} ${server.version}`)
  const sections = [
    `${paint.bold(name)} ${paint.dim(`speaks ${showLine(protocolVersion)}`)}`,
    instructions === undefined ? '' : indent(showText(instructions)),
    section(
      'Tools',
      tools,
      (tool) => [`${showLine(tool.name)}(${showParameters(tool.inputSchema)})`, tool.description],
      paint,
    ),
    section(
      'Resources',
      resources,
      ({ uri, name: label, description }) => [`${showLine(uri)}  ${showLine(label)}`, description],
      paint,
    ),
    section(
      'Resource templates',
      resourceTemplates,
      ({ uriTemplate, name: label, description }) => [`${showLine(uriTemplate)}  ${showLine(label)}`, description],
      paint,
    ),
    section(
      'Prompts',
      prompts,
      (prompt) => [`${showLine(prompt.name)}(${showArguments(prompt)})`, prompt.description],
      paint,
    ),
  ]
  const shown = sections.filter((text) => text !== '')
  return (shown.length === 1 ? [...shown, 'It offers no tools, resources or prompts.'] : shown).join('\n\n')
}

type Entry = readonly [head: string, description: string | undefined]

function section<T>(title: string, items: readonly T[], entryOf: (item: T) => Entry, paint: Paint): string {
  if (items.length === 0) return ''
  const lines = items.map((item) => {
    const [head, description] = entryOf(item)
    return description === undefined ? `  ${head}` : `  ${head}\n    ${paint.dim(showLine(description))}`
  })
  return [paint.bold(title), ...lines].join('\n')
}

/** `a: number, unit?: "C" | "F"`: as much of a schema as one reads at a glance. */
function showParameters(schema: Tool['inputSchema']): string {
  const { properties = {} } = schema
  const required = new Set(schema.required)
  return Object.entries(properties)
    .map(([name, property]) => `${showLine(name)}${required.has(name) ? '' : '?'}: ${showLine(typeOf(property))}`)
    .join(', ')
}

function typeOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any'
  const { type, enum: values, const: value } = schema as { type?: unknown; enum?: unknown; const?: unknown }
  if (Array.isArray(values))
    return (
      values
        .slice(0, 5)
        .map((item) => JSON.stringify(item))
        .join(' | ') + (values.length > 5 ? ' | …' : '')
    )
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(type)) return type.join(' | ')
  return typeof type === 'string' ? type : 'any'
}

function showArguments({ arguments: list = [] }: Prompt): string {
  return list.map(({ name, required }) => `${showLine(name)}${required === true ? '' : '?'}`).join(', ')
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
