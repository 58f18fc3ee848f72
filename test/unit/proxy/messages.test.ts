// Messages beside requests and answers, in each pair of eras: logs, progress, cancellations, questions, and what nobody knows.
import { describe, expect, it, vi } from 'vitest'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { ERA_PAIRS, META, RawClient, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach, connectThrough } from './pair.ts'

const open = closedAfterEach()

const connect = connectThrough(open)

describe('compose X34 logging', () => {
  const message = (level: string) => ({ level, data: { level }, logger: 'l', odd: [level] })

  it('legacy to legacy: logging/setLevel and messages as they are', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    server.on('logging/setLevel', { odd: 1 })
    expect(await client.result('logging/setLevel', { level: 'sounds good', more: 1 })).toEqual({ odd: 1 })
    expect(server.paramsOf('logging/setLevel')).toEqual({ level: 'sounds good', more: 1 })
    server.notify('notifications/message', message('debug'))
    expect(await client.untilTold('notifications/message')).toMatchObject([{ params: message('debug') }])
  })

  it('legacy to legacy, shared: the lowest level of all; each client gets its own', async () => {
    const { server, client, proxy, call } = await connect('legacy', 'legacy', { sessions: 'shared' })
    server.on('logging/setLevel', {})
    const other = await RawClient.open(proxy, 'legacy')
    open.push(other)
    await client.result('logging/setLevel', { level: 'error' })
    await other.result('logging/setLevel', { level: 'info' })
    await client.result('logging/setLevel', { level: 'warning' })
    expect(server.received('logging/setLevel').map(({ params }) => params)).toMatchObject([
      { level: 'error' },
      { level: 'info' },
    ])
    const { end, answered } = await call()
    server.notify('notifications/message', message('info'))
    server.notify('notifications/message', message('error'))
    end()
    await answered
    expect(client.told('notifications/message')).toMatchObject([{ params: { level: 'error' } }])
    expect(other.told('notifications/message')).toEqual([])
  })

  it('modern to modern: as they are', async () => {
    const { server, client, call } = await connect('modern', 'modern')
    const { end, answered } = await call({ _meta: { [META.level]: 'info' } })
    expect(server.paramsOf('tools/call')).toMatchObject({ _meta: { [META.level]: 'info' } })
    server.notify('notifications/message', message('info'))
    end()
    await answered
    expect(client.told('notifications/message')).toMatchObject([{ params: message('info') }])
  })

  it('legacy to modern: the level is kept, and goes with each request', async () => {
    const { server, client, call } = await connect('legacy', 'modern')
    expect(await client.error('logging/setLevel', { level: 'loud' })).toMatchObject({ code: -32602 })
    expect(await client.result('logging/setLevel', { level: 'warning' })).toEqual({})
    expect(server.received('logging/setLevel')).toEqual([])
    const { end, answered } = await call()
    expect(server.paramsOf('tools/call')).toMatchObject({ _meta: { [META.level]: 'warning' } })
    server.notify('notifications/message', message('warning'))
    end()
    await answered
    expect(client.told('notifications/message')).toMatchObject([{ params: message('warning') }])
  })

  it('modern to legacy: set before the call, once for one level; forwarded if the request asked for that level', async () => {
    const { server, client, call } = await connect('modern', 'legacy')
    server.on('logging/setLevel', {})
    for (const level of ['info', 'warning', undefined]) {
      const { end, answered } = await call(level === undefined ? {} : { _meta: { [META.level]: level } })
      server.notify('notifications/message', message('info'))
      server.notify('notifications/message', message('error'))
      end()
      await answered
    }
    expect(server.received('logging/setLevel').map(({ params }) => params)).toMatchObject([{ level: 'info' }])
    expect(client.told('notifications/message').map(({ params }) => (params as RawMessage)['level'])).toEqual([
      'info',
      'error',
      'error',
    ])
  })

  it('compose X41 nothing of it crosses where forward says so', async () => {
    const { server, client, call } = await connect('modern', 'modern', {
      forward: { logging: false, progress: false, vendor: false },
    })
    const { end, answered, token } = await call({ _meta: { progressToken: 'p' } })
    server.notify('notifications/message', message('info'))
    server.notify('notifications/progress', { progressToken: token, progress: 1 })
    server.notify('notifications/odd', {})
    end()
    await answered
    expect(client.received.filter(({ method }) => method !== undefined)).toEqual([])
    expect(await client.error('x/odd')).toMatchObject({ code: -32601 })
  })
})

describe('compose X34 progress', () => {
  it.each(ERA_PAIRS)(
    'compose P12 compose P13 compose K15 %s to %s: under the token of the caller, in order, before the result',
    async (front, back) => {
      const { server, client, call } = await connect(front, back)
      const { end, answered, token } = await call({ _meta: { progressToken: 'own token' } })
      expect(token).not.toBe('own token')
      for (const progress of [1, 2, 3]) {
        server.notify('notifications/progress', {
          progressToken: token,
          progress,
          odd: [progress],
          _meta: { 'a/b': progress },
        })
        server.notify('notifications/odd', { after: progress })
      }
      end()
      await answered
      const expected = [1, 2, 3].flatMap((progress) => [
        {
          method: 'notifications/progress',
          params: { progressToken: 'own token', progress, odd: [progress], _meta: { 'a/b': progress } },
        },
        { method: 'notifications/odd', params: { after: progress } },
      ])
      const from = client.received.findIndex(({ method }) => method === 'notifications/progress')
      expect(client.received.slice(from)).toMatchObject([...expected, { id: 'mine', result: { content: [] } }])
      // After the result it belongs to nobody.
      server.notify('notifications/progress', { progressToken: token, progress: 9 })
      await client.result('tools/list')
      expect(client.told('notifications/progress')).toHaveLength(3)
    },
  )

  it('compose P07 a caller without a token hears nothing; the source gets one all the same', async () => {
    const { server, client, call } = await connect('modern', 'legacy')
    const { end, answered, token } = await call()
    expect(token).toBeDefined()
    server.notify('notifications/progress', { progressToken: token, progress: 1 })
    end()
    await answered
    expect(client.told('notifications/progress')).toEqual([])
  })

  it('legacy to legacy: that of the client too, under the token of the source', async () => {
    const { server, client, call } = await connect('legacy', 'legacy')
    const { end, answered } = await call()
    const asked = server.request('roots/list', { _meta: { progressToken: 'theirs' } })
    const [question] = await client.untilTold('roots/list')
    const { progressToken } = ((question as RawMessage)['params'] as RawMessage)['_meta'] as RawMessage
    client.notify('notifications/progress', { progressToken, progress: 1, odd: 2 })
    client.send({ jsonrpc: '2.0', id: (question as RawMessage)['id'], result: { roots: [] } })
    await asked
    expect(server.paramsOf('notifications/progress')).toEqual({ progressToken: 'theirs', progress: 1, odd: 2 })
    end()
    await answered
  })

  it('legacy to modern: that of the client ends here', async () => {
    const { server, client } = await connect('legacy', 'modern')
    client.notify('notifications/progress', { progressToken: 1, progress: 1 })
    await client.result('tools/list')
    expect(server.received('notifications/progress')).toEqual([])
  })
})

describe('compose X34 cancelling', () => {
  it.each(ERA_PAIRS)('compose P08 %s to %s: under the id of the source', async (front, back) => {
    const { server, client, call } = await connect(front, back)
    const { id } = await call()
    client.notify('notifications/cancelled', {
      requestId: 'mine',
      reason: 'no more',
      ...(front === 'modern' && client.withEnvelope({})),
    })
    await vi.waitFor(() => expect(server.received('notifications/cancelled')).toHaveLength(1))
    expect(server.paramsOf('notifications/cancelled')).toMatchObject({ requestId: id })
  })

  it('legacy to legacy: a question that the source takes back is taken back at the client', async () => {
    const { server, client, call } = await connect('legacy', 'legacy')
    const { end, answered } = await call()
    void server.request('elicitation/create', { message: 'm', requestedSchema: {} }, 'ask')
    const [question] = await client.untilTold('elicitation/create')
    server.notify('notifications/cancelled', { requestId: 'ask', reason: 'done' })
    const [cancelled] = await client.untilTold('notifications/cancelled')
    expect(cancelled).toMatchObject({ params: { requestId: (question as RawMessage)['id'] } })
    end()
    await answered
  })
})

describe('compose X34 questions', () => {
  const QUESTIONS = [
    ['sampling/createMessage', { messages: [], maxTokens: 1, odd: [1] }],
    ['elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} }, odd: [1] }],
    ['roots/list', { odd: [1] }],
  ] as const
  const ANSWER = { any: { thing: [1] }, action: 'accept', content: {} }

  it.each(QUESTIONS)(
    'compose K06 compose K13 legacy to legacy: %s on the stream of its call, and its answer, as they are',
    async (method, params) => {
      const { server, client, call } = await connect('legacy', 'legacy')
      const { end, answered } = await call()
      client.onRequest = () => ({ result: ANSWER })
      expect(await server.request(method, params)).toMatchObject({ result: ANSWER })
      expect(client.told(method)).toMatchObject([{ params }])
      const error = { code: -1, message: 'no', data: { why: 1 } }
      client.onRequest = () => ({ error })
      expect((await server.request(method, params))['error']).toEqual(error)
      end()
      await answered
    },
  )

  it('legacy to legacy: what belongs to no call is asked on its own', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    client.onRequest = () => ({ result: ANSWER })
    expect(await server.request('roots/list')).toMatchObject({ result: ANSWER })
  })

  it.each(QUESTIONS)(
    'modern to legacy: %s within a result, and its answer from the next round',
    async (method, params) => {
      const { server, client, call } = await connect('modern', 'legacy')
      const { end, answered } = await call()
      const asked = server.request(method, params)
      const round = (await answered)['result'] as RawMessage
      expect(round).toMatchObject({ resultType: 'input_required', inputRequests: { q1: { method, params } } })
      const again = client.request('tools/call', {
        name: 'a',
        requestState: round['requestState'],
        inputResponses: { q1: ANSWER },
      })
      expect(await asked).toMatchObject({ result: ANSWER })
      end()
      expect(await again).toMatchObject({ result: { resultType: 'complete', content: [] } })
    },
  )

  it.each(QUESTIONS)(
    'legacy to modern: %s of a result as a request, its answer and the state as they are',
    async (method, params) => {
      const { server, client } = await connect('legacy', 'modern')
      client.onRequest = () => ({ result: ANSWER })
      server.on('tools/call', ({ requestState }) =>
        requestState === undefined
          ? { resultType: 'input_required', inputRequests: { 'the key': { method, params } }, requestState: 'é\u0000' }
          : { resultType: 'complete', content: [] },
      )
      expect(await client.result('tools/call', { name: 'a' })).toEqual({ content: [] })
      expect(client.told(method)).toMatchObject([{ params }])
      expect(server.paramsOf('tools/call', 1)).toMatchObject({
        requestState: 'é\u0000',
        inputResponses: { 'the key': ANSWER },
      })
    },
  )

  it('compose G028 nobody is there to answer: an error at once', async () => {
    const { server, client } = await connect('modern', 'legacy')
    await client.result('tools/list')
    expect(await server.request('elicitation/create', { message: 'm' })).toMatchObject({ error: { code: -32000 } })
  })

  it('compose G028 a subscription is nobody who answers', async () => {
    const { server, client } = await connect('modern', 'legacy')
    void client.request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await client.untilTold('notifications/subscriptions/acknowledged')
    expect(await server.request('roots/list')).toMatchObject({ error: { code: -32000 } })
  })
})

describe('compose X34 notifications/roots/list_changed', () => {
  it('legacy to legacy: as it is; legacy to modern: the source asks anew', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    client.notify('notifications/roots/list_changed', { odd: 1 })
    await client.result('tools/list')
    expect(server.paramsOf('notifications/roots/list_changed')).toEqual({ odd: 1 })
    const other = await connect('legacy', 'modern')
    other.client.notify('notifications/roots/list_changed')
    await other.client.result('tools/list')
    expect(other.server.received('notifications/roots/list_changed')).toEqual([])
  })
})

describe('compose X34 notifications/elicitation/complete', () => {
  const URL = { mode: 'url', message: 'm', url: 'https://x/y' }

  it('legacy to legacy: as it is', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    server.notify('notifications/elicitation/complete', { elicitationId: 'e', odd: 1 })
    expect(await client.untilTold('notifications/elicitation/complete')).toMatchObject([
      { params: { elicitationId: 'e', odd: 1 } },
    ])
  })

  it('legacy to modern: the id is ours, and the completion when the next round succeeds', async () => {
    const { server, client } = await connect('legacy', 'modern')
    client.onRequest = () => ({ result: { action: 'accept' } })
    server.on('tools/call', ({ requestState }) =>
      requestState === undefined
        ? {
            resultType: 'input_required',
            inputRequests: { u: { method: 'elicitation/create', params: URL } },
            requestState: 's',
          }
        : { resultType: 'complete', content: [] },
    )
    await client.result('tools/call', { name: 'a' })
    const [question] = client.told('elicitation/create')
    const { elicitationId } = (question as RawMessage)['params'] as RawMessage
    expect(elicitationId).toBeTypeOf('string')
    expect(client.told('notifications/elicitation/complete')).toMatchObject([{ params: { elicitationId } }])
  })

  it('modern to legacy: without its id; that it is complete the next round tells, and it is a loss only if nobody waits', async () => {
    const { server, client, call, faults } = await connect('modern', 'legacy')
    const { end, answered } = await call()
    const asked = server.request('elicitation/create', { ...URL, elicitationId: 'e' })
    const round = (await answered)['result'] as RawMessage
    expect(round['inputRequests']).toEqual({ q1: { method: 'elicitation/create', params: URL } })
    server.notify('notifications/elicitation/complete', { elicitationId: 'e' })
    const again = client.request('tools/call', {
      name: 'a',
      requestState: round['requestState'],
      inputResponses: { q1: { action: 'accept' } },
    })
    await asked
    end()
    await again
    expect(client.told('notifications/elicitation/complete')).toEqual([])
    expect(faults.filter(({ kind }) => kind === 'lossy-crossing')).toEqual([])
    server.notify('notifications/elicitation/complete', { elicitationId: 'e' })
    await client.result('tools/list')
    expect(faults.filter(({ kind }) => kind === 'lossy-crossing')).toHaveLength(1)
  })
})

describe('compose X34 compose X46 compose K02 compose K03 compose K12 what nobody knows', () => {
  it.each(ERA_PAIRS)('%s to %s: a request of the client', async (front, back) => {
    const { server, client } = await connect(front, back)
    const result = { odd: [1], resultType: 'complete', _meta: { 'a/b': 1 } }
    server.on('x/odd', result)
    const got = await client.result('x/odd', { a: { '': null }, _meta: { 'a/b': 2 } })
    expect(got).toMatchObject({ odd: [1], _meta: { 'a/b': 1 } })
    expect(server.paramsOf('x/odd')).toMatchObject({ a: { '': null }, _meta: { 'a/b': 2 } })
    if (back === 'legacy') expect(server.paramsOf('x/odd')['_meta']).toEqual({ 'a/b': 2 })
    expect(await client.error('x/other')).toEqual({ code: -32601, message: 'nobody scripted this' })
  })

  it('legacy to legacy: a request of the source', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    client.onRequest = () => ({ result: { odd: 1 } })
    expect(await server.request('x/odd', { a: 1 })).toMatchObject({ result: { odd: 1 } })
    expect(client.told('x/odd')).toMatchObject([{ params: { a: 1 } }])
  })

  it.each(['legacy', 'modern'] as const)(
    '%s to modern: a request of the source, which modern servers do not send, is ignored and told',
    async (front) => {
      const { server, client, call, faults } = await connect(front, 'modern')
      const { end, answered } = await call()
      let isAnswered = false
      void server.request('x/odd', {}).then(() => {
        isAnswered = true
      })
      end()
      await answered
      expect(isAnswered).toBe(false)
      expect(client.told('x/odd')).toEqual([])
      expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'x/odd' }])
    },
  )

  it('modern to legacy: a request of the source is refused and told', async () => {
    const { server, call, faults } = await connect('modern', 'legacy')
    const { end, answered } = await call()
    expect(await server.request('x/odd', {})).toMatchObject({ error: { code: -32601 } })
    expect(faults).toMatchObject([{ message: expect.stringContaining("'x/odd'"), method: 'x/odd' }])
    end()
    await answered
  })

  it.each(ERA_PAIRS)('%s to %s: a notification, either way', async (front, back) => {
    const { server, client, call } = await connect(front, back)
    const { end, answered } = await call()
    server.notify('notifications/odd', { a: [1], _meta: { 'a/b': 1 } })
    client.notify('notifications/also', front === 'modern' ? client.withEnvelope({ b: 2 }) : { b: 2 })
    end()
    await answered
    expect(client.told('notifications/odd')).toMatchObject([{ params: { a: [1], _meta: { 'a/b': 1 } } }])
    await vi.waitFor(() => expect(server.received('notifications/also')).toMatchObject([{ params: { b: 2 } }]))
    if (back === 'legacy') expect(server.paramsOf('notifications/also')).toEqual({ b: 2 })
  })
})

describe('compose X34 compose X47 batches', () => {
  it.each([
    ['legacy', 'legacy'],
    ['legacy', 'modern'],
  ] as const)('%s to %s: unpacked, and answered as a batch', async (_front, back) => {
    const server = rawServer(back).on('tools/list', {
      tools: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
    const proxy = createProxy(targetOf(server), { mode: back })
    const client = await RawClient.open(proxy, 'legacy', { version: '2025-03-26' })
    open.push(proxy, client)
    const request = (id: string, method: string) => ({ jsonrpc: '2.0', id, method, params: {} })
    client.send([request('one', 'tools/list'), request('two', 'ping'), request('three', 'x/none')] as never)
    const batch = await client.until(() => client.received.find((message) => Array.isArray(message)))
    const answers = batch as unknown as RawMessage[]
    expect(answers.map(({ id }) => id).sort()).toEqual(['one', 'three', 'two'])
    expect(server.sent.every(({ message }) => !Array.isArray(message))).toBe(true)
  })
})
