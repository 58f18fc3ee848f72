import { describe, expect, it } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'

function waitingServer() {
  const started = createDeferred()
  const release = createDeferred()
  const ends: string[] = []
  const server = new MCPServer('slow', { lifespan: () => ({ close: () => ends.push('lifespan') }) })
  server.tool('wait', {}, async (_args, ctx) => {
    started.resolve()
    await Promise.race([release.promise, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
    ends.push('handler')
    return ctx.signal.aborted ? 'stopped' : 'finished'
  })
  server.tool('deaf', {}, () => {
    started.resolve()
    return release.promise
  })
  return { server, started, release, ends }
}

function exchangeOf(name: string): FakeExchange {
  const request = { params: { name } }
  return new FakeExchange({ body: modernBody(request), headers: modernHeaders(request) })
}

const health = () => new FakeExchange({ method: 'GET', path: '/health', headers: { accept: undefined } })

interface Answer {
  result?: { content: { text: string }[] }
  error?: { code: number; message: string }
}

describe('close', () => {
  it('R53 F132 lets calls finish, rejects new ones meanwhile, and then ends the lifespan', async () => {
    const { server, started, release, ends } = waitingServer()
    const handler = createHandler(server)
    const call = exchangeOf('wait')
    void handler(call)
    await started.promise
    const closing = handler.close({ drainMs: 60_000 })
    const late = exchangeOf('wait')
    await handler(late)
    expect([late.status, late.replyHeaders['retry-after'] === undefined]).toEqual([503, false])
    release.resolve()
    await closing
    expect((call.json as Answer).result?.content[0]?.text).toBe('finished')
    expect(ends).toEqual(['handler', 'lifespan'])
  })

  it('of the server closes its handlers, which reject later requests', async () => {
    const { server, started, release, ends } = waitingServer()
    const [one, other] = [createHandler(server), createHandler(server)]
    const call = exchangeOf('wait')
    void one(call)
    await started.promise
    await server.close()
    await server.close()
    expect((call.json as Answer).result?.content[0]?.text).toBe('stopped')
    expect(ends).toEqual(['handler', 'lifespan'])
    for (const handler of [one, other]) {
      const late = exchangeOf('wait')
      await handler(late)
      expect(late.status).toBe(503)
      await handler.close()
    }
    const again = createHandler(server)
    const served = exchangeOf('wait')
    release.resolve()
    await again(served)
    expect((served.json as Answer).result?.content[0]?.text).toBe('finished')
  })

  it('of the server lets calls finish for drainMs', async () => {
    const { server, started, release } = waitingServer()
    const handler = createHandler(server)
    const call = exchangeOf('wait')
    void handler(call)
    await started.promise
    const closing = server.close({ drainMs: 60_000 })
    release.resolve()
    await closing
    expect((call.json as Answer).result?.content[0]?.text).toBe('finished')
  })

  it('F132 aborts those that take longer, and they may still answer', async () => {
    const { server, started } = waitingServer()
    const handler = createHandler(server)
    const call = exchangeOf('wait')
    void handler(call)
    await started.promise
    await handler.close({ drainMs: 1 })
    expect((call.json as Answer).result?.content[0]?.text).toBe('stopped')
  })

  it('F132 answers for those that do not listen', async () => {
    const { server, started, release } = waitingServer()
    const handler = createHandler(server)
    const call = exchangeOf('deaf')
    void handler(call)
    await started.promise
    await handler.close({ drainMs: 1 })
    expect(call.status).toBe(503)
    expect((call.json as Answer).error?.message).toBe('The server is shutting down.')
    // F134: what it says after that is dropped.
    release.resolve()
  })

  it('F133 called again, it can be quicker and never slower', async () => {
    const { server, started } = waitingServer()
    const handler = createHandler(server)
    const call = exchangeOf('wait')
    void handler(call)
    await started.promise
    const patient = handler.close({ drainMs: 600_000 })
    await handler.close({ drainMs: 0 })
    await patient
    expect(call.isAnswered).toBe(true)
  })

  it('F132 the answer that a call in a session waits for still comes through; new requests do not', async () => {
    const server = new MCPServer('asking')
    server.tool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('Sure?', { type: 'object', properties: {} })
      return answer.action
    })
    const handler = createHandler(server)
    const post = (body: unknown, headers: Record<string, string> = {}) => {
      const exchange = new FakeExchange({ body, headers })
      void handler(exchange)
      return exchange
    }
    const capabilities = { elicitation: {} }
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
    const opened = post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    await opened.answered
    const session = { 'mcp-session-id': opened.replyHeaders['mcp-session-id'] ?? '' }
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session).answered
    const callOf = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask' } })
    const call = post(callOf(1), session)
    await call.answered
    await call.sink?.received(2)
    const question = call.sink?.messages[0] as { id: number }

    const closing = handler.close({ drainMs: 60_000 })
    const late = post(callOf(2), session)
    await late.answered
    expect(late.status).toBe(503)
    const answer = post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } }, session)
    await answer.answered
    expect(answer.status).toBe(202)
    await closing
    expect(call.sink?.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'decline' }] } })
    const afterwards = post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, session)
    await afterwards.answered
    expect(afterwards.status).toBe(404)
  })

  describe.each([
    'modern',
    'modern, on a stream',
    'legacy',
    'legacy, on a stream',
    'legacy without sessions',
    'legacy without sessions, on a stream',
  ])('of %s calls', (kind) => {
    const isStream = kind.endsWith('stream')

    /** A handler with one call at work, and how to make another. */
    async function begin(tool: 'wait' | 'deaf') {
      const waiting = waitingServer()
      const sessions = kind.includes('without') ? false : {}
      const responseMode = isStream ? 'stream' : 'auto'
      const handler = createHandler(waiting.server, { sessions, responseMode })
      const headers: Record<string, string> = {}
      const call = (name: string, id: number) => {
        const request = { id, params: { name } }
        const isModern = kind.startsWith('modern')
        const body = isModern ? modernBody(request) : { jsonrpc: '2.0', method: 'tools/call', ...request }
        const exchange = new FakeExchange({ body, headers: isModern ? modernHeaders(request) : headers })
        void handler(exchange)
        return exchange
      }
      if (kind.startsWith('legacy')) {
        headers['mcp-protocol-version'] = '2025-11-25'
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
        const opened = new FakeExchange({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } })
        await handler(opened)
        const id = opened.replyHeaders['mcp-session-id']
        if (id !== undefined) headers['mcp-session-id'] = id
        expect(id === undefined).toBe(sessions === false)
      }
      const first = call(tool, 1)
      await waiting.started.promise
      const notify = () => {
        const exchange = new FakeExchange({ body: { jsonrpc: '2.0', method: 'notifications/x' }, headers })
        void handler(exchange)
        return exchange
      }
      return { ...waiting, handler, call, notify, first }
    }

    const answerOf = (exchange: FakeExchange) => (exchange.sink?.messages.at(-1) ?? exchange.json) as Answer

    it('R53 F132 lets them finish, rejects new ones meanwhile, and then ends the lifespan', async () => {
      const { handler, call, notify, first, release, ends } = await begin('wait')
      const closing = handler.close({ drainMs: 60_000 })
      const late = call('wait', 2)
      await late.answered
      expect(late.status).toBe(503)
      if (kind.startsWith('legacy')) {
        // In a session it may be what a call under way waits for; without one it is nobody's.
        const notice = notify()
        await notice.answered
        expect(notice.status).toBe(kind.includes('without') ? 503 : 202)
      }
      release.resolve()
      await closing
      expect(answerOf(first).result?.content[0]?.text).toBe('finished')
      expect(ends).toEqual(['handler', 'lifespan'])
    })

    it('F132 aborts those that take longer, and ends the lifespan after them', async () => {
      const { handler, first, ends } = await begin('wait')
      await handler.close({ drainMs: 1 })
      expect(first.isAnswered).toBe(true)
      expect(ends).toEqual(['handler', 'lifespan'])
    })

    it('F132 ends those that do not listen', async () => {
      const { handler, first, ends } = await begin('deaf')
      await handler.close({ drainMs: 1 })
      expect(first.isAnswered).toBe(true)
      expect(first.sink?.isClosed ?? true).toBe(true)
      expect(ends).toEqual(['lifespan'])
    })
  })

  it('does nothing harmful where nothing was ever asked', async () => {
    const { server, ends } = waitingServer()
    const handler = createHandler(server)
    await handler.close()
    await handler.close()
    expect(ends).toEqual([])
  })
})

describe('the health endpoint', () => {
  it('answers ok, and 503 while the server closes, without details', async () => {
    const { server } = waitingServer()
    const handler = createHandler(server)
    const open = health()
    await handler(open)
    expect([open.status, open.body, open.replyHeaders['content-type']]).toEqual([200, 'ok', 'text/plain'])
    await handler.close()
    const closed = health()
    await handler(closed)
    expect([closed.status, closed.body]).toEqual([503, 'closing'])
  })

  it('can be elsewhere, or nowhere', async () => {
    const off = health()
    await createHandler(new MCPServer('x'), { healthPath: false })(off)
    expect(off.status).toBe(404)
    const moved = new FakeExchange({ method: 'GET', path: '/up' })
    await createHandler(new MCPServer('x'), { healthPath: '/up' })(moved)
    expect(moved.status).toBe(200)
  })

  it('F123 takes GET and HEAD only', async () => {
    const exchange = new FakeExchange({ method: 'POST', path: '/health' })
    await createHandler(new MCPServer('x'))(exchange)
    expect([exchange.status, exchange.replyHeaders['allow']]).toEqual([405, 'GET, HEAD'])
  })

  it('needs no authorization, while everything else asks the wrapper', async () => {
    const handler = createHandler(new MCPServer('x'), { auth: () => (exchange) => exchange.reply(401) })
    const open = health()
    await handler(open)
    const call = exchangeOf('wait')
    await handler(call)
    const elsewhere = new FakeExchange({ method: 'GET', path: '/elsewhere' })
    await handler(elsewhere)
    expect([open.status, call.status, elsewhere.status]).toEqual([200, 401, 401])
  })
})

describe('the lifespan', () => {
  it('is entered with the first request, once', async () => {
    let entered = 0
    const server = new MCPServer('x', { lifespan: () => ({ count: ++entered }) })
    server.tool('count', {}, (_args, ctx) => (ctx.lifespan as { count: number }).count)
    const handler = createHandler(server)
    expect(entered).toBe(0)
    const calls = [exchangeOf('count'), exchangeOf('count')] as const
    await Promise.all(calls.map((call) => handler(call)))
    expect(entered).toBe(1)
    expect((calls[1].json as Answer).result?.content[0]?.text).toContain('1')
    await handler.close()
  })

  it('R35 that fails is a 500 without details, and is tried again', async () => {
    const faults: string[] = []
    let isBroken = true
    const server = new MCPServer('x', {
      onFault: ({ message }) => faults.push(message),
      lifespan: () => {
        if (isBroken) throw new Error('no database at 10.0.0.1')
        return {}
      },
    })
    server.tool('touch', {}, () => 'touched')
    const handler = createHandler(server)
    const first = exchangeOf('touch')
    await handler(first)
    expect([first.status, String(first.body).includes('10.0.0.1')]).toEqual([500, false])
    expect(faults).toContain('The lifespan of the server failed to start.')
    isBroken = false
    const second = exchangeOf('touch')
    await handler(second)
    expect(second.status).toBe(200)
    await handler.close()
  })
})

describe('a wrapper that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('jwks at 10.0.0.1')
      },
    ],
    ['rejects', () => Promise.reject(new Error('jwks at 10.0.0.1'))],
  ])('R35 and %s lets nothing pass, and says nothing', async (_name, wrapper) => {
    const faults: unknown[] = []
    const server = new MCPServer('x', { onFault: ({ error }) => faults.push(error) })
    const exchange = exchangeOf('touch')
    await createHandler(server, { auth: () => wrapper })(exchange)
    expect([exchange.status, String(exchange.body).includes('10.0.0.1')]).toEqual([500, false])
    expect(String(faults.at(-1))).toContain('10.0.0.1')
  })
})
