import { describe, expect, it, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import { Server } from '../../../src/server/server.ts'
import { type TraceClientOptions, traceClient } from '../../../src/telemetry/trace-client.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { connect } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { FakeTelemetry } from './fake-api.ts'

const [INTERNAL, SERVER, CLIENT] = [0, 1, 2]
const SENT = 'mcp.client.operation.duration'
const RECEIVED = 'mcp.server.operation.duration'
const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } } }
const ANSWER = { action: 'accept' as const, content: { name: 'Ada' } }

/** A server that does this in its one tool, traced on both sides. */
function traced(ask: (ctx: ServerRequestContext, there: FakeTelemetry) => unknown) {
  const [here, there] = [new FakeTelemetry('1'), new FakeTelemetry('2')]
  const server = new Server('host', {
    middleware: [traceServer({ api: there.api, attributes: { 'service.part': 'booking' } })],
    handlers: {
      'tools/call': async (ctx) => {
        const result = (await ask(ctx, there)) as JSONObject | undefined
        return result?.['resultType'] === undefined ? { content: [] } : (result as never)
      },
    },
  })
  const open = (mode: 'legacy' | 'modern', options: ClientOptions, tracing: Partial<TraceClientOptions> = {}) =>
    connect(server, { mode, ...options, middleware: [traceClient({ api: here.api, ...tracing })] })
  return { here, there, server, open }
}

describe('requests of a server', () => {
  it('carry the trace to the callback and are measured on both sides', async () => {
    const { here, there, open } = traced((ctx) => ctx.session.elicitForm('Who?', FORM))
    const seen: unknown[] = []
    await using client = await open('legacy', {
      onElicitation: (_params, { meta }) => {
        seen.push(here.activeSpanId, meta['traceparent'])
        return ANSWER
      },
    })
    await client.callTool('book')

    const [call, handled] = [here.span('tools/call book', CLIENT), there.span('tools/call book', SERVER)]
    const [asked, answered] = [there.span('elicitation/create', CLIENT), here.span('elicitation/create', SERVER)]
    expect(handled.parentId).toBe(call.spanId)
    expect(asked).toMatchObject({ parentId: handled.spanId, isEnded: true, status: undefined })
    expect(answered).toMatchObject({ parentId: asked.spanId, isEnded: true, status: undefined })
    expect(asked.attributes).toEqual({
      'jsonrpc.request.id': expect.any(String),
      'mcp.method.name': 'elicitation/create',
      'mcp.protocol.version': '2025-11-25',
      'service.part': 'booking',
    })
    expect(answered.attributes).toEqual({
      'mcp.method.name': 'elicitation/create',
      'mcp.protocol.version': '2025-11-25',
      'jsonrpc.request.id': expect.any(String),
    })
    expect(seen).toEqual([answered.spanId, `00-${asked.traceId}-${asked.spanId}-01`])
    expect(there.measured(SENT, 'elicitation/create')).toMatchObject([{ attributes: { 'service.part': 'booking' } }])
    expect(here.measured(RECEIVED, 'elicitation/create')).toHaveLength(1)
  })

  it('make no series of their own by codes and methods that a peer has made up', async () => {
    let made = 0
    const { here, there, open } = traced(async ({ session }) => {
      for (let k = 0; k < 3; k += 1) {
        await session.elicitForm('Who?', FORM).catch(() => {})
        await session.sendRequest(`made/up-${k}`, {}).catch(() => {})
      }
    })
    await using client = await open('legacy', {
      onElicitation: () => {
        made += 1
        throw new MCPError(100_000 + made, 'no')
      },
    })
    await client.callTool('book')

    const codes = there.measured(SENT, 'elicitation/create').map(({ attributes }) => attributes['error.type'])
    expect(codes).toEqual(['_OTHER', '_OTHER', '_OTHER'])
    const methods = here.measured(RECEIVED).map(({ attributes }) => attributes['mcp.method.name'])
    expect(new Set(methods)).toEqual(new Set(['elicitation/create', '_OTHER']))
  })

  it('are traced, of every kind and on every channel', async () => {
    const message = { role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }
    const { here, there, open } = traced(async ({ session }) => {
      await session.createMessage({ messages: [message], maxTokens: 1 })
      await session.listRoots()
      await session.sendPing({ related: false })
    })
    await using client = await open('legacy', {
      onSampling: () => ({ role: 'assistant', content: message.content, model: 'm' }),
      onListRoots: () => ({ roots: [] }),
    })
    await client.callTool('book')
    for (const method of ['sampling/createMessage', 'roots/list', 'ping']) {
      expect(here.span(method, SERVER).parentId, method).toBe(there.span(method, CLIENT).spanId)
    }
  })

  it('belong to the span that the handler made, where there is one', async () => {
    const { there, open } = traced((ctx, telemetry) =>
      telemetry.inside('own', undefined, () => ctx.session.elicitForm('Who?', FORM)),
    )
    await using client = await open('legacy', { onElicitation: () => ANSWER })
    await client.callTool('book')
    expect(there.span('elicitation/create').parentId).toBe('own')
  })

  it('say how they failed', async () => {
    const { here, there, open } = traced((ctx) => ctx.session.elicitForm('Who?', FORM).catch(() => undefined))
    await using client = await open('legacy', {
      onElicitation: () => {
        throw new MCPError(403, 'not now')
      },
    })
    await client.callTool('book')
    for (const span of [there.span('elicitation/create'), here.span('elicitation/create')]) {
      expect(span).toMatchObject({
        status: { code: 2, message: 'not now' },
        attributes: { 'error.type': '403', 'rpc.response.status_code': '403' },
      })
    }
  })

  it('cannot join the traces of a client that does not trust them', async () => {
    const { here, open } = traced((ctx) => ctx.session.elicitForm('Who?', FORM))
    await using client = await open('legacy', { onElicitation: () => ANSWER }, { trustServers: false })
    const extract = vi.spyOn(here.api.propagation, 'extract')
    await client.callTool('book')
    expect(here.span('elicitation/create', SERVER).isEnded).toBe(true)
    expect(extract).not.toHaveBeenCalled()
  })

  it('carry no context without tracing', async () => {
    const metas: unknown[] = []
    const server = new Server('host', {
      handlers: {
        'tools/call': async (ctx) => {
          await ctx.session.elicitForm('Who?', FORM)
          return { content: [] }
        },
      },
    })
    const onElicitation = (params: { _meta?: unknown }) => {
      metas.push(params._meta)
      return ANSWER
    }
    await using client = await connect(server, { mode: 'legacy', onElicitation })
    await client.callTool('book')
    expect(metas).toHaveLength(1)
    expect(JSON.stringify(metas)).not.toContain('traceparent')
  })
})

describe('a question within a result', () => {
  const question = { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: FORM } }
  const asking = (ctx: ServerRequestContext) =>
    ctx.inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: { who: question }, requestState: 's' }
      : undefined

  it('is answered in a span beside the rounds, and not measured', async () => {
    const { here, there, open } = traced(asking)
    let active: string | undefined
    await using client = await open('modern', {
      onElicitation: () => {
        active = here.activeSpanId
        return ANSWER
      },
    })
    await here.inside('outer', undefined, () => client.callTool('book'))
    const answered = here.span('elicitation/create')
    expect(answered).toMatchObject({ kind: INTERNAL, parentId: 'outer', isEnded: true, status: undefined })
    expect(answered.attributes).toEqual({
      'mcp.method.name': 'elicitation/create',
      'mcp.protocol.version': '2026-07-28',
    })
    expect(active).toBe(answered.spanId)
    expect(here.names.filter((name) => name === 'tools/call book')).toHaveLength(2)
    expect(here.measured(RECEIVED)).toEqual([])
    expect(there.names).not.toContain('elicitation/create')
  })

  it('that is rejected has no code, because no response is sent', async () => {
    const { here, open } = traced(asking)
    await using client = await open('modern', {
      onElicitation: () => {
        throw new MCPError(403, 'not now')
      },
    })
    await expect(client.callTool('book')).rejects.toThrow('not now')
    const { attributes, status } = here.span('elicitation/create')
    expect(status).toEqual({ code: 2, message: 'not now' })
    expect(attributes).toMatchObject({ 'error.type': '403' })
    expect(attributes).not.toHaveProperty('rpc.response.status_code')
  })
})
