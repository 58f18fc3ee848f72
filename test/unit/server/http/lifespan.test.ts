// The lifespan of a server on HTTP: one for all eras and sessions, started with the first request and ended by closing.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../../src/server/http/handler-options.ts'
import { Server } from '../../../../src/server/server.ts'
import { FakeExchange, type FakeRequest } from '../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'

const OPENING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
const LIST = { method: 'tools/list', params: {} }

interface Mode {
  readonly options: HandlerOptions
  readonly request: FakeRequest
}

const MODES: Record<string, Mode> = {
  modern: { options: {}, request: { headers: modernHeaders(LIST), body: modernBody(LIST) } },
  'legacy with sessions': {
    options: {},
    request: { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params: OPENING } },
  },
  'legacy without sessions': {
    options: { sessions: false },
    request: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  },
  'HTTP+SSE': {
    options: { legacySse: true },
    request: { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } },
  },
}

describe.each(Object.entries(MODES))('the lifespan, %s', (_name, { options, request }) => {
  function serve(enter: () => void) {
    const events: string[] = []
    const server = new Server('lifespan', {
      handlers: { 'tools/list': () => ({ tools: [] }) },
      lifespan: () => {
        enter()
        events.push('start')
        return { close: () => events.push('end') }
      },
    })
    const handler = createHandler(server, options)
    const send = async () => {
      const exchange = new FakeExchange(request)
      void handler(exchange)
      await exchange.answered
      return exchange
    }
    return { handler, events, send }
  }

  it('starts once for all requests, and ends when the handler closes', async () => {
    const { handler, events, send } = serve(() => {})
    expect([(await send()).status, (await send()).status]).toEqual([200, 200])
    expect(events).toEqual(['start'])
    await handler.close({ drainMs: 0 })
    expect(events).toEqual(['start', 'end'])
  })

  it('R35 that fails to start is a 500 without details, and the next request tries again', async () => {
    let attempts = 0
    const { handler, events, send } = serve(() => {
      attempts += 1
      if (attempts === 1) throw new Error('the password is wrong')
    })
    const failed = await send()
    expect([failed.status, String(failed.body).includes('password')]).toEqual([500, false])
    expect([handler.sessionCount, events]).toEqual([0, []])
    expect((await send()).status).toBe(200)
    await handler.close({ drainMs: 0 })
    expect(events).toEqual(['start', 'end'])
  })
})
