// Requests that a tool of a layer makes for its caller. Each begins at the server that the client talks to, with the names that the
// client knows: whatever stands in front of the layer hides, renames and changes for these requests as for any other.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import {
  connectionOfRequest,
  createContext,
  extrasOf,
  outermostOf,
  type ServerRequestContext,
  serverOfRequest,
  stopWith,
} from '../../server/context.ts'
import { runRequest } from '../../server/runner.ts'
import type { ListPage, Source } from '../../server/source.ts'
import { goThrough, throughOf, waysOf } from '../../server/ways.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ComponentList } from '../sources/lists.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { wholePages } from '../sources/whole-list.ts'

/** Answers as the server would answer its client, with all middleware. */
export function callThrough(
  layer: Source,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): MaybePromise<JSONObject> {
  const given = { _meta: request.params?.['_meta'] ?? {}, ...params }
  return whenDone(runRequest(contextFor(layer, request, method, given)), (result) => {
    extrasOf(request).finished = result
    return result
  })
}

/** The pages of a list as the client would get them if the layer were not there; none where no source has the list. */
export function listThrough(
  layer: Source,
  request: ServerRequestContext,
  list: ComponentList,
): MaybePromise<readonly ListPage[]> {
  const none = (error: unknown): readonly ListPage[] => {
    if (isMethodMissing(error)) return []
    throw error
  }
  try {
    const pages = wholePages(list, request, (cursor) => pageThrough(layer, request, list, cursor))
    return isThenable(pages) ? Promise.resolve(pages).catch(none) : pages
  } catch (error) {
    return none(error)
  }
}

/** Where no middleware of the author's sees the list, the page itself: it is the same one every time. */
function pageThrough(
  layer: Source,
  request: ServerRequestContext,
  list: ComponentList,
  cursor: string | undefined,
): MaybePromise<ListPage> {
  const context = contextFor(layer, request, list, cursor === undefined ? {} : { cursor })
  const server = serverOfRequest(context)
  const { source } = server
  const isDirect = server.chain.isOurs && (server.answersElsewhere || server.isFromSource(list))
  if (source !== undefined && isDirect) return source.list(list, context, cursor)
  return runRequest(context) as unknown as MaybePromise<ListPage>
}

/** As if the client had sent it. Layers that this one was called through stay as they were: nobody there asked for their lists. */
function contextFor(layer: Source, request: ServerRequestContext, method: string, params: JSONObject) {
  const server = serverOfRequest(outermostOf(request))
  const context = createContext(server, connectionOfRequest(request), request.dispatch, method, params)
  const layers = new Set(throughOf(request)?.layers).add(layer)
  goThrough(context, { layers, ways: waysOf(request) })
  stopWith(context, request)
  return context
}

/** Whether a request that the layer makes, or that was made of one, comes to it again. */
export function isPassing(layer: Source, request: ServerRequestContext): boolean {
  return throughOf(request)?.layers.has(layer) === true
}
