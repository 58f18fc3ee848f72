// Subscriptions: how they open, and what they tell.

import { expect } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { createSubscriptionBus, type SubscriptionBus } from '../../../src/server/subscriptions/subscriptions.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { ListenNotSupportedError, SubscriptionLost } from '../../../src/types/errors/failures.ts'
import type { SubscriptionFilter } from '../../../src/types/features/subscriptions.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { failureOf, Inbox, noteMethods, refusalOf } from '../kit/support-features.ts'
import {
  ACKNOWLEDGED,
  changingServer,
  LISTS,
  PROMPTS_CHANGED,
  readOut,
  SUBSCRIPTION_ID,
  scriptedServer,
  TOOLS,
  TOOLS_CHANGED,
  take,
  UPDATED,
  untilAborted,
} from '../kit/support-listen.ts'

requirement('listen:every-kind', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  await using subscription = await client.listen({ ...LISTS, resourceSubscriptions: ['x:1'] })
  const events = [
    { type: 'toolsListChanged' },
    { type: 'promptsListChanged' },
    { type: 'resourcesListChanged' },
    { type: 'resourceUpdated', uri: 'x:1' },
  ] as const
  for (const event of events) await server.announce(event)

  expect(await take(subscription, 4)).toEqual(events)
})

requirement('listen:acknowledged-first', async ({ connect, wire }) => {
  const bus = createSubscriptionBus()
  const eager: SubscriptionBus = {
    publish: (event) => bus.publish(event),
    subscribe: (listener) => {
      listener({ type: 'toolsListChanged' })
      return bus.subscribe(listener)
    },
  }
  await using client = await connect(changingServer(eager))
  await using subscription = await client.listen(TOOLS)
  await take(subscription, 1)

  const methods = wire.received.flatMap((message) => ('method' in message ? [message.method] : []))
  expect(methods).toEqual([ACKNOWLEDGED, TOOLS_CHANGED])
})

requirement('listen:nothing-lost-at-the-start', async ({ connect }) => {
  const eager: SubscriptionBus = {
    publish: async () => {},
    subscribe: (listener) => {
      listener({ type: 'toolsListChanged' })
      return () => {}
    },
  }
  await using client = await connect(changingServer(eager))
  await using subscription = await client.listen(TOOLS)

  expect(await take(subscription, 1)).toEqual([{ type: 'toolsListChanged' }])
})

requirement('listen:honored-and-refused', async ({ connect }) => {
  const server = changingServer(true, { 'prompts/list': () => ({ prompts: [] }) })
  await using client = await connect(server)
  await using subscription = await client.listen({ ...LISTS, resourceSubscriptions: ['x:1'] })

  expect(subscription.honored).toEqual({ promptsListChanged: true })
  expect(subscription.refused).toEqual({
    toolsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['x:1'],
  })
})

requirement('listen:only-what-was-asked-for', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  await using subscription = await client.listen({ promptsListChanged: true, resourceSubscriptions: ['x:1'] })
  await server.announce({ type: 'toolsListChanged' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:2' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await server.announce({ type: 'promptsListChanged' })

  expect(await take(subscription, 2)).toEqual([{ type: 'resourceUpdated', uri: 'x:1' }, { type: 'promptsListChanged' }])
})

requirement('listen:believes-no-more-than-it-asked', async ({ connect }) => {
  const server = scriptedServer(async (tell) => {
    await tell(PROMPTS_CHANGED)
    await tell(ACKNOWLEDGED, { notifications: { ...LISTS, resourceSubscriptions: ['x:1'] } })
    await tell(PROMPTS_CHANGED)
    await tell(UPDATED, { uri: 'x:1' })
    await tell(TOOLS_CHANGED)
  })
  await using client = await connect(server)
  const subscription = await client.listen(TOOLS)

  expect(subscription.honored).toEqual(TOOLS)
  expect(await readOut(subscription)).toEqual({ events: [{ type: 'toolsListChanged' }] })
})

requirement('listen:tagged', async ({ connect, wire }) => {
  const server = changingServer()
  await using client = await connect(server)
  const subscription = await client.listen(TOOLS)
  await server.announce({ type: 'toolsListChanged' })
  void coreOf(server).subscriptions?.close()
  await readOut(subscription)

  const isTagged = (value: unknown) =>
    (value as { _meta?: JSONObject })._meta?.[SUBSCRIPTION_ID] === subscription.subscriptionId
  const told = wire.received.filter((message) => 'method' in message)
  expect(told.length).toBeGreaterThanOrEqual(2)
  expect(told.every((message) => 'params' in message && isTagged(message.params))).toBe(true)
  const answer = wire.received.find((message) => 'id' in message && message.id === subscription.subscriptionId)
  expect(answer && 'result' in answer && isTagged(answer.result)).toBe(true)
})

requirement('listen:own-ids', async ({ connect }) => {
  await using client = await connect(changingServer())
  await using one = await client.listen(TOOLS)
  await using two = await client.listen(TOOLS)

  const ids = [one.subscriptionId, two.subscriptionId]
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^listen-\d+$/)
})

requirement('listen:several-at-once', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  await using tools = await client.listen(TOOLS)
  await using prompts = await client.listen({ promptsListChanged: true })
  await using both = await client.listen(LISTS)
  await server.announce({ type: 'promptsListChanged' })
  await server.announce({ type: 'toolsListChanged' })

  expect(await take(tools, 1)).toEqual([{ type: 'toolsListChanged' }])
  expect(await take(prompts, 1)).toEqual([{ type: 'promptsListChanged' }])
  expect(await take(both, 2)).toEqual([{ type: 'promptsListChanged' }, { type: 'toolsListChanged' }])
})

requirement('listen:no-replay', async ({ connect }) => {
  const server = changingServer()
  await server.announce({ type: 'toolsListChanged' })
  await using client = await connect(server)
  await using first = await client.listen(LISTS)
  await server.announce({ type: 'promptsListChanged' })
  expect(await take(first, 1)).toEqual([{ type: 'promptsListChanged' }])
  await using second = await client.listen(LISTS)
  await server.announce({ type: 'resourcesListChanged' })

  expect(await take(second, 1)).toEqual([{ type: 'resourcesListChanged' }])
})

requirement('listen:each-event-once', async ({ connect }) => {
  const server = changingServer()
  const heard = new Inbox<string>()
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  await using subscription = await client.listen(LISTS)
  for (let count = 0; count < 5; count += 1) await server.announce({ type: 'toolsListChanged' })
  await server.announce({ type: 'promptsListChanged' })
  await expect.poll(() => heard.items).toContain(PROMPTS_CHANGED)

  expect(await take(subscription, 2)).toEqual([{ type: 'toolsListChanged' }, { type: 'promptsListChanged' }])
  await server.announce({ type: 'toolsListChanged' })
  expect(await take(subscription, 1)).toEqual([{ type: 'toolsListChanged' }])
})

requirement('listen:parts-of-what-is-watched', async ({ connect }) => {
  const server = scriptedServer(async (tell) => {
    await tell(ACKNOWLEDGED, { notifications: { resourceSubscriptions: ['dir:/'] } })
    await tell(UPDATED, { uri: 'dir:/file' })
  })
  await using client = await connect(server)
  const subscription = await client.listen({ resourceSubscriptions: ['dir:/'] })

  expect(await readOut(subscription)).toEqual({ events: [{ type: 'resourceUpdated', uri: 'dir:/file' }] })
})

requirement('listen:told-to-everybody', async ({ connect }) => {
  const server = changingServer()
  const heard = new Inbox<string>()
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  await using _subscription = await client.listen(TOOLS)
  await server.announce({ type: 'toolsListChanged' })

  expect(await heard.first(1)).toEqual([TOOLS_CHANGED])
})

requirement('listen:unread-blocks-nobody', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  const uris = Array.from({ length: 500 }, (_value, index) => `x:${index}`)
  await using _unread = await client.listen({ resourceSubscriptions: uris })
  await using read = await client.listen(TOOLS)
  for (const uri of uris) await server.announce({ type: 'resourceUpdated', uri })
  await server.announce({ type: 'toolsListChanged' })

  expect(await take(read, 1)).toEqual([{ type: 'toolsListChanged' }])
  expect((await client.listTools()).tools).toEqual([])
})

requirement('listen:backlog', async ({ connect }) => {
  const told = createDeferred<AbortSignal>()
  const server = scriptedServer(async (tell, ctx) => {
    await tell(ACKNOWLEDGED, { notifications: { resourceSubscriptions: ['x:'] } })
    for (let count = 0; count < 1_100; count += 1) await tell(UPDATED, { uri: `x:${count}` })
    told.resolve(ctx.signal)
    await untilAborted(ctx)
  })
  await using client = await connect(server)
  const subscription = await client.listen({ resourceSubscriptions: ['x:'] })
  const signal = await told.promise
  await expect.poll(() => signal.aborted).toBe(true)

  const { events, error } = await readOut(subscription)
  expect(events).toHaveLength(1_024)
  expect(error).toBeInstanceOf(SubscriptionLost)
})

requirement('listen:limit-of-a-connection', async ({ connect }) => {
  await using client = await connect(changingServer())
  const open = await Promise.all(Array.from({ length: 100 }, () => client.listen(TOOLS)))
  expect(await refusalOf(client.listen(TOOLS))).toEqual({ code: -32603, local: false })
  await open[0]?.close()

  await expect
    .poll(() =>
      client.listen(TOOLS).then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
})

requirement('listen:bounds-what-it-keeps', async ({ connect }) => {
  await using client = await connect(changingServer())
  const listen = (...uris: string[]) => client.listen({ resourceSubscriptions: uris })
  await expect(listen(`x:${'a'.repeat(8_191)}`)).rejects.toMatchObject({
    code: -32602,
    data: { limit: 'bytes of a uri', max: 8_192 },
  })
  const uris = Array.from({ length: 32 }, (_, index) => `x:${String(index).padEnd(8_190, 'a')}`)
  await expect(listen(...uris)).rejects.toMatchObject({
    code: -32602,
    data: { limit: 'bytes of a subscription', max: 262_144 },
  })

  const subscription = await listen(...uris.slice(1))
  expect(subscription.honored.resourceSubscriptions).toHaveLength(31)
})

const EVERYTHING: SubscriptionFilter = { ...LISTS, resourceSubscriptions: ['x:1', 'x:2'] }

requirement('listen:both-modes', async ({ connect, isModern }) => {
  const server = changingServer()
  const seen = noteMethods(server)
  await using client = await connect(server)
  const subscription = await client.listen(EVERYTHING)
  expect(subscription.honored).toEqual(EVERYTHING)
  expect(subscription.refused).toEqual({})

  await server.announce({ type: 'toolsListChanged' })
  await server.announce({ type: 'promptsListChanged' })
  await server.announce({ type: 'resourcesListChanged' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:3' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:2' })
  const events = await take(subscription, 5)
  expect(events).toEqual([
    { type: 'toolsListChanged' },
    { type: 'promptsListChanged' },
    { type: 'resourcesListChanged' },
    { type: 'resourceUpdated', uri: 'x:1' },
    { type: 'resourceUpdated', uri: 'x:2' },
  ])
  await subscription.close()
  expect(await subscription.next()).toEqual({ done: true, value: undefined })
  if (!isModern) await expect.poll(() => seen.count('resources/unsubscribe')).toBe(2)
  expect(seen.count('subscriptions/listen')).toBe(isModern ? 1 : 0)
})

requirement('listen:both-modes:subscribe-resource', async ({ connect }) => {
  const server = changingServer()
  const updated: unknown[] = []
  await using client = await connect(server, {
    onMessage: ({ method, params }) => {
      if (method === UPDATED) updated.push((params as { uri: string }).uri)
    },
  })
  expect(await client.subscribeResource('x:1')).toEqual({})
  expect(await client.subscribeResource('x:2')).toEqual({})
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await expect.poll(() => updated).toEqual(['x:1'])
  expect(await client.unsubscribeResource('x:1')).toEqual({})
  await client.listTools()
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:2' })
  await expect.poll(() => updated).toEqual(['x:1', 'x:2'])
})

requirement('listen:handshake:shared-resource', async ({ connect }) => {
  const server = changingServer()
  const seen = noteMethods(server)
  await using client = await connect(server)
  await client.subscribeResource('x:1')
  const first = await client.listen({ resourceSubscriptions: ['x:1'] })
  const second = await client.listen({ resourceSubscriptions: ['x:1'] })
  await first.close()
  await client.unsubscribeResource('x:1')
  await client.listTools()
  expect(seen.count('resources/unsubscribe')).toBe(0)

  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  expect(await take(second, 1)).toEqual([{ type: 'resourceUpdated', uri: 'x:1' }])
  await second.close()
  await expect.poll(() => seen.count('resources/unsubscribe')).toBe(1)
})

requirement('listen:handshake:refused-in-part', async ({ connect }) => {
  const server = changingServer()
  server.use((ctx, next) => {
    if (ctx.method === 'resources/subscribe' && ctx.params?.['uri'] === 'x:2') throw new MCPError(-32002, 'No such')
    return next()
  })
  await using client = await connect(server)
  await using subscription = await client.listen({ ...TOOLS, resourceSubscriptions: ['x:1', 'x:2'] })
  expect(subscription.honored).toEqual({ ...TOOLS, resourceSubscriptions: ['x:1'] })
  expect(subscription.refused).toEqual({ resourceSubscriptions: ['x:2'] })
})

requirement('listen:handshake:not-offered', async ({ connect }) => {
  const server = changingServer(false)
  const seen = noteMethods(server)
  await using client = await connect(server)

  expect(await failureOf(client.listen({ ...TOOLS, resourceSubscriptions: ['x:1'] }))).toBeInstanceOf(
    ListenNotSupportedError,
  )
  await client.listTools()
  expect(seen.count('resources/subscribe')).toBe(0)
})

requirement('listen:not-offered', async ({ connect }) => {
  await using client = await connect(changingServer(false))

  expect(await refusalOf(client.listen(TOOLS))).toEqual({ code: -32601, local: false })
})

requirement('listen:malformed-filter', async ({ connect }) => {
  const server = changingServer()
  const seen = noteMethods(server)
  await using client = await connect(server)
  const bare = { resourceSubscriptions: 'x:1' } as unknown as SubscriptionFilter

  expect(await failureOf(client.listen(bare))).toBeInstanceOf(TypeError)
  expect(seen.count('subscriptions/listen')).toBe(0)
})
