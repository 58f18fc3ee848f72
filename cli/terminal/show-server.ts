// What a server offers: its lists, and how they are printed.
import type { Client, Prompt, Resource, ResourceTemplate, Tool } from 'mcpwire'
import { MODERN_VERSIONS } from 'mcpwire/types'
import { twoColumns, wrap } from './columns.ts'
import type { Paint } from './output.ts'
import { showJSON, showLine, showText } from './terminal-text.ts'

/** Everything that a server lists; a list that was not asked for is absent. */
export interface ServerOverview {
  server: { name: string; version: string; title?: string } | undefined
  protocolVersion: string
  era: 'legacy' | 'modern'
  instructions: string | undefined
  capabilities: object
  tools?: Tool[]
  resources?: Resource[]
  resourceTemplates?: ResourceTemplate[]
  prompts?: Prompt[]
}

export interface Kinds {
  tools: boolean
  resources: boolean
  prompts: boolean
}

/** Requests only the lists that the server declares. */
export async function listServer(client: Client, kinds: Kinds): Promise<ServerOverview> {
  const { tools, resources, prompts } = client.serverCapabilities
  const { protocolVersion } = client
  return {
    server: client.serverInfo,
    protocolVersion,
    era: (MODERN_VERSIONS as readonly string[]).includes(protocolVersion) ? 'modern' : 'legacy',
    instructions: client.instructions,
    capabilities: client.serverCapabilities,
    ...(kinds.tools && { tools: tools === undefined ? [] : await collect(client.tools()) }),
    ...(kinds.resources && {
      resources: resources === undefined ? [] : await collect(client.resources()),
      resourceTemplates: resources === undefined ? [] : await collect(client.resourceTemplates()),
    }),
    ...(kinds.prompts && { prompts: prompts === undefined ? [] : await collect(client.prompts()) }),
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export interface OverviewStyle {
  paint: Paint
  /** Columns of the terminal; `undefined` where the output is no terminal. */
  width: number | undefined
  /** With the JSON Schemas of tools. */
  withSchemas: boolean
  signatureOf(tool: Tool): string
  promptSignature(prompt: Prompt): string
}

export function showOverview(overview: ServerOverview, style: OverviewStyle): string {
  const { server, protocolVersion, era, instructions } = overview
  const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = overview
  const { paint } = style
  const name =
    server === undefined ? 'A server without a name' : showLine(`${server.title ?? server.name} ${server.version}`)
  const sections = [
    `${paint.bold(name)} ${paint.dim(`· ${showLine(protocolVersion)} (${era})`)}`,
    instructions === undefined ? '' : indent(showText(instructions), style.width),
    style.withSchemas
      ? toolsWithSchemas(tools, style)
      : section('Tools', tools, (tool) => [style.signatureOf(tool), textOf(tool)], style),
    section('Resources', resources, (item) => [showLine(item.uri), labelOf(item, item.uri)], style),
    section(
      'Resource templates',
      resourceTemplates,
      (item) => [showLine(item.uriTemplate), labelOf(item, item.uriTemplate)],
      style,
    ),
    section('Prompts', prompts, (prompt) => [style.promptSignature(prompt), textOf(prompt)], style),
  ]
  const shown = sections.filter((text) => text !== '')
  const count = tools.length + resources.length + resourceTemplates.length + prompts.length
  return (count === 0 ? [...shown, describeEmpty(overview)] : shown).join('\n\n')
}

function describeEmpty({ tools, resources, prompts }: ServerOverview): string {
  const kinds = [tools && 'tools', resources && 'resources', prompts && 'prompts'].filter((kind) => kind !== undefined)
  const last = kinds.pop()
  return `The server has no ${kinds.length === 0 ? last : `${kinds.join(', ')} or ${last}`}.`
}

/** The names alone, for scripts. */
export function showNames({
  tools = [],
  resources = [],
  resourceTemplates = [],
  prompts = [],
}: ServerOverview): string {
  return [
    ...tools.map(({ name }) => name),
    ...resources.map(({ uri }) => uri),
    ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ...prompts.map(({ name }) => name),
  ]
    .map(showLine)
    .join('\n')
}

type Entry = readonly [head: string, description: string]

function section<T>(title: string, items: readonly T[], entryOf: (item: T) => Entry, style: OverviewStyle): string {
  if (items.length === 0) return ''
  const { paint, width } = style
  const rows = items.map((item) => {
    const [head, description] = entryOf(item)
    return [boldName(head, paint), description] as const
  })
  const lines = twoColumns(rows, { width }).map((line) => line.trimEnd())
  return [paint.bold(title), ...lines].join('\n')
}

/** The name before the bracket stands out. */
function boldName(head: string, paint: Paint): string {
  const end = head.indexOf('(')
  return end === -1 ? head : `${paint.bold(head.slice(0, end))}${head.slice(end)}`
}

function toolsWithSchemas(tools: readonly Tool[], { paint, signatureOf }: OverviewStyle): string {
  if (tools.length === 0) return ''
  const blocks = tools.map((tool) => {
    const { inputSchema, outputSchema } = tool
    const schemas = { input: inputSchema, ...(outputSchema !== undefined && { output: outputSchema }) }
    const description = textOf(tool)
    return [
      `  ${boldName(signatureOf(tool), paint)}`,
      ...(description === '' ? [] : [`    ${description}`]),
      showJSON(schemas).replace(/^/gm, '    '),
    ].join('\n')
  })
  return [paint.bold('Tools'), blocks.join('\n\n')].join('\n')
}

function textOf({ description, title }: { description?: string; title?: string }): string {
  return showLine(description ?? title ?? '')
}

/** A name that repeats the address says nothing. */
function labelOf(item: { name: string; title?: string; description?: string }, address: string): string {
  const text = item.description ?? item.title ?? item.name
  return text === address ? '' : showLine(text)
}

function indent(text: string, width: number | undefined): string {
  const lines = text.split('\n').flatMap((line) => (width === undefined ? [line] : wrap(line, width - 2)))
  return lines.map((line) => `  ${line}`).join('\n')
}
