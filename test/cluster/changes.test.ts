// Changes that one node announces reach the clients of all nodes.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Subscription } from '../../src/client/subscriptions/subscription.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { serverOf } from '../../src/server/http/handler.ts'
import { topicOfKey } from '../../src/server/subscriptions/change-message.ts'
import { createSubscriptionBus } from '../../src/server/subscriptions/subscriptions.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import type { SubscriptionFilter } from '../../src/types/features/subscriptions.ts'
import { connectClient, type NodeParts, RawClient, StreamReader, startCluster, type TestCluster } from './cluster.ts'

function createServer({ backend, onFault }: NodeParts): MCPServer {
  const server = new MCPServer('changes', { backend, onFault })
  server.tool('hello', () => 'hello')
  server.prompt('hi', () => 'hi')
  for (const name of ['a', 'b', 'c']) server.resource(`test://${name}`, {}, () => name)
  server.resource('test://{number}', ({ number }) => `${number}`)
  return server
}

/** All nodes go by one clock that the test moves. */
function createServerBy(clock: FakeClock) {
  return (parts: NodeParts): MCPServer => {
    const server = createServer(parts)
    serverOf(server).clock = clock
    return server
  }
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const
const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
/** On as many topics as 40 uris are on. */
const MANY = Array.from({ length: 40 }, (_, index) => `test://${index}`)

async function listen(
  { nodes }: TestCluster,
  index: number,
  filter: SubscriptionFilter,
): Promise<Subscription<SubscriptionFilter>> {
  const { fetch } = nodes[index]!
  const client = await connectClient((input, init) => fetch(new Request(input, init)), { mode: 'modern' })
  const subscription = await client.listen(filter)
  onTestFinished(() => subscription.close())
  return subscription as Subscription<SubscriptionFilter>
}

function published({ backend }: TestCluster): string[] {
  return backend.trips.filter((trip) => trip.startsWith('topics.publish changes'))
}

function serverAt({ nodes }: TestCluster, index: number): MCPServer {
  return nodes[index]!.server
}

describe('changes on three nodes', () => {
  test('a list that changes on one node is announced to the clients of all nodes, once to each', async () => {
    const cluster = await startCluster(createServer)
    const subscriptions = await Promise.all(
      [0, 1, 2].map((index) => listen(cluster, index, { toolsListChanged: true, promptsListChanged: true })),
    )
    serverAt(cluster, 1).tool('another', () => 'x')
    for (const subscription of subscriptions) {
      expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
    }
    serverAt(cluster, 2).prompt('p', () => 'x')
    // The next thing that each of them hears: no echo came in between.
    for (const subscription of subscriptions) {
      expect((await subscription.next()).value).toEqual({ type: 'promptsListChanged' })
    }
  })

  test('a resource is announced to those who watch it, and to no others', async () => {
    const cluster = await startCluster(createServer)
    const one = await listen(cluster, 0, { resourceSubscriptions: ['test://a'] })
    const other = await listen(cluster, 1, { resourceSubscriptions: ['test://b'] })
    await serverAt(cluster, 2).notifyResourceUpdated('test://a')
    await serverAt(cluster, 2).notifyResourceUpdated('test://b')
    expect((await one.next()).value).toEqual({ type: 'resourceUpdated', uri: 'test://a' })
    expect((await other.next()).value).toEqual({ type: 'resourceUpdated', uri: 'test://b' })
  })

  test('a node listens to the topic of a uri only while one of its clients watches a uri there', async () => {
    const topics: string[] = []
    const cluster = await startCluster(({ backend, ...parts }) => {
      const { subscribe } = backend.topics
      const watched: typeof subscribe = (topic, listener) => {
        const subscription = subscribe(topic, listener)
        if (topic.startsWith('changes')) topics.push(`open ${topic}`)
        const close = () => {
          if (topic.startsWith('changes')) topics.push(`close ${topic}`)
          subscription.close()
        }
        return { ready: subscription.ready, close }
      }
      return createServer({ ...parts, backend: { ...backend, topics: { ...backend.topics, subscribe: watched } } })
    })
    expect(topics).toEqual(['open changes', 'open changes', 'open changes'])
    topics.length = 0
    const topic = topicOfKey('uri test://a')
    const [one, other] = [
      await listen(cluster, 0, { resourceSubscriptions: ['test://a'] }),
      await listen(cluster, 0, { resourceSubscriptions: ['test://a'] }),
    ]
    expect(topics).toEqual([`open ${topic}`])
    await one.close()
    expect(topics).toEqual([`open ${topic}`])
    await other.close()
    await expect.poll(() => topics).toEqual([`open ${topic}`, `close ${topic}`])
  })

  test('a legacy client hears of a change of another node once, on the node that has its stream', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.get(1))
    onTestFinished(() => stream.cancel())
    // Each node has an object of the session.
    for (const node of [0, 1, 2]) await client.tool(node, 'hello')
    await client.request(2, 'resources/subscribe', { uri: 'test://a' })
    serverAt(cluster, 0).tool('another', () => 'x')
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    await serverAt(cluster, 2).notifyResourceUpdated('test://a')
    expect(await stream.next()).toMatchObject({ method: 'notifications/resources/updated' })
    serverAt(cluster, 1).prompt('p', () => 'x')
    expect(await stream.next()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  })

  test('a change that waits for a legacy client without a stream is there when it opens one', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    for (const node of [0, 1, 2]) await client.tool(node, 'hello')
    serverAt(cluster, 0).tool('another', () => 'x')
    await expect.poll(() => published(cluster).length).toBe(1)
    const stream = new StreamReader(await client.get(2))
    onTestFinished(() => stream.cancel())
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    serverAt(cluster, 0).prompt('p', () => 'x')
    expect(await stream.next()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  })

  test('a change that a node announces just before it stops reaches the others', async () => {
    const cluster = await startCluster(createServer)
    const subscription = await listen(cluster, 0, { resourceSubscriptions: ['test://a', 'test://b'] })
    const { server, handler } = cluster.nodes[2]!
    void server.notifyResourceUpdated('test://a')
    void server.notifyResourceUpdated('test://b')
    await handler.close({ drainMs: 0 })
    const uris = [(await subscription.next()).value, (await subscription.next()).value]
    expect(uris).toEqual([
      { type: 'resourceUpdated', uri: 'test://a' },
      { type: 'resourceUpdated', uri: 'test://b' },
    ])
  })

  test('a bus of the author is used as it is, and nothing is published on the backend', async () => {
    const bus = createSubscriptionBus()
    const cluster = await startCluster(({ backend, onFault }) => {
      const server = new MCPServer('changes', { backend, onFault, subscriptions: bus })
      server.tool('hello', () => 'hello')
      return server
    })
    const subscription = await listen(cluster, 0, { toolsListChanged: true })
    serverAt(cluster, 1).tool('another', () => 'x')
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
    expect(published(cluster)).toEqual([])
  })

  test('changes that no message can be read from are reported and change nothing', async () => {
    const cluster = await startCluster(createServer)
    const subscription = await listen(cluster, 0, { toolsListChanged: true })
    const from = 'abcdefghijkl'
    for (const text of ['', 'null', '{"v":1}', `{"v":2,"from":"${from}","changes":[["toolsListChanged"]]}`]) {
      cluster.backend.inject('changes', text)
    }
    cluster.backend.inject('changes', 'x'.repeat(1024 * 1024))
    await expect.poll(() => cluster.faults.filter(({ kind }) => kind === 'invalid-message').length).toBe(15)
    const changes = [['fromTheFuture'], ['__proto__'], [1], 'x', ['resourceUpdated'], ['toolsListChanged']]
    cluster.backend.inject('changes', JSON.stringify({ v: 1, from, changes }))
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
  })
})

describe('changes and a broken engine', () => {
  test('D029: changes that a node may have missed are announced once: each list, and each watched resource', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock))
    const lists = await listen(cluster, 0, { toolsListChanged: true, resourcesListChanged: true })
    const resources = await listen(cluster, 0, { resourceSubscriptions: ['test://a', 'test://b'] })
    cluster.backend.breakTopics()
    await clock.advance(5_000)
    const heard = [(await lists.next()).value, (await lists.next()).value].map((event) => event?.type)
    expect(heard.toSorted()).toEqual(['resourcesListChanged', 'toolsListChanged'])
    const uris = [(await resources.next()).value, (await resources.next()).value]
    expect(uris).toEqual([
      { type: 'resourceUpdated', uri: 'test://a' },
      { type: 'resourceUpdated', uri: 'test://b' },
    ])
    serverAt(cluster, 1).tool('another', () => 'x')
    expect((await lists.next()).value).toEqual({ type: 'toolsListChanged' })
  })

  test('D029: the clients of a node do not hear of it all at the same time', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock), { size: 1 })
    let heard = 0
    for (let count = 0; count < 20; count += 1) {
      const subscription = await listen(cluster, 0, { toolsListChanged: true })
      void subscription.next().then(() => {
        heard += 1
      })
    }
    cluster.backend.breakTopics()
    await clock.advance(1_000)
    await expect.poll(() => heard).toBeGreaterThan(5)
    expect(heard).toBeLessThan(15)
    await clock.advance(4_000)
    await expect.poll(() => heard).toBe(20)
  })

  test('D029: while the engine takes nothing a change waits, its failure is reported once, and it is sent later', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock))
    const subscription = await listen(cluster, 0, { resourceSubscriptions: ['test://a'] })
    cluster.backend.failing = 'topics.publish'
    await serverAt(cluster, 1).notifyResourceUpdated('test://a')
    await clock.advance(30_000)
    expect(cluster.faults.filter(({ kind }) => kind === 'notification-failed')).toHaveLength(1)
    cluster.backend.failing = undefined
    await clock.advance(5_000)
    expect((await subscription.next()).value).toEqual({ type: 'resourceUpdated', uri: 'test://a' })
  })

  /** A second by the clock in which 10,000 changes are announced: of 40 resources in turn, and of every list. */
  async function announceForASecond(server: ReturnType<typeof serverOf>, clock: FakeClock): Promise<void> {
    let nth = 0
    for (let ms = 0; ms < 1_000; ms += 20) {
      for (let count = 0; count < 196; count += 1) {
        nth += 1
        void server.announce({ type: 'resourceUpdated', uri: MANY[nth % MANY.length]! })
      }
      for (const type of LISTS) void server.announce({ type })
      void server.announce({ type: 'toolsListChanged' })
      await clock.advance(20)
    }
  }

  test('D030: 10,000 changes a second are few messages, each client is told of few, and hears of each last one', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock))
    const watched = MANY.slice(0, 3)
    const subscription = await listen(cluster, 0, { ...ALL_LISTS, resourceSubscriptions: watched })
    const heard: string[] = []
    void (async () => {
      for await (const event of subscription) heard.push(event.type === 'resourceUpdated' ? event.uri : event.type)
    })()
    await announceForASecond(serverOf(serverAt(cluster, 1)), clock)
    // On each topic one every 20 ms, of which there are as many as the resources have, and the one of lists.
    const topics = new Set(MANY.map((uri) => topicOfKey(`uri ${uri}`))).size + 1
    expect(topics).toBeGreaterThan(20)
    expect(published(cluster).length).toBeLessThanOrEqual(topics * 51)
    await clock.advance(1_000)
    const names = [...watched, ...LISTS]
    await expect.poll(() => new Set(heard)).toEqual(new Set(names))
    for (const name of names) expect(heard.filter((one) => one === name).length).toBeLessThanOrEqual(60)
    // What comes after it all is heard of: nothing waits in a line behind it.
    heard.length = 0
    for (const uri of watched) await serverAt(cluster, 1).notifyResourceUpdated(uri)
    await clock.advance(1_000)
    await expect.poll(() => heard.toSorted()).toEqual(watched.toSorted())
  })

  test('D030: a node that receives 10,000 changes a second needs a fifth of a processor at most', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock), { size: 2 })
    const subscription = await listen(cluster, 0, { ...ALL_LISTS, resourceSubscriptions: MANY })
    void (async () => {
      for await (const _ of subscription);
    })()
    // The worst case: each of them comes from another node, so that none of them shares a message with others.
    const messages = Array.from({ length: 10_000 }, (_, nth) => {
      const uri = MANY[nth % MANY.length]!
      const [type, topic] =
        nth % 50 === 0 ? [LISTS[nth % 3]!, 'changes'] : ['resourceUpdated', topicOfKey(`uri ${uri}`)]
      const changes = [type === 'resourceUpdated' ? [type, uri] : [type]]
      return { topic, text: JSON.stringify({ v: 1, from: String(nth).padStart(12, 'n'), server: 'changes', changes }) }
    })
    const shares: number[] = []
    // The least of several: another program may have the caches meanwhile.
    for (let second = 0; second < 5; second += 1) {
      let micros = 0
      for (let ms = 0; ms < 1_000; ms += 20) {
        const before = process.cpuUsage()
        for (const { topic, text } of messages.slice(ms * 10, ms * 10 + 200)) cluster.backend.inject(topic, text)
        await new Promise((resolve) => setImmediate(resolve))
        const { user, system } = process.cpuUsage(before)
        micros += user + system
        // Looking whether something is still to be done takes the clock longer than all the rest.
        await clock.advance(20)
      }
      shares.push(micros / 1e6)
    }
    expect(Math.min(...shares)).toBeLessThanOrEqual(0.2)
  })

  test('D030: more different changes than may wait become one message, after which every watched resource is announced', async () => {
    const clock = fakeClock()
    const cluster = await startCluster(createServerBy(clock))
    const topic = topicOfKey('uri test://a')
    const uris: string[] = []
    for (let count = 0; uris.length < 1_100; count += 1) {
      if (topicOfKey(`uri test://many/${count}`) === topic) uris.push(`test://many/${count}`)
    }
    const subscription = await listen(cluster, 0, { resourceSubscriptions: ['test://a'] })
    for (const uri of uris) void serverAt(cluster, 1).notifyResourceUpdated(uri)
    await clock.advance(1_000)
    expect(published(cluster).length).toBe(2)
    expect((await subscription.next()).value).toEqual({ type: 'resourceUpdated', uri: 'test://a' })
  })
})
