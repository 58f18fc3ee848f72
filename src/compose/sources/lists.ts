// The four lists of components: where a page holds them, and by which member each is found.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Component, ListMethod, ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** A list whose items are components. */
export type ComponentList = Exclude<ListMethod, 'tasks/list'>

export interface ListFacts {
  /** The member of a page with the components. */
  readonly member: 'tools' | 'resources' | 'resourceTemplates' | 'prompts'
  /** The member of a component by which it is found. */
  readonly key: 'name' | 'uri' | 'uriTemplate'
  /** For messages. */
  readonly kind: string
}

const LISTS: Readonly<Record<string, ListFacts>> = {
  'tools/list': { member: 'tools', key: 'name', kind: 'tool' },
  'prompts/list': { member: 'prompts', key: 'name', kind: 'prompt' },
  'resources/list': { member: 'resources', key: 'uri', kind: 'resource' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate', kind: 'resource template' },
}

export const COMPONENT_LISTS = Object.keys(LISTS) as readonly ComponentList[]

/** A list whose components have names, which may be changed and must not be taken twice; all others go by their URIs. */
export type NamedList = 'tools/list' | 'prompts/list'

export const NAMED_LISTS = COMPONENT_LISTS.filter((list): list is NamedList => LISTS[list]?.key === 'name')

/** `undefined` for a list of something else. */
export function listFacts(list: string): ListFacts | undefined {
  return Object.hasOwn(LISTS, list) ? LISTS[list] : undefined
}

/** As `listFacts`, for what is known to be a list of components. */
export function factsOf(list: ComponentList): ListFacts {
  return LISTS[list] as ListFacts
}

/** The components of a page; none for a page that has no such list. Pages may come from outside: what is no object is left out. */
export function itemsOf(list: ComponentList, page: ListPage | JSONObject): readonly Component[] {
  const { member, key } = factsOf(list)
  const items: unknown = (page as JSONObject)[member]
  if (!Array.isArray(items)) return []
  const known = checked.get(items)
  if (known !== undefined) return known
  const found = items.every((item) => hasKey(item, key)) ? items : items.filter((item) => hasKey(item, key))
  if (Object.isFrozen(items)) checked.set(items, found)
  return found
}

/** Items of pages that are handed out again. An array is that of one list, so its key is always the same. */
const checked = new WeakMap<readonly unknown[], readonly Component[]>()

function hasKey(item: unknown, key: string): item is Component {
  return isPlainObject(item) && typeof item[key] === 'string'
}

export function keyOf(list: ComponentList, item: Component): string {
  return (item as unknown as JSONObject)[factsOf(list).key] as string
}

/** A page with other components. Frozen, since all callers who see the same share it. */
export function pageOf(list: ComponentList, items: readonly Component[], rest: JSONObject = {}): ListPage {
  return Object.freeze({ ...rest, [factsOf(list).member]: Object.freeze([...items]) }) as unknown as ListPage
}

/** The members of a page beside its components and its cursor. */
export function restOf(list: ComponentList, page: ListPage): JSONObject {
  const { [factsOf(list).member]: _items, nextCursor: _next, ...rest } = page as unknown as JSONObject
  return rest
}

/** The same of the pages of one list, as one page: kept as long, and for as many, as each of them may be. */
export function restOfPages(list: ComponentList, pages: readonly ListPage[]): JSONObject {
  const [first = {}, ...others] = pages.map((page) => restOf(list, page))
  const times = [first, ...others].flatMap(({ ttlMs }) => (typeof ttlMs === 'number' ? [ttlMs] : []))
  const isPrivate = others.some(({ cacheScope }) => cacheScope !== first['cacheScope'])
  return {
    ...first,
    ...(times.length > 0 && { ttlMs: Math.min(...times) }),
    ...(isPrivate && { cacheScope: 'private' }),
  }
}
