// Changes that all nodes hear, and the one node that announces them to the client of a session.
import { expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type NodeParts, RawClient, StreamReader, startCluster, type TestCluster, textOf } from './cluster.ts'

function start(life: Life = { isOver: false }): Promise<TestCluster> {
  return startCluster(({ backend: shared, onFault, index }: NodeParts) => {
    const backend = index === 0 ? mortal(shared, life) : shared
    const server = new MCPServer('announcing', { backend, onFault, subscriptions: true })
    server.tool('where', () => `node ${index}`)
    server.resource('text://a', () => 'a')
    server.prompt('p', () => 'p')
    return server
  })
}

interface Life {
  isOver: boolean
}

/** The engine as a node has it that is gone from one moment to the next: it hears nothing and says nothing from then on. */
function mortal(backend: Backend, life: Life): Backend {
  const { records, logs, topics } = backend
  const never = new Promise<never>(() => {})
  return {
    ...backend,
    records: {
      ...records,
      get: (key, options) => (life.isOver ? never : records.get(key, options)),
      put: (key, value, options) => (life.isOver ? never : records.put(key, value, options)),
    },
    logs: {
      ...logs,
      post: (log, data, options) => (life.isOver ? never : logs.post(log, data, options)),
      follow: (log, onMore) => logs.follow(log, (entry) => life.isOver || onMore(entry)),
    },
    topics: {
      publish: (topic, message) => (life.isOver ? never : topics.publish(topic, message)),
      subscribe: (topic, { message, missed }) =>
        topics.subscribe(topic, { message: (text) => void (life.isOver || message(text)), missed }),
    },
  }
}

/** Makes every node know the session. */
async function visitAll(client: RawClient): Promise<void> {
  for (const node of [0, 1, 2]) expect(await textOf(await client.tool(node, 'where'))).toBe(`node ${node}`)
}

/** What comes until the change that ends the test. */
async function readUntilPrompts(stream: StreamReader): Promise<unknown[]> {
  const methods: unknown[] = []
  for (;;) {
    const message = (await stream.next()) as JSONObject
    if (message['method'] === 'notifications/prompts/list_changed') return methods
    methods.push(message['method'])
  }
}

async function announce(cluster: TestCluster, node: number, changes: readonly string[]): Promise<void> {
  const { server } = cluster.nodes[node]!.server
  for (const type of changes) await server.announce({ type: type as 'toolsListChanged' })
}

const CHANGES = ['toolsListChanged', 'resourcesListChanged', 'promptsListChanged']
const ANNOUNCED = ['notifications/tools/list_changed', 'notifications/resources/list_changed']

test('a change that all nodes hear is announced once, whichever node has the stream', async () => {
  const cluster = await start()
  for (const holder of [0, 1, 2]) {
    const client = await RawClient.open(cluster, 0)
    await visitAll(client)
    const stream = new StreamReader(await client.get(holder))
    await announce(cluster, (holder + 1) % 3, CHANGES)
    expect(await readUntilPrompts(stream)).toEqual(ANNOUNCED)
    await stream.cancel()
  }
})

test('before the client listens the node that makes a change keeps it, once', async () => {
  const cluster = await start()
  const client = await RawClient.open(cluster, 1)
  await visitAll(client)
  await announce(cluster, 2, CHANGES)
  const stream = new StreamReader(await client.get(0))
  expect(await readUntilPrompts(stream)).toEqual(ANNOUNCED)
  await stream.cancel()
})

test('the node that announces learns of a watch that another node took, before that is answered', async () => {
  const cluster = await start()
  const client = await RawClient.open(cluster, 0)
  const stream = new StreamReader(await client.get(1))
  const uri = 'text://a'
  const announceIt = () => cluster.nodes[2]!.server.server.announce({ type: 'resourceUpdated', uri })
  expect((await client.request(2, 'resources/subscribe', { uri })).status).toBe(200)
  await announceIt()
  expect(await stream.next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  expect((await client.request(0, 'resources/unsubscribe', { uri })).status).toBe(200)
  await announceIt()
  await announce(cluster, 2, ['toolsListChanged'])
  expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  await stream.cancel()
})

/** What comes on a stream until a message that a node sends at the end. */
async function methodsUntil(stream: StreamReader, last: string): Promise<unknown[]> {
  const methods: unknown[] = []
  for (;;) {
    const method = (await stream.next())?.['method']
    if (method === last || method === undefined) return methods
    methods.push(method)
  }
}

test('changes between the death of the node with the stream and its resumption elsewhere are announced', async () => {
  const life = { isOver: false }
  const cluster = await start(life)
  const client = await RawClient.open(cluster, 0)
  await visitAll(client)
  await client.request(1, 'resources/subscribe', { uri: 'text://a' })
  const first = new StreamReader(await client.get(0))
  await announce(cluster, 0, ['promptsListChanged'])
  expect(await first.next()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  life.isOver = true
  await announce(cluster, 1, ['toolsListChanged'])
  await cluster.nodes[2]!.server.server.announce({ type: 'resourceUpdated', uri: 'text://a' })
  const second = new StreamReader(await client.get(2, first.lastEventId))
  // What was missed, and what may have been.
  expect(await methodsUntil(second, 'notifications/resources/updated')).toEqual([
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
  ])
  await announce(cluster, 1, ['toolsListChanged'])
  expect(await second.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  await Promise.all([first.cancel(), second.cancel()])
})

test('a handover between nodes that live announces nothing that has not changed', async () => {
  const cluster = await start()
  const client = await RawClient.open(cluster, 0)
  await visitAll(client)
  const first = new StreamReader(await client.get(0))
  await announce(cluster, 1, ['promptsListChanged'])
  expect(await first.next()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  const second = new StreamReader(await client.get(2, first.lastEventId))
  await announce(cluster, 1, ['toolsListChanged', 'promptsListChanged'])
  expect(await methodsUntil(second, 'notifications/prompts/list_changed')).toEqual(['notifications/tools/list_changed'])
  await Promise.all([first.cancel(), second.cancel()])
})

test('while nobody listens a change is kept by one node only, whichever node made it', async () => {
  const cluster = await start()
  for (const maker of [0, 1, 2]) {
    const client = await RawClient.open(cluster, 0)
    await visitAll(client)
    const first = new StreamReader(await client.get(1))
    await announce(cluster, maker, ['promptsListChanged'])
    expect(await first.next()).toMatchObject({ method: 'notifications/prompts/list_changed' })
    await first.cancel()
    // Every node knows that nobody listens.
    await expect.poll(() => listeningOf(cluster)).toBe(false)
    await visitAll(client)
    const published = () => cluster.backend.trips.filter((trip) => trip === 'topics.publish changes').length
    const before = published()
    await announce(cluster, maker, CHANGES)
    // The first change goes to the other nodes at once, the rest a moment later.
    await expect.poll(published).toBe(before + 2)
    const second = new StreamReader(await client.get(2))
    expect([maker, await readUntilPrompts(second)]).toEqual([maker, ANNOUNCED])
    await announce(cluster, maker, CHANGES)
    // Had a second node kept the changes too, they would come before these.
    expect([maker, await readUntilPrompts(second)]).toEqual([maker, ANNOUNCED])
    await second.cancel()
    await client.delete(0)
  }
})

/** Whether the record of the only session says that a connection has its stream. */
function listeningOf({ backend }: TestCluster): unknown {
  const key = backend.keys().find((name) => name.startsWith('s.')) ?? ''
  const { listening } = JSON.parse(backend.peek(key)?.value ?? '{}') as { listening?: { isOpen: boolean } }
  return listening?.isOpen
}
