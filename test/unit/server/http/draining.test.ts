// One rule over every way of serving: a call that is under way when a handler closes is finished and answered, new ones are not begun.
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../../src/server/http/handler-options.ts'
import { Server } from '../../../../src/server/server.ts'
import { FakeExchange } from '../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'

const LEGACY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const OPENING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }

interface Way {
  readonly options: HandlerOptions
  /** The headers of a call, and its body, once the client has met the server. */
  meet(handler: (exchange: FakeExchange) => unknown): Promise<{ headers: Record<string, string>; body: object }>
}

const WAYS: Record<string, Way> = {
  modern: {
    options: {},
    meet: async () => {
      const call = { params: { name: 'wait' } }
      return { headers: modernHeaders(call), body: modernBody(call) }
    },
  },
  'legacy with sessions': {
    options: {},
    meet: async (handler) => {
      const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params: OPENING }
      const exchange = new FakeExchange({ headers: LEGACY, body: opening })
      await handler(exchange)
      return { headers: { ...LEGACY, 'mcp-session-id': String(exchange.replyHeaders['mcp-session-id']) }, body: CALL }
    },
  },
  'legacy without sessions': {
    options: { sessions: false },
    meet: async () => ({ headers: LEGACY, body: CALL }),
  },
  'legacy without sessions, as a stream': {
    options: { sessions: false, responseMode: 'stream' },
    meet: async () => ({ headers: LEGACY, body: CALL }),
  },
}

async function waitingCall({ options, meet }: Way) {
  const reached = createDeferred()
  const release = createDeferred()
  const server = new Server('draining', {
    onFault: () => {},
    handlers: {
      'tools/call': async () => {
        reached.resolve()
        await release.promise
        return { content: [{ type: 'text', text: 'finished' }] }
      },
    },
  })
  const handler = createHandler(server, options)
  const request = await meet(handler)
  const call = new FakeExchange(request)
  void handler(call)
  await reached.promise
  const answerOf = () => String(call.body ?? '') + (call.sink?.events.map(({ data }) => data).join('') ?? '')
  return { server, handler, release, call, request, answerOf }
}

describe.each(Object.entries(WAYS))('closing, %s', (_name, way) => {
  it('waits for the call in flight and answers it, while new ones are rejected', async () => {
    const { handler, release, request, answerOf } = await waitingCall(way)
    let isClosed = false
    const closing = handler.close({ drainMs: 600_000 }).then(() => {
      isClosed = true
    })
    const late = new FakeExchange({ ...request, body: { ...request.body, id: 2 } })
    await handler(late)
    expect(late.status).toBe(503)
    expect([isClosed, answerOf()]).toEqual([false, ''])
    release.resolve()
    await closing
    expect(answerOf()).toContain('finished')
  })

  it('does not wait where there is no time for it, and the call gets an answer all the same', async () => {
    const { handler, call, answerOf } = await waitingCall(way)
    await handler.close({ drainMs: 0 })
    await call.answered
    expect(answerOf()).toContain('error')
    expect(answerOf()).not.toContain('finished')
  })

  it('ends with the server, too', async () => {
    const { server, release, answerOf } = await waitingCall(way)
    const closing = server.close({ drainMs: 600_000 })
    release.resolve()
    await closing
    expect(answerOf()).toContain('finished')
  })
})
