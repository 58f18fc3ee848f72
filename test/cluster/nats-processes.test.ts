// Three programs on one NATS behind a balancer without stickiness: what a client sees of that, and of a node that fails.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { startNats } from '../engines/nats.ts'
import { type Balancer, endNodes, type NodeProcess, startBalancer, startNodes } from './processes.ts'

const PROGRAM = `
import { MCPServer } from './src/mcpserver/mcpserver.ts'
import { serveHttp } from './src/node/http/serve-http.ts'
import { nats } from './src/nats/nats.ts'

const server = new MCPServer('cluster', { backend: nats(process.env.BACKEND_URL), onFault: () => {} })
server.tool('where', () => process.env.NODE_INDEX)
server.tool('count', async (_, ctx) => String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))))
server.tool('ask', async (_, ctx) => {
  const { content } = await ctx.session.elicitForm('Name?', { type: 'object', properties: { name: { type: 'string' } } })
  return content.name + ' at ' + process.env.NODE_INDEX
})
const { url } = await serveHttp(server, { port: 0 })
console.log('listening ' + new URL(url).port)
`

const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text

describeEngine('NATS', 'three processes on one NATS', () => {
  const engine = useEngine(() => startNats())
  let nodes: NodeProcess[] = []
  let balancer: Balancer

  beforeAll(async () => {
    nodes = await startNodes('nats-processes', PROGRAM, 3, { BACKEND_URL: engine().url })
    balancer = await startBalancer(nodes)
  })
  afterAll(async () => {
    await endNodes(nodes)
    await balancer.close()
  })

  function connect(): Promise<Client> {
    const onElicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
    return Client.connect(streamableHttp(balancer.url), { mode: 'legacy', onElicitation })
  }

  test('D001 (nats): 30 of 30 calls in one session, served by all nodes, which share what it keeps', async () => {
    await using client = await connect()
    const places = new Set<string | undefined>()
    for (let n = 0; n < 30; n += 1) places.add(textOf(await client.callTool('where')))
    expect(places).toEqual(new Set(['0', '1', '2']))
    for (let n = 1; n <= 6; n += 1) expect(textOf(await client.callTool('count'))).toBe(String(n))
  })

  test('D025 (nats): questions are answered, whichever node gets the answer', async () => {
    await using client = await connect()
    for (let n = 0; n < 12; n += 1) expect(textOf(await client.callTool('ask'))).toMatch(/^Ada at [0-2]$/)
  })

  test('D019 (nats): a node is killed, and the session goes on with the others', async () => {
    await using client = await connect()
    expect(textOf(await client.callTool('count'))).toBe('1')
    nodes[0]?.child.process.kill('SIGKILL')
    await nodes[0]?.child.ended
    for (let n = 2; n <= 10; n += 1) expect(textOf(await client.callTool('count'))).toBe(String(n))
  })
})
