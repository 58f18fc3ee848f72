import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server } from '../../../src/server/server.ts'
import { traceClient } from '../../../src/telemetry/trace-client.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { connect } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { FakeTelemetry } from './fake-api.ts'

const eras = [
  { mode: 'modern', version: '2026-07-28' },
  { mode: 'legacy', version: '2025-11-25' },
] as const

const DURATION = 'mcp.client.operation.duration'

function createServer(run: (how: unknown) => unknown = () => undefined) {
  const metas: (JSONObject | undefined)[] = []
  const server = new Server('host', {
    handlers: {
      'tools/call': async (ctx, params) => {
        metas.push(ctx.meta as JSONObject)
        const isError = (await run(params.arguments?.['how'])) === 'isError'
        return { content: [], isError }
      },
    },
  })
  return { server, metas }
}

describe.each(eras)('traceClient in the $mode era', ({ mode, version }) => {
  it('makes a client span with the attributes of the conventions, and measures', async () => {
    const telemetry = new FakeTelemetry()
    const { server } = createServer()
    const attributes = { 'server.address': 'example.com', 'server.port': 443 }
    const middleware = [traceClient({ api: telemetry.api, attributes })]
    await using client = await connect(server, { mode, middleware })
    await client.callTool('add', { a: 1 }, { requestId: 'r-1' })
    const span = telemetry.span('tools/call add')
    expect(span).toMatchObject({ kind: 2, isEnded: true, status: undefined })
    expect(span.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'jsonrpc.request.id': 'r-1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      ...attributes,
    })
    expect(telemetry.measured(DURATION, 'tools/call')).toMatchObject([{ attributes: { 'server.port': 443 } }])
  })

  it('passes the context on in _meta, beside what is there already', async () => {
    const telemetry = new FakeTelemetry()
    const { server, metas } = createServer()
    await using client = await connect(server, { mode, middleware: [traceClient({ api: telemetry.api })] })
    await telemetry.inside('outer', 'user=ada', () => client.callTool('add', {}, { meta: { 'com.example/x': 1 } }))
    const { spanId, traceId, parentId } = telemetry.span('tools/call add')
    expect(parentId).toBe('outer')
    expect(metas[0]).toMatchObject({
      'com.example/x': 1,
      traceparent: `00-${traceId}-${spanId}-01`,
      baggage: 'user=ada',
    })
    expect(metas[0]).not.toHaveProperty('x-vendor')
  })

  it('sends no _meta of its own where there is nothing to pass on', async () => {
    const { api } = new FakeTelemetry()
    const silent = { ...api, propagation: { ...api.propagation, inject: () => {} } }
    const { server, metas } = createServer()
    await using client = await connect(server, { mode, middleware: [traceClient({ api: silent })] })
    await client.callTool('add')
    expect(metas[0]).not.toHaveProperty('traceparent')
  })

  it('is the parent of the span that a traced server makes', async () => {
    const [here, there] = [new FakeTelemetry(), new FakeTelemetry()]
    const { server } = createServer()
    server.use(traceServer({ api: there.api }))
    await using client = await connect(server, { mode, middleware: [traceClient({ api: here.api })] })
    await client.callTool('add')
    const { spanId, traceId } = here.span('tools/call add')
    expect(there.span('tools/call add')).toMatchObject({ parentId: spanId, traceId })
  })

  it('records how calls fail', async () => {
    const telemetry = new FakeTelemetry()
    const stop = new AbortController()
    const { server } = createServer((how) => {
      if (how === 'refuse') throw new MCPError(403, 'not you')
      if (how === 'stop') stop.abort()
      return how === 'hang' || how === 'stop' ? new Promise(() => {}) : how
    })
    const middleware = [traceClient({ api: telemetry.api })]
    await using client = await connect(server, { mode, middleware })
    await client.callTool('fail', { how: 'isError' })
    await expect(client.callTool('refuse', { how: 'refuse' })).rejects.toThrow('not you')
    await expect(client.callTool('late', { how: 'hang' }, { timeoutMs: 1 })).rejects.toMatchObject({ code: -32001 })
    await expect(client.callTool('stop', { how: 'stop' }, { signal: stop.signal })).rejects.toThrow()
    const closing = expect(client.callTool('lost', { how: 'hang' })).rejects.toMatchObject({ code: -32000 })
    await client.close()
    await closing

    const attributesOf = (tool: string) => telemetry.span(`tools/call ${tool}`).attributes
    expect(attributesOf('fail')).toMatchObject({ 'error.type': 'tool_error' })
    expect(attributesOf('refuse')).toMatchObject({ 'error.type': '403', 'rpc.response.status_code': '403' })
    expect(attributesOf('late')).toMatchObject({ 'error.type': 'timeout' })
    expect(attributesOf('late')).not.toHaveProperty('rpc.response.status_code')
    expect(attributesOf('stop')).toMatchObject({ 'error.type': 'cancelled' })
    expect(attributesOf('lost')).toMatchObject({ 'error.type': 'connection_closed' })
    expect(telemetry.spans.every(({ isEnded }) => isEnded)).toBe(true)
  })

  it('creates a span for notifications too, which is the parent of the server’s', async () => {
    const [here, there] = [new FakeTelemetry(), new FakeTelemetry()]
    const heard = createDeferred<JSONObject>()
    const { server } = createServer()
    server.setNotificationHandler('com.example/told', (_ctx, params) => heard.resolve(params))
    server.use(traceServer({ api: there.api }))
    await using client = await connect(server, { mode, middleware: [traceClient({ api: here.api })] })
    await client.session.sendNotification('com.example/told', { n: 1 })
    const span = here.span('com.example/told')

    expect(span).toMatchObject({ kind: 2, isEnded: true, status: undefined })
    expect(span.attributes).toEqual({ 'mcp.method.name': 'com.example/told', 'mcp.protocol.version': version })
    expect(here.measured(DURATION, 'com.example/told')).toHaveLength(1)
    expect(await heard.promise).toMatchObject({
      n: 1,
      _meta: { traceparent: `00-${span.traceId}-${span.spanId}-01` },
    })
    expect(there.span('com.example/told')).toMatchObject({ parentId: span.spanId, traceId: span.traceId })
  })

  it('measures the session when it ends', async () => {
    const telemetry = new FakeTelemetry()
    const { server } = createServer()
    const client = await connect(server, { mode, middleware: [traceClient({ api: telemetry.api })] })
    await client.callTool('add')
    expect(telemetry.measured('mcp.client.session.duration')).toEqual([])
    await client.close()
    expect(telemetry.measured('mcp.client.session.duration')).toMatchObject([
      { attributes: { 'mcp.protocol.version': version } },
    ])
  })
})
