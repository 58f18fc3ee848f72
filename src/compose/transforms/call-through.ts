// A request that a tool of a transform makes for its caller: to what the transform stands in front of.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import {
  connectionOfRequest,
  createContext,
  enterAt,
  extrasOf,
  nestContext,
  outerRequestOf,
  type ServerRequestContext,
  serverOfRequest,
} from '../../server/context.ts'
import { runRequest } from '../../server/runner.ts'
import type { Source } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isLayerOf } from '../sources/layers.ts'

/**
 * Answers as the server would answer its client: middleware that allows, counts or logs calls sees the real name, too. A transform
 * of a mount has names that the server's middleware does not know; there the source answers, with its own middleware.
 */
export function callThrough(
  layer: Source,
  inner: Source,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): MaybePromise<JSONObject> {
  const server = serverOfRequest(request)
  const given = { _meta: request.params?.['_meta'] ?? {}, ...params }
  if (!isLayerOf(server, layer)) return inner.handle(request, method, given)
  const outer = outerRequestOf(request)
  const context =
    outer === undefined
      ? createContext(server, connectionOfRequest(request), request.dispatch, method, given)
      : nestContext(outer, server, method, given)
  enterAt(context, inner)
  return whenDone(runRequest(context), (result) => {
    extrasOf(request).finished = result
    return result
  })
}
