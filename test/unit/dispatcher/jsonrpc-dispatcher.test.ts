// What JSON-RPC says on the wire, and what hostile or broken messages do: never more than fail themselves.
import { describe, expect, it, vi } from 'vitest'
import type { Channel, Receiver } from '../../../src/dispatcher/channel.ts'
import { JSONRPCDispatcher } from '../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { InvalidResultError, LimitError, TransportError } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import type { JSONRPCMessage } from '../../../src/types/protocol/jsonrpc.ts'
import { connectRaw, ignoreAll, RawPeer, refuseAll, settle } from '../../support/peers.ts'

const ok = () => ({ ok: true })

describe('messages out', () => {
  it('are JSON-RPC 2.0', async () => {
    await using link = connectRaw()
    link.dispatcher.sendRawRequest('tools/list', { cursor: 'c' }).catch(() => {})
    await link.dispatcher.notify('notifications/initialized')
    expect(await link.peer.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { cursor: 'c', _meta: {} },
    })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' })
  })

  it('answer with the id of the request, in its own type', async () => {
    await using link = connectRaw(ok)
    for (const id of [7, '7', 0, '', -1, 'x']) {
      link.peer.send({ jsonrpc: '2.0', id, method: 'a' })
      expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id, result: { ok: true } })
    }
  })

  it('F068 above the limit never leave; the call fails and the request is answered with an error', async () => {
    const sent: JSONRPCMessage[] = []
    let receiver: Receiver | undefined
    const channel: Channel = {
      start: (given) => {
        receiver = given
      },
      send: (message) => {
        if (JSON.stringify(message).length > 200) return Promise.reject(new LimitError('outbound message bytes', 200))
        sent.push(message as JSONRPCMessage)
        return undefined
      },
      close: () => {},
    }
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(() => ({ text: 'x'.repeat(500) }), ignoreAll)
    await expect(dispatcher.sendRawRequest('a', { text: 'x'.repeat(500) })).rejects.toThrow(LimitError)
    void receiver!.message({ jsonrpc: '2.0', id: 5, method: 'b' })
    await settle()
    const data = { limit: 'outbound message bytes', max: 200 }
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'The answer is too large', data } }])
    await dispatcher.close()
  })

  const cycle: JSONObject = {}
  cycle['self'] = cycle
  it.each<[string, () => JSONObject]>([
    ['a BigInt', () => ({ value: 1n })],
    ['a cycle', () => cycle],
    [
      'a getter that throws',
      () => ({
        get value() {
          throw new Error('password=hunter2')
        },
      }),
    ],
    [
      'a toJSON that throws',
      () => ({
        value: {
          toJSON() {
            throw new Error('password=hunter2')
          },
        },
      }),
    ],
  ])('F065 a result with %s is answered -32603, and the next request is served', async (_name, makeResult) => {
    await using link = connectRaw((_context, method) => (method === 'bad' ? makeResult() : ok()))
    link.peer.send({ jsonrpc: '2.0', id: 1, method: 'bad' })
    link.peer.send({ jsonrpc: '2.0', id: 2, method: 'good' })
    const answers = [await link.peer.next(), await link.peer.next()]
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 2, result: { ok: true } })
    expect(link.faults.map(({ kind }) => kind)).toEqual(['write-failed'])
  })

  it('request with params that are no JSON fail the call before anything is sent', async () => {
    await using link = connectRaw()
    await expect(link.dispatcher.sendRawRequest('a', { value: 1n })).rejects.toThrow('cannot be encoded as JSON')
    await link.dispatcher.notify('n', { value: 1n })
    expect(link.peer.unread).toBe(0)
    expect(link.faults.map(({ kind }) => kind)).toEqual(['write-failed'])
  })
})

describe('answers in', () => {
  it('F041 to no request of ours are reported and ignored, at a bounded rate', async () => {
    await using link = connectRaw()
    for (let id = 0; id < 1000; id++) link.peer.send({ jsonrpc: '2.0', id: `nobody-${id}`, result: {} })
    await settle()
    expect(link.faults[0]).toEqual({
      kind: 'unmatched-response',
      message: 'An answer matches no request of ours',
      requestId: 'nobody-0',
    })
    expect(link.faults.length).toBeLessThan(100)
  })

  it('F042 after the first are ignored like those to no request', async () => {
    await using link = connectRaw()
    const call = link.dispatcher.sendRawRequest('a')
    link.peer.send({ jsonrpc: '2.0', id: 1, result: { first: true } })
    link.peer.send({ jsonrpc: '2.0', id: 1, result: { second: true } })
    link.peer.send({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'third' } })
    expect(await call).toEqual({ first: true })
    await settle()
    expect(link.faults.map(({ kind }) => kind)).toEqual(['unmatched-response', 'unmatched-response'])
  })

  it('F043 find their call by a plain decimal string, and by no other spelling', async () => {
    await using link = connectRaw()
    const call = link.dispatcher.sendRawRequest('a')
    for (const id of [' 1', '+1', '1.0', '01', '1e0', '١', '1 ', '0x1', true, null, 1.5]) {
      link.peer.send({ jsonrpc: '2.0', id, result: { wrong: true } })
    }
    link.peer.send({ jsonrpc: '2.0', id: '1', result: { right: true } })
    expect(await call).toEqual({ right: true })
  })

  it('F048 that are errors without an id reach the fault channel', async () => {
    await using link = connectRaw()
    const call = link.dispatcher.sendRawRequest('a')
    for (const extra of [{ id: null }, {}]) {
      link.peer.send({ jsonrpc: '2.0', ...extra, error: { code: -32700, message: 'Parse error' } })
    }
    link.peer.send({ jsonrpc: '2.0', id: 1, result: {} })
    await call
    expect(link.faults).toMatchObject([
      { kind: 'peer-error', message: 'Parse error', requestId: null, error: { code: -32700 } },
      { kind: 'peer-error' },
    ])
  })

  it('F048 that are errors without an id fail the one request that they came along with', async () => {
    let receiver: Receiver | undefined
    const channel: Channel = {
      start: (given) => {
        receiver = given
      },
      send: () => undefined,
      close: () => {},
    }
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(refuseAll, ignoreAll)
    const call = dispatcher.sendRawRequest('a', {}, { requestId: 'mine' })
    const bystander = dispatcher.sendRawRequest('b')
    const error = { code: -32600, message: 'Bad' }
    void receiver!.message({ jsonrpc: '2.0', id: null, error }, { relatedRequestId: 'mine' })
    await expect(call).rejects.toMatchObject(error)
    void receiver!.message({ jsonrpc: '2.0', id: 1, result: {} })
    expect(await bystander).toEqual({})
    await dispatcher.close()
  })

  it.each<[string, JSONObject]>([
    ['both result and error', { result: {}, error: { code: 1, message: 'x' } }],
    ['neither result nor error', {}],
    ['another version of JSON-RPC', { jsonrpc: '1.0', result: {} }],
    ['no version of JSON-RPC', { jsonrpc: undefined, error: { code: 1, message: 'x' } }],
    ['a result that is a number', { result: 7 }],
    ['a result that is null', { result: null }],
    ['a result that is an array', { result: [] }],
    ['an error that is a string', { error: 'x' }],
    ['an error without a code', { error: { message: 'x' } }],
    ['an error with a fractional code', { error: { code: 1.5, message: 'x' } }],
    ['an error without a message', { error: { code: 1 } }],
  ])('F049 with %s fail that call and no other', async (_name, body) => {
    await using link = connectRaw()
    const call = link.dispatcher.sendRawRequest('a')
    const bystander = link.dispatcher.sendRawRequest('b')
    link.peer.send({ jsonrpc: '2.0', id: 1, ...body })
    link.peer.send({ jsonrpc: '2.0', id: 2, result: {} })
    await expect(call).rejects.toThrow(InvalidResultError)
    expect(await bystander).toEqual({})
  })

  it('that a channel had to throw away fail their call at once', async () => {
    let receiver: Receiver | undefined
    const channel: Channel = {
      start: (given) => {
        receiver = given
      },
      send: () => undefined,
      close: () => {},
    }
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(refuseAll, ignoreAll)
    const call = dispatcher.sendRawRequest('a')
    receiver!.lost(1, new LimitError('line bytes', 10))
    await expect(call).rejects.toThrow(LimitError)
    await dispatcher.close()
  })
})

describe('requests in', () => {
  it('F044 with an id in flight are refused, and the first one is unaffected', async () => {
    const gate = createDeferred()
    let runs = 0
    await using link = connectRaw(async () => {
      runs += 1
      await gate.promise
      return { run: runs }
    })
    link.peer.send({ jsonrpc: '2.0', id: 5, method: 'a' })
    link.peer.send({ jsonrpc: '2.0', id: 5, method: 'a' })
    expect(await link.peer.next()).toMatchObject({ id: 5, error: { code: -32600 } })
    gate.resolve()
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 5, result: { run: 1 } })
    // The id is free again once it was answered.
    link.peer.send({ jsonrpc: '2.0', id: 5, method: 'a' })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 5, result: { run: 2 } })
  })

  it('with the ids 1 and "1" are two requests, each with its own answer and its own cancellation', async () => {
    const gates = new Map<unknown, () => void>()
    await using link = connectRaw(
      ({ requestId }) => new Promise((resolve) => gates.set(requestId, () => resolve({ type: typeof requestId }))),
    )
    const both = () => {
      for (const id of [1, '1']) link.peer.send({ jsonrpc: '2.0', id, method: 'a' })
      return settle()
    }
    await both()
    gates.get('1')?.()
    gates.get(1)?.()
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: '1', result: { type: 'string' } })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 1, result: { type: 'number' } })
    await both()
    link.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } })
    await settle()
    gates.get('1')?.()
    gates.get(1)?.()
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 1, result: { type: 'number' } })
  })

  it('may use the id of a request that they cancelled', async () => {
    const gate = createDeferred()
    let runs = 0
    await using link = connectRaw(async () => {
      runs += 1
      const run = runs
      if (run === 1) await gate.promise
      return { run }
    })
    link.peer.send({ jsonrpc: '2.0', id: 5, method: 'a' })
    link.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    link.peer.send({ jsonrpc: '2.0', id: 5, method: 'a' })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 5, result: { run: 2 } })
    gate.resolve()
    await settle()
    expect(link.peer.unread).toBe(0)
  })

  it.each([[null], [1.5], [{}], [[]], [true], [false]])(
    'F045 with the id %j are refused, and no handler runs',
    async (id) => {
      const handler = vi.fn(ok)
      await using link = connectRaw(handler)
      link.peer.send({ jsonrpc: '2.0', id, method: 'a' })
      const answer = await link.peer.next()
      expect(answer).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: expect.stringContaining('id must be') },
      })
      expect(handler).not.toHaveBeenCalled()
    },
  )

  it.each([['9007199254740993'], ['1e400'], ['-9007199254740993']])(
    'F047 with the id %s are refused instead of answered under another one',
    async (literal) => {
      const handler = vi.fn(ok)
      await using link = connectRaw(handler)
      link.peer.send(JSON.parse(`{"jsonrpc":"2.0","id":${literal},"method":"a"}`))
      expect(await link.peer.next()).toMatchObject({ error: { code: -32600 } })
      expect(handler).not.toHaveBeenCalled()
    },
  )

  it.each([[undefined], ['1.0'], [2], [null], ['2.0 ']])('F050 with jsonrpc %j are refused', async (jsonrpc) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler)
    link.peer.send({ jsonrpc, id: 3, method: 'a' })
    expect(await link.peer.next()).toMatchObject({ jsonrpc: '2.0', id: 3, error: { code: -32600 } })
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([[7], [{}], [''], [null], [[]]])('F054 with the method %j are refused', async (method) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler)
    link.peer.send({ jsonrpc: '2.0', id: 3, method })
    expect(await link.peer.next()).toMatchObject({ id: 3, error: { code: -32600 } })
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([[[]], ['text'], [null], [7], [false]])('F056 with the params %j are refused', async (params) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler)
    link.peer.send({ jsonrpc: '2.0', id: 3, method: 'a', params })
    expect(await link.peer.next()).toMatchObject({ id: 3, error: { code: -32602 } })
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([['Method'], ['METHOD'], ['method\u0000'], ['\u017fmethod'], ['\u212Aethod']])(
    'F061 do not take %j for method',
    async (key) => {
      const handler = vi.fn(ok)
      await using link = connectRaw(handler)
      link.peer.send({ jsonrpc: '2.0', id: 3, [key]: 'a' })
      await settle()
      expect(handler).not.toHaveBeenCalled()
    },
  )

  it('F066 may have unknown members', async () => {
    await using link = connectRaw((_context, _method, params) => ({ params }))
    link.peer.send({ jsonrpc: '2.0', id: 3, method: 'a', params: { vendor: { x: 1 } }, extra: true })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 3, result: { params: { vendor: { x: 1 } } } })
  })
})

describe('everything else that may come in', () => {
  it.each([[42], ['x'], [null], [true], [{}], [{ jsonrpc: '2.0' }]])(
    'F010 %j is reported and ignored',
    async (junk) => {
      await using link = connectRaw(ok)
      link.peer.send(junk)
      link.peer.send({ jsonrpc: '2.0', id: 1, method: 'a' })
      expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 1, result: { ok: true } })
      expect(link.faults.map(({ kind }) => kind)).toEqual(['invalid-message'])
    },
  )

  it.each([
    [{ jsonrpc: '2.0', method: 7 }],
    [{ jsonrpc: '1.0', method: 'n' }],
    [{ jsonrpc: '2.0', method: 'n', params: [] }],
    [{ jsonrpc: '2.0', method: 'n', params: null }],
  ])('a broken notification (%j) is never answered', async (message) => {
    const onNotify = vi.fn()
    await using link = connectRaw(ok, {}, onNotify)
    link.peer.send(message)
    await settle()
    expect(link.peer.unread).toBe(0)
    expect(onNotify).not.toHaveBeenCalled()
    expect(link.faults).toHaveLength(1)
  })

  it('F067 an unknown notification is offered and otherwise ignored', async () => {
    await using link = connectRaw(ok)
    link.peer.send({ jsonrpc: '2.0', method: 'vendor/unknown' })
    await settle()
    expect(link.peer.unread).toBe(0)
    expect(link.faults).toEqual([])
  })

  it('F059 keys like __proto__ are data', async () => {
    await using link = connectRaw((_context, _method, params) => ({
      own: Object.hasOwn(params ?? {}, '__proto__'),
      polluted: Reflect.get({}, 'polluted') !== undefined,
    }))
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
      '"_meta":{"__proto__":{"progressToken":1}}}}'
    const send = link.peer.channel.send.bind(link.peer.channel)
    void send(JSON.parse(text))
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 1, result: { own: true, polluted: false } })
  })

  it('F055 methods named like members of Object reach the handler as they are', async () => {
    await using link = connectRaw((_context, method) => ({ method }))
    for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      link.peer.send({ jsonrpc: '2.0', id: 1, method })
      expect(await link.peer.next()).toMatchObject({ result: { method } })
    }
  })

  it('F062 lone surrogates and F063 line separators make the round trip', async () => {
    await using link = connectRaw((_context, _method, params) => ({ text: params?.['text'] }))
    for (const text of ['\ud800', 'a\udc00b', '\u2028\u2029\u0085\u0000', '\r\n', '😀']) {
      link.peer.send({ jsonrpc: '2.0', id: 1, method: 'a', params: { text } })
      expect(await link.peer.next()).toMatchObject({ result: { text } })
    }
  })
})

describe('batches', () => {
  const request = (id: number, method = 'a') => ({ jsonrpc: '2.0', id, method })

  it.each<[string, unknown[]]>([
    ['a batch', [request(1)]],
    ['an empty batch', []],
  ])('F051 %s is refused unless the revision has batches', async (_name, batch) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler)
    link.peer.send(batch)
    expect(await link.peer.next()).toMatchObject({ error: { code: -32600 } })
    expect(handler).not.toHaveBeenCalled()
  })

  it.each<[string, unknown[]]>([
    ['an empty batch', []],
    ['a batch of 101', Array.from({ length: 101 }, (_, id) => request(id))],
    ['a batch in a batch', [[request(1)], request(2)]],
  ])('F051 %s is refused as a whole, nothing is executed', async (_name, batch) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler, { inlineMethods: ['initialize'] })
    link.dispatcher.acceptsBatches = true
    link.peer.send(batch)
    expect(await link.peer.next()).toMatchObject({ error: { code: -32600 } })
    await settle()
    expect(handler).not.toHaveBeenCalled()
    expect(link.peer.unread).toBe(0)
  })

  it.each([true, false])('F053 with initialize answer each request by its id (batches: %s)', async (acceptsBatches) => {
    const handler = vi.fn(ok)
    await using link = connectRaw(handler, { inlineMethods: ['initialize'] })
    link.dispatcher.acceptsBatches = acceptsBatches
    link.peer.send([request(1), request(2, 'initialize'), { jsonrpc: '2.0', method: 'n' }, request(3)])
    const answers = (await link.peer.next()) as unknown as { id: number; error?: { code: number } }[]
    const codes = Object.fromEntries(answers.map(({ id, error }) => [id, error?.code]))
    const others = acceptsBatches ? undefined : -32600
    expect(codes).toEqual({ 1: others, 2: -32600, 3: others })
    expect(handler).toHaveBeenCalledTimes(acceptsBatches ? 2 : 0)
    expect(link.peer.unread).toBe(0)
  })

  it('F052 answer the good elements and refuse the bad ones, in one array', async () => {
    const seen: string[] = []
    await using link = connectRaw(ok, {}, (_context, method) => {
      seen.push(method)
    })
    link.dispatcher.acceptsBatches = true
    link.peer.send([request(1), { jsonrpc: '2.0', id: 2 }, { jsonrpc: '2.0', method: 'n' }, 7, request(3)])
    const answers = (await link.peer.next()) as unknown as JSONObject[]
    expect(answers).toHaveLength(4)
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 2, error: { code: -32600, message: expect.any(String) } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: { ok: true } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 3, result: { ok: true } })
    expect(seen).toEqual(['n'])
  })

  it('of notifications and answers get no answer', async () => {
    await using link = connectRaw(ok)
    link.dispatcher.acceptsBatches = true
    const call = link.dispatcher.sendRawRequest('mine')
    await link.peer.next()
    link.peer.send([
      { jsonrpc: '2.0', method: 'n' },
      { jsonrpc: '2.0', id: 1, result: { x: 1 } },
    ])
    expect(await call).toEqual({ x: 1 })
    await settle()
    expect(link.peer.unread).toBe(0)
  })

  it('F065 with a result that is no JSON lose that one only', async () => {
    await using link = connectRaw((_context, method) => (method === 'bad' ? { value: 1n } : ok()))
    link.dispatcher.acceptsBatches = true
    link.peer.send([request(1), request(2, 'bad'), request(3)])
    const answers = [await link.peer.next(), await link.peer.next(), await link.peer.next()].flat()
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: { ok: true } },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Internal error' } },
      { jsonrpc: '2.0', id: 3, result: { ok: true } },
    ])
    await settle()
    expect(link.peer.unread).toBe(0)
  })

  it('are refused as one when the connection closes, and that is waited for', async () => {
    const accepted = createDeferred()
    const sent: unknown[] = []
    let receiver: Receiver | undefined
    let isClosed = false
    const dispatcher = new JSONRPCDispatcher({
      start: (given) => {
        receiver = given
      },
      send: (message) => {
        sent.push(message)
        return accepted.promise
      },
      close: () => {
        isClosed = true
      },
    })
    dispatcher.acceptsBatches = true
    void dispatcher.run(() => new Promise(() => {}), ignoreAll)
    void receiver!.message([request(1), request(2)])
    const closing = dispatcher.close()
    await settle()
    expect(sent).toMatchObject([
      [
        { id: 1, error: { code: -32603 } },
        { id: 2, error: { code: -32603 } },
      ],
    ])
    expect(isClosed).toBe(false)
    accepted.resolve()
    await closing
    expect(isClosed).toBe(true)
  })

  it('are answered when their cancelled members have gone', async () => {
    await using link = connectRaw((_context, method) => (method === 'stuck' ? new Promise(() => {}) : ok()))
    link.dispatcher.acceptsBatches = true
    link.peer.send([request(1), request(2, 'stuck')])
    await settle()
    expect(link.peer.unread).toBe(0)
    link.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    expect(await link.peer.next()).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }])
  })
})

describe('a channel', () => {
  const broken = (send: Channel['send']): { channel: Channel; receiver: () => Receiver } => {
    let receiver: Receiver | undefined
    return {
      channel: {
        start: (given) => {
          receiver = given
        },
        send,
        close: () => {},
      },
      receiver: () => receiver as Receiver,
    }
  }

  it('that cannot start fails run(), and closes the dispatcher', async () => {
    const dispatcher = new JSONRPCDispatcher({
      start: () => Promise.reject(new TransportError('refused')),
      send: () => undefined,
      close: () => {},
    })
    await expect(dispatcher.run(refuseAll, ignoreAll)).rejects.toThrow('refused')
    await expect(dispatcher.sendRawRequest('a')).rejects.toMatchObject({ code: -32000 })
  })

  it('that is closed while it starts does not hold run(), whether it then starts, fails or does neither', async () => {
    const starts: [string, () => Promise<void>][] = [
      ['starts', () => Promise.resolve()],
      ['fails', () => Promise.reject(new TransportError('closed'))],
      ['neither', () => new Promise(() => {})],
    ]
    for (const [name, started] of starts) {
      const closed = createDeferred()
      const channel = { start: () => closed.promise.then(started), send: () => undefined, close: closed.resolve }
      const dispatcher = new JSONRPCDispatcher(channel as Channel)
      const ended = vi.fn()
      const running = dispatcher.run(refuseAll, ignoreAll).then(ended)
      const call = dispatcher.sendRawRequest('a').catch((error: unknown) => error)
      await dispatcher.close()
      expect(await call).toMatchObject({ code: -32000 })
      await settle()
      expect(ended, name).toHaveBeenCalledTimes(1)
      await running
    }
  })

  it('that cannot write fails the call: with its own error if that is one of ours, else as closed', async () => {
    const ours = new JSONRPCDispatcher(broken(() => Promise.reject(new TransportError('401', { status: 401 }))).channel)
    void ours.run(refuseAll, ignoreAll)
    await expect(ours.sendRawRequest('a')).rejects.toMatchObject({ status: 401 })
    const foreign = new JSONRPCDispatcher(
      broken(() => {
        throw new Error('EPIPE')
      }).channel,
    )
    void foreign.run(refuseAll, ignoreAll)
    await expect(foreign.sendRawRequest('a')).rejects.toMatchObject({
      code: -32000,
      local: true,
      cause: { message: 'EPIPE' },
    })
    await Promise.all([ours.close(), foreign.close()])
  })

  it('that ends by itself fails everything at once, with its reason', async () => {
    const { channel, receiver } = broken(() => undefined)
    const dispatcher = new JSONRPCDispatcher(channel)
    const ended = dispatcher.run(refuseAll, ignoreAll)
    const call = dispatcher.sendRawRequest('a')
    receiver().closed(new TransportError('the process exited with code 1'))
    receiver().closed()
    await expect(call).rejects.toMatchObject({
      code: -32000,
      message: 'Connection closed: the process exited with code 1',
    })
    await ended
  })

  it('that never accepts a write stops neither abort, nor timeout, nor close', async () => {
    vi.useFakeTimers()
    const { channel, receiver } = broken(() => new Promise(() => {}))
    const dispatcher = new JSONRPCDispatcher(channel)
    const ended = dispatcher.run(() => new Promise(() => {}), ignoreAll)
    const controller = new AbortController()
    const aborted = dispatcher.sendRawRequest('a', {}, { signal: controller.signal }).catch((error: unknown) => error)
    const timedOut = dispatcher.sendRawRequest('a', {}, { timeoutMs: 20 }).catch((error: unknown) => error)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'stuck' })
    controller.abort(new Error('enough'))
    expect(await aborted).toMatchObject({ message: 'enough' })
    await vi.advanceTimersByTimeAsync(25)
    expect(await timedOut).toMatchObject({ code: -32001 })
    const closing = dispatcher.close()
    await vi.advanceTimersByTimeAsync(1_000)
    await closing
    await ended
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('that is closed while we owe an answer fails our calls, though that answer may bring theirs', async () => {
    let receiver: Receiver | undefined
    const onFault = vi.fn()
    const channel: Channel = {
      start: (given) => {
        receiver = given
      },
      send: (message) => {
        // A peer that was only waiting for us answers as soon as it has heard.
        if ('error' in message) void receiver?.message({ jsonrpc: '2.0', id: 1, result: {} })
        return Promise.resolve()
      },
      close: () => {},
    }
    const dispatcher = new JSONRPCDispatcher(channel, { onFault })
    void dispatcher.run(() => new Promise(() => {}), ignoreAll)
    const call = dispatcher.sendRawRequest('a')
    void receiver!.message({ jsonrpc: '2.0', id: 5, method: 'b' })
    await Promise.all([dispatcher.close(), expect(call).rejects.toMatchObject({ code: -32000, local: true })])
    expect(onFault).not.toHaveBeenCalled()
  })

  it('that ends while the last refusals are being written leaves nothing to wait for', async () => {
    vi.useFakeTimers()
    const { channel, receiver } = broken(() => new Promise(() => {}))
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(() => new Promise(() => {}), ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'stuck' })
    const closing = dispatcher.close()
    receiver().closed()
    await closing
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('that is being closed brings no new work', async () => {
    const sent: unknown[] = []
    const accepted = createDeferred()
    const { channel, receiver } = broken((message) => {
      sent.push(message)
      return accepted.promise
    })
    const dispatcher = new JSONRPCDispatcher(channel)
    const handler = vi.fn(() => new Promise<JSONObject>(() => {}))
    void dispatcher.run(handler, ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'a' })
    const closing = dispatcher.close()
    void receiver().message({ jsonrpc: '2.0', id: 2, method: 'a' })
    expect(handler).toHaveBeenCalledTimes(1)
    expect(sent).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32603 } },
    ])
    accepted.resolve()
    await closing
  })

  it('that fails to write an answer gets another one only if nothing has left', async () => {
    const sent: unknown[] = []
    const { channel, receiver } = broken((message) => {
      sent.push(message)
      return Promise.reject(new TypeError('fetch failed'))
    })
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(ok, ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'a' })
    await settle()
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }])
    await dispatcher.close()
  })

  it('that encodes by itself still answers what is no JSON', async () => {
    const sent: string[] = []
    const { channel, receiver } = broken((message) => {
      sent.push(JSON.stringify(message))
      return undefined
    })
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(() => ({ value: 1n }), ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'a' })
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'])
    await dispatcher.close()
  })

  it('whose peer does not read its answers is asked to wait, and close() with time to drain waits for them', async () => {
    const accepted = createDeferred()
    const sent: unknown[] = []
    const { channel, receiver } = broken((message) => {
      sent.push(message)
      return accepted.promise
    })
    const dispatcher = new JSONRPCDispatcher(channel, { maxConcurrentRequests: 4, maxWaitingBytes: 4_000 })
    const ended = vi.fn()
    void dispatcher.run(ok, ignoreAll).then(ended)
    let pressure: Promise<void> | undefined
    let taken = 0
    while (pressure === undefined && taken < 100) {
      taken += 1
      pressure = receiver().message({ jsonrpc: '2.0', id: taken, method: 'a' })
    }
    expect(taken).toBe(6)
    expect(sent).toHaveLength(4)
    const closing = dispatcher.close({ drainMs: 60_000 })
    await settle()
    expect(ended).not.toHaveBeenCalled()
    accepted.resolve()
    await Promise.all([pressure, closing])
    expect(sent).toHaveLength(6)
  })

  it('is asked to wait while much waits for an inline request', async () => {
    const gate = createDeferred<JSONObject>()
    const { channel, receiver } = broken(() => undefined)
    const dispatcher = new JSONRPCDispatcher(channel, { inlineMethods: ['initialize'], maxWaitingBytes: 4_000 })
    const seen: string[] = []
    void dispatcher.run(
      () => gate.promise,
      (_context, method) => {
        seen.push(method)
      },
    )
    const notify = () => receiver().message({ jsonrpc: '2.0', method: 'n' })
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'initialize' })
    expect(notify()).toBeUndefined()
    const pressure = notify()
    expect(pressure).toBeInstanceOf(Promise)
    gate.resolve({})
    await pressure
    expect(seen).toEqual(['n', 'n'])
    await dispatcher.close()
  })

  it('that never closes does not hold close()', async () => {
    vi.useFakeTimers()
    const dispatcher = new JSONRPCDispatcher({
      start: () => {},
      send: () => undefined,
      close: () => new Promise<void>(() => {}),
    })
    void dispatcher.run(refuseAll, ignoreAll)
    const closing = dispatcher.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    vi.useRealTimers()
  })

  it('is asked to wait while many requests wait in line, and is let go on', async () => {
    const gates: (() => void)[] = []
    const { channel, receiver } = broken(() => undefined)
    const options = { maxConcurrentRequests: 1, maxWaitingBytes: 4_000 }
    const dispatcher = new JSONRPCDispatcher(channel, options)
    void dispatcher.run(() => new Promise((resolve) => gates.push(() => resolve({}))), ignoreAll)
    const send = (id: number) => receiver().message({ jsonrpc: '2.0', id, method: 'a' })
    expect([send(1), send(2)]).toEqual([undefined, undefined])
    const pressure = send(3)
    expect(pressure).toBeInstanceOf(Promise)
    gates[0]!()
    await pressure
    await dispatcher.close()
  })

  it('is asked to wait a second time when there was room between, and only then', async () => {
    vi.useFakeTimers()
    const gates: (() => void)[] = []
    const { channel, receiver } = broken(() => undefined)
    const dispatcher = new JSONRPCDispatcher(channel, { maxConcurrentRequests: 1, maxWaitingBytes: 4_000 })
    void dispatcher.run(() => new Promise((resolve) => gates.push(() => resolve({}))), ignoreAll)
    let id = 0
    const send = () => receiver().message({ jsonrpc: '2.0', id: ++id, method: 'a' })
    const finishNext = async () => {
      gates.shift()!()
      await vi.advanceTimersByTimeAsync(0)
    }
    expect([send(), send()]).toEqual([undefined, undefined])
    const first = send()
    await vi.advanceTimersByTimeAsync(500)
    await first
    // In vain: it goes on without a pause, and refuses what does not fit.
    expect([send(), send()]).toEqual([undefined, undefined])
    while (gates.length > 0) await finishNext()
    expect([send(), send()]).toEqual([undefined, undefined])
    const second = send()
    expect(second).toBeInstanceOf(Promise)
    await finishNext()
    await second
    const closing = dispatcher.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('is let go on when we begin to wait for the peer, whose answer must get through', async () => {
    const { channel, receiver } = broken(() => undefined)
    const dispatcher = new JSONRPCDispatcher(channel, { maxConcurrentRequests: 1, maxWaitingBytes: 2_000 })
    const gate = createDeferred()
    void dispatcher.run(async (context) => {
      await gate.promise
      return context.sendRawRequest('roots/list')
    }, ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'a' })
    const pressure = receiver().message({ jsonrpc: '2.0', id: 2, method: 'a' })
    expect(pressure).toBeInstanceOf(Promise)
    gate.resolve()
    await pressure
    await dispatcher.close()
  })

  it('hears when a cancelled request ends without an answer, and may fail at that', async () => {
    const { channel, receiver } = broken(() => undefined)
    const faults: string[] = []
    const dispatcher = new JSONRPCDispatcher(channel, { onFault: ({ kind }) => faults.push(kind) })
    void dispatcher.run(() => new Promise(() => {}), ignoreAll)
    const onUnanswered = vi.fn(() => {
      throw new Error('x')
    })
    void receiver().message({ jsonrpc: '2.0', id: 1, method: 'a' }, { onUnanswered })
    void receiver().message({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(onUnanswered).toHaveBeenCalledTimes(1)
    expect(faults).toEqual(['transport'])
    await dispatcher.close()
  })

  it('F090 belongs to one dispatcher', async () => {
    const [here, there] = createMemoryChannelPair()
    const first = new JSONRPCDispatcher(here)
    void first.run(refuseAll, ignoreAll)
    const second = new JSONRPCDispatcher(here)
    await expect(second.run(refuseAll, ignoreAll)).rejects.toThrow('belongs to one dispatcher')
    await second.close()
    // The first one does not notice.
    const call = first.sendRawRequest('a')
    new RawPeer(there).send({ jsonrpc: '2.0', id: 1, result: { fine: true } })
    expect(await call).toEqual({ fine: true })
    await first.close()
  })

  it('tags what a handler sends with the request it serves, and that displaces resumption', async () => {
    const sent: unknown[] = []
    const { channel, receiver } = broken((message, hints) => {
      if ('method' in message) sent.push([message.method, hints])
      return undefined
    })
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(async (context) => {
      await context.notify('n')
      const hints = { resumptionToken: 't', headers: { h: '1' } }
      context.sendRawRequest('r', {}, { hints }).catch(() => {})
      return {}
    }, ignoreAll)
    void receiver().message({ jsonrpc: '2.0', id: 'q', method: 'a' })
    await settle()
    expect(sent).toEqual([
      ['n', { relatedRequestId: 'q' }],
      ['r', { relatedRequestId: 'q', headers: { h: '1' } }],
    ])
    await dispatcher.close()
  })

  it('is not told of an abandoned call that can be resumed', async () => {
    const sent: unknown[] = []
    const { channel } = broken((message) => {
      if ('method' in message) sent.push(message.method)
      return undefined
    })
    const dispatcher = new JSONRPCDispatcher(channel)
    void dispatcher.run(refuseAll, ignoreAll)
    const controller = new AbortController()
    const options = { signal: controller.signal, hints: { onResumptionToken: () => {} } }
    const call = dispatcher.sendRawRequest('a', {}, options)
    controller.abort(new Error('later'))
    await expect(call).rejects.toThrow('later')
    expect(sent).toEqual(['a'])
    await dispatcher.close()
  })
})
