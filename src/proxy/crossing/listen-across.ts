// A modern client listens to a legacy source: changes of lists come by themselves, those of resources are subscribed to.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { createListenHandler } from '../../server/subscriptions/listen.ts'
import { createSubscriptionBus, type SubscriptionEvent } from '../../server/subscriptions/subscriptions.ts'
import { NoBackChannelError } from '../../types/errors/errors.ts'
import type { SubscriptionsListenRequestParams } from '../../types/features/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { CHANGE_NOTIFICATIONS } from '../../wire/method-rows.ts'
import type { FrontLink } from '../back/back-call.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { endWithFront } from './open-listens.ts'

const CHANGE_OF = new Map<string, string>(
  Object.entries(CHANGE_NOTIFICATIONS).map(([change, { method }]) => [method, change]),
)

/** Resolves when the subscription has ended. */
export async function listenAcross(
  request: ServerRequestContext,
  connection: BackConnection,
  params: JSONObject,
): Promise<JSONObject> {
  const { session, endSignal } = connection.client
  const { tools, prompts, resources } = session.serverCapabilities ?? {}
  const bus = createSubscriptionBus()
  const handler = createListenHandler(bus, {
    supported: () => ({
      toolsListChanged: tools?.listChanged === true,
      promptsListChanged: prompts?.listChanged === true,
      resourcesListChanged: resources?.listChanged === true,
      resourceSubscriptions: resources?.subscribe === true,
    }),
  })
  const link: FrontLink = {
    notify: (method, given) => {
      const change = CHANGE_OF.get(method)
      if (change === undefined) return undefined
      const event = change === 'resourceUpdated' ? { type: change, uri: String(given?.['uri']) } : { type: change }
      void bus.publish(event as SubscriptionEvent)
      return undefined
    },
    ask: (method) => Promise.reject(new NoBackChannelError(method)),
  }
  connection.fronts.add(link)
  const watched: string[] = []
  // The source decides about each resource; one that it does not have is not granted.
  const mayWatch = async (uri: string): Promise<boolean> => {
    await connection.wishes.watch(uri)
    watched.push(uri)
    return true
  }
  let isOver = false
  const end = () => {
    isOver = true
    void handler.close()
  }
  if (endSignal.aborted) end()
  else listenForAbort(endSignal, end)
  const leave = endWithFront(request, end)
  try {
    const result = await handler(
      {
        requestId: request.requestId,
        onAbort: (listener) => request.onAbort(listener),
        outbound: request.dispatch,
        isStreamShared: connectionOfRequest(request).isStreamShared,
        isLeaving: () => isOver,
        mayWatch,
      },
      params as unknown as SubscriptionsListenRequestParams,
    )
    return result as unknown as JSONObject
  } finally {
    leave()
    forgetAbort(endSignal, end)
    connection.fronts.delete(link)
    for (const uri of watched) connection.wishes.unwatch(uri).catch(() => {})
  }
}
