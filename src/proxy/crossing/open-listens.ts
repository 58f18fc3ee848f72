// Subscriptions that a proxy holds open between a client and a source. They end as those of any server: in good order, before the
// client is gone.
import { CANCELLED } from '../../dispatcher/context.ts'
import { connectionOfRequest, type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'

interface OpenListen {
  readonly peer: object
  readonly end: () => void
}

class OpenListens {
  readonly #open = new Set<OpenListen>()

  add(listen: OpenListen): () => void {
    this.#open.add(listen)
    return () => void this.#open.delete(listen)
  }

  /** All, or those of one client. */
  close(peer?: object): void {
    for (const { peer: own, end } of [...this.#open]) if (peer === undefined || peer === own) end()
  }
}

/** Calls `end` when the client or the server in front closes, until the function in return is called. */
export function endWithFront(request: ServerRequestContext, end: () => void): () => void {
  const server = serverOfRequest(request)
  const { peer } = connectionOfRequest(request)
  server.openEnded ??= new OpenListens()
  // The way to the source may have taken until after the client was told to leave.
  if (server.isLeaving(peer)) queueMicrotask(end)
  return (server.openEnded as OpenListens).add({ peer, end })
}

/** A subscription of a modern source: `send` opens it, and its signal takes it back. */
export async function listenThrough(
  request: ServerRequestContext,
  send: (signal: AbortSignal) => Promise<JSONObject>,
): Promise<JSONObject> {
  const taken = new AbortController()
  request.onAbort((reason) => taken.abort(reason))
  let isEnding = false
  const leave = endWithFront(request, () => {
    isEnding = true
    taken.abort(new DOMException('The client closes.', 'AbortError'))
  })
  try {
    return await send(taken.signal)
  } catch (error) {
    if (!isEnding) throw error
    const requestId = request.requestId as RequestId
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: requestId }
    // Spec, Cancellation: on a shared stream a server says that it ends a subscription, and then answers the request.
    if (connectionOfRequest(request).isStreamShared) {
      await request.dispatch.notify(CANCELLED, { requestId, _meta }).catch(() => {})
    }
    return { resultType: 'complete', _meta }
  } finally {
    leave()
  }
}
