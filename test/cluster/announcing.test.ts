// Changes that all nodes hear, and the one node that announces them to the client of a session.
import { expect, test } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type NodeParts, RawClient, StreamReader, startCluster, type TestCluster, textOf } from './cluster.ts'

function start(): Promise<TestCluster> {
  return startCluster(({ backend, onFault, index }: NodeParts) => {
    const server = new MCPServer('announcing', { backend, onFault, subscriptions: true })
    server.tool('where', () => `node ${index}`)
    server.resource('text://a', () => 'a')
    server.prompt('p', () => 'p')
    return server
  })
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
