// The legacy era over sockets, with the official client of that era as a black box.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { HandlerOptions } from '../../../../../src/server/http/handler-options.ts'

async function serve(options: HandlerOptions = {}) {
  const server = new MCPServer('sockets', { version: '1.0.0' })
  server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)
  server.tool('speak', {}, async (_args, ctx) => {
    await ctx.log.info('a word')
    await ctx.reportProgress(1, 2)
    return 'spoken'
  })
  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Who?', z.object({ name: z.string() }))
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action
  })
  server.tool('poll', {}, async (_args, ctx) => {
    ctx.http?.closeStream()
    await new Promise((resolve) => setImmediate(resolve))
    return 'polled'
  })
  server.tool('grow', {}, () => {
    server.tool(`tool${Math.random()}`.replace('.', ''), {}, () => '')
    return 'grown'
  })
  const aborted = createDeferred()
  server.tool('hang', {}, (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve())
    return new Promise<string>(() => {})
  })
  const serving = await serveHttp(server, { port: 0, legacySse: true, retryMs: 1, ...options })
  return { server, serving, aborted, [Symbol.asyncDispose]: () => serving.close({ drainMs: 0 }) }
}

async function connect(transport: Transport) {
  const client = new Client({ name: 'official', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
  await client.connect(transport)
  return client
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

describe.each([
  ['sessions', {}],
  ['sessions and streams at once', { responseMode: 'stream' }],
  ['sessions without an event store', { eventStore: false }],
] as const)('the official client with %s', (_what, options) => {
  it('calls, gets notifications, answers a request, opens a stream and deletes its session', async () => {
    await using host = await serve(options)
    const transport = new StreamableHTTPClientTransport(new URL(host.serving.url))
    const client = await connect(transport as Transport)
    expect(transport.sessionId).toMatch(/^[\w-]{22}$/)

    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('3')

    const heard: unknown[] = []
    const progress: number[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data))
    const spoken = await client.callTool({ name: 'speak' }, undefined, {
      onprogress: (step) => void progress.push(step.progress),
    })
    expect(textOf(spoken)).toBe('spoken')
    expect(heard).toEqual(['a word'])
    expect(progress).toEqual([1])

    expect(textOf(await client.callTool({ name: 'ask' }))).toBe('Hello, Ada')

    const changed = createDeferred()
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve())
    await client.callTool({ name: 'grow' })
    await changed.promise

    await transport.terminateSession()
    await client.close()
  })

  it('comes back for the answer of a stream that was closed, and cancels what it no longer wants', async () => {
    await using host = await serve(options)
    const client = await connect(new StreamableHTTPClientTransport(new URL(host.serving.url)) as Transport)
    expect(textOf(await client.callTool({ name: 'poll' }))).toBe('polled')

    const controller = new AbortController()
    const hanging = client.callTool({ name: 'hang' }, undefined, { signal: controller.signal })
    hanging.catch(() => {})
    await vi.waitFor(async () =>
      expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }))).toBe('2'),
    )
    controller.abort('enough')
    await expect(hanging).rejects.toThrow('enough')
    await host.aborted.promise
    await client.close()
  })
})

describe('the official client', () => {
  it('works without sessions', async () => {
    await using host = await serve({ sessions: false })
    const transport = new StreamableHTTPClientTransport(new URL(host.serving.url))
    const client = await connect(transport as Transport)
    expect(transport.sessionId).toBeUndefined()
    expect(textOf(await client.callTool({ name: 'speak' }))).toBe('spoken')
    await client.close()
  })

  it('works with JSON answers only', async () => {
    await using host = await serve({ responseMode: 'json' })
    const client = await connect(new StreamableHTTPClientTransport(new URL(host.serving.url)) as Transport)
    expect(textOf(await client.callTool({ name: 'speak' }))).toBe('spoken')
    await client.close()
  })

  it('works over HTTP+SSE', async () => {
    await using host = await serve()
    const client = await connect(new SSEClientTransport(new URL('/sse', host.serving.url)) as Transport)
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('3')
    expect(textOf(await client.callTool({ name: 'ask' }))).toBe('Hello, Ada')
    const changed = createDeferred()
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve())
    await client.callTool({ name: 'grow' })
    await changed.promise
    await client.close()
  })
})
