// A call through a proxy is one trace: the request at the front, the one to the source below it, and that of the source below that.
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { FakeTelemetry } from './fake-api.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const VERSIONS = { modern: '2026-07-28', legacy: '2025-11-25' } as const
const PAIRS = [
  ['modern', 'modern'],
  ['modern', 'legacy'],
  ['legacy', 'modern'],
  ['legacy', 'legacy'],
] as const
const [SERVER, CLIENT] = [1, 2]

function source(mode: keyof typeof VERSIONS) {
  const there = new FakeTelemetry('b')
  const server = new MCPServer('source', { supportedVersions: [VERSIONS[mode]] })
  server.use(traceServer({ api: there.api }))
  server.tool('add', () => 'done')
  server.tool('break', () => {
    throw new Error('It broke.')
  })
  open.push(server)
  return { server, there }
}

const calls = ({ spans }: FakeTelemetry, name: string) => spans.filter((span) => span.name === `tools/call ${name}`)

describe.each(PAIRS)('compose P06 compose X43 a %s client, and a %s source', (mode, sourceMode) => {
  it('the proxy is a span of its own, whose context goes to the source', async () => {
    const { server, there } = source(sourceMode)
    const here = new FakeTelemetry('a')
    const proxy = createProxy(server).use(traceServer({ api: here.api, attributes: { 'server.address': 'x' } }))
    const client = await Client.connect(proxy, { mode })
    open.push(proxy, client)
    await client.callTool('add')
    const [received, sent, ...more] = calls(here, 'add')
    expect(more).toEqual([])
    expect(received).toMatchObject({ kind: SERVER, isEnded: true })
    expect(sent).toMatchObject({ kind: CLIENT, isEnded: true, parentId: received?.spanId, traceId: received?.traceId })
    expect(sent?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': VERSIONS[sourceMode],
      'mcp.proxy.source': 'source',
      'jsonrpc.request.id': expect.any(String),
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'server.address': 'x',
    })
    expect(calls(there, 'add')).toMatchObject([{ kind: SERVER, parentId: sent?.spanId, traceId: sent?.traceId }])
    expect(here.measured('mcp.client.operation.duration', 'tools/call')).toMatchObject([
      { attributes: { 'mcp.proxy.source': 'source', 'gen_ai.tool.name': 'add' } },
    ])
  })

  it('a call that fails is a span that failed; names that nobody has are not measured', async () => {
    const { server } = source(sourceMode)
    const here = new FakeTelemetry('a')
    const proxy = createProxy(server).use(traceServer({ api: here.api }))
    const client = await Client.connect(proxy, { mode })
    open.push(proxy, client)
    await client.callTool('break')
    expect(calls(here, 'break')).toMatchObject([
      { kind: SERVER },
      { kind: CLIENT, attributes: { 'error.type': 'tool_error' } },
    ])
    await client.callTool('nobody').catch(() => {})
    expect(JSON.stringify(here.measured('mcp.client.operation.duration', 'tools/call'))).not.toContain('nobody')
  })
})

describe('compose X43 several proxies', () => {
  it('a gateway has a span for each source, under the name that the tool has there; a mounted proxy too', async () => {
    const { server, there } = source('modern')
    const here = new FakeTelemetry('a')
    const main = new MCPServer('main')
    main.use(traceServer({ api: here.api }))
    const gateway = createGateway({ one: server })
    main.mount(gateway, { as: 'all' })
    const client = await Client.connect(main, { mode: 'modern' })
    open.push(main, gateway, client)
    await client.callTool('all_one_add')
    const [received] = calls(here, 'all_one_add')
    const [sent, ...more] = calls(here, 'add')
    expect(more).toEqual([])
    expect(sent).toMatchObject({ kind: CLIENT, parentId: received?.spanId, attributes: { 'mcp.proxy.source': 'one' } })
    expect(calls(there, 'add')).toMatchObject([{ parentId: sent?.spanId }])
  })

  it('telemetry that fails leaves the call alone', async () => {
    const { server } = source('modern')
    const here = new FakeTelemetry('a')
    const proxy = createProxy(server, { onFault: () => {} }).use(traceServer({ api: here.api }))
    const client = await Client.connect(proxy, { mode: 'modern' })
    open.push(proxy, client)
    here.api.propagation.inject = () => {
      throw new Error('no context today')
    }
    expect(await client.callTool('add')).toMatchObject({ content: [{ text: 'done' }] })
  })
})
