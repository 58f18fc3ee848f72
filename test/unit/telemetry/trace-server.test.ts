import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { type TraceServerOptions, traceServer } from '../../../src/telemetry/trace-server.ts'
import { connect } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { FakeTelemetry } from './fake-api.ts'

const eras = [
  { mode: 'modern', version: '2026-07-28' },
  { mode: 'legacy', version: '2025-11-25' },
] as const

const DURATION = 'mcp.server.operation.duration'
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

function traced(
  options: Partial<TraceServerOptions> = {},
  run: (ctx: ServerRequestContext, how: unknown) => unknown = () => undefined,
  serverOptions: ServerOptions = {},
) {
  const telemetry = new FakeTelemetry()
  const server = new Server('host', {
    ...serverOptions,
    middleware: [...(serverOptions.middleware ?? []), traceServer({ api: telemetry.api, ...options })],
    handlers: {
      'tools/call': async (ctx, params) => {
        const isError = (await run(ctx, params.arguments?.['how'])) === 'isError'
        return { content: [{ type: 'text', text: 'hunter2' }], isError }
      },
      'resources/read': (_ctx, { uri }) => ({ contents: [{ uri, text: '' }] }),
      'prompts/get': () => ({ messages: [] }),
    },
  })
  return { telemetry, server }
}

afterEach(() => void vi.useRealTimers())

describe.each(eras)('traceServer in the $mode era', ({ mode, version }) => {
  it('makes a server span with the attributes of the conventions, and measures', async () => {
    const { telemetry, server } = traced({ attributes: { 'server.address': 'here' } })
    await using client = await connect(server, { mode })
    await client.callTool('add', { secret: 'hunter2' }, { requestId: 'r-1' })
    const span = telemetry.span('tools/call add')
    expect(span).toMatchObject({ kind: 1, isEnded: true, status: undefined, parentId: undefined })
    expect(span.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'jsonrpc.request.id': 'r-1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'server.address': 'here',
    })
    expect(telemetry.measured(DURATION, 'tools/call')).toEqual([
      {
        name: DURATION,
        value: expect.any(Number),
        attributes: {
          'mcp.method.name': 'tools/call',
          'mcp.protocol.version': version,
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'add',
          'server.address': 'here',
        },
      },
    ])
    expect(telemetry.histograms.get(DURATION)).toMatchObject({
      unit: 's',
      advice: { explicitBucketBoundaries: expect.arrayContaining([0.01, 300]) },
    })
  })

  it('names prompts in the span, and resources only in an attribute without what may be secret', async () => {
    const { telemetry, server } = traced()
    await using client = await connect(server, { mode })
    await client.getPrompt('greet')
    await client.readResource('db://ada:hunter2@host/books?token=hunter2')
    expect(telemetry.span('prompts/get greet').attributes).toMatchObject({ 'gen_ai.prompt.name': 'greet' })
    expect(telemetry.span('prompts/get greet').attributes).not.toHaveProperty('gen_ai.operation.name')
    expect(telemetry.span('resources/read').attributes).toMatchObject({ 'mcp.resource.uri': 'db://host/books' })
    expect(JSON.stringify([telemetry.spans, telemetry.measurements])).not.toContain('hunter2')
  })

  it('records arguments and results on request', async () => {
    const { telemetry, server } = traced({ recordArguments: true, recordResults: true })
    await using client = await connect(server, { mode })
    await client.callTool('add', { a: 1 })
    await client.readResource('db://host/books?page=2')
    expect(telemetry.span('tools/call add').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"a":1}',
      'gen_ai.tool.call.result': '[{"type":"text","text":"hunter2"}]',
    })
    expect(telemetry.span('resources/read').attributes).toMatchObject({ 'mcp.resource.uri': 'db://host/books?page=2' })
  })

  it('distinguishes a tool error, an error and an unexpected exception', async () => {
    const broken = new TypeError('out of cheese')
    const { telemetry, server } = traced({}, (_ctx, how) => {
      if (how === 'refuse') throw new MCPError(403, 'not you')
      if (how === 'throw') throw broken
      return how
    })
    await using client = await connect(server, { mode, raiseExceptions: false })
    await client.callTool('fail', { how: 'isError' })
    await expect(client.callTool('refuse', { how: 'refuse' })).rejects.toThrow('not you')
    await expect(client.callTool('throw', { how: 'throw' })).rejects.toThrow()

    const failed = telemetry.span('tools/call fail')
    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'tool_error' } })
    expect(failed.attributes).not.toHaveProperty('rpc.response.status_code')
    expect(telemetry.span('tools/call refuse')).toMatchObject({
      status: { code: 2, message: 'not you' },
      attributes: { 'error.type': '403', 'rpc.response.status_code': '403' },
      exceptions: [],
    })
    expect(telemetry.span('tools/call throw')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'TypeError', 'rpc.response.status_code': '-32603' },
      exceptions: [broken],
    })
    const types = telemetry.measured(DURATION, 'tools/call').map(({ attributes }) => attributes['error.type'])
    expect(types).toEqual(['tool_error', '403', 'TypeError'])
  })

  it('keeps exceptions off the span where that is wanted', async () => {
    const { telemetry, server } = traced({ recordExceptions: false }, () => {
      throw new Error('hunter2')
    })
    await using client = await connect(server, { mode, raiseExceptions: false })
    await expect(client.callTool('throw')).rejects.toThrow()
    expect(telemetry.span('tools/call throw').exceptions).toEqual([])
  })

  it('takes its parent from _meta, makes the span active, and links what was active here', async () => {
    let active: unknown[] = []
    const outer = (_ctx: unknown, next: () => Promise<undefined>) => telemetry.inside('http', undefined, () => next())
    const { telemetry, server } = traced(
      {},
      () => {
        active = [telemetry.activeSpanId, telemetry.activeBaggage]
      },
      { middleware: [outer as never] },
    )
    await using client = await connect(server, { mode })
    await client.callTool('add', {}, { meta: { traceparent: TRACEPARENT, baggage: 'user=ada' } })
    const span = telemetry.span('tools/call add')
    expect(span).toMatchObject({ parentId: 'b'.repeat(16), traceId: 'a'.repeat(32) })
    expect(span.links).toMatchObject([{ spanId: 'http' }])
    expect(active).toEqual([span.spanId, 'user=ada'])

    await client.callTool('alone')
    expect(telemetry.span('tools/call alone')).toMatchObject({ parentId: 'http', links: [] })
  })

  it('ignores the context of clients that are not trusted, and values that are none', async () => {
    const careful = traced({ trustClients: false })
    await using client = await connect(careful.server, { mode })
    await client.callTool('add', {}, { meta: { traceparent: TRACEPARENT } })
    expect(careful.telemetry.span('tools/call add').parentId).toBeUndefined()

    const { telemetry, server } = traced()
    await using other = await connect(server, { mode })
    const extract = vi.spyOn(telemetry.api.propagation, 'extract')
    await other.callTool('add', {}, { meta: { tracestate: 'x'.repeat(10_000) } })
    await expect(other.session.sendRequest('vendor/none', { _meta: { traceparent: 5 as never } })).rejects.toThrow()
    expect(extract).not.toHaveBeenCalled()
  })

  it('does not let a client fill the memory with names', async () => {
    const { telemetry, server } = traced({}, () => {
      throw new MCPError(-32602, 'Unknown tool')
    })
    await using client = await connect(server, { mode })
    await expect(client.session.sendRequest('vendor/made-up')).rejects.toMatchObject({ code: -32601 })
    await expect(client.callTool('x'.repeat(5000))).rejects.toMatchObject({ code: -32602 })
    const last = telemetry.measurements.slice(-2).map(({ attributes }) => attributes)
    expect(last).toMatchObject([{ 'mcp.method.name': '_OTHER' }, { 'mcp.method.name': 'tools/call' }])
    expect(last[1]).not.toHaveProperty('gen_ai.tool.name')
    expect(telemetry.names.at(-1)?.length).toBeLessThan(300)
  })

  it('covers notifications', async () => {
    const { telemetry, server } = traced()
    server.setNotificationHandler('vendor/told', () => {})
    await using client = await connect(server, { mode })
    await client.session.sendNotification('vendor/told', { _meta: { traceparent: TRACEPARENT } })
    const span = telemetry.span('vendor/told')
    await expect.poll(() => span.isEnded).toBe(true)
    expect(span).toMatchObject({ kind: 1, parentId: 'b'.repeat(16) })
    expect(span.attributes).not.toHaveProperty('jsonrpc.request.id')
    expect(telemetry.measured(DURATION, 'vendor/told')).toHaveLength(1)
  })

  it('calls a cancelled request cancelled', async () => {
    const stop = new AbortController()
    const { telemetry, server } = traced({}, async (ctx) => {
      const aborted = new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      })
      stop.abort()
      await aborted
    })
    await using client = await connect(server, { mode })
    await expect(client.callTool('slow', {}, { signal: stop.signal })).rejects.toThrow()
    await expect.poll(() => telemetry.span('tools/call slow').isEnded).toBe(true)
    expect(telemetry.span('tools/call slow').attributes).toMatchObject({ 'error.type': 'cancelled' })
  })

  it('only measures where the span is not recorded', async () => {
    const { telemetry, server } = traced({}, () => 'isError')
    telemetry.isRecording = false
    await using client = await connect(server, { mode })
    await client.callTool('add')
    expect(telemetry.span('tools/call add')).toMatchObject({ isEnded: true, status: undefined })
    expect(telemetry.measured(DURATION, 'tools/call')).toMatchObject([{ attributes: { 'error.type': 'tool_error' } }])
  })
})

it('measures legacy sessions, from initialize to the end of the connection', async () => {
  const { telemetry, server } = traced()
  const client = await connect(server, { mode: 'legacy' })
  expect(telemetry.span('initialize').attributes).toMatchObject({ 'mcp.protocol.version': '2025-11-25' })
  expect(telemetry.measured('mcp.server.session.duration')).toEqual([])
  await client.close()
  await expect
    .poll(() => telemetry.measured('mcp.server.session.duration'))
    .toMatchObject([{ attributes: { 'mcp.protocol.version': '2025-11-25' } }])
})

it('creates no meter before the first message', async () => {
  const { telemetry, server } = traced()
  expect(telemetry.meters).toEqual([])
  await using _client = await connect(server)
  expect(new Set(telemetry.meters)).toEqual(new Set(['mcpwire']))
})

it('measures seconds', async () => {
  const { telemetry, server } = traced({}, () => new Promise((resolve) => setTimeout(resolve, 1500)))
  await using client = await connect(server)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const call = client.callTool('slow')
  await vi.advanceTimersByTimeAsync(1500)
  await call
  expect(telemetry.measured(DURATION, 'tools/call')[0]?.value).toBeCloseTo(1.5, 6)
})
