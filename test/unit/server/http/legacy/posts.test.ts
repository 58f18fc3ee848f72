// What a POST in a session is answered with: JSON, a stream, 202, or a refusal.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../../src/server/context.ts'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import type { HandshakeOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server, type ServerOptions } from '../../../../../src/server/server.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import type { FakeExchange } from '../../../../support/fake-exchange.ts'
import { jsonOf, LegacyClient, messageOn, request } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

type Tool = (ctx: ServerRequestContext, args: JSONObject) => unknown

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

async function connect(
  tools: Record<string, Tool>,
  options: HandshakeOptions = {},
  { version = '2025-11-25', ...serverOptions }: ServerOptions & { version?: string } = {},
) {
  const faults: string[] = []
  const server = new Server('posts', {
    onFault: ({ message }) => void faults.push(message),
    logging: true,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': (ctx, { name, arguments: args = {} }) => tools[name]?.(ctx, args as JSONObject) as never,
    },
    ...serverOptions,
  })
  const endpoint = createLegacyEndpoint(coreOf(server), options)
  const client = await LegacyClient.open(endpoint, { version, capabilities: { roots: {}, sampling: {} } })
  return { endpoint, client, server, faults, [Symbol.asyncDispose]: () => endpoint.close() }
}

/** An exchange whose peer takes nothing of a stream. */
function slowReader(client: LegacyClient): FakeExchange {
  const exchange = client.exchange('POST', { accept: '*/*' }, {})
  const stream = exchange.stream.bind(exchange)
  exchange.stream = (headers) => {
    const sink = stream(headers)
    sink.isReading = false
    return sink
  }
  return exchange
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a request', () => {
  it('is answered with JSON when its handler sends nothing else', async () => {
    await using host = await connect({ later: async () => text('hello') })
    const call = host.client.tool('later', {}, { id: 'seven' })
    expect(await jsonOf(call)).toEqual({ jsonrpc: '2.0', id: 'seven', result: text('hello') })
    expect(call.status).toBe(200)
    expect(call.replyHeaders['content-type']).toBe('application/json')
  })

  it('S-HTTPL-02 S-HTTPL-05 S-HTTPL-07 S-HTTPL-14 becomes a stream as soon as its handler sends something, primed, and ends with the answer', async () => {
    await using host = await connect({
      speak: async (ctx) => {
        await ctx.session.sendLogMessage('info', 'one')
        await ctx.reportProgress(1, 2)
        return text('done')
      },
    })
    const params = { name: 'speak', _meta: { progressToken: 'p' } }
    const { sink } = host.client.call('tools/call', params)
    await sink?.ended.promise
    expect(sink?.events[0]).toMatchObject({ data: '', retryMs: 1000 })
    expect(sink?.messages).toMatchObject([
      { method: 'notifications/message' },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
      { id: 1, result: text('done') },
    ])
    const ids = sink?.events.map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids ?? []) expect(id).toMatch(/^[\w-]{22}\.[\w-]+$/)
  })

  it.each(['2025-03-26', '2025-06-18'])('gets no priming event at %s', async (version) => {
    await using host = await connect(
      { speak: (ctx) => ctx.session.sendLogMessage('info', 1).then(() => text('')) },
      {},
      { version },
    )
    const { sink } = host.client.tool('speak')
    await sink?.ended.promise
    expect(sink?.events.map(({ data }) => data === '')).toEqual([false, false])
  })

  it('becomes a stream when its handler takes long, and is kept alive', async () => {
    vi.useFakeTimers()
    const done = createDeferred()
    await using host = await connect(
      { slow: () => done.promise.then(() => text('at last')) },
      { streamAfterMs: 1_000, keepAliveMs: 5_000 },
    )
    const call = host.client.tool('slow')
    await vi.advanceTimersByTimeAsync(999)
    expect(call.isAnswered).toBe(false)
    await vi.advanceTimersByTimeAsync(50)
    expect(call.sink?.events).toMatchObject([{ data: '' }])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(call.sink?.comments).toHaveLength(2)
    done.resolve()
    await call.sink?.ended.promise
    expect(call.sink?.messages).toMatchObject([{ result: text('at last') }])
  })

  it('asks the client on its own stream, and continues with the answer', async () => {
    await using host = await connect({
      roots: async (ctx) => text((await ctx.session.listRoots()).roots[0]?.uri ?? ''),
    })
    const call = host.client.tool('roots')
    await call.sink?.received(2)
    const { id, method } = messageOn(call)
    expect(method).toBe('roots/list')
    const answer = host.client.post({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///a' }] } })
    expect([answer.status, answer.body]).toEqual([202, undefined])
    await call.sink?.ended.promise
    expect(call.sink?.messages.at(-1)).toMatchObject({ result: text('file:///a') })
  })

  it('is answered with a stream at once in mode stream', async () => {
    await using host = await connect({ quick: () => text('hi') }, { responseMode: 'stream' })
    const { sink } = host.client.tool('quick')
    expect(sink?.isClosed).toBe(true)
    expect(sink?.events[0]?.data).toBe('')
    expect(sink?.messages).toMatchObject([{ result: text('hi') }])
  })

  it('is never answered with a stream in mode json, and its handler cannot ask', async () => {
    await using host = await connect(
      {
        speak: async (ctx) => {
          await ctx.session.sendLogMessage('info', 'lost')
          const refusal = await ctx.session.listRoots().catch((error: Error) => error.name)
          return text(String(refusal))
        },
      },
      { responseMode: 'json', streamAfterMs: 1 },
    )
    const call = host.client.tool('speak', {}, { headers: { accept: 'application/json' } })
    expect(await jsonOf(call)).toMatchObject({ result: text('NoBackChannelError') })
  })

  it('sends notifications and requests on the stream of the session in mode json, where the client has opened it', async () => {
    await using host = await connect(
      {
        speak: async (ctx) => {
          await ctx.session.sendLogMessage('info', 'heard')
          const { roots } = await ctx.session.listRoots()
          return text(roots.map(({ uri }) => uri).join())
        },
      },
      { responseMode: 'json' },
    )
    const stream = host.client.get()
    const call = host.client.tool('speak', {}, { headers: { accept: 'application/json' } })
    await vi.waitFor(() => expect(stream.sink?.messages).toHaveLength(2))
    expect(stream.sink?.messages).toMatchObject([{ params: { data: 'heard' } }, { method: 'roots/list' }])
    host.client.post({ jsonrpc: '2.0', id: messageOn(stream, 1)['id'], result: { roots: [{ uri: 'file:///a' }] } })
    expect(await jsonOf(call)).toMatchObject({ result: text('file:///a') })
  })

  it('that fails or is unknown is a JSON-RPC error under 200', async () => {
    await using host = await connect({
      fail: () => {
        throw new Error('secret')
      },
    })
    const failed = host.client.tool('fail')
    expect(failed.status).toBe(200)
    expect(failed.json).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error' } })
    expect(host.client.call('no/such').json).toMatchObject({ error: { code: -32601 } })
    expect(host.client.post({ jsonrpc: '2.0', id: 9, method: 'ping', params: [1] }).json).toMatchObject({
      id: 9,
      error: { code: -32602 },
    })
  })

  it('whose result cannot be encoded is answered with an internal error, as JSON and on a stream', async () => {
    const cycle: JSONObject = { content: [] }
    cycle['self'] = cycle
    await using host = await connect({
      json: () => cycle,
      stream: (ctx) => ctx.session.sendLogMessage('info', 1).then(() => cycle),
    })
    expect(host.client.tool('json').json).toMatchObject({ id: 1, error: { code: -32603 } })
    const { sink } = host.client.tool('stream')
    await sink?.ended.promise
    expect(sink?.messages.at(-1)).toMatchObject({ id: 2, error: { code: -32603 } })
  })

  it('S-HTTPL-08 F110 is worked on although its client has left', async () => {
    const done = createDeferred()
    const finished: boolean[] = []
    await using host = await connect({
      work: async (ctx) => {
        await done.promise
        finished.push(ctx.signal.aborted)
        return text('')
      },
    })
    const call = host.client.tool('work')
    call.leave()
    done.resolve()
    await vi.waitFor(() => expect(finished).toEqual([false]))
    expect(host.client.call('tools/list').status).toBe(200)
  })

  it('that the client cancels is aborted and ended, as JSON and on a stream', async () => {
    const reasons: unknown[] = []
    const wait = (ctx: ServerRequestContext) =>
      new Promise((resolve) => {
        const stop = () => {
          reasons.push(ctx.signal.reason.message)
          resolve(text('too late'))
        }
        if (ctx.signal.aborted) stop()
        else ctx.signal.addEventListener('abort', stop)
      })
    await using host = await connect({
      silent: wait,
      speaking: (ctx) => ctx.session.sendLogMessage('info', 1).then(() => wait(ctx)),
    })
    const cancel = (requestId: unknown) =>
      host.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'enough' } })

    const silent = host.client.tool('silent', {}, { id: 'a' })
    expect(cancel('a').status).toBe(202)
    expect(silent.json).toMatchObject({ id: 'a', error: { code: -32800 } })

    const speaking = host.client.tool('speaking', {}, { id: 'b' })
    await speaking.sink?.received(2)
    expect(cancel('b').status).toBe(202)
    await speaking.sink?.ended.promise
    expect(speaking.sink?.messages.at(-1)).toMatchObject({ id: 'b', error: { code: -32800 } })
    await vi.waitFor(() => expect(reasons).toEqual(['enough', 'enough']))

    const again = host.client.tool('silent', {}, { id: 'a' })
    expect(again.isAnswered).toBe(false)
    cancel('a')
  })

  it.each(['auto', 'stream'] as const)(
    'R57 with an id that is in flight is refused, and does not get the answer of the first (%s)',
    async (responseMode) => {
      const done = createDeferred<string>()
      await using host = await connect({ wait: () => done.promise.then(text) }, { responseMode })
      const first = host.client.tool('wait', {}, { id: 7 })
      const second = host.client.tool('wait', {}, { id: 7 })
      expect(second.status).toBe(400)
      expect(second.json).toMatchObject({ id: 7, error: { code: -32600 } })
      done.resolve('for the first')
      await (responseMode === 'auto' ? first.answered : first.sink?.ended.promise)
      const answer = responseMode === 'auto' ? first.json : first.sink?.messages.at(-1)
      expect(answer).toMatchObject({ id: 7, result: text('for the first') })
    },
  )

  it('with the ids 7 and "7" are two, and each POST gets its own answer', async () => {
    const gates = new Map<unknown, (result: unknown) => void>()
    const wait = ({ requestId }: { requestId: unknown }) => new Promise((resolve) => gates.set(requestId, resolve))
    await using host = await connect({ wait: wait as never })
    const [number, string] = [7, '7'].map((id) => host.client.tool('wait', {}, { id }))
    gates.get('7')?.(text('string'))
    gates.get(7)?.(text('number'))
    expect(await jsonOf(string!)).toMatchObject({ id: '7', result: text('string') })
    expect(await jsonOf(number!)).toMatchObject({ id: 7, result: text('number') })
  })

  it('beyond 256 in flight in one session is rejected with 503', async () => {
    const done = createDeferred()
    await using host = await connect({ wait: () => done.promise.then(() => text('')) })
    const calls = Array.from({ length: 256 }, () => host.client.tool('wait'))
    const refused = host.client.tool('wait')
    expect(refused.status).toBe(503)
    expect(refused.replyHeaders['retry-after']).toBeDefined()
    done.resolve()
    await Promise.all(calls.map(jsonOf))
    expect(host.client.call('tools/list').status).toBe(200)
  })

  it('F111 whose reader reads nothing loses its stream when too much waits for it', async () => {
    const big = 'x'.repeat(1000)
    const sent: number[] = []
    await using host = await connect(
      {
        flood: async (ctx) => {
          for (let i = 0; i < 100; i++) {
            void ctx.session.sendLogMessage('info', big)
            sent.push(i)
          }
          return text('done')
        },
      },
      { maxQueuedBytes: 10_000, responseMode: 'stream' },
    )
    const exchange = slowReader(host.client)
    void host.endpoint.post(exchange, request('flood', 'tools/call', { name: 'flood' }))
    await exchange.sink?.ended.promise
    expect(exchange.sink?.isDestroyed).toBe(true)
    expect(exchange.sink?.events.length).toBeLessThan(15)
    expect(host.faults).toContain('A client reads its event stream too slowly. The stream was closed.')
    expect(host.client.call('tools/list').status).toBe(200)
  })

  it('may be larger than what may wait for a reader', async () => {
    const large = 'x'.repeat(100_000)
    await using host = await connect(
      { large: (ctx) => ctx.session.sendLogMessage('info', large).then(() => text(large)) },
      { maxQueuedBytes: 1_000 },
    )
    const { sink } = host.client.tool('large')
    await sink?.ended.promise
    expect(sink?.messages).toMatchObject([{ params: { data: large } }, { result: text(large) }])
  })

  it('F111 whose reader reads nothing for too long loses its stream, however little waits for it', async () => {
    vi.useFakeTimers()
    await using host = await connect(
      { speak: (ctx) => ctx.session.sendLogMessage('info', 1).then(() => text('')) },
      { responseMode: 'stream' },
    )
    const exchange = slowReader(host.client)
    void host.endpoint.post(exchange, request('slow', 'tools/call', { name: 'speak' }))
    await vi.advanceTimersByTimeAsync(29_000)
    expect(exchange.sink?.isDestroyed).toBe(false)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(exchange.sink?.isDestroyed).toBe(true)
  })

  it('waits for a slow reader where the handler awaits what it sends', async () => {
    const steps: string[] = []
    await using host = await connect(
      {
        speak: async (ctx) => {
          await ctx.session.sendLogMessage('info', 1)
          steps.push('sent')
          return text('')
        },
      },
      { responseMode: 'stream', eventStore: false },
    )
    const exchange = slowReader(host.client)
    void host.endpoint.post(exchange, request(1, 'tools/call', { name: 'speak' }))
    await exchange.sink?.received(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(steps).toEqual([])
    exchange.sink?.drain()
    await exchange.sink?.ended.promise
    expect(steps).toEqual(['sent'])
  })
})

describe('a body', () => {
  it.each([
    ['a string', 'x'],
    ['a number', 1],
    ['null', null],
    ['no jsonrpc', { id: 1, method: 'ping' }],
    ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a method that is no string', { jsonrpc: '2.0', id: 1, method: 1 }],
    ['no kind of message', { jsonrpc: '2.0', id: 1 }],
    ['a batch', [request(1, 'ping')]],
  ])('that is %s is refused with 400', async (_what, body) => {
    await using host = await connect({})
    const exchange = host.client.post(body)
    expect(exchange.status).toBe(400)
    expect(exchange.json).toMatchObject({ error: { code: -32600 } })
  })

  it('of a notification that is unknown or wrong is accepted, and costs nothing', async () => {
    await using host = await connect({})
    for (const params of [undefined, [], 'x', { requestId: {} }]) {
      expect(host.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).status).toBe(202)
    }
    expect(host.client.post({ jsonrpc: '2.0', id: 99, result: {} }).status).toBe(202)
    expect(host.client.post({ jsonrpc: '2.0', error: { code: 1, message: '' } }).status).toBe(202)
    expect(host.client.call('ping').status).toBe(200)
  })
})

/** What became of each request. */
function byId(answers: unknown): Record<string, unknown> {
  const list = answers as { id?: unknown; error?: { code: number } }[]
  return Object.fromEntries(list.map(({ id, error }) => [String(id), error?.code ?? 'result']))
}

describe('a batch', () => {
  const version = '2025-03-26'

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is rejected at %s', async (other) => {
    await using host = await connect({}, {}, { version: other })
    expect(host.client.post([request(1, 'ping')]).status).toBe(400)
  })

  it('S-HTTPL-22 is answered as one array, and with 202 where nothing asks for an answer', async () => {
    await using host = await connect({ later: async () => text('x') }, {}, { version })
    const call = host.client.post([
      request('a', 'tools/call', { name: 'later' }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('b', 'ping'),
    ])
    const answers = (await jsonOf(call)) as { id: string }[]
    expect(answers.map(({ id }) => id).sort()).toEqual(['a', 'b'])
    expect(host.client.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }]).status).toBe(202)
    expect(host.client.post([{ jsonrpc: '2.0', id: 5, result: {} }]).status).toBe(202)
  })

  it('becomes a stream when one of its handlers sends something', async () => {
    await using host = await connect(
      { speak: (ctx) => ctx.session.sendLogMessage('info', 1).then(() => text('')) },
      {},
      { version },
    )
    const { sink } = host.client.post([request(1, 'ping'), request(2, 'tools/call', { name: 'speak' })])
    await sink?.ended.promise
    expect(sink?.messages[0]).toMatchObject({ method: 'notifications/message' })
    expect(sink?.messages[1]).toHaveLength(2)
  })

  it('loses only the answer that cannot be encoded', async () => {
    const cycle: JSONObject = { content: [] }
    cycle['self'] = cycle
    await using host = await connect({ cycle: () => cycle }, {}, { version })
    const call = host.client.post([request(1, 'tools/call', { name: 'cycle' }), request(2, 'ping')])
    expect(await jsonOf(call)).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, result: {} },
    ])
  })

  it('whose requests are all cancelled ends with 202', async () => {
    const hang = () => new Promise(() => {})
    await using host = await connect({ hang }, {}, { version })
    const call = host.client.post([1, 2].map((id) => request(id, 'tools/call', { name: 'hang' })))
    for (const requestId of [1, 2]) {
      host.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    }
    expect(call.status).toBe(202)
  })

  it.each([
    ['empty', []],
    ['too long', Array.from({ length: 101 }, (_, id) => request(id, 'ping'))],
    ['with a batch in it', [[request(1, 'ping')]]],
    ['with initialize in it', [request(1, 'initialize')]],
    ['with an id twice', [request(1, 'ping'), request(1, 'ping')]],
    ['without anything in order', [1, { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 3, method: 'ping' }]],
  ])('that is %s is refused with 400', async (_what, body) => {
    await using host = await connect({}, {}, { version })
    expect(host.client.post(body).status).toBe(400)
  })

  it('F052 with bad messages in it answers the good ones, and each bad one by its id where it has one', async () => {
    await using host = await connect({}, {}, { version })
    const call = host.client.post([
      1,
      request('good', 'ping'),
      { jsonrpc: '1.0', id: 'old', method: 'ping' },
      { jsonrpc: '2.0', id: 'odd', method: 5 },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' },
      request('again', 'initialize', { protocolVersion: version, capabilities: {}, clientInfo: {} }),
      request('other', 'tools/list'),
    ])
    expect(byId(await jsonOf(call))).toEqual({
      good: 'result',
      other: 'result',
      old: -32600,
      odd: -32600,
      again: -32600,
      undefined: -32600,
    })
  })

  it('F052 answers the good ones on a stream, too', async () => {
    await using host = await connect({}, { responseMode: 'stream' }, { version })
    const { sink } = host.client.post([7, request(1, 'ping'), request(2, 'initialize')])
    await sink?.ended.promise
    expect(byId(sink?.messages.flat())).toEqual({ 1: 'result', 2: -32600, undefined: -32600 })
  })

  it('F053 with initialize in it opens no session, and answers each request by its id', async () => {
    await using host = await connect({}, {}, { version })
    const { client } = host
    const before = host.endpoint.sessionCount
    const opening = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const body = [request('a', 'initialize', opening), request('b', 'ping'), { jsonrpc: '2.0', method: 'x' }]
    const call = client.post(body, { headers: { 'mcp-session-id': undefined } })
    expect(call.status).toBe(400)
    expect(byId(await jsonOf(call))).toEqual({ a: -32600, b: -32600 })
    expect(host.endpoint.sessionCount).toBe(before)
  })

  it('R57 with an id that is in flight is rejected as a whole', async () => {
    const done = createDeferred()
    await using host = await connect({ wait: () => done.promise.then(() => text('mine')) }, {}, { version })
    const first = host.client.tool('wait', {}, { id: 1 })
    expect(host.client.post([request(2, 'ping'), request(1, 'ping')]).status).toBe(400)
    done.resolve()
    expect(await jsonOf(first)).toMatchObject({ id: 1, result: text('mine') })
  })
})
