// A page with other items, as a layer shows it.
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import { forCallerAlone } from '../../server/results/caching.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { type ComponentList, factsOf } from './lists.ts'

/** What depends on the caller is kept for that caller alone. */
export function withItems(
  list: ComponentList,
  page: ListPage,
  items: readonly Component[],
  isPerCaller: boolean,
  request: ServerRequestContext,
): ListPage {
  const changed = { ...page, [factsOf(list).member]: Object.freeze(items) } as unknown as ListPage
  const made = Object.freeze(isPerCaller ? forCallerAlone(changed, request.protocolVersion) : changed)
  serverOfRequest(request).prepared.add(made)
  return made
}
