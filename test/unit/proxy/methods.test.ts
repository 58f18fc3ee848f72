// What a proxy does with each method in each pair of eras: rows of the table of methods.
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { ERA_PAIRS, META, RawClient, type RawMessage } from '../../support/raw-peers.ts'
import { closedAfterEach, connectThrough } from './pair.ts'

const open = closedAfterEach()

const connect = connectThrough(open)

const SERVER_META = { [META.server]: { name: 'scripted', version: '1' } }
const losses = (faults: readonly Fault[]) => faults.filter(({ kind }) => kind === 'lossy-crossing')

/** What a modern client gets of a legacy result. */
const stamped = (result: RawMessage, more: RawMessage = {}) => ({
  resultType: 'complete',
  ...more,
  ...result,
  _meta: SERVER_META,
})

describe('compose X34 tools/list', () => {
  const TOOL = {
    name: 'a',
    title: 'A',
    description: 'does',
    inputSchema: { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': 'X' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://x/y.png' }],
    _meta: { 'a/b': 1 },
  }
  const ODD = { name: 'odd', inputSchema: { type: 'object' }, unheardOf: [1], annotations: { strange: {} } }

  it.each([
    ['legacy', 'legacy'],
    ['modern', 'modern'],
  ] as const)('%s to %s: as it is, with its cursor', async (front, back) => {
    const { server, client } = await connect(front, back)
    const page = {
      tools: [TOOL, ODD],
      nextCursor: 'n',
      resultType: 'complete',
      ttlMs: 7,
      cacheScope: 'public',
      more: 1,
    }
    server.on('tools/list', page)
    expect(await client.result('tools/list', { cursor: 'c', odd: { a: 1 } })).toEqual(page)
    expect(server.paramsOf('tools/list')).toMatchObject({ cursor: 'c', odd: { a: 1 } })
  })

  it('compose P02 legacy to modern: without what the older era cannot say, which is told once', async () => {
    const { server, client, faults } = await connect('legacy', 'modern')
    server.on('tools/list', {
      tools: [TOOL, { ...TOOL, name: 'b', outputSchema: { type: 'array' } }],
      resultType: 'complete',
      ttlMs: 7,
      cacheScope: 'public',
      _meta: { ...SERVER_META, 'a/b': 2 },
    })
    const { outputSchema: _left, ...b } = { ...TOOL, name: 'b' }
    for (let i = 0; i < 2; i += 1) {
      expect(await client.result('tools/list')).toEqual({ tools: [TOOL, b], _meta: { 'a/b': 2 } })
    }
    expect(losses(faults).map(({ message }) => message)).toEqual([
      "Callers of the other era don't get output schemas that are not objects of 'source'.",
    ])
  })

  it('compose G025 compose P02 modern to legacy: stamped; a tool without an object schema is left out and told once', async () => {
    const { server, client, faults } = await connect('modern', 'legacy')
    server.on('tools/list', { tools: [TOOL, { name: 'bad', inputSchema: { properties: {} } }], nextCursor: 'n' })
    for (let i = 0; i < 2; i += 1) {
      expect(await client.result('tools/list')).toEqual(
        stamped({ tools: [TOOL], nextCursor: 'n' }, { ttlMs: 0, cacheScope: 'private' }),
      )
    }
    expect(losses(faults)).toHaveLength(1)
    expect(losses(faults)[0]?.message).toContain('tools whose input schema is not an object')
  })

  it.each(ERA_PAIRS)('%s to %s: a page with a cursor that is null is the last one', async (front, back) => {
    const { server, client } = await connect(front, back)
    server.on('tools/list', { tools: [TOOL], nextCursor: null, ...(back === 'modern' && { resultType: 'complete' }) })
    expect(await client.result('tools/list')).not.toHaveProperty('nextCursor')
  })

  it('compose P16 modern to legacy: cache.listMs says how long lists stay good', async () => {
    const { server, client } = await connect('modern', 'legacy', { cache: { listMs: 60_000 } })
    server.on('tools/list', { tools: [] })
    expect(await client.result('tools/list')).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' })
  })
})

describe('compose X34 other lists', () => {
  const LISTS = [
    ['resources/list', { resources: [{ uri: 'x:1', name: 'one', size: 3 }] }],
    ['resources/templates/list', { resourceTemplates: [{ uriTemplate: 'x:{a}', name: 'any' }] }],
    ['prompts/list', { prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }] }] }],
  ] as const
  it.each(ERA_PAIRS.flatMap(([front, back]) => LISTS.map(([method, page]) => ({ front, back, method, page }))))(
    '$front to $back: $method',
    async ({ front, back, method, page }) => {
      const { server, client } = await connect(front, back)
      const caching = { ttlMs: 9, cacheScope: 'public' }
      const sent = back === 'modern' ? { resultType: 'complete', ...caching, ...page } : page
      server.on(method, sent)
      const got = await client.result(method)
      if (front === back) expect(got).toEqual(sent)
      else if (front === 'legacy') expect(got).toEqual(page)
      else expect(got).toEqual(stamped(page, { ttlMs: 0, cacheScope: 'private' }))
    },
  )
})

describe('compose X34 tools/call', () => {
  const CONTENT = [
    { type: 'text', text: 'x', annotations: { priority: 1 }, _meta: { 'a/b': 1 } },
    { type: 'resource_link', uri: 'x:1', name: 'one' },
  ]

  it.each([
    ['legacy', 'legacy'],
    ['modern', 'modern'],
  ] as const)('compose P03 %s to %s: as it is, whatever it is', async (front, back) => {
    const { server, client } = await connect(front, back)
    const result = {
      content: [{ type: 'hologram', of: [] }, 7],
      structuredContent: ['no object'],
      isError: 'perhaps',
      more: {},
    }
    server.on('tools/call', { resultType: 'complete', ...result })
    expect(await client.result('tools/call', { name: 7, arguments: 'all' })).toEqual({
      resultType: 'complete',
      ...result,
    })
    expect(server.paramsOf('tools/call')).toMatchObject({ name: 7, arguments: 'all' })
  })

  it('modern to modern: answers and state of a round byte for byte', async () => {
    const { server, client } = await connect('modern', 'modern')
    const asked = {
      resultType: 'input_required',
      inputRequests: { 'a key': { method: 'elicitation/create', params: { message: 'm' } }, b: { method: 'x/y' } },
      requestState: 'état "1"\u0000',
    }
    server.on('tools/call', (params) =>
      params['requestState'] === undefined ? asked : { resultType: 'complete', content: [] },
    )
    expect(await client.result('tools/call', { name: 'a' })).toEqual(asked)
    const inputResponses = { 'a key': { action: 'accept', content: { '': 1 } }, b: { any: null } }
    await client.result('tools/call', { name: 'a', inputResponses, requestState: asked.requestState })
    expect(server.paramsOf('tools/call', 1)).toMatchObject({ inputResponses, requestState: asked.requestState })
  })

  it('legacy to modern: structured content that is no object is left out, the text stays', async () => {
    const { server, client } = await connect('legacy', 'modern')
    server.on('tools/call', { resultType: 'complete', content: CONTENT, structuredContent: [1], _meta: SERVER_META })
    expect(await client.result('tools/call', { name: 'a' })).toEqual({ content: CONTENT })
  })

  it('modern to legacy: stamped, and everything else as it is', async () => {
    const { server, client } = await connect('modern', 'legacy')
    const result = { content: CONTENT, structuredContent: { a: 1 }, isError: true }
    server.on('tools/call', result)
    expect(await client.result('tools/call', { name: 'a', arguments: { '': [null] } })).toEqual(stamped(result))
    expect(server.paramsOf('tools/call')).toEqual({
      name: 'a',
      arguments: { '': [null] },
      _meta: { progressToken: expect.any(Number) },
    })
  })
})

describe('compose X34 resources/read, prompts/get, completion/complete', () => {
  const METHODS = [
    ['resources/read', { uri: 'x:1' }, { contents: [{ uri: 'x:1', text: 'x', _meta: { a: 1 } }] }],
    [
      'prompts/get',
      { name: 'p', arguments: { a: 'b' } },
      { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
      { completion: { values: ['x'], total: 1 } },
    ],
  ] as const
  it.each(
    ERA_PAIRS.flatMap(([front, back]) =>
      METHODS.map(([method, params, result]) => ({ front, back, method, params, result })),
    ),
  )('$front to $back: $method', async ({ front, back, method, params, result }) => {
    const { server, client } = await connect(front, back)
    const isRead = method === 'resources/read'
    const caching = isRead && back === 'modern' ? { ttlMs: 3, cacheScope: 'private' } : {}
    const sent = back === 'modern' ? { resultType: 'complete', ...caching, ...result } : result
    server.on(method, sent)
    const got = await client.result(method, params)
    if (front === back) expect(got).toEqual(sent)
    else if (front === 'legacy') expect(got).toEqual(result)
    else expect(got).toEqual(stamped(result, isRead ? { ttlMs: 0, cacheScope: 'private' } : {}))
    expect(server.paramsOf(method)).toMatchObject(params)
  })

  it.each([
    ['legacy', 'legacy', -32002, -32002],
    ['modern', 'modern', -32602, -32602],
    ['legacy', 'modern', -32602, -32002],
    ['modern', 'legacy', -32002, -32602],
  ] as const)('%s to %s: a resource that is not there, %i becomes %i', async (front, back, theirs, ours) => {
    const { server, client } = await connect(front, back)
    server.on('resources/read', { error: { code: theirs, message: 'not there', data: { uri: 'x:1' } } })
    expect(await client.error('resources/read', { uri: 'x:1' })).toEqual({
      code: ours,
      message: 'not there',
      data: { uri: 'x:1' },
    })
  })
})

describe('compose X34 resources/subscribe', () => {
  it('legacy to legacy: as it is', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    server.on('resources/subscribe', { odd: 1 }).on('resources/unsubscribe', { odd: 2 })
    expect(await client.result('resources/subscribe', { uri: 'x:1', more: 1 })).toEqual({ odd: 1 })
    server.notify('notifications/resources/updated', { uri: 'x:1', more: [2] })
    expect(await client.untilTold('notifications/resources/updated')).toMatchObject([
      { params: { uri: 'x:1', more: [2] } },
    ])
    expect(await client.result('resources/unsubscribe', { uri: 'x:1' })).toEqual({ odd: 2 })
    expect(server.paramsOf('resources/subscribe')).toEqual({ uri: 'x:1', more: 1 })
  })

  it('legacy to legacy, shared: each resource once, until the last has left; each client hears of its own', async () => {
    const { server, client, proxy } = await connect('legacy', 'legacy', { sessions: 'shared' })
    server.on('resources/subscribe', {}).on('resources/unsubscribe', {})
    const other = await RawClient.open(proxy, 'legacy')
    open.push(other)
    await client.result('resources/subscribe', { uri: 'x:1' })
    await other.result('resources/subscribe', { uri: 'x:1' })
    await other.result('resources/subscribe', { uri: 'x:2' })
    expect(server.received('resources/subscribe').map(({ params }) => params)).toMatchObject([
      { uri: 'x:1' },
      { uri: 'x:2' },
    ])
    server.notify('notifications/resources/updated', { uri: 'x:2' })
    server.notify('notifications/resources/updated', { uri: 'x:1' })
    expect(await client.untilTold('notifications/resources/updated')).toMatchObject([{ params: { uri: 'x:1' } }])
    expect(await other.untilTold('notifications/resources/updated', 2)).toMatchObject([
      { params: { uri: 'x:2' } },
      { params: { uri: 'x:1' } },
    ])
    await client.result('resources/unsubscribe', { uri: 'x:1' })
    expect(server.received('resources/unsubscribe')).toEqual([])
    await other.close()
    await vi.waitFor(() => expect(server.received('resources/unsubscribe')).toHaveLength(2))
    expect(client.told('notifications/resources/updated')).toHaveLength(1)
  })

  it('legacy to modern: one subscription, opened anew when the set changes; {} at once', async () => {
    const { server, client } = await connect('legacy', 'modern')
    server.on('subscriptions/listen', (params, id) => {
      const { notifications } = params as { notifications: RawMessage }
      queueMicrotask(() => {
        const _meta = { [META.subscription]: id }
        server.notify('notifications/subscriptions/acknowledged', { notifications, _meta })
      })
      return undefined
    })
    expect(await client.result('resources/subscribe', { uri: 'x:1' })).toEqual({})
    expect(await client.result('resources/subscribe', { uri: 'x:2' })).toEqual({})
    const last = server.received('subscriptions/listen').at(-1) as RawMessage
    expect(last['params']).toMatchObject({
      notifications: { toolsListChanged: true, resourceSubscriptions: ['x:1', 'x:2'] },
    })
    server.notify('notifications/resources/updated', {
      uri: 'x:2',
      _meta: { [META.subscription]: last['id'], 'a/b': 1 },
    })
    expect(await client.untilTold('notifications/resources/updated')).toMatchObject([
      { params: { uri: 'x:2', _meta: { 'a/b': 1 } } },
    ])
    expect(client.told('notifications/resources/updated')[0]).not.toHaveProperty(['params', '_meta', META.subscription])
    expect(await client.result('resources/unsubscribe', { uri: 'x:1' })).toEqual({})
    await vi.waitFor(() =>
      expect(server.received('subscriptions/listen').at(-1)?.['params']).toMatchObject({
        notifications: { resourceSubscriptions: ['x:2'] },
      }),
    )
    server.notify('notifications/tools/list_changed', { _meta: { [META.subscription]: last['id'] } })
  })
})

describe('compose X34 subscriptions/listen', () => {
  it('modern to modern: as it is, under the id of the caller', async () => {
    const { server, client } = await connect('modern', 'modern')
    server.on('subscriptions/listen', () => undefined)
    const ended = client.request(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, odd: [1] }, more: 1 },
      'mine',
    )
    await vi.waitFor(() => expect(server.received('subscriptions/listen')).toHaveLength(1))
    const id = server.received('subscriptions/listen')[0]?.['id']
    expect(server.paramsOf('subscriptions/listen')).toMatchObject({
      notifications: { toolsListChanged: true, odd: [1] },
      more: 1,
    })
    const meta = { [META.subscription]: id, 'a/b': { c: 1 } }
    server.notify('notifications/subscriptions/acknowledged', { notifications: {}, odd: 1, _meta: meta })
    server.notify('notifications/tools/list_changed', { _meta: meta, odd: 2 })
    server.respond(id, { resultType: 'complete', odd: 3, _meta: meta })
    const mine = { [META.subscription]: 'mine', 'a/b': { c: 1 } }
    expect((await ended)['result']).toEqual({ resultType: 'complete', odd: 3, _meta: mine })
    expect(client.told('notifications/subscriptions/acknowledged')[0]?.['params']).toEqual({
      notifications: {},
      odd: 1,
      _meta: mine,
    })
    expect(client.told('notifications/tools/list_changed')[0]?.['params']).toEqual({ odd: 2, _meta: mine })
  })

  it('modern to legacy: what the capabilities allow; resources are counted, and those that the source refuses not granted', async () => {
    const { server, client } = await connect('modern', 'legacy')
    server
      .on('resources/subscribe', ({ uri }) => (uri === 'x:no' ? { error: { code: -32602, message: 'no' } } : {}))
      .on('resources/unsubscribe', {})
    const listen = (id: string, uris: string[]) =>
      client.request(
        'subscriptions/listen',
        { notifications: { toolsListChanged: true, resourceSubscriptions: uris } },
        id,
      )
    void listen('one', ['x:1', 'x:no'])
    void listen('two', ['x:1'])
    const acknowledged = await client.untilTold('notifications/subscriptions/acknowledged', 2)
    expect(acknowledged.map(({ params }) => params)).toEqual([
      {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['x:1'] },
        _meta: { [META.subscription]: expect.anything() },
      },
      {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['x:1'] },
        _meta: { [META.subscription]: expect.anything() },
      },
    ])
    expect(server.received('resources/subscribe')).toHaveLength(2)
    server.notify('notifications/tools/list_changed')
    server.notify('notifications/resources/updated', { uri: 'x:1' })
    await client.untilTold('notifications/tools/list_changed', 2)
    await client.untilTold('notifications/resources/updated', 2)
    client.notify('notifications/cancelled', { requestId: 'one', _meta: client.withEnvelope({})['_meta'] })
    server.notify('notifications/resources/updated', { uri: 'x:1' })
    await client.untilTold('notifications/resources/updated', 3)
    expect(server.received('resources/unsubscribe')).toEqual([])
    client.notify('notifications/cancelled', { requestId: 'two', _meta: client.withEnvelope({})['_meta'] })
    await vi.waitFor(() => expect(server.received('resources/unsubscribe')).toHaveLength(1))
  })

  it('modern to legacy: params that are none are an error of the caller', async () => {
    const { client } = await connect('modern', 'legacy')
    expect(await client.error('subscriptions/listen', { notifications: 7 })).toMatchObject({ code: -32602 })
  })
})
