// The lists of a server, fetched as its client would, and what differs between two versions of it.
import { isPlainObject } from '../../terminal/primitives.ts'
import type { Params } from './messages.ts'

/** Sends a request to a server and resolves to its result. */
export type Ask = (method: string, params: Params) => Promise<Params>

export type ListName = 'tools' | 'resources' | 'templates' | 'prompts'

interface ListKind {
  method: string
  /** Where the items are in the result. */
  member: string
  capability: 'tools' | 'resources' | 'prompts'
  /** Identifies an item. */
  key: string
}

const LISTS: Record<ListName, ListKind> = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools', key: 'name' },
  resources: { method: 'resources/list', member: 'resources', capability: 'resources', key: 'uri' },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    capability: 'resources',
    key: 'uriTemplate',
  },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts', key: 'name' },
}

const NAMES = Object.keys(LISTS) as ListName[]
const MAX_PAGES = 100

export type Lists = Readonly<Record<ListName, readonly Params[]>>

/** Lists that the server does not declare are empty. `params` go with every request. */
export async function fetchLists(ask: Ask, capabilities: unknown, params: Params = {}): Promise<Lists> {
  const declared = isPlainObject(capabilities) ? capabilities : {}
  const fetched = NAMES.map(async (name) => {
    const kind = LISTS[name]
    return [name, declared[kind.capability] === undefined ? [] : await fetchList(ask, kind, params)] as const
  })
  return Object.fromEntries(await Promise.all(fetched)) as unknown as Lists
}

async function fetchList(ask: Ask, { method, member }: ListKind, params: Params): Promise<Params[]> {
  const items: Params[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await ask(method, { ...params, ...(cursor !== undefined && { cursor }) })
    const found = result[member]
    if (Array.isArray(found)) items.push(...found.filter(isPlainObject))
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') break
  }
  return items
}

/** A tool, a resource, a template or a prompt that differs. */
export interface ListChange {
  list: ListName
  kind: 'added' | 'removed' | 'changed'
  name: string
  /** Of a changed one: what about it, such as `input`. */
  members: readonly string[]
}

export function compareLists(before: Lists, after: Lists): ListChange[] {
  return NAMES.flatMap((list) => compareItems(list, indexItems(list, before[list]), indexItems(list, after[list])))
}

/** Lists whose text differs, the order of their items included. */
export function differingLists(before: Lists | undefined, after: Lists | undefined): ListName[] {
  if (before === undefined || after === undefined) return [...NAMES]
  return NAMES.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

/** The notifications that announce changes of these lists. */
export function changeNotifications(names: readonly ListName[]): string[] {
  return [...new Set(names.map((name) => `notifications/${LISTS[name].capability}/list_changed`))]
}

/** The member of a `subscriptions/listen` filter that asks for a notification. */
export function filterMember(method: string): string {
  return `${method.split('/')[1]}ListChanged`
}

function indexItems(list: ListName, items: readonly Params[]): Map<string, Params> {
  return new Map(items.map((item) => [String(item[LISTS[list].key]), item]))
}

function compareItems(list: ListName, before: Map<string, Params>, after: Map<string, Params>): ListChange[] {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after].flatMap(([name, item]) => {
    const members = before.has(name) ? differingMembers(before.get(name) as Params, item) : []
    return members.length === 0 ? [] : [{ list, kind: 'changed', name, members } as const]
  })
  return [
    ...added.map((name) => ({ list, kind: 'added', name, members: [] }) as const),
    ...changed,
    ...removed.map((name) => ({ list, kind: 'removed', name, members: [] }) as const),
  ]
}

const SHORT_NAMES: Record<string, string> = { inputSchema: 'input', outputSchema: 'output' }

function differingMembers(before: Params, after: Params): string[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...members]
    .filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]))
    .map((member) => SHORT_NAMES[member] ?? member)
}

/** Whether a tool may run twice for one call. */
export function mayRepeat(lists: Lists | undefined, tool: unknown): boolean {
  const annotations = lists?.tools.find(({ name }) => name === tool)?.['annotations']
  if (!isPlainObject(annotations)) return false
  return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true
}
