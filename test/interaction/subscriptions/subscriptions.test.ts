// Changes: announced once on a server's bus, told to clients of both eras in the way of each.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { ClientSessionGroup } from '../../../src/client/group/session-group.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import {
  createSubscriptionBus,
  type SubscriptionBus,
  type SubscriptionEvent,
} from '../../../src/server/subscriptions/subscriptions.ts'
import { requirement } from '../kit/requirement.ts'
import { Inbox, NO_CONTENT, noteMethods, tool, toolServer } from '../kit/support-features.ts'

const HANDLERS: NonNullable<ServerOptions['handlers']> = {
  'tools/list': () => ({ tools: [] }),
  'resources/list': () => ({ resources: [] }),
  'resources/read': () => ({ contents: [] }),
  'prompts/list': () => ({ prompts: [] }),
}

function changingServer(subscriptions: boolean | SubscriptionBus = true): Server {
  return new Server('changing', { subscriptions, handlers: HANDLERS })
}

const LIST_EVENTS: SubscriptionEvent[] = [
  { type: 'toolsListChanged' },
  { type: 'promptsListChanged' },
  { type: 'resourcesListChanged' },
]
const LIST_METHODS = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
]
const EVERYTHING = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** A bus that knows how many listen to it. */
function countingBus(): SubscriptionBus & { count: number } {
  const bus = createSubscriptionBus()
  const counting = {
    count: 0,
    publish: (event: SubscriptionEvent) => bus.publish(event),
    subscribe: (listener: Parameters<SubscriptionBus['subscribe']>[0]) => {
      counting.count += 1
      const leave = bus.subscribe(listener)
      let isOver = false
      return () => {
        if (!isOver) counting.count -= 1
        isOver = true
        leave()
      }
    },
  }
  return counting
}

requirement('changes:handshake:lists', async ({ connect }) => {
  const server = changingServer()
  const heard = new Inbox<string>()
  await using _client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  for (const event of LIST_EVENTS) await server.announce(event)

  expect(await heard.first(3)).toEqual(LIST_METHODS)
})

requirement('changes:handshake:only-lists-that-exist', async ({ connect }) => {
  const server = new Server('prompts', { subscriptions: true, handlers: { 'prompts/list': () => ({ prompts: [] }) } })
  const heard = new Inbox<string>()
  await using _client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  for (const event of [...LIST_EVENTS, ...LIST_EVENTS]) await server.announce(event)
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })

  await expect.poll(() => heard.items.length).toBeGreaterThan(0)
  expect(new Set(heard.items)).toEqual(new Set(['notifications/prompts/list_changed']))
})

requirement('changes:handshake:only-what-was-declared', async ({ connect }) => {
  const server = new Server('late', { subscriptions: true, handlers: { 'tools/list': () => ({ tools: [] }) } })
  const [early, late] = [new Inbox<string>(), new Inbox<string>()]
  await using first = await connect(server, { onMessage: ({ method }) => early.push(method) })
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  await using second = await connect(server, { onMessage: ({ method }) => late.push(method) })
  for (const client of [first, second]) await client.sendPing()
  await server.announce({ type: 'promptsListChanged' })
  await server.announce({ type: 'toolsListChanged' })

  expect(await late.first(2)).toEqual(['notifications/prompts/list_changed', 'notifications/tools/list_changed'])
  expect(await early.first(1)).toEqual(['notifications/tools/list_changed'])
})

requirement('changes:handshake:by-the-session', async ({ connect }) => {
  const heard = new Inbox<string>()
  const server = toolServer([tool('change')], async ({ session }) => {
    await session.sendToolListChanged()
    await session.sendPromptListChanged()
    await session.sendResourceListChanged()
    await session.sendResourceUpdated('x:1')
    return NO_CONTENT
  })
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  await client.callTool('change')

  expect(await heard.first(4)).toEqual([...LIST_METHODS, 'notifications/resources/updated'])
})

requirement('changes:modern:nothing-outside-listen', async ({ connect, wire }) => {
  const heard = new Inbox<string>()
  const server = changingServer()
  server.setRequestHandler('tools/call', async ({ session }) => {
    await session.sendToolListChanged()
    await session.sendPromptListChanged()
    await session.sendResourceListChanged()
    await session.sendResourceUpdated('x:1')
    for (const method of LIST_METHODS) await session.sendNotification(method)
    for (const event of LIST_EVENTS) await server.announce(event)
    return { content: [] }
  })
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  await client.callTool('change')
  await client.callTool('change')

  expect(heard.items).toEqual([])
  expect(wire.received.filter((message) => 'method' in message)).toEqual([])
})

requirement('changes:every-client', async ({ connect, isModern }) => {
  const server = changingServer()
  const inboxes = [new Inbox<string>(), new Inbox<string>(), new Inbox<string>()]
  const clients: Client[] = []
  for (const heard of inboxes) {
    const client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
    clients.push(client)
    if (isModern) await client.listen(EVERYTHING)
  }
  await server.announce({ type: 'toolsListChanged' })

  for (const heard of inboxes) expect(await heard.first(1)).toEqual(['notifications/tools/list_changed'])
  for (const client of clients) await client.close()
})

requirement('changes:one-bus-for-both-eras', async ({ connect, isModern }) => {
  const server = changingServer()
  const [here, there] = [new Inbox<string>(), new Inbox<string>()]
  await using ours = await connect(server, { onMessage: ({ method }) => here.push(method) })
  const mode = isModern ? 'legacy' : 'auto'
  await using theirs = await Client.connect(server, { mode, onMessage: ({ method }) => there.push(method) })
  await using _subscription = await (isModern ? ours : theirs).listen(EVERYTHING)
  for (const event of LIST_EVENTS) await server.announce(event)

  expect(await here.first(3)).toEqual(LIST_METHODS)
  expect(await there.first(3)).toEqual(LIST_METHODS)
})

requirement('changes:bus-shared-by-servers', async ({ connect, isModern }) => {
  const bus = createSubscriptionBus()
  const [one, two] = [changingServer(bus), changingServer(bus)]
  const heard = new Inbox<string>()
  await using client = await connect(one, { onMessage: ({ method }) => heard.push(method) })
  if (isModern) await client.listen(EVERYTHING)
  await two.announce({ type: 'promptsListChanged' })

  expect(await heard.first(1)).toEqual(['notifications/prompts/list_changed'])
})

requirement('changes:nobody-left-behind', async ({ connect, isModern }) => {
  const bus = countingBus()
  const server = changingServer(bus)
  const client = await connect(server)
  if (isModern) await client.listen(EVERYTHING)
  else await client.sendPing()
  expect(bus.count).toBe(1)
  await client.close()

  await expect.poll(() => bus.count).toBe(0)
})

requirement('changes:a-listener-that-fails', async ({ connect, isModern }) => {
  const bus = createSubscriptionBus()
  bus.subscribe(() => {
    throw new Error('not my day')
  })
  const server = changingServer(bus)
  const heard = new Inbox<string>()
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  if (isModern) await client.listen(EVERYTHING)
  await server.announce({ type: 'toolsListChanged' })

  expect(await heard.first(1)).toEqual(['notifications/tools/list_changed'])
})

requirement('changes:burst', async ({ connect, isModern }) => {
  const server = changingServer()
  const uris = Array.from({ length: 500 }, (_value, index) => `x:${index}`)
  const heard = new Inbox<string>()
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  if (isModern) await client.listen({ resourceSubscriptions: uris })
  else for (const uri of uris) await client.subscribeResource(uri)
  // Far more than may wait for a client at once.
  for (let round = 0; round < 5; round += 1) {
    for (const uri of uris) await server.announce({ type: 'resourceUpdated', uri })
  }

  expect(await heard.first(2_500)).toHaveLength(2_500)
})

requirement('fault:F102:storm', async ({ connect, isModern }) => {
  const server = changingServer()
  const heard = new Inbox<string>()
  await using client = await connect(server, { onMessage: ({ method }) => heard.push(method) })
  await using subscription = isModern ? await client.listen(EVERYTHING) : undefined
  for (let count = 0; count < 100_000; count += 1) void server.announce({ type: 'toolsListChanged' })
  await server.announce({ type: 'promptsListChanged' })

  await expect.poll(() => heard.items).toContain('notifications/prompts/list_changed')
  expect(heard.items.length).toBeLessThan(10)
  if (subscription !== undefined) expect(subscription.isClosed).toBe(false)
})

requirement('fault:F102:one-refresh-and-one-more', async ({ connect, transport }) => {
  const isRemote = transport !== 'direct' && transport !== 'memory'
  const entered = new Inbox<number>()
  let gate = createDeferred<void>()
  gate.resolve()
  let version = 0
  const server = changingServer()
  server.setRequestHandler('tools/list', async () => {
    const current = version
    entered.push(current)
    await gate.promise
    return { tools: [tool(`v${current}`)] }
  })
  const seen = noteMethods(server)
  await using client = await connect(server)
  await using group = new ClientSessionGroup()
  await group.connectWithSession({ name: 'g', version: '1' }, client.session)
  await expect.poll(() => seen.count('subscriptions/listen')).toBe(1)
  gate = createDeferred()
  version = 1
  await server.announce({ type: 'toolsListChanged' })
  await entered.first(2)
  version = 2
  for (let count = 0; count < 50; count += 1) await server.announce({ type: 'toolsListChanged' })
  gate.resolve()

  await expect.poll(() => [...group.tools.keys()]).toEqual(['v2'])
  // Of fifty changes; where a message takes time, the last of them may come after the second refresh.
  expect(entered.items.length).toBeLessThanOrEqual(isRemote ? 8 : 4)
})
