// A server that is mounted in another one, on three nodes with one backend: what changes in it is announced once.
import { expect, test } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { type NodeParts, RawClient, StreamReader, startCluster, type TestCluster } from './cluster.ts'

const URI = 'text://a'

interface Mounted {
  readonly cluster: TestCluster
  /** What is mounted, on each node. */
  readonly children: readonly MCPServer[]
}

/** `isShared`: the mounted server has the backend as well. */
async function start(isShared: boolean): Promise<Mounted> {
  const children: MCPServer[] = []
  const cluster = await startCluster(({ backend, onFault }: NodeParts) => {
    const child = new MCPServer('child', { onFault, subscriptions: true, ...(isShared && { backend }) })
    child.tool('where', () => 'here')
    child.resource(URI, () => 'a')
    child.prompt('p', () => 'p')
    children.push(child)
    const server = new MCPServer('parent', { backend, onFault, subscriptions: true })
    server.tool('own', () => 'own')
    server.mount(child)
    return server
  })
  return { cluster, children }
}

/** What comes until the change of prompts that ends a round. */
async function readRound(stream: StreamReader): Promise<string[]> {
  const methods: string[] = []
  for (;;) {
    const { method } = (await stream.next()) as { method: string }
    if (method === 'notifications/prompts/list_changed') return methods
    methods.push(method)
  }
}

for (const isShared of [true, false]) {
  const of = isShared ? 'with the same backend' : 'without a backend'
  test(`changes of a mounted server ${of} are announced once on each node, whichever node they happen on`, async () => {
    const { cluster, children } = await start(isShared)
    for (const holder of [0, 1, 2]) {
      const client = await RawClient.open(cluster, holder)
      for (const node of [0, 1, 2]) expect((await client.tool(node, 'where')).status).toBe(200)
      const stream = new StreamReader(await client.get(holder))
      expect((await client.request(holder, 'resources/subscribe', { uri: URI })).status).toBe(200)
      for (const changing of [0, 1, 2]) {
        const child = children[changing] as MCPServer
        await child.server.announce({ type: 'toolsListChanged' })
        await child.server.announce({ type: 'resourceUpdated', uri: URI })
        // What is announced twice comes before this, or in the next round.
        await cluster.nodes[changing]?.server.server.announce({ type: 'promptsListChanged' })
        expect([changing, ...(await readRound(stream))]).toEqual([
          changing,
          'notifications/tools/list_changed',
          'notifications/resources/updated',
        ])
      }
      await stream.cancel()
    }
  })
}
