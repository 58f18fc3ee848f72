import { describe, expect, it, vi } from 'vitest'
import { internalsOf } from '../../../../src/client/session/internals.ts'
import type { SubscriptionRoute } from '../../../../src/client/subscriptions/routes.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { SubscriptionLost } from '../../../../src/types/errors/failures.ts'
import { settle } from '../../../support/peers.ts'
import { eras, openHandshake, openModern, openSession } from '../../../support/sessions.ts'

const sample = { messages: [], maxTokens: 10 }
const sampled = { role: 'assistant' as const, content: { type: 'text' as const, text: 'hi' }, model: 'm' }
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

describe('requests of a server in the legacy era', () => {
  it('C-LIFE-09 ping is answered, also before the handshake', async () => {
    await using open = await openSession()
    expect(await open.server.request('ping')).toEqual({ jsonrpc: '2.0', id: 'ask-1', result: {} })
  })

  it('F093 reach no callback before anything was declared, and do from the offer of a handshake on', async () => {
    const onListRoots = vi.fn(() => ({ roots: [] }))
    await using open = await openSession({ onListRoots })
    const { session, server } = open
    expect(await server.request('roots/list')).toMatchObject({ error: { code: -32601 } })
    expect(onListRoots).not.toHaveBeenCalled()
    server.on('initialize', () => undefined)
    void session.initialize().catch(() => {})
    expect(await server.request('roots/list')).toMatchObject({ result: { roots: [] } })
  })

  it('reach their callbacks with params and context', async () => {
    const onSampling = vi.fn(() => sampled)
    await using open = await openHandshake({ onSampling })
    const { session, server } = open
    const answer = await server.request('sampling/createMessage', { ...sample, _meta: { 'com.example/a': 1 } }, 7)
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, result: sampled })
    expect(onSampling).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining(sample),
      expect.objectContaining({ session, requestId: 7, meta: { 'com.example/a': 1 }, signal: expect.any(AbortSignal) }),
    )
  })

  it('F093 are rejected with -32601 where there is no callback', async () => {
    await using open = await openHandshake()
    for (const [method, params] of [
      ['sampling/createMessage', sample],
      ['elicitation/create', form],
      ['roots/list', {}],
      ['tasks/list', {}],
      ['acme/what', {}],
      ['constructor', {}],
    ] as const) {
      expect(await open.server.request(method, params), method).toMatchObject({ error: { code: -32601 } })
    }
    expect(open.server.paramsOf('initialize')['capabilities']).toEqual({})
  })

  it('are rejected with -32601 where the revision does not have them', async () => {
    const onElicitation = vi.fn()
    await using open = await openHandshake({ onElicitation }, '2025-03-26')
    expect(await open.server.request('elicitation/create', form)).toMatchObject({ error: { code: -32601 } })
    expect(onElicitation).not.toHaveBeenCalled()
  })

  it('with malformed params are rejected with -32602 and reach no user code', async () => {
    const onSampling = vi.fn()
    await using open = await openHandshake({ onSampling })
    const answer = await open.server.request('sampling/createMessage', { messages: 'none' })
    expect(answer).toMatchObject({ error: { code: -32602 } })
    expect(onSampling).not.toHaveBeenCalled()
  })

  it('C-SAMP-02 with tools are rejected unless tools were declared', async () => {
    const onSampling = vi.fn(() => sampled)
    const tools = [{ name: 't', inputSchema: { type: 'object' } }]
    await using plain = await openHandshake({ onSampling })
    const refusal = await plain.server.request('sampling/createMessage', { ...sample, tools })
    expect(refusal).toMatchObject({ error: { code: -32602 } })
    expect(onSampling).not.toHaveBeenCalled()
    await using able = await openHandshake({ onSampling, samplingCapabilities: { tools: {} } })
    expect(able.server.paramsOf('initialize')['capabilities']).toEqual({ sampling: { tools: {} } })
    expect(await able.server.request('sampling/createMessage', { ...sample, tools })).toHaveProperty('result')
  })

  it('C-ELIC-03 in a mode that was not declared are rejected with -32602', async () => {
    const onElicitation = vi.fn(() => ({ action: 'accept' as const }))
    const url = { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' }
    await using forms = await openHandshake({ onElicitation, elicitationCapabilities: { form: {} } })
    expect(await forms.server.request('elicitation/create', url)).toMatchObject({ error: { code: -32602 } })
    await using urls = await openHandshake({ onElicitation, elicitationCapabilities: { url: {} } })
    expect(await urls.server.request('elicitation/create', form)).toMatchObject({ error: { code: -32602 } })
    expect(onElicitation).not.toHaveBeenCalled()
    expect(await urls.server.request('elicitation/create', url)).toMatchObject({ result: { action: 'accept' } })
  })

  it('F070 hide anything else that a callback throws', async () => {
    await using open = await openHandshake({
      onListRoots: () => {
        throw new Error('password=hunter2')
      },
    })
    const answer = await open.server.request('roots/list')
    expect(answer).toMatchObject({ error: { code: -32603, message: 'Internal error' } })
    expect(JSON.stringify(answer)).not.toContain('hunter2')
    expect(open.faults).toEqual([expect.objectContaining({ kind: 'callback-failed', method: 'roots/list' })])
  })

  it.each([
    ['a wrong shape', { onListRoots: () => ({ roots: 'all' }) as never }],
    ['a root that is no file', { onListRoots: () => ({ roots: [{ uri: 'https://example.com' }] }) }],
    ['nothing', { onListRoots: () => undefined as never }],
  ])('are told of an invalid answer of ours in one sentence: %s', async (_what, options) => {
    await using open = await openHandshake(options)
    const answer = await open.server.request('roots/list')
    expect(answer).toMatchObject({ error: { code: -32603, message: 'Client callback returned an invalid result' } })
    expect(open.faults).toEqual([expect.objectContaining({ kind: 'callback-failed', method: 'roots/list' })])
  })

  it('may interleave, call the server, and are cancelled by it', async () => {
    let signal: AbortSignal | undefined
    const aborted = createDeferred()
    await using open = await openHandshake({
      onListRoots: async (_params, { session }) => {
        await session.listTools()
        return { roots: [] }
      },
      onSampling: (_params, ctx) => {
        signal = ctx.signal
        signal.addEventListener('abort', () => aborted.resolve())
        return new Promise(() => {})
      },
    })
    const { server } = open
    server.on('tools/list', { tools: [] })
    void server.request('sampling/createMessage', sample, 'slow')
    expect(await server.request('roots/list')).toMatchObject({ result: { roots: [] } })
    server.notify('notifications/cancelled', { requestId: 'slow' })
    await aborted.promise
    expect(signal?.aborted).toBe(true)
  })
})

describe('answers to a form', () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', minimum: 0 },
      isMember: { type: 'boolean', default: false },
      ['__proto__']: { type: 'string', default: 'plain data' },
    },
    required: ['age'],
  }
  const ask = async (answer: object, params: object = { message: 'Who?', requestedSchema }) => {
    await using open = await openHandshake({ onElicitation: () => answer as never })
    return { answer: await open.server.request('elicitation/create', params), faults: open.faults }
  }

  it('C-ELIC-05 get the defaults of fields that were left out, and keep the others', async () => {
    const { answer } = await ask({ action: 'accept', content: { age: 36, isMember: true } })
    const { content } = answer['result'] as { content: object }
    expect(Object.entries(content).sort()).toEqual([
      ['__proto__', 'plain data'],
      ['age', 36],
      ['isMember', true],
      ['name', 'Ada'],
    ])
  })

  it.each([
    ['a missing field', { name: 'x' }],
    ['a wrong type', { age: '36' }],
    ['a value out of range', { age: -1 }],
  ])('C-ELIC-04 are not sent when they do not fit: %s', async (_what, content) => {
    const { answer, faults } = await ask({ action: 'accept', content })
    expect(answer).toMatchObject({ error: { code: -32603, message: 'Client callback returned an invalid result' } })
    expect(faults).toHaveLength(1)
  })

  it('have content only when an accepted form has some', async () => {
    expect((await ask({ action: 'decline', content: { age: 1 } })).answer['result']).toEqual({ action: 'decline' })
    const url = { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' }
    const accepted = await ask({ action: 'accept', content: { secret: 'x' } }, url)
    expect(accepted.answer['result']).toEqual({ action: 'accept' })
  })
})

describe('requests of a server in the modern era', () => {
  it('F219 B-TR-03 are reported, never reach a callback, and are not answered', async () => {
    const onListRoots = vi.fn()
    await using open = await openModern({ onListRoots })
    const before = open.server.sent.length
    void open.server.request('roots/list')
    void open.server.request('ping')
    await settle()
    expect(open.server.sent).toHaveLength(before)
    expect(onListRoots).not.toHaveBeenCalled()
    expect(open.faults.map(({ kind }) => kind)).toEqual(['invalid-message', 'invalid-message'])
  })
})

describe.each(eras)('dispatchInputRequest ($era)', ({ open }) => {
  it('answers with the same callbacks, with the key as request id', async () => {
    const onElicitation = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Ada' } }))
    await using connection = await open({ onElicitation })
    const { session } = connection
    const { signal } = new AbortController()
    const request = { method: 'elicitation/create', params: form } as never
    const answer = await session.dispatchInputRequest({ requestId: 'who', signal }, request)
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada' } })
    expect(onElicitation).toHaveBeenCalledWith(form, expect.objectContaining({ session, requestId: 'who', signal }))
  })

  it('rejects with what a callback throws', async () => {
    const mine = new Error('mine')
    await using connection = await open({ onListRoots: () => Promise.reject(mine) })
    const call = connection.session.dispatchInputRequest({ requestId: 'r' }, { method: 'roots/list' })
    await expect(call).rejects.toBe(mine)
  })

  it('rejects what was not declared, is malformed, or is not a question', async () => {
    await using connection = await open({ onSampling: () => ({}) as never })
    const { session } = connection
    const ask = (request: object) => session.dispatchInputRequest({ requestId: 'r' }, request as never)
    await expect(ask({ method: 'roots/list' })).rejects.toMatchObject({ code: -32601 })
    await expect(ask({ method: 'sampling/createMessage', params: {} })).rejects.toMatchObject({ code: -32602 })
    await expect(ask({ method: 'tools/call', params: { name: 'x' } })).rejects.toMatchObject({ code: -32601 })
    await expect(ask({ method: 'sampling/createMessage', params: sample })).rejects.toMatchObject({ code: -32603 })
  })
})

describe.each(eras)('notifications ($era)', ({ open }) => {
  it('go to onMessage; log messages to onLog before', async () => {
    const seen: unknown[] = []
    await using connection = await open({
      onLog: ({ data }) => void seen.push(['log', data]),
      onMessage: ({ method }) => void seen.push(method),
    })
    connection.server.notify('notifications/message', { level: 'info', data: 'x' })
    connection.server.notify('notifications/tools/list_changed')
    expect(seen).toEqual([['log', 'x'], 'notifications/message', 'notifications/tools/list_changed'])
  })

  it('all reach callbacks that return at once, however many arrive together', async () => {
    const onLog = vi.fn()
    const onMessage = vi.fn()
    await using connection = await open({ onLog, onMessage })
    // More than a dispatcher lets wait at once.
    const count = 3_000
    for (let index = 0; index < count; index += 1) {
      connection.server.notify('notifications/message', { level: 'info', data: index })
    }
    expect(onLog).toHaveBeenCalledTimes(count)
    expect(onMessage).toHaveBeenCalledTimes(count)
    expect(connection.faults).toEqual([])
  })

  it('of cancellation are never passed on, unknown ones are dropped silently', async () => {
    const onMessage = vi.fn()
    await using connection = await open({ onMessage })
    connection.server.notify('notifications/cancelled', { requestId: 9 })
    connection.server.notify('acme/unknown')
    connection.server.notify('notifications/roots/list_changed')
    expect(onMessage).not.toHaveBeenCalled()
    expect(connection.faults).toEqual([])
  })

  it('that are malformed are reported and dropped', async () => {
    const onLog = vi.fn()
    await using connection = await open({ onLog })
    connection.server.notify('notifications/message', { level: 'loud', data: 1 })
    expect(onLog).not.toHaveBeenCalled()
    expect(connection.faults).toEqual([
      expect.objectContaining({ kind: 'invalid-message', method: 'notifications/message' }),
    ])
  })

  it('F086 whose callbacks fail do not affect others', async () => {
    const seen: string[] = []
    await using connection = await open({
      onLog: () => Promise.reject(new Error('async')),
      onMessage: ({ method }) => {
        seen.push(method)
        throw new Error('sync')
      },
    })
    connection.server.notify('notifications/message', { level: 'info', data: 'x' })
    connection.server.notify('notifications/prompts/list_changed')
    await settle()
    expect(seen.sort()).toEqual(['notifications/message', 'notifications/prompts/list_changed'])
    expect(connection.faults.map(({ kind }) => kind)).toEqual(Array(3).fill('notification-failed'))
  })
})

describe('notification bindings', () => {
  it('F085 queue at most 256; the oldest is dropped and reported', async () => {
    const gate = createDeferred()
    const seen: unknown[] = []
    const handle = async ({ n }: Record<string, unknown>) => {
      await gate.promise
      seen.push(n)
    }
    await using open = await openModern({ notificationBindings: [{ method: 'acme/tick', handle }] })
    open.server.notify('acme/tick', { n: 0 })
    await settle()
    for (let n = 1; n <= 300; n++) open.server.notify('acme/tick', { n })
    gate.resolve()
    await settle()
    expect(seen).toEqual([0, ...Array.from({ length: 256 }, (_, index) => index + 45)])
    expect(open.faults.every(({ kind }) => kind === 'overflow')).toBe(true)
    expect(open.faults).toHaveLength(44)
  })

  it('abort the signal of a handler when the session ends', async () => {
    const aborted = createDeferred<boolean>()
    const handle = (_params: object, { signal }: { signal: AbortSignal }) =>
      new Promise<void>(() => signal.addEventListener('abort', () => aborted.resolve(signal.aborted)))
    const { session, server } = await openModern({ notificationBindings: [{ method: 'acme/tick', handle }] })
    server.notify('acme/tick')
    await settle()
    await session.close()
    expect(await aborted.promise).toBe(true)
  })

  it('survive a handler that throws, and are silent after close()', async () => {
    const handle = vi.fn(() => {
      throw new Error('no')
    })
    const { session, server, faults } = await openModern({ notificationBindings: [{ method: 'acme/tick', handle }] })
    server.notify('acme/tick')
    server.notify('acme/tick')
    await settle()
    expect(handle).toHaveBeenCalledTimes(2)
    expect(faults.map(({ kind }) => kind)).toEqual(['notification-failed', 'notification-failed'])
    server.notify('acme/tick')
    await session.close()
    await settle()
    expect(handle.mock.calls.length).toBeLessThanOrEqual(3)
  })

  it('do not get methods of the revision, and get methods that the revision no longer has', async () => {
    const handle = vi.fn()
    const options = { notificationBindings: [{ method: 'notifications/tasks/status', handle }] }
    await using handshake = await openHandshake(options)
    handshake.server.notify('notifications/tasks/status', {})
    await using modern = await openModern(options)
    modern.server.notify('notifications/tasks/status', { a: 1 })
    await settle()
    expect(handle).toHaveBeenCalledExactlyOnceWith({ a: 1 }, expect.anything())
  })
})

describe('subscription routes', () => {
  const createRoute = () => {
    const seen: unknown[] = []
    const route: SubscriptionRoute = {
      subscription: undefined,
      acknowledged: (filter) => void seen.push(['acknowledged', filter]),
      event: (method) => void seen.push(method),
      lost: (reason) => void seen.push(reason),
      ended: () => void seen.push('ended'),
    }
    return { seen, route }
  }
  const tag = (id: unknown) => ({ _meta: { [SUBSCRIPTION_ID]: id } })

  it('C-SUB-03 take what carries their id, synchronously, before onMessage', async () => {
    const { seen, route } = createRoute()
    await using open = await openModern({ onMessage: ({ method }) => void seen.push(`message ${method}`) })
    const { session, server } = open
    internalsOf(session).routes.add('listen-1', route)
    const notifications = { toolsListChanged: true }
    server.notify('notifications/subscriptions/acknowledged', { notifications, ...tag('listen-1') })
    server.notify('notifications/tools/list_changed', tag('listen-1'))
    server.notify('notifications/tools/list_changed', tag('listen-2'))
    expect(seen).toEqual([
      ['acknowledged', notifications],
      'notifications/tools/list_changed',
      'message notifications/tools/list_changed',
      'message notifications/tools/list_changed',
    ])
  })

  it('find 7 and "7", and no longer after they were taken away', async () => {
    const { seen, route } = createRoute()
    await using open = await openModern()
    const unroute = internalsOf(open.session).routes.add(7, route)
    open.server.notify('notifications/tools/list_changed', tag('7'))
    expect(seen).toHaveLength(1)
    unroute()
    open.server.notify('notifications/tools/list_changed', tag(7))
    expect(seen).toHaveLength(1)
  })

  it('do not see malformed notifications', async () => {
    const { seen, route } = createRoute()
    await using open = await openModern()
    internalsOf(open.session).routes.add('listen-1', route)
    open.server.notify('notifications/subscriptions/acknowledged', tag('listen-1'))
    expect(seen).toEqual([])
    expect(open.faults).toHaveLength(1)
  })

  it('C-CAN-06 are lost when the server cancels their request', async () => {
    const { seen, route } = createRoute()
    await using open = await openModern()
    internalsOf(open.session).routes.add('listen-1', route)
    open.server.notify('notifications/cancelled', { requestId: 'other' })
    open.server.notify('notifications/cancelled', { requestId: 'listen-1' })
    open.server.notify('notifications/tools/list_changed', tag('listen-1'))
    expect(seen).toEqual([expect.any(SubscriptionLost)])
  })

  it('are lost, once, when the connection ends, and end when the user closes the session', async () => {
    for (const end of ['close', 'hang up']) {
      const { seen, route } = createRoute()
      const { session, server } = await openModern()
      internalsOf(session).routes.add('listen-1', route)
      if (end === 'hang up') server.hangUp()
      else await session.close()
      await settle()
      expect(seen, end).toEqual([end === 'close' ? 'ended' : expect.any(SubscriptionLost)])
      const late = createRoute()
      internalsOf(session).routes.add('listen-2', late.route)
      expect(late.seen).toEqual([expect.any(SubscriptionLost)])
    }
  })

  it('reject an id that is in use', async () => {
    await using open = await openModern()
    internalsOf(open.session).routes.add('listen-1', createRoute().route)
    expect(() => internalsOf(open.session).routes.add('listen-1', createRoute().route)).toThrow(RangeError)
  })
})
