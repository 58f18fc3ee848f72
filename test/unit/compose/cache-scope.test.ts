// For whom a list or a resource may be kept: what depends on the caller is for that caller alone, whatever the author's hints say.
import { describe, expect, it } from 'vitest'
import { memory } from '../../../src/exports/backend.ts'
import { Client } from '../../../src/exports/client.ts'
import { createProxy } from '../../../src/exports/proxy.ts'
import { createHandler, MCPServer, type MCPServerOptions } from '../../../src/exports/server.ts'
import { hide, resourcesAsTools, searchTools, unlisted } from '../../../src/exports/transforms.ts'
import { FakeExchange } from '../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../support/modern-messages.ts'
import { ListSource, requestOf } from '../../support/sources.ts'

const PUBLIC = { ttlMs: 60_000, scope: 'public' } as const
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const
const CACHED = [...LISTS, 'resources/read'] as const
const cacheHints = Object.fromEntries([...CACHED, 'server/discover'].map((method) => [method, PUBLIC]))

type Access = Parameters<MCPServer['tool']>[1] & object
const forAda: Pick<Access, 'visible'> = { visible: ({ auth }) => auth?.subject === 'ada' }

/** One of each kind, named by `prefix`. */
function stocked(prefix: string, access: object = {}, options: MCPServerOptions = {}) {
  const server = new MCPServer(prefix, { onFault: () => {}, ...options })
  server.tool(`${prefix}-tool`, access, () => 'done')
  server.prompt(`${prefix}-prompt`, access, () => 'text')
  server.resource(`${prefix}://one`, access, () => 'one')
  server.resource(`${prefix}://{id}/more`, access, () => 'more')
  return server
}

const open = (options: MCPServerOptions = {}) => stocked('open', {}, { cacheHints, ...options })

/** What a verified caller gets, as it is sent. */
async function ask(server: MCPServer, subject: string, method: string, params: Record<string, unknown> = {}) {
  const handler = createHandler(server)
  const auth = { clientId: 'app', issuer: 'https://as.example', subject, scopes: subject === 'ada' ? ['admin'] : [] }
  const request = { method, params }
  const exchange = new FakeExchange({ body: modernBody(request), headers: modernHeaders(request), auth })
  await handler(exchange)
  await exchange.answered
  const { result, error } = exchange.json as { result?: Record<string, unknown>; error?: unknown }
  await handler.close()
  return result ?? { error }
}

/** Of every list and of what `uri` says: the scopes that ada and bob get. */
async function scopesOf(server: MCPServer, uri: string) {
  const scopes: Record<string, unknown[]> = {}
  for (const method of CACHED) {
    const params = method === 'resources/read' ? { uri } : {}
    for (const subject of ['ada', 'bob']) {
      const { cacheScope, ttlMs } = await ask(server, subject, method, params)
      if (cacheScope === undefined) continue
      expect(ttlMs).toBe(60_000)
      scopes[method] = [...(scopes[method] ?? []), cacheScope]
    }
  }
  return scopes
}

const everywhere = (scope: string) =>
  Object.fromEntries(CACHED.map((method) => [method, method === 'resources/read' ? [scope] : [scope, scope]]))

const perCaller: [what: string, make: () => MCPServer, uri: string][] = [
  ['own components with visible', () => stocked('shut', forAda, { cacheHints }), 'shut://one'],
  ['own components with scopes', () => stocked('shut', { scopes: ['admin'] }, { cacheHints }), 'shut://one'],
  [
    'hide() by caller',
    () => {
      const server = open()
      server.transform(hide((_item, { auth }) => auth?.subject !== 'ada'))
      return server
    },
    'open://one',
  ],
  [
    'a mount with visible as the only part',
    () => {
      const server = new MCPServer('front', { cacheHints })
      server.mount(stocked('shut', {}, { cacheHints }), forAda)
      return server
    },
    'shut://one',
  ],
  [
    'a mount with scopes',
    () => {
      const server = new MCPServer('front', { cacheHints })
      server.mount(stocked('shut', {}, { cacheHints }), { scopes: ['admin'] })
      return server
    },
    'shut://one',
  ],
  [
    'a mounted server whose components have visible',
    () => {
      const server = new MCPServer('front', { cacheHints })
      server.mount(stocked('shut', forAda, { cacheHints }))
      return server
    },
    'shut://one',
  ],
  [
    'a mounted server with hide() by caller, and middleware of its own',
    () => {
      const child = stocked('shut', {}, { cacheHints, middleware: [(_ctx, next) => next()] })
      child.transform(hide((_item, { auth }) => auth?.subject !== 'ada'))
      const server = open()
      server.mount(child)
      return server
    },
    'shut://one',
  ],
  [
    'a mount with hide() by caller',
    () => {
      const server = open()
      const transforms = [hide((_item, { auth }) => auth?.subject !== 'ada')]
      server.mount(stocked('shut', {}, { cacheHints }), { transforms })
      return server
    },
    'shut://one',
  ],
  [
    'two transforms, of which the inner one asks for each caller',
    () => {
      const server = open()
      server.transform(
        hide((_item, { auth }) => auth?.subject !== 'ada'),
        hide('nothing*'),
      )
      return server
    },
    'open://one',
  ],
]

describe('what depends on the caller', () => {
  it.each(perCaller)('compose P16 compose T04 is private: %s', async (_what, make, uri) => {
    expect(await scopesOf(make(), uri)).toEqual(everywhere('private'))
  })

  it('compose P16 and what does not is as public as the author says', async () => {
    const isForAll = { ...everywhere('public'), 'resources/read': ['public', 'public'] }
    const plain = open()
    plain.transform(
      hide('nothing*'),
      hide((item) => item.name === 'nothing'),
    )
    plain.tool('off', forAda, () => 'off').disable()
    expect(await scopesOf(plain, 'open://one')).toEqual(isForAll)
    const front = open()
    front.mount(stocked('other', { scopes: [] }, { cacheHints }))
    front.mount(stocked('away'), { as: 'away', ...forAda }).disable()
    expect(await scopesOf(front, 'other://one')).toEqual(isForAll)
  })

  it('compose P16 of parts, one that some may not see makes the list private for all, on every page', async () => {
    const server = open({ pageSize: 1 })
    server.mount(stocked('shut', {}, { cacheHints }), forAda)
    for (const subject of ['ada', 'bob']) {
      const first = await ask(server, subject, 'tools/list')
      expect(first).toMatchObject({ cacheScope: 'private', tools: [{ name: 'open-tool' }] })
      if (subject === 'bob') continue
      const second = await ask(server, subject, 'tools/list', { cursor: first['nextCursor'] })
      expect(second).toMatchObject({ cacheScope: 'private', tools: [{ name: 'shut-tool' }] })
    }
  })

  it('compose P16 pages of parts have one scope, whichever part they are of', async () => {
    const server = open({ pageSize: 1 })
    server.mount(stocked('shut', forAda))
    server.mount(stocked('last'))
    let cursor: unknown
    const scopes: unknown[] = []
    do {
      const page = await ask(server, 'ada', 'tools/list', { ...(cursor !== undefined && { cursor }) })
      scopes.push(page['cacheScope'])
      cursor = page['nextCursor']
    } while (cursor !== undefined)
    expect(scopes).toEqual(['private', 'private', 'private'])
  })

  it('compose P16 the hint of a mounted server counts too: the shorter time, for the fewer', async () => {
    const server = open()
    server.mount(stocked('child', {}, { cacheHints: { 'tools/list': { ttlMs: 1_000 } } }))
    expect(await ask(server, 'ada', 'tools/list')).toMatchObject({ ttlMs: 1_000, cacheScope: 'private' })
    expect(await ask(server, 'ada', 'prompts/list')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  })

  it('compose P16 tools in the place of others are private where those are, on whatever page', async () => {
    for (const transform of [searchTools({ above: 1 }), resourcesAsTools()]) {
      const server = open({ pageSize: 1 })
      server.tool('second', () => '2')
      server.transform(transform)
      expect(await ask(server, 'bob', 'tools/list')).toMatchObject({ cacheScope: 'public' })
      server.mount(stocked('shut', forAda))
      expect(await ask(server, 'bob', 'tools/list')).toMatchObject({ cacheScope: 'private' })
    }
    const server = open()
    server.transform(unlisted((_item, { auth }) => auth?.subject !== 'ada'))
    expect(await ask(server, 'bob', 'tools/list')).toMatchObject({ cacheScope: 'private', tools: [] })
  })

  it('compose P16 one page of tools for several is kept as the strictest of them', async () => {
    const hints = [
      { ttlMs: 900, cacheScope: 'public' },
      { ttlMs: 500, cacheScope: 'private' },
    ]
    const source = new ListSource({ tools: ['a', 'b'] })
    source.size = 1
    const list = source.list.bind(source)
    source.list = (of, request, cursor) => ({ ...list(of, request, cursor), ...hints[Number(cursor ?? 0)] }) as never
    const request = requestOf()
    expect(await resourcesAsTools()(source).list('tools/list', request)).toMatchObject(hints[1] as object)
    hints[1] = { ttlMs: 1_500, cacheScope: 'public' }
    expect(await resourcesAsTools()(source).list('tools/list', request)).toMatchObject(hints[0] as object)
  })

  it('compose P16 a template that some may not see makes what it lists, and what stands before it, private', async () => {
    const server = open()
    const list = () => [{ uri: 'shut://1/more', name: 'one' }]
    server.resource('shut://{id}/more', { ...forAda, list }, () => 'more')
    for (const subject of ['ada', 'bob'])
      expect(await ask(server, subject, 'resources/list')).toMatchObject({ cacheScope: 'private' })
    server.resource('{+any}', {}, () => 'for all')
    for (const subject of ['ada', 'bob']) {
      const read = await ask(server, subject, 'resources/read', { uri: 'shut://1/more' })
      expect(read).toMatchObject({
        cacheScope: 'private',
        contents: [{ text: subject === 'ada' ? 'more' : 'for all' }],
      })
    }
    expect(await ask(server, 'bob', 'resources/read', { uri: 'other:x' })).toMatchObject({ cacheScope: 'public' })
  })

  it('compose P16 a reader that calls its result public is not believed where some may not read it', async () => {
    const server = new MCPServer('front', { cacheHints })
    const read = (uri: string) => () => ({ contents: [{ uri, text: 'x' }], ttlMs: 5, cacheScope: 'public' as const })
    server.resource('shut://one', forAda, read('shut://one'))
    server.resource('open://one', {}, read('open://one'))
    const scopeOf = async (uri: string) => (await ask(server, 'ada', 'resources/read', { uri }))['cacheScope']
    expect([await scopeOf('shut://one'), await scopeOf('open://one')]).toEqual(['private', 'public'])
  })

  it('compose P16 what a server says of itself is private where a mount is not for everybody', async () => {
    const server = open()
    expect(await ask(server, 'bob', 'server/discover')).toMatchObject({ cacheScope: 'public' })
    server.mount(stocked('shut', {}, { instructions: 'for ada' }), forAda)
    const outer = stocked('outer', {}, { cacheHints })
    outer.mount(server)
    for (const front of [server, outer]) {
      expect(await ask(front, 'ada', 'server/discover')).toMatchObject({ cacheScope: 'private' })
      const forBob = await ask(front, 'bob', 'server/discover')
      expect(forBob).toMatchObject({ cacheScope: 'private' })
      expect(JSON.stringify(forBob)).not.toContain('for ada')
    }
  })

  it('compose P16 at an older revision there is no scope to say', async () => {
    const server = open()
    server.mount(stocked('shut', {}, { cacheHints }), forAda)
    server.transform(hide((_item, { auth }) => auth?.subject !== 'ada'))
    await using proxy = createProxy(server)
    proxy.transform(hide((_item, ctx) => ctx.clientInfo === undefined))
    for (const target of [server, proxy]) {
      await using client = await Client.connect(target, { mode: 'legacy' })
      expect(Object.keys(await client.listTools())).toEqual(['tools'])
    }
  })
})

/** A server that shows each of its two tools to one client, by the name that the client gives itself. */
function personal() {
  const server = new MCPServer('personal', { cacheHints })
  for (const name of ['ada', 'bob'])
    server.tool(`for-${name}`, { visible: (ctx) => ctx.request.clientInfo?.name === name }, () => name)
  return server
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe('a list that depends on the caller', () => {
  it('compose P16 compose X44 does not reach another caller through a proxy', async () => {
    await using proxy = createProxy(personal())
    for (const name of ['ada', 'bob', 'ada']) {
      await using client = await Client.connect(proxy, {
        clientInfo: { name, version: '1' },
        mode: 'modern',
        cache: false,
      })
      expect(await namesOf(client)).toEqual([`for-${name}`])
    }
  })

  it('compose P16 does not reach another user through the cache of clients', async () => {
    const [server, backend] = [personal(), memory()]
    for (const name of ['ada', 'bob', 'ada']) {
      const cache = { partition: name, targetId: 'personal', sharePublic: true }
      await using client = await Client.connect(server, {
        clientInfo: { name, version: '1' },
        mode: 'modern',
        backend,
        cache,
      })
      expect(await namesOf(client)).toEqual([`for-${name}`])
    }
  })
})
