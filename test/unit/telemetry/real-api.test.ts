import * as api from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { Server } from '../../../src/server/server.ts'
import { traceClient } from '../../../src/telemetry/trace-client.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { connect } from '../../../src/testing/connect.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { register, unregister } from './real-api.ts'

afterEach(unregister)

const { CLIENT, SERVER } = api.SpanKind
const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } } }

function createServer() {
  const seen: { activeId: string | undefined; meta: JSONObject }[] = []
  const server = new Server('host', {
    middleware: [traceServer({ api })],
    handlers: {
      'tools/call': async (ctx) => {
        seen.push({ activeId: api.trace.getActiveSpan()?.spanContext().spanId, meta: ctx.meta as JSONObject })
        if (ctx.session.canSendRequest) await ctx.session.elicitForm('Who?', FORM)
        return { content: [], isError: true }
      },
    },
  })
  return { server, seen }
}

describe.each([
  { mode: 'modern', version: '2026-07-28' },
  { mode: 'legacy', version: '2025-11-25' },
] as const)('with the real @opentelemetry/api in the $mode era', ({ mode, version }) => {
  it('records spans of both sides as one trace, and measures', async () => {
    const { spans, measured } = register()
    const { server, seen } = createServer()
    await using client = await connect(server, {
      mode,
      middleware: [traceClient({ api })],
      onElicitation: () => ({ action: 'accept', content: {} }),
    })
    await client.callTool('add')

    const [call, handled, asked, answered] = spans.slice(spans.findIndex(({ name }) => name === 'tools/call add'))
    const failed = { code: api.SpanStatusCode.ERROR }
    expect(call).toMatchObject({ name: 'tools/call add', kind: CLIENT, parentId: undefined, status: failed })
    expect(handled).toMatchObject({ kind: SERVER, parentId: call?.spanContext().spanId, isEnded: true, status: failed })
    expect(handled?.attributes).toMatchObject({ 'mcp.protocol.version': version, 'error.type': 'tool_error' })
    expect(seen).toMatchObject([{ activeId: handled?.spanContext().spanId }])
    if (mode === 'legacy') {
      expect(asked).toMatchObject({ kind: CLIENT, parentId: handled?.spanContext().spanId, isEnded: true })
      expect(answered).toMatchObject({
        name: 'elicitation/create',
        kind: SERVER,
        parentId: asked?.spanContext().spanId,
      })
    }
    for (const name of ['mcp.client.operation.duration', 'mcp.server.operation.duration']) {
      const attributes = expect.objectContaining({ 'gen_ai.tool.name': 'add', 'error.type': 'tool_error' })
      expect(measured).toContainEqual({ name, value: expect.any(Number), attributes })
    }
  })

  it('does nothing while nothing is registered', async () => {
    const { server, seen } = createServer()
    await using client = await connect(server, {
      mode,
      middleware: [traceClient({ api })],
      onElicitation: () => ({ action: 'accept', content: {} }),
    })
    expect(await client.callTool('add')).toMatchObject({ isError: true })
    expect(seen[0]?.activeId).toBeUndefined()
    expect(seen[0]?.meta).not.toHaveProperty('traceparent')
  })
})
