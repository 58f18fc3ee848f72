import { describe, expect, it, vi } from 'vitest'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../../../../src/server/http/handler.ts'
import { FakeExchange, type FakeRequest } from '../../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../../support/modern-messages.ts'

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

interface Message {
  method?: string
  params?: { notifications?: unknown; _meta?: Record<string, unknown> }
  result?: { resultType?: string; _meta?: Record<string, unknown> }
}

function createServer(): MCPServer {
  const server = new MCPServer('shelf')
  server.tool('add', {}, () => 1)
  return server
}

function listenExchange(id: string | number, more: FakeRequest = {}): FakeExchange {
  const request = { id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }
  return new FakeExchange({ ...more, body: modernBody(request), headers: modernHeaders(request) })
}

const messagesOf = ({ sink }: FakeExchange) => (sink?.messages ?? []) as Message[]

describe('subscriptions/listen', () => {
  it('S-SUB-01 S-SUB-04 acknowledges first and tags every message with the id of the request', async () => {
    const server = createServer()
    const handler = createHandler(server)
    const exchange = listenExchange('sub-1')
    void handler(exchange)
    await exchange.answered
    await exchange.sink?.received(1)
    server.tool('another', {}, () => 2)
    await exchange.sink?.received(2)
    const [acknowledged, changed] = messagesOf(exchange)
    expect(acknowledged?.method).toBe('notifications/subscriptions/acknowledged')
    expect(acknowledged?.params?.notifications).toEqual({ toolsListChanged: true })
    expect(changed?.method).toBe('notifications/tools/list_changed')
    expect(messagesOf(exchange).map(({ params }) => params?._meta?.[SUBSCRIPTION_ID])).toEqual(['sub-1', 'sub-1'])
    await handler.close()
  })

  it('S-SUB-06 F132 is ended by a closing server with its result, and then the stream ends', async () => {
    const handler = createHandler(createServer())
    const exchange = listenExchange(5)
    void handler(exchange)
    await exchange.answered
    await exchange.sink?.received(1)
    await handler.close({ drainMs: 60_000 })
    const last = messagesOf(exchange).at(-1)
    expect(last?.result?.resultType).toBe('complete')
    expect(last?.result?._meta?.[SUBSCRIPTION_ID]).toBe(5)
    expect(messagesOf(exchange).some(({ method }) => method === 'notifications/cancelled')).toBe(false)
    expect([exchange.sink?.isClosed, exchange.sink?.isDestroyed]).toEqual([true, false])
  })

  it('S-SUB-07 stops at once when the client leaves', async () => {
    const server = createServer()
    const handler = createHandler(server)
    const exchange = listenExchange(1)
    const working = handler(exchange)
    await exchange.answered
    await exchange.sink?.received(1)
    exchange.leave()
    await working
    const before = exchange.sink?.events.length
    server.tool('another', {}, () => 2)
    await server.server.announce({ type: 'toolsListChanged' })
    expect(exchange.sink?.events.length).toBe(before)
  })

  it('is limited per principal, with 503 and no harm to others', async () => {
    const handler = createHandler(createServer(), { maxStreamsPerPrincipal: 1 })
    const auth = (subject: string) => ({ auth: { clientId: 'app', scopes: [], subject } })
    const [first, second, other] = [
      listenExchange(1, auth('a')),
      listenExchange(2, auth('a')),
      listenExchange(3, auth('b')),
    ] as const
    void handler(first)
    await first.answered
    for (const exchange of [second, other]) {
      void handler(exchange)
      await exchange.answered
    }
    expect([first.status, second.status, other.status]).toEqual([200, 503, 200])
    await first.sink?.received(1)
    first.leave()
    await vi.waitFor(async () => {
      const again = listenExchange(4, auth('a'))
      void handler(again)
      await again.answered
      expect(again.status).toBe(200)
    })
    await handler.close()
  })

  it('S-SUB-09 several live side by side', async () => {
    const server = createServer()
    const handler = createHandler(server)
    const exchanges = [listenExchange('x'), listenExchange('y')]
    for (const exchange of exchanges) {
      void handler(exchange)
      await exchange.answered
      await exchange.sink?.received(1)
    }
    server.tool('another', {}, () => 2)
    await Promise.all(exchanges.map(({ sink }) => sink?.received(2)))
    expect(exchanges.map((exchange) => messagesOf(exchange)[1]?.params?._meta?.[SUBSCRIPTION_ID])).toEqual(['x', 'y'])
    await handler.close()
  })
})
