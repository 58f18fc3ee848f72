// Step 9: every list of the server, page by page; names, schemas and weight of the tools.
import type { Client, Tool } from 'mcpwire'
import { type Finding, fault, faultOf, ok } from './findings/step.ts'
import { isTimeout, within } from './findings/within.ts'
import { checkNames, checkSchemas, weighTools } from './tool-checks.ts'

/** A server that hands out cursors for ever. */
const MAX_PAGES = 1_000
const MAX_DETAILS = 20

interface Listing {
  readonly what: string
  readonly items: readonly object[]
  readonly pages: number
}

interface Page {
  readonly nextCursor?: string
}

export async function checkListings(client: Client, ms: number, signal: AbortSignal): Promise<Finding> {
  const { tools, resources, prompts } = client.serverCapabilities
  const lists: [isOffered: boolean, method: string, what: string, list: () => Promise<Listing>][] = [
    [tools !== undefined, 'tools/list', 'tools', () => collect('tools', (page) => client.listTools(page), 'tools')],
    [
      resources !== undefined,
      'resources/list',
      'resources',
      () => collect('resources', (page) => client.listResources(page), 'resources'),
    ],
    [
      resources !== undefined,
      'resources/templates/list',
      'templates',
      () => collect('templates', (page) => client.listResourceTemplates(page), 'resourceTemplates'),
    ],
    [
      prompts !== undefined,
      'prompts/list',
      'prompts',
      () => collect('prompts', (page) => client.listPrompts(page), 'prompts'),
    ],
  ]
  const found: Listing[] = []
  for (const [isOffered, method, , list] of lists) {
    if (!isOffered) continue
    try {
      found.push(await within(ms, signal, list))
    } catch (error) {
      signal.throwIfAborted()
      return explainList(method, error, ms, found)
    }
  }
  return judge(found)
}

async function collect<K extends string>(
  what: string,
  list: (page: { cursor?: string }) => Promise<Page & Record<K, readonly object[]>>,
  key: K,
): Promise<Listing> {
  const items: object[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let pages = 1; ; pages += 1) {
    const page = await list(cursor === undefined ? {} : { cursor })
    items.push(...page[key])
    cursor = page.nextCursor
    if (cursor === undefined) return { what, items, pages }
    if (cursors.has(cursor))
      throw new Error(`Page ${pages} names a cursor that was used before, so that the list has no end`)
    if (pages >= MAX_PAGES) throw new Error(`The list has more than ${MAX_PAGES} pages`)
    cursors.add(cursor)
  }
}

function explainList(method: string, error: unknown, ms: number, found: readonly Listing[]): Finding {
  const details = found.map(describe)
  if (isTimeout(error)) {
    return fault(`${method} did not end within ${ms / 1000} s`, 'timeout', {
      cause: 'The server declares the list, but does not answer in time.',
      fix: ['Read the logs of the server.', 'Use --timeout to wait longer.'],
      details,
    })
  }
  const { text, problem } = faultOf(error)
  return {
    state: 'fault',
    text: `${method} failed: ${text}`,
    problem: {
      ...problem,
      cause:
        problem?.slug === 'bug'
          ? 'The server answers the request for its list in a way that clients refuse.'
          : (problem?.cause ?? ''),
      fix: [`Correct the handler of ${method} in the server.`],
    },
    ...(details.length > 0 && { details }),
  }
}

function judge(found: readonly Listing[]): Finding {
  const text = found.length === 0 ? 'The server declares no lists' : found.map(describe).join(', ')
  const tools = (found.find(({ what }) => what === 'tools')?.items ?? []) as readonly Tool[]
  const invalid = checkSchemas(tools)
  const odd = checkNames(tools)
  const { estimatedTokens, heaviest, isHeavy } = weighTools(tools)
  const weight =
    tools.length === 0
      ? []
      : [
          `The tools take about ${estimatedTokens} tokens of a model's context (estimate: 4 characters per token)`,
          `Most of it: ${heaviest.map(({ name, estimatedTokens: part }) => `${name} ${part}`).join(', ')}`,
        ]
  const details = [...invalid, ...odd].slice(0, MAX_DETAILS).concat(weight)
  if (invalid.length > 0) {
    return fault(
      `${invalid.length === 1 ? 'A schema is' : `${invalid.length} schemas are`} not valid JSON Schema: ${invalid[0]}`,
      'bad-json-schema',
      {
        cause: 'Hosts refuse a tool with such a schema, and some refuse the whole list.',
        fix: 'Correct the schema in the server.',
        details,
      },
    )
  }
  if (odd.length === 0 && !isHeavy) return ok(text, details)
  return { state: 'warning', text, details }
}

function describe({ what, items, pages }: Listing): string {
  const count = `${items.length} ${items.length === 1 ? what.replace(/s$/, '') : what}`
  return pages === 1 ? count : `${count} on ${pages} pages`
}
