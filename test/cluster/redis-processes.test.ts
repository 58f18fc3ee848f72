// Three programs on one Redis behind a balancer without stickiness: what a client sees of that, and of a node or an engine that fails.
import { createConnection } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { ask, startRedis } from '../engines/redis.ts'
import { type Balancer, endNodes, type NodeProcess, startBalancer, startNodes } from './processes.ts'

const PROGRAM = `
import { MCPServer } from './src/mcpserver/mcpserver.ts'
import { serveHttp } from './src/node/http/serve-http.ts'
import { redis } from './src/redis/redis.ts'

const server = new MCPServer('cluster', { backend: redis(process.env.BACKEND_URL), onFault: () => {} })
server.tool('where', () => process.env.NODE_INDEX)
server.tool('count', async (_, ctx) => String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))))
server.tool('ask', async (_, ctx) => {
  const { content } = await ctx.session.elicitForm('Name?', { type: 'object', properties: { name: { type: 'string' } } })
  return content.name + ' at ' + process.env.NODE_INDEX
})
const { url } = await serveHttp(server, { port: 0 })
console.log('listening ' + new URL(url).port)
`

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

describeEngine('Redis', 'three processes on one Redis', () => {
  const engine = useEngine(() => startRedis({ appendOnly: true }))
  let nodes: NodeProcess[] = []
  let balancer: Balancer

  async function startMissing(): Promise<void> {
    const isGone = ({ child }: NodeProcess) => child.process.exitCode !== null || child.process.signalCode !== null
    if (nodes.length > 0 && !nodes.some(isGone)) return
    await endNodes(nodes)
    await balancer?.close()
    nodes = await startNodes('redis-processes', PROGRAM, 3, { BACKEND_URL: engine().url })
    balancer = await startBalancer(nodes)
  }

  beforeAll(startMissing)
  beforeEach(startMissing)
  afterAll(async () => {
    await endNodes(nodes)
    await balancer.close()
  })

  function connect(): Promise<Client> {
    const onElicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
    return Client.connect(streamableHttp(balancer.url), { mode: 'legacy', onElicitation })
  }

  function post(body: object, sessionId?: string, url = balancer.url): Promise<Response> {
    const headers = { ...HEADERS, ...(sessionId !== undefined && { 'mcp-session-id': sessionId }) }
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
  }

  async function openSession(url?: string): Promise<string> {
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const response = await post({ id: 0, method: 'initialize', params }, undefined, url)
    await response.text()
    return response.headers.get('mcp-session-id') ?? ''
  }

  function call(sessionId: string, id: number): Promise<Response> {
    return post({ id, method: 'tools/call', params: { name: 'where', arguments: {} } }, sessionId)
  }

  test('D001 (redis): 30 of 30 raw calls in one session, served by all nodes', async () => {
    const sessionId = await openSession()
    const answers: string[] = []
    for (let id = 1; id <= 30; id += 1) answers.push(await (await call(sessionId, id)).text())
    const nodesSeen = answers.map((answer) => /"text":"([0-2])"/.exec(answer)?.[1])
    expect(new Set(nodesSeen)).toEqual(new Set(['0', '1', '2']))
    expect(nodesSeen).toHaveLength(30)
  })

  test('D001 (redis): 60 of 60 calls of our client', async () => {
    await using client = await connect()
    const seen = new Set<string>()
    for (let i = 0; i < 60; i += 1) seen.add(JSON.stringify((await client.callTool('where')).content))
    expect(seen.size).toBe(3)
  })

  test('D025 (redis): 40 of 40 elicitations, each answered at another node', async () => {
    await using client = await connect()
    for (let i = 0; i < 40; i += 1) {
      const { content } = await client.callTool('ask')
      expect((content[0] as { text: string }).text).toMatch(/^Ada at [0-2]$/)
    }
  })

  test('shared values of a session count to 30, from three nodes at once', async () => {
    await using client = await connect()
    const counts = await Promise.all(Array.from({ length: 30 }, () => client.callTool('count')))
    const values = counts.map(({ content }) => Number((content[0] as { text: string }).text))
    expect(values.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
  })

  test('D001 (redis): 30 of 30 calls in a session while the node that began it is killed', async () => {
    const { child, port } = nodes[0] as NodeProcess
    const sessionId = await openSession(`http://127.0.0.1:${port}/mcp`)
    const statuses: number[] = []
    for (let id = 1; id <= 30; id += 1) {
      if (id === 10) {
        child.process.kill('SIGKILL')
        await child.ended
      }
      const response = await call(sessionId, id)
      await response.text()
      statuses.push(response.status)
    }
    expect(statuses).toEqual(statuses.map(() => 200))
  })

  // The short version is in sessions.test.ts.
  test.runIf(process.env['FULL_TESTS'] === '1')(
    'D003 (redis): while Redis does not answer nothing is 404, and afterwards the session goes on',
    async () => {
      const sessionId = await openSession()
      await (await call(sessionId, 1)).text()
      process.kill(engine().process.pid, 'SIGSTOP')
      const statuses = new Set<number>()
      for (let id = 2; id <= 7; id += 1) {
        const response = await call(sessionId, id)
        await response.text()
        statuses.add(response.status)
      }
      expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true)
      process.kill(engine().process.pid, 'SIGCONT')
      await expect
        .poll(async () => {
          const responses = await Promise.all([11, 12, 13].map((id) => call(sessionId, id)))
          await Promise.all(responses.map((response) => response.text()))
          return responses.map(({ status }) => status)
        })
        .toEqual([200, 200, 200])
    },
  )

  test('D009 (redis): once Redis has lost its data sessions are 404, and our client begins anew', async () => {
    await using client = await connect()
    const sessionId = await openSession()
    await client.callTool('where')
    await ask(() => createConnection(engine().socket), 'FLUSHALL')
    await expect
      .poll(async () => {
        const response = await call(sessionId, 1)
        await response.text()
        return response.status
      })
      .toBe(404)
    await expect.poll(async () => (await client.callTool('where')).isError ?? false).toBe(false)
  })
})
