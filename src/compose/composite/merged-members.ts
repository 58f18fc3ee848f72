// The members of a page beside its components, where several sources made it.
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { CacheableMethod } from '../../wire/methods.ts'
import { type ComponentList, restOf } from '../sources/lists.ts'
import type { Part } from './part.ts'

/** All of them, of one source; of several, how long the page may be kept: the shortest time, for the fewest. */
export function mergeRest(
  list: ComponentList,
  request: ServerRequestContext,
  stretches: readonly { readonly part: Part; readonly page: ListPage }[],
): JSONObject {
  const guarded = stretches.some(({ part }) => part.guard !== undefined)
  const [first] = stretches
  if (first !== undefined && stretches.length === 1) {
    const rest = restOf(list, first.page)
    return guarded && rest['cacheScope'] !== undefined ? { ...rest, cacheScope: 'private' } : rest
  }
  const rests = stretches.map(({ page }) => restOf(list, page))
  if (!guarded && rests.every(({ ttlMs, cacheScope }) => ttlMs === undefined && cacheScope === undefined)) return {}
  const hint = serverOfRequest(request).cacheHints[list as CacheableMethod]
  const times = rests.map(({ ttlMs = hint?.ttlMs ?? 0 }) => (typeof ttlMs === 'number' ? ttlMs : 0))
  const isPublic = rests.every(({ cacheScope = hint?.scope ?? 'private' }) => cacheScope === 'public')
  return { ttlMs: Math.min(...times), cacheScope: isPublic && !guarded ? 'public' : 'private' }
}
