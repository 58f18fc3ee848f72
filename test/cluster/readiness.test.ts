// `/ready`, draining, and what is left of a node that has closed.
import { describe, expect, test } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { type NodeParts, RawClient, startCluster, type TestCluster, textOf } from './cluster.ts'
import { faultyBackend } from './faulty-backend.ts'

function createServer({ backend, onFault }: NodeParts): MCPServer {
  const server = new MCPServer('ready', { backend, onFault })
  server.tool('hello', () => 'hello')
  return server
}

async function probe({ nodes }: TestCluster, node: number, path = '/ready', method = 'GET'): Promise<string> {
  const response = await nodes[node]!.fetch(new Request(`http://localhost${path}`, { method }))
  return `${response.status} ${await response.text()}`
}

describe('/ready', () => {
  test('is 200 while the backend answers, and says nothing about it', async () => {
    const cluster = await startCluster(createServer)
    expect(await probe(cluster, 0)).toBe('200 ok')
    expect(await probe(cluster, 0, '/ready', 'POST')).toMatch(/^405 /)
  })

  test('works without a backend, can have another path, and can be off', async () => {
    const create = () => new MCPServer('alone')
    expect(await probe(await startCluster(create, { size: 1 }), 0)).toBe('200 ok')
    const other = await startCluster(create, { size: 1, handler: { readyPath: '/up' } })
    expect(await probe(other, 0, '/up')).toBe('200 ok')
    expect(await probe(other, 0)).toMatch(/^404 /)
    const none = await startCluster(create, { size: 1, handler: { readyPath: false } })
    expect(await probe(none, 0)).toMatch(/^404 /)
  })

  test('D014: is 503 when the backend says that it is not ready, while /health stays 200', async () => {
    let asked = 0
    const backend = faultyBackend()
    const health = async () => {
      asked += 1
      return { isReady: false, detail: 'a secret of the engine' }
    }
    const cluster = await startCluster(createServer, { size: 1, backend: Object.assign(backend, { health }) })
    expect(await probe(cluster, 0)).toBe('503 backend unavailable')
    expect(await probe(cluster, 0, '/health')).toBe('200 ok')
    // Whoever asks often causes one trip a second.
    await Promise.all(Array.from({ length: 50 }, () => probe(cluster, 0)))
    expect(asked).toBe(1)
  })

  test('D048: a node that drains says so and serves on; its sessions go on at the others after it has closed', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    const [node] = cluster.nodes
    node!.handler.drain()
    expect(await probe(cluster, 0)).toBe('503 draining')
    expect(await probe(cluster, 0, '/health')).toBe('200 ok')
    expect(await textOf(await client.tool(0, 'hello'))).toBe('hello')
    await expect.poll(() => cluster.backend.peek(`n.${node!.id}`)?.value).toContain('"isDraining":true')
    await node!.handler.close({ drainMs: 0 })
    expect(await probe(cluster, 0)).toBe('503 closing')
    expect(cluster.backend.peek(`n.${node!.id}`)).toBeUndefined()
    for (const other of [1, 2]) expect(await textOf(await client.tool(other, 'hello'))).toBe('hello')
  })
})
