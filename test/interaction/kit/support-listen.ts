// What the tests of subscriptions share: servers that announce changes, or tell what a script says, and readers.
import type { Subscription } from '../../../src/client/subscriptions/subscription.ts'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import type { SubscriptionBus } from '../../../src/server/subscriptions/subscriptions.ts'
import type { SubscriptionFilter } from '../../../src/types/features/subscriptions.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'

export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

const HANDLERS: NonNullable<ServerOptions['handlers']> = {
  'tools/list': () => ({ tools: [] }),
  'resources/list': () => ({ resources: [] }),
  'resources/read': () => ({ contents: [] }),
  'prompts/list': () => ({ prompts: [] }),
}

/** A server that has every list, and announces changes unless told otherwise. */
export function changingServer(subscriptions: boolean | SubscriptionBus = true, handlers = HANDLERS): Server {
  return new Server('changing', { subscriptions, handlers })
}

type Tell = (method: string, params?: JSONObject) => Promise<void>
type Script = (tell: Tell, ctx: ServerRequestContext) => Promise<void> | void

/** A server whose subscriptions go by a script; each one ends in good order when its script does. */
export function scriptedServer(script: Script): Server {
  const server = changingServer(false)
  server.setRequestHandler('subscriptions/listen', async (ctx) => {
    const _meta = { [SUBSCRIPTION_ID]: ctx.requestId as string }
    await script((method, params) => ctx.dispatch.notify(method, { ...params, _meta }), ctx)
    return { resultType: 'complete', _meta }
  })
  return server
}

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
export const TOOLS_CHANGED = 'notifications/tools/list_changed'
export const PROMPTS_CHANGED = 'notifications/prompts/list_changed'
export const UPDATED = 'notifications/resources/updated'

export const TOOLS: SubscriptionFilter = { toolsListChanged: true }
export const LISTS: SubscriptionFilter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
}

/** Rejects when the client takes the request back. */
export function untilAborted({ signal }: ServerRequestContext): Promise<void> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/** The next so many events. */
export async function take(subscription: Subscription, count: number): Promise<unknown[]> {
  const events: unknown[] = []
  while (events.length < count) events.push((await subscription.next()).value)
  return events
}

/** All events, and what came after them. */
export async function readOut(subscription: Subscription): Promise<{ events: unknown[]; error?: unknown }> {
  const events: unknown[] = []
  try {
    for await (const event of subscription) events.push(event)
    return { events }
  } catch (error) {
    return { events, error }
  }
}
