// The lists of the server that the page has loaded. A list that changed is marked; it is never replaced under the cursor.
import { effect, signal } from '@preact/signals'
import type { ListKind } from '../../protocol/state.ts'
import { request } from './api.ts'
import { connection } from './store.ts'

export type Item = Readonly<Record<string, unknown>>

export interface LoadedList {
  readonly status: 'none' | 'loading' | 'ready' | 'failed'
  readonly items: readonly Item[]
  /** That of the connection when it was loaded. */
  readonly version: number
  readonly problem?: string
}

type Lists = { readonly [Kind in ListKind]: LoadedList }

const NONE: LoadedList = { status: 'none', items: [], version: 0 }
const NO_LISTS: Lists = { tools: NONE, resources: NONE, resourceTemplates: NONE, prompts: NONE }
const MAX_ITEMS = 5_000

export const lists = signal<Lists>(NO_LISTS)

/** Whether the server announced a change after the list was loaded. */
export function isStale(kind: ListKind): boolean {
  const { status, version } = lists.value[kind]
  return status === 'ready' && version < (connection.value?.versions[kind] ?? 0)
}

/** Once for each connection, unless it is asked to load again. */
export async function loadList(kind: ListKind, isAgain = false): Promise<void> {
  const { id, status } = connection.value ?? {}
  if (id === undefined || status !== 'ready') return
  const before = lists.peek()[kind]
  if (before.status === 'loading' || (before.status === 'ready' && !isAgain)) return
  set(kind, { ...before, status: 'loading' })
  try {
    const items: Item[] = []
    let cursor: string | undefined
    let version: number | undefined
    do {
      const page = await request('list', { connection: id, kind, ...(cursor !== undefined && { cursor }) })
      items.push(...page.items)
      version ??= page.version
      cursor = page.nextCursor
    } while (cursor !== undefined && items.length < MAX_ITEMS)
    if (connection.peek()?.id === id) set(kind, { status: 'ready', items, version: version ?? 0 })
  } catch (error) {
    set(kind, { ...before, status: 'failed', problem: error instanceof Error ? error.message : String(error) })
  }
}

function set(kind: ListKind, list: LoadedList): void {
  lists.value = { ...lists.peek(), [kind]: list }
}

let shown: string | undefined
effect(() => {
  const { id, status } = connection.value ?? {}
  const key = `${id} ${status === 'ready' || status === 'lost'}`
  if (key === shown) return
  shown = key
  lists.value = NO_LISTS
})
