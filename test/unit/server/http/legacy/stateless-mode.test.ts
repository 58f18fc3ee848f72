// The legacy era without sessions: each POST for itself.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../../src/server/context.ts'
import { connectionOfRequest } from '../../../../../src/server/context.ts'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import type { HandshakeOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import { jsonOf, LegacyClient, request } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

type Tool = (ctx: ServerRequestContext, args: JSONObject) => unknown

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

function serve(tools: Record<string, Tool> = {}, options: HandshakeOptions = {}) {
  const faults: string[] = []
  const server = new Server('stateless', {
    onFault: ({ message }) => void faults.push(message),
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': (ctx, { name, arguments: args = {} }) => tools[name]?.(ctx, args as JSONObject) as never,
    },
  })
  const endpoint = createLegacyEndpoint(coreOf(server), { sessions: false, ...options })
  return {
    server,
    endpoint,
    client: new LegacyClient(endpoint),
    faults,
    [Symbol.asyncDispose]: () => endpoint.close(),
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('without sessions', () => {
  it('answers initialize without a session id, and any request without a handshake', async () => {
    await using host = serve({ echo: (_ctx, args) => text(JSON.stringify(args)) })
    const opened = await host.client.initialize()
    expect(opened.json).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    expect(opened.replyHeaders['mcp-session-id']).toBeUndefined()
    expect(await jsonOf(host.client.tool('echo', { a: 1 }))).toMatchObject({ id: 1, result: text('{"a":1}') })
    expect(host.endpoint.sessionCount).toBe(0)
  })

  it('S-RES-01 S-SUB-11 promises no changes, which it has no stream for', async () => {
    const handlers = { 'tools/list': () => ({ tools: [] }), 'resources/list': () => ({ resources: [] }) }
    const server = new Server('stateless', { subscriptions: true, handlers })
    const endpoint = createLegacyEndpoint(coreOf(server), { sessions: false })
    const client = new LegacyClient(endpoint)
    const opened = (await jsonOf(await client.initialize())) as { result: { capabilities: JSONObject } }
    expect(opened.result.capabilities).toMatchObject({ tools: {}, resources: {} })
    expect(JSON.stringify(opened)).not.toMatch(/listChanged|subscribe/)
    expect(await jsonOf(client.call('resources/subscribe', { uri: 'test://a' }))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('need a session') },
    })
    await endpoint.close()
  })

  it('S-HTTPL-20 speaks the version that the header names, and 2025-03-26 where there is none', async () => {
    await using host = serve({ version: (ctx) => text(ctx.protocolVersion) })
    const versionOf = async (headers: Record<string, string>) =>
      (await jsonOf(host.client.tool('version', {}, { headers }))) as JSONObject
    expect(await versionOf({})).toMatchObject({ result: text('2025-03-26') })
    for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
      expect(await versionOf({ 'mcp-protocol-version': version })).toMatchObject({ result: text(version) })
    }
  })

  it.each(['1.0', '', '2026-07-28', ['2025-06-18', '2025-06-18']])(
    'S-HTTPL-21 refuses version %j, except with initialize',
    async (version) => {
      await using host = serve()
      const headers = { 'mcp-protocol-version': version }
      const refused = host.client.call('tools/list', {}, { headers })
      await refused.answered
      expect(refused.status).toBe(400)
    },
  )

  it('S-HTTPL-09 S-HTTPL-19 F123 has no GET and no DELETE', async () => {
    await using host = serve()
    for (const exchange of [host.client.get(), await host.client.delete()]) {
      expect(exchange.status).toBe(405)
      expect(exchange.replyHeaders['allow']).toBe('POST')
    }
  })

  it('streams what a handler sends before its answer, without event ids', async () => {
    await using host = serve({
      speak: async (ctx) => {
        await ctx.session.sendLogMessage('info', 'one')
        await ctx.reportProgress(1)
        return text('done')
      },
    })
    const call = host.client.call('tools/call', { name: 'speak', _meta: { progressToken: 1 } })
    await call.answered
    await call.sink?.ended.promise
    expect(call.sink?.messages).toMatchObject([
      { method: 'notifications/message' },
      { method: 'notifications/progress' },
      { result: text('done') },
    ])
    expect(call.sink?.events.every(({ id }) => id === undefined)).toBe(true)
  })

  it('tells a handler at once that it cannot ask', async () => {
    await using host = serve({
      ask: async (ctx) => {
        const refusals = await Promise.allSettled([
          ctx.dispatch.sendRawRequest('roots/list'),
          connectionOfRequest(ctx).backChannel.sendRawRequest('roots/list'),
        ])
        return text(refusals.map((refusal) => refusal.status === 'rejected' && refusal.reason.name).join())
      },
    })
    expect(await jsonOf(host.client.tool('ask'))).toMatchObject({
      result: text('NoBackChannelError,NoBackChannelError'),
    })
  })

  it('takes notifications and answers with 202, and hands notifications to their handlers', async () => {
    const seen: string[] = []
    await using host = serve()
    host.server.setNotificationHandler('vendor/told', (ctx) => {
      seen.push(ctx.method)
      throw new Error('contained')
    })
    const told = host.client.post({ jsonrpc: '2.0', method: 'vendor/told' })
    const answer = host.client.post({ jsonrpc: '2.0', id: 1, result: {} })
    await Promise.all([told.answered, answer.answered])
    expect([told.status, answer.status]).toEqual([202, 202])
    await vi.waitFor(() => expect(host.faults).toHaveLength(1))
    expect(seen).toEqual(['vendor/told'])
  })

  it('answers a batch as one, at 2025-03-26 only', async () => {
    await using host = serve({
      fail: () => {
        throw new Error('secret')
      },
    })
    const body = [
      request(1, 'ping'),
      request(2, 'tools/call', { name: 'fail' }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]
    const answers = (await jsonOf(host.client.post(body))) as { id: number }[]
    expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32603, message: 'Internal error' } },
    ])
    const newer = host.client.post(body, { headers: { 'mcp-protocol-version': '2025-06-18' } })
    await newer.answered
    expect(newer.status).toBe(400)
    const same = host.client.post([request(1, 'ping'), request(1, 'ping')])
    await same.answered
    expect(same.status).toBe(400)
  })

  it('F052 F053 answers the good messages of a batch, and rejects the bad ones one by one', async () => {
    await using host = serve({})
    const body = [
      null,
      request(1, 'ping'),
      { jsonrpc: '1.0', id: 2, method: 'ping' },
      request(3, 'initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: {} }),
    ]
    const answers = (await jsonOf(host.client.post(body))) as { id?: number; error?: { code: number } }[]
    expect(Object.fromEntries(answers.map(({ id, error }) => [id, error?.code]))).toEqual({
      1: undefined,
      2: -32600,
      3: -32600,
      undefined: -32600,
    })
  })

  it('answers what cannot be encoded with an internal error, and params that are no object with -32602', async () => {
    const cycle: JSONObject = { content: [] }
    cycle['self'] = cycle
    await using host = serve({ cycle: () => cycle })
    expect(await jsonOf(host.client.tool('cycle'))).toMatchObject({ id: 1, error: { code: -32603 } })
    const odd = host.client.post({ jsonrpc: '2.0', id: 5, method: 'ping', params: 'x' })
    expect(await jsonOf(odd)).toMatchObject({ id: 5, error: { code: -32602 } })
  })

  it('runs what a handler deferred to the end of its connection', async () => {
    const cleaned: string[] = []
    await using host = serve({
      defer: (ctx) => {
        ctx.connection.defer(() => cleaned.push('cleaned'))
        return text('')
      },
    })
    await jsonOf(host.client.tool('defer'))
    await vi.waitFor(() => expect(cleaned).toEqual(['cleaned']))
  })

  it('reports a notification that cannot be encoded, and continues', async () => {
    await using host = serve({
      speak: async (ctx) => {
        await ctx.dispatch.notify('vendor/odd', { number: 1n } as never)
        return text('done')
      },
    })
    expect(await jsonOf(host.client.tool('speak'))).toMatchObject({ result: text('done') })
    expect(host.faults).toEqual(["The notification 'vendor/odd' was not sent."])
  })

  it('F132 F133 lets calls finish while it drains, and aborts them with an answer when it must', async () => {
    const done = createDeferred()
    const signals: AbortSignal[] = []
    const host = serve({
      wait: (ctx) => {
        signals.push(ctx.signal)
        return done.promise.then(() => text('late'))
      },
    })
    const call = host.client.tool('wait')
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    const closing = host.endpoint.close({ drainMs: 3_600_000 })
    const refused = host.client.call('tools/list')
    await refused.answered
    expect(refused.status).toBe(503)
    expect(refused.json).toHaveProperty('id')
    await host.endpoint.close({ drainMs: 0 })
    await closing
    expect(signals[0]?.aborted).toBe(true)
    expect(await jsonOf(call)).toMatchObject({ id: 1, error: { message: 'The server is shutting down.' } })
    done.resolve()
  })
})
