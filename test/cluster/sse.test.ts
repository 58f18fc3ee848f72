// HTTP+SSE on several nodes: the stream is at one, and each POST may reach another.
import { describe, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { sse } from '../../src/client/transports/sse.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type NodeParts, StreamReader, startCluster, type TestCluster } from './cluster.ts'

function createServer({ backend, onFault, index }: NodeParts): MCPServer {
  const server = new MCPServer('sse', { backend, onFault })
  server.tool('where', (_, ctx) => `node ${index}, ${ctx.auth?.subject ?? 'nobody'}`)
  server.tool('ask', async (_, ctx) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
    const { content } = await ctx.session.elicitForm('Name?', schema)
    return `${String(content?.['name'])}`
  })
  return server
}

function start(): Promise<TestCluster> {
  return startCluster(createServer, { handler: { legacySse: true } })
}

/** The path to post to, as the first event names it. */
async function openStream(cluster: TestCluster, node: number, user?: string) {
  const headers = { accept: 'text/event-stream', ...(user !== undefined && { 'x-user': user }) }
  const response = await cluster.nodes[node]!.fetch(new Request('http://localhost/sse', { headers }))
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  const path = /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? ''
  return { path, stream: new StreamReader(response) }
}

function post(cluster: TestCluster, node: number, path: string, body: unknown, user?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(user !== undefined && { 'x-user': user }) }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return cluster.nodes[node]!.fetch(new Request(`http://localhost${path}`, init))
}

const INITIALIZE: JSONObject = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('HTTP+SSE on three nodes', () => {
  test('a POST that reaches another node is passed on to the one with the stream', async () => {
    const cluster = await start()
    const { path, stream } = await openStream(cluster, 0, 'alice')
    expect((await post(cluster, 1, path, INITIALIZE, 'alice')).status).toBe(202)
    expect(await stream.next()).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } })
    await post(cluster, 2, path, { jsonrpc: '2.0', method: 'notifications/initialized' }, 'alice')
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'where', arguments: {} } }
    expect((await post(cluster, 2, path, call, 'alice')).status).toBe(202)
    expect(JSON.stringify(await stream.next())).toContain('node 0, alice')
    await stream.cancel()
  })

  test('our client makes 30 of 30 calls and answers a question behind a round-robin balancer', async () => {
    const cluster = await start()
    const client = await Client.connect(sse('http://localhost/sse', { fetch: cluster.fetch }), {
      mode: '2025-06-18',
      onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    for (let i = 0; i < 30; i += 1) expect((await client.callTool('where')).content).toHaveLength(1)
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'Ada' }])
    await client.close()
  })

  test('another caller, an unknown session and an invalid message get what they get at the node with the stream', async () => {
    const cluster = await start()
    const { path, stream } = await openStream(cluster, 0, 'alice')
    for (const node of [0, 1]) {
      expect((await post(cluster, node, path, INITIALIZE, 'bob')).status).toBe(404)
      expect((await post(cluster, node, path, INITIALIZE)).status).toBe(404)
      expect((await post(cluster, node, path, { hello: 1 }, 'alice')).status).toBe(400)
      expect((await post(cluster, node, path, [INITIALIZE], 'alice')).status).toBe(400)
    }
    const gone = `/messages?sessionId=${'a'.repeat(12)}.${'b'.repeat(22)}`
    for (const id of ['x', 'x'.repeat(9_000), `${cluster.nodes[1]?.id}.${'b'.repeat(22)}`]) {
      expect((await post(cluster, 1, `/messages?sessionId=${id}`, INITIALIZE)).status).toBe(404)
    }
    expect((await post(cluster, 1, gone, INITIALIZE)).status).toBe(404)
    await stream.cancel()
  })

  test('a message that cannot be passed on is 503', async () => {
    const cluster = await start()
    const { path, stream } = await openStream(cluster, 0)
    cluster.backend.failing = 'topics.publish'
    const response = await post(cluster, 1, path, INITIALIZE)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10'])
    await stream.cancel()
  })
})
