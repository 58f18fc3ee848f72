// A server asks its source, for each caller, what it offers.
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { type ServerSettings, SOURCE } from '../../../src/server/core.ts'
import { createHandler } from '../../../src/server/http/handler.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import type { Source } from '../../../src/server/source.ts'
import type { SubscriptionEvent } from '../../../src/server/subscriptions/subscriptions.ts'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import { missingResourceCode } from '../../../src/wire/revision-facts.ts'
import { FakeExchange } from '../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../support/modern-messages.ts'

const MODES = ['modern', 'legacy'] as const
const ada: AuthInfo = { clientId: 'console', subject: 'ada', scopes: [] }
const bob: AuthInfo = { clientId: 'console', subject: 'bob', scopes: [] }
const TOOL = { name: 'find', inputSchema: { type: 'object' as const, properties: { region: { type: 'string' } } } }
const METHODS = ['tools/list', 'tools/call', 'resources/list', 'resources/read']

class TestSource implements Source {
  readonly asked: string[] = []
  readonly close = vi.fn(async () => {})
  #tell: ((event: SubscriptionEvent) => void) | undefined

  change(event: SubscriptionEvent): void {
    this.#tell?.(event)
  }

  async describe(request: Parameters<Source['describe']>[0]) {
    const tools = { listChanged: true }
    const resources = { listChanged: true, subscribe: true }
    const client = (request.clientInfo ?? request.params?.['clientInfo']) as { name: string }
    return {
      capabilities: { tools, resources, experimental: { era: { revision: request.protocolVersion } } },
      instructions: `for ${client.name}`,
      info: { name: 'upstream', version: '7' },
      extensions: { 'com.example/search': { limit: 3 } },
    }
  }

  list(...[list, request, cursor]: Parameters<Source['list']>) {
    this.asked.push(`${list} ${cursor} ${request.clientInfo?.name}`)
    if (list !== 'tools/list') return { resources: [] }
    return cursor === undefined ? { tools: [TOOL], nextCursor: 'more' } : { tools: [] }
  }

  handle(...[request, method, params]: Parameters<Source['handle']>) {
    const { name, uri } = params
    this.asked.push(`${method} ${name ?? uri}`)
    if (method === 'tools/call') return { content: [{ type: 'text', text: `found by ${request.clientInfo?.name}` }] }
    if (uri === 'notes://hidden') throw new MCPError(missingResourceCode(request.protocolVersion), 'Resource not found')
    if (uri === 'notes://scoped') throw new MCPError(ErrorCode.InvalidRequest, 'Not authorized')
    return {}
  }

  notify(...[, method]: Parameters<NonNullable<Source['notify']>>) {
    this.asked.push(method)
  }

  mirrored(...[tool, { auth }]: Parameters<NonNullable<Source['mirrored']>>) {
    return tool === 'find' && auth?.subject === 'ada'
      ? [{ name: 'Region', path: ['region'], type: 'string' as const }]
      : undefined
  }

  watch(listener: (event: SubscriptionEvent) => void) {
    this.#tell = listener
    return () => {
      this.#tell = undefined
    }
  }
}

function serve(source: Source, options: ServerOptions = {}): Server {
  const settings: ServerSettings = { subscriptions: true, ...options, [SOURCE]: () => source }
  const server = new Server('front', settings)
  for (const method of METHODS) coreOf(server).serveFromSource(method)
  return server
}

describe.each(MODES)('a server with a source, %s', (mode) => {
  const connect = (server: Server, name = 'tester') =>
    Client.connect(server, { mode, clientInfo: { name, version: '1' } })

  it('K05 describes itself to each caller as the source says', async () => {
    const server = serve(new TestSource())
    const [one, two] = [await connect(server, 'one'), await connect(server, 'two')]
    expect([one.instructions, two.instructions]).toEqual(['for one', 'for two'])
    expect(one.serverInfo).toEqual({ name: 'upstream', version: '7' })
    expect(one.serverCapabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      // The legacy revisions have no extensions.
      ...(mode === 'modern' && { extensions: { 'com.example/search': { limit: 3 } } }),
    })
    await Promise.all([one.close(), two.close()])
  })

  it('K05 keeps the instructions and capabilities that its author has given', async () => {
    const options = { instructions: 'mine', capabilities: { tools: { listChanged: false } } }
    const client = await connect(serve(new TestSource(), options))
    expect(client.instructions).toBe('mine')
    expect(client.serverCapabilities.tools).toEqual({ listChanged: false })
    await client.close()
  })

  it('K26 lists and calls through it, with the cursor and for the caller', async () => {
    const source = new TestSource()
    const client = await connect(serve(source))
    expect(await client.listTools()).toMatchObject({ tools: [TOOL], nextCursor: 'more' })
    expect(await client.listTools({ cursor: 'more' })).toMatchObject({ tools: [] })
    expect((await client.callTool('find')).content).toEqual([{ type: 'text', text: 'found by tester' }])
    for (const question of ['tools/list undefined tester', 'tools/list more tester', 'tools/call find']) {
      expect(source.asked).toContain(question)
    }
    await client.close()
  })

  it('gives it the notifications that nobody else handles', async () => {
    const source = new TestSource()
    const handled = vi.fn()
    const server = serve(source)
    server.setNotificationHandler('com.example/mine', handled)
    const client = await connect(server)
    await client.session.sendNotification('com.example/mine')
    await client.session.sendNotification('com.example/other')
    await vi.waitFor(() => expect(source.asked).toContain('com.example/other'))
    expect(handled).toHaveBeenCalledTimes(1)
    expect(source.asked).not.toContain('com.example/mine')
    await client.close()
  })

  it('announces the changes that it tells of', async () => {
    const source = new TestSource()
    const client = await connect(serve(source))
    const subscription = await client.listen({ toolsListChanged: true })
    source.change({ type: 'toolsListChanged' })
    for await (const event of subscription) {
      expect(event).toEqual({ type: 'toolsListChanged' })
      break
    }
    await client.close()
  })

  it('lets a caller watch what the source lets it subscribe to, and hides what it must not know of', async () => {
    const source = new TestSource()
    const server = serve(source)
    const client = await connect(server)
    const uris = ['notes://hidden', 'notes://open']
    const subscription = await client.listen({ resourceSubscriptions: uris })
    for (const uri of uris) await server.announce({ type: 'resourceUpdated', uri })
    for await (const event of subscription) {
      expect(event).toEqual({ type: 'resourceUpdated', uri: 'notes://open' })
      break
    }
    for (const uri of uris) expect(source.asked).toContain(`resources/subscribe ${uri}`)
    await client.close()
  })

  it('prefers a handler of the author', async () => {
    const server = serve(new TestSource())
    server.setRequestHandler('tools/call', () => ({ content: [] }))
    const client = await connect(server)
    expect((await client.callTool('find')).content).toEqual([])
    await client.close()
  })

  it('closes it, and can be served again', async () => {
    const source = new TestSource()
    const server = serve(source)
    await connect(server)
    await server.close()
    expect(source.close).toHaveBeenCalledTimes(1)
    const client = await connect(server)
    expect(await client.listTools()).toMatchObject({ tools: [TOOL] })
    await client.close()
  })
})

describe('compose K07 header annotations over HTTP', () => {
  it.each([
    ['a caller that sees the tool must repeat the argument in its header', ada, 400],
    ['a caller that does not see the tool learns nothing of its annotations', bob, 200],
  ])('K07 %s', async (_case, auth, status) => {
    const handler = createHandler(serve(new TestSource()))
    const call = { id: 1, method: 'tools/call', params: { name: 'find', arguments: { region: 'eu' } } }
    const exchange = new FakeExchange({ auth, body: modernBody(call), headers: modernHeaders(call) })
    await handler(exchange)
    await exchange.answered
    expect(exchange.status).toBe(status)
    await handler.close({ drainMs: 0 })
  })
})

it('a server without a source refuses to serve a method from it', () => {
  expect(() => coreOf(new Server('bare')).serveFromSource('tools/list')).toThrow(/no source/)
})
