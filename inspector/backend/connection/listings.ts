// The lists of a server: one page at a time for the page, and their lengths for the overview.
import type { Client } from 'mcpwire'
import type { ConnectionState, ListKind } from '../../protocol/state.ts'

/** A server may list without end. */
const MAX_COUNTED = 5_000

type Item = Readonly<Record<string, unknown>>

/** The lists that an announced change is about. */
export const LIST_CHANGES: Readonly<Record<string, readonly ListKind[]>> = {
  toolsListChanged: ['tools'],
  promptsListChanged: ['prompts'],
  resourcesListChanged: ['resources', 'resourceTemplates'],
}

/** Whether the server says that it has the list. */
function hasList({ serverCapabilities }: Client, kind: ListKind): boolean {
  return serverCapabilities[kind === 'resourceTemplates' ? 'resources' : kind] !== undefined
}

export async function listPage(
  client: Client,
  kind: ListKind,
  cursor: string | undefined,
): Promise<{ items: readonly Item[]; nextCursor?: string }> {
  if (!hasList(client, kind)) return { items: [] }
  const page = cursor === undefined ? {} : { cursor }
  const { nextCursor, ...rest } = await fetchPage(client, kind, page)
  const items = (rest as unknown as Record<ListKind, readonly Item[]>)[kind]
  return { items, ...(nextCursor !== undefined && { nextCursor }) }
}

function fetchPage(client: Client, kind: ListKind, page: { cursor?: string }) {
  if (kind === 'tools') return client.listTools(page)
  if (kind === 'resources') return client.listResources(page)
  return kind === 'prompts' ? client.listPrompts(page) : client.listResourceTemplates(page)
}

/** A list that fails has no length, and the others are counted all the same. */
export async function countLists(
  client: Client,
  onFailure: (kind: ListKind, error: unknown) => void,
): Promise<ConnectionState['counts']> {
  const counts: { [Kind in ListKind]?: number } = {}
  for (const kind of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const) {
    if (!hasList(client, kind)) continue
    try {
      counts[kind] = await countItems(client, kind)
    } catch (error) {
      onFailure(kind, error)
    }
  }
  return counts
}

async function countItems(client: Client, kind: ListKind): Promise<number> {
  let count = 0
  for await (const _item of client[kind]()) {
    count += 1
    if (count >= MAX_COUNTED) break
  }
  return count
}
