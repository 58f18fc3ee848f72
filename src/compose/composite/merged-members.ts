// The members of a page beside its components, where several sources made it.
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { CacheableMethod } from '../../wire/methods.ts'
import { type ComponentList, restOf } from '../sources/lists.ts'

/**
 * All of them, of one source; of several, how long the page may be kept: the shortest time, for the fewest. A list that is another one
 * for another caller is for nobody else, whatever its sources say.
 */
export function mergeRest(
  list: ComponentList,
  request: ServerRequestContext,
  stretches: readonly { readonly page: ListPage }[],
  isPerCaller: boolean,
): JSONObject {
  const rests = stretches.map(({ page }) => restOf(list, page))
  const [first] = rests
  const alone = isPerCaller ? { cacheScope: 'private' } : {}
  if (rests.length <= 1) return { ...first, ...alone }
  if (rests.every(({ ttlMs, cacheScope }) => ttlMs === undefined && cacheScope === undefined)) return alone
  const hint = serverOfRequest(request).cacheHints[list as CacheableMethod]
  const times = rests.map(({ ttlMs = hint?.ttlMs ?? 0 }) => (typeof ttlMs === 'number' ? ttlMs : 0))
  const isPublic = rests.every(({ cacheScope = hint?.scope ?? 'private' }) => cacheScope === 'public')
  return { ttlMs: Math.min(...times), cacheScope: isPublic && !isPerCaller ? 'public' : 'private' }
}
