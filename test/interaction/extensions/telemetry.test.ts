// Spans and measurements of a client and a server, each with a telemetry of its own, and the trace that joins them.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import type { TelemetryApi } from '../../../src/telemetry/api.ts'
import { traceClient } from '../../../src/telemetry/trace-client.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { FakeTelemetry } from '../../unit/telemetry/fake-api.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { accept, createServer, NAME_FORM, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

const [INTERNAL, SERVER, CLIENT] = [0, 1, 2]
const SENT = 'mcp.client.operation.duration'
const RECEIVED = 'mcp.server.operation.duration'

/** Telemetry of the client (`here`) and of the server (`there`), and a tool between them. */
function createTraced(run: (ctx: Context, there: FakeTelemetry) => unknown) {
  const [here, there] = [new FakeTelemetry('1'), new FakeTelemetry('2')]
  const { server, faults } = createServer({ middleware: [traceServer({ api: there.api })] })
  server.tool('tool', {}, (_args, ctx) => run(ctx, there))
  const open = ({ connect }: Setting, options: ClientOptions = {}): Promise<Client> =>
    connect(server, { ...options, middleware: [traceClient({ api: here.api })] })
  return { here, there, faults, open }
}

requirement('telemetry:spans', async (setting) => {
  const { here, there, open } = createTraced(() => 'done')
  await using client = await open(setting)
  await client.callTool('tool')

  const described = {
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': setting.version,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'tool',
  }
  const [call, handled] = [here.span('tools/call tool'), there.span('tools/call tool')]
  expect(call).toMatchObject({ kind: CLIENT, isEnded: true, status: undefined, attributes: described })
  expect(handled).toMatchObject({ kind: SERVER, isEnded: true, status: undefined, attributes: described })
  expect(handled.attributes).toHaveProperty(['jsonrpc.request.id'])
  expect(call.attributes['jsonrpc.request.id']).toBe(handled.attributes['jsonrpc.request.id'])
  expect(here.measured(SENT, 'tools/call')).toMatchObject([{ attributes: described }])
  expect(there.measured(RECEIVED, 'tools/call')).toMatchObject([{ attributes: described }])
  expect(here.names[0]).toBe(setting.isModern ? 'server/discover' : 'initialize')
})

requirement('telemetry:propagation', async (setting) => {
  const active: unknown[] = []
  const { here, there, open } = createTraced((ctx, telemetry) => {
    active.push(telemetry.activeSpanId, telemetry.activeBaggage, ctx.meta['traceparent'])
    return 'done'
  })
  await using client = await open(setting)
  await here.inside('outer', 'user=ada', () => client.callTool('tool'))

  const [call, handled] = [here.span('tools/call tool'), there.span('tools/call tool')]
  expect(call.parentId).toBe('outer')
  expect(handled).toMatchObject({ parentId: call.spanId, traceId: call.traceId })
  expect(active).toEqual([handled.spanId, 'user=ada', `00-${call.traceId}-${call.spanId}-01`])
})

requirement('telemetry:errors', async (setting) => {
  const { here, there, open } = createTraced(() => {
    throw new MCPError(403, 'not you')
  })
  await using client = await open(setting)
  await refusalOf(client.callTool('tool'))
  for (const [telemetry, name] of [
    [here, SENT],
    [there, RECEIVED],
  ] as const) {
    const failed = { 'error.type': '403', 'rpc.response.status_code': '403' }
    expect(telemetry.span('tools/call tool')).toMatchObject({
      status: { code: 2, message: 'not you' },
      attributes: failed,
    })
    expect(telemetry.measured(name, 'tools/call')).toMatchObject([{ attributes: failed }])
  }
})

requirement('telemetry:questions', async (setting) => {
  const { here, there, open } = createTraced(async (ctx) => (await ctx.elicit('Who?', NAME_FORM)).action)
  const metas: unknown[] = []
  await using client = await open(setting, {
    onElicitation: (_params, { meta }) => {
      metas.push(meta['traceparent'], here.activeSpanId)
      return accept('Ada')
    },
  })
  await client.callTool('tool')

  const [asked, answered] = [there.span('elicitation/create'), here.span('elicitation/create')]
  expect(asked).toMatchObject({ kind: CLIENT, isEnded: true, parentId: there.span('tools/call tool').spanId })
  expect(answered).toMatchObject({ kind: SERVER, isEnded: true, parentId: asked.spanId, traceId: asked.traceId })
  expect(metas).toEqual([`00-${asked.traceId}-${asked.spanId}-01`, answered.spanId])
  expect(asked.attributes['jsonrpc.request.id']).toBe(answered.attributes['jsonrpc.request.id'])
  expect(there.measured(SENT, 'elicitation/create')).toHaveLength(1)
  expect(here.measured(RECEIVED, 'elicitation/create')).toHaveLength(1)
})

requirement('telemetry:questions-within-results', async (setting) => {
  const { here, there, open } = createTraced(async (ctx) => (await ctx.elicit('Who?', NAME_FORM)).action)
  await using client = await open(setting, { onElicitation: () => accept('Ada') })
  await client.listTools()
  await here.inside('outer', undefined, () => client.callTool('tool'))

  const spans = here.spans.filter(({ parentId }) => parentId === 'outer')
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ['tools/call tool', CLIENT],
    ['elicitation/create', INTERNAL],
    ['tools/call tool', CLIENT],
  ])
  const calls = there.names.filter((name) => name.startsWith('tools/call'))
  expect(calls).toEqual(['tools/call tool', 'tools/call tool'])
})

requirement('telemetry:never-fails-a-call', async ({ connect }) => {
  const fail = (): never => {
    throw new Error('exporter is broken')
  }
  const { api } = new FakeTelemetry()
  const broken: TelemetryApi = {
    ...api,
    trace: { ...api.trace, getTracer: () => ({ startSpan: fail }) },
    propagation: { inject: fail, extract: fail },
  }
  const { server, faults } = createServer({ middleware: [traceServer({ api: broken })] })
  server.tool('tool', {}, () => 'done')
  const told: Fault[] = []
  await using client = await connect(server, {
    middleware: [traceClient({ api: broken })],
    onFault: (fault) => told.push(fault),
  })
  for (let call = 0; call < 3; call += 1) expect(textsOf(await client.callTool('tool'))).toEqual(['done'])
  for (const each of [faults, told]) {
    expect(each).toMatchObject([{ kind: 'callback-failed', error: { message: 'exporter is broken' } }])
  }
})
