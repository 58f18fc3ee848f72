// Layers whose tools reach others by name: whatever stands in front of such a layer is in force for what it reaches.
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { openAPIServer } from '../../../src/exports/openapi.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import {
  changeArguments,
  codeMode,
  hide,
  only,
  promptsAsTools,
  rename,
  resourcesAsTools,
  type Sandbox,
  searchTools,
  type Transform,
  transform,
} from '../../../src/exports/transforms.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const KEY = { type: 'object', properties: { key: { type: 'string' } } } as const

function notes(...transforms: Transform[]) {
  const server = new MCPServer('notes', { onFault: () => {} })
  server.tool('read', { input: KEY }, ({ key }) => `read ${key}`)
  server.tool('drop', { meta: { tags: ['admin'] }, annotations: { destructiveHint: true } }, () => 'SECRET tool')
  server.resource('notes://1', () => 'one')
  server.resource('notes://secret', { meta: { tags: ['admin'] } }, () => 'SECRET resource')
  server.resource('notes://t/{x}', { meta: { tags: ['admin'] } }, ({ x }) => `SECRET template ${x}`)
  server.prompt('greet', () => 'hello')
  server.prompt('secretive', { meta: { tags: ['admin'] } }, () => 'SECRET prompt')
  return transforms.length === 0 ? server : server.transform(...transforms)
}

/** Runs no scripts: the code is a call, as JSON. */
const sandbox: Sandbox = {
  run: async (code, { call }) => {
    const { name, args } = JSON.parse(code) as { name: string; args: Record<string, string> }
    return call(name, args).then(
      (value) => ({ ok: true, value, logs: [] }),
      (error: Error) => ({ ok: false, message: error.message, logs: [] }),
    )
  },
}

interface Place {
  readonly target: Parameters<typeof Client.connect>[0] & { close(): unknown }
  /** In front of names. */
  readonly as: string
  /** Puts one more outside of all. */
  readonly add?: (...transforms: Transform[]) => unknown
}

/** Where the layer can stand, and where what hides. */
const places: Record<string, (inside: Transform[], outside: Transform[]) => Place> = {
  'one server': (inside, outside) => {
    const target = notes(...inside, ...outside)
    return { target, as: '', add: (...more) => target.transform(...more) }
  },
  'a mount': (inside, outside) => {
    const target = new MCPServer('main', { onFault: () => {} })
    target.tool('own', () => 'own')
    target.mount(notes(), { as: 'n', transforms: [...inside, ...outside] })
    return { target, as: 'n_', add: (...more) => target.transform(...more) }
  },
  'a server and its mount': (inside, outside) => {
    const target = new MCPServer('main')
    target.mount(notes(...inside), { as: 'n', transforms: outside })
    return { target, as: 'n_' }
  },
  'a mount and what it is mounted in, twice': (inside, outside) => {
    const [target, middle] = [new MCPServer('main'), new MCPServer('middle')]
    middle.mount(notes(...inside), { as: 'a' })
    target.mount(middle, { as: 'b' })
    target.transform(...outside.map(inNamespace('b_a_')))
    return { target, as: 'b_a_' }
  },
  'a proxy': (inside, outside) => {
    const target = createProxy(notes(), { transforms: [...inside, ...outside] })
    return { target, as: '', add: (...more) => target.transform(...more) }
  },
  'a proxy that is mounted': (inside, outside) => {
    const target = new MCPServer('main')
    const proxy = createProxy(notes(), { transforms: inside })
    open.push(proxy)
    target.mount(proxy, { as: 'p', transforms: outside })
    return { target, as: 'p_' }
  },
  'a source of a gateway': (inside, outside) => ({
    target: createGateway({ n: { target: notes(), transforms: [...inside, ...outside] }, other: notes() }),
    as: 'n_',
  }),
  'a gateway and its source': (inside, outside) => ({
    target: createGateway(
      { n: { target: notes(), transforms: inside }, other: notes() },
      { transforms: outside.map(inNamespace('n_')), onFault: () => {} },
    ),
    as: 'n_',
  }),
  'a mount of a gateway': (inside, outside) => {
    const target = createGateway({ other: notes() })
    target.mount(notes(...inside), { as: 'm', transforms: outside })
    return { target, as: 'm_' }
  },
}

/** The tests write names without a namespace. */
const namespaces = new WeakMap<Transform, (as: string) => Transform>()
const inNamespace = (as: string) => (one: Transform) => namespaces.get(one)?.(as) ?? one
const named = (make: (as: string) => Transform): Transform => {
  const plain = make('')
  namespaces.set(plain, make)
  return plain
}

const text = (result: unknown) => JSON.stringify(result)
const outcome = (call: Promise<unknown>) => call.then(text, (error: Error) => `error ${error.message}`)

const hiders: Record<string, () => Transform> = {
  'hide by tags': () => hide({ tags: ['admin'] }),
  'hide by names and URIs': () =>
    named((as) => hide({ names: [`${as}drop`, `${as}secretive`], uris: ['notes://secret', 'notes://t/*'] })),
  'a function': () => hide((item) => (item._meta?.['tags'] as string[] | undefined)?.includes('admin') === true),
  'a function of the caller': () =>
    hide((item, request) => request.auth === undefined && JSON.stringify(item._meta ?? {}).includes('admin')),
}

describe.each(['modern', 'legacy'] as const)('%s', (mode) => {
  const connect = async ({ target, as }: Place) => {
    const client = await Client.connect(target, { mode })
    open.push(target, client)
    return (name: string, args: object = {}) => outcome(client.callTool(`${as}${name}`, args as never))
  }

  describe.each(Object.keys(places))('in %s', (where) => {
    const place = places[where] as (typeof places)[string]

    it.each(Object.keys(hiders))(
      'compose T01 what is hidden in front of a layer is not reached by it: %s',
      async (how) => {
        const hider = hiders[how] as () => Transform
        const searching = place([searchTools({ above: 1 })], [hider()])
        const { as } = searching
        let call = await connect(searching)
        expect(await call('search_tools', { query: 'read drop' })).toContain(`\\"${as}read\\"`)
        expect(await call('search_tools', { query: 'drop' })).not.toContain(`${as}drop`)
        expect(await call('call_tool', { name: `${as}drop` })).toBe(`error Unknown tool "${as}drop"`)
        expect(await call('call_tool', { name: `${as}read`, arguments: { key: 'a' } })).toContain('read a')

        call = await connect(place([codeMode({ sandbox })], [hider()]))
        expect(await call('search_tools', { query: 'read drop' })).not.toContain(`${as}drop`)
        expect(await call('describe_tools', { names: [`${as}drop`, `${as}read`] })).toContain(`"name":"${as}read"`)
        expect(await call('describe_tools', { names: [`${as}drop`] })).not.toContain('drop')
        const script = (name: string) => ({ code: JSON.stringify({ name: `${as}${name}`, args: { key: 'b' } }) })
        expect(await call('run_code', script('drop'))).toContain('Unknown tool')
        expect(await call('run_code', script('read'))).toContain('read b')

        call = await connect(place([resourcesAsTools(), promptsAsTools()], [hider()]))
        expect(await call('list_resources')).toContain('notes://1')
        expect(await call('list_resources')).not.toMatch(/secret|notes:\/\/t/)
        expect(await call('read_resource', { uri: 'notes://1' })).toContain('one')
        for (const uri of ['notes://secret', 'notes://t/a'])
          expect(await call('read_resource', { uri })).toMatch(/"isError":true/)
        expect(await call('list_prompts')).toContain(`"name":"${as}greet"`)
        expect(await call('list_prompts')).not.toContain('secretive')
        expect(await call('get_prompt', { name: `${as}greet` })).toContain('hello')
        expect(await call('get_prompt', { name: `${as}secretive` })).toMatch(/"isError":true/)
      },
    )

    it('compose T01 arguments that are fixed in front of a layer are fixed for what it calls', async () => {
      const fixed = () => named((as) => changeArguments(`${as}read`, { key: { hide: true, value: 'fixed' } }))
      const searching = place([searchTools({ above: 1 })], [fixed()])
      const { as } = searching
      let call = await connect(searching)
      const given = { name: `${as}read`, arguments: { key: 'other' } }
      expect(await call('call_tool', given)).toMatch(/unknown property/)
      expect(await call('call_tool', { name: `${as}read` })).toContain('read fixed')
      expect(await call('search_tools', { query: 'read' })).not.toContain('\\"key\\"')

      call = await connect(place([codeMode({ sandbox })], [fixed()]))
      const code = (args: object) => JSON.stringify({ name: `${as}read`, args })
      expect(await call('run_code', { code: code({ key: 'other' }) })).toMatch(/unknown property/)
      expect(await call('run_code', { code: code({}) })).toContain('read fixed')
    })

    it('compose T01 names are those that the caller knows, and what runs around calls sees them', async () => {
      const seen: unknown[] = []
      const watch = transform({
        call: (params, next) => {
          seen.push(params['name'])
          return next(params)
        },
      })
      const renamed = named((as) => rename({ [`${as}read`]: `${as}open` }))
      const searching = place([searchTools({ above: 1 })], [renamed, watch])
      const { as } = searching
      const call = await connect(searching)
      expect(await call('search_tools', { query: 'open' })).toContain(`\\"${as}open\\"`)
      expect(await call('call_tool', { name: `${as}open`, arguments: { key: 'c' } })).toContain('read c')
      expect(seen.map((name) => String(name).replace(as, ''))).toEqual(['search_tools', 'call_tool', 'open'])
      expect(await call('call_tool', { name: `${as}read` })).toBe(`error Unknown tool "${as}read"`)
      expect(await call('call_tool', { name: `${as}call_tool`, arguments: { name: `${as}open` } })).toMatch(
        /can't be called by|Unknown tool/,
      )
    })

    it('compose T01 what is added later stands outside, too', async () => {
      const later = place([searchTools({ above: 1 })], [])
      if (later.add === undefined) return
      const call = await connect(later)
      const { as } = later
      expect(await call('call_tool', { name: `${as}drop` })).toContain('SECRET')
      later.add(hide([`${as}drop`]))
      expect(await call('call_tool', { name: `${as}drop` })).toBe(`error Unknown tool "${as}drop"`)
      expect(await call('search_tools', { query: 'drop' })).not.toContain(`${as}drop`)
    })

    it('compose T01 a layer reaches what is behind it, and nothing beside that', async () => {
      const beside = place([searchTools({ above: 1 })], [])
      const call = await connect(beside)
      for (const name of ['own', 'other_read'])
        expect(await call('call_tool', { name })).toBe(`error Unknown tool "${name}"`)
      expect(await call('search_tools', { query: 'own other read' })).not.toMatch(/other_read|"own"/)
    })

    it('compose T01 a layer behind another is used through it', async () => {
      const two = place([searchTools({ above: 1 }), codeMode({ sandbox })], [hiders['hide by tags']?.() as Transform])
      const call = await connect(two)
      const { as } = two
      const run = (name: string) =>
        call('run_code', { code: JSON.stringify({ name: `${as}call_tool`, args: { name: `${as}${name}` } }) })
      expect(await run('read')).toContain('read undefined')
      expect(await run('drop')).toContain('Unknown tool')
    })
  })
})

describe('compose T01 the search of an API with more than 40 operations', () => {
  const documentOf = (count: number) => ({
    openapi: '3.1.0',
    info: { title: 'things', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `/things/${at}`,
        { get: { operationId: `get_${at}` }, delete: { operationId: `delete_${at}` } },
      ]),
    ),
  })
  const sent: string[] = []
  const api = (count: number) =>
    openAPIServer(documentOf(count), {
      fetch: async (url, init) => {
        sent.push(`${init?.method} ${url}`)
        return new Response('{}', { headers: { 'content-type': 'application/json' } })
      },
    })
  const HIDERS = [hide(['delete_*']), hide({ annotations: { destructiveHint: true } }), only(['get_*', '*_tool*'])]

  const check = async (target: Parameters<typeof Client.connect>[0], as: string) => {
    await using client = await Client.connect(target)
    expect((await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith(as))).toEqual([
      `${as}search_tools`,
      `${as}call_tool`,
    ])
    sent.length = 0
    const call = (name: string) => outcome(client.callTool(`${as}call_tool`, { name }))
    expect(await call(`${as}delete_3`)).toBe(`error Unknown tool "${as}delete_3"`)
    expect(sent).toEqual([])
    await call(`${as}get_3`)
    expect(sent).toEqual(['GET https://api.example.com/things/3'])
    const found = await outcome(client.callTool(`${as}search_tools`, { query: 'delete 3' }))
    expect(found).toContain(`${as}get_3`)
    expect(found).not.toContain('delete_')
  }

  it.each(HIDERS)('stands outside of what the author adds', async (hider) => {
    const server = await api(45)
    await check(server.transform(hider), '')
    await check(server.transform(hide(['get_9'])), '')
  })

  it.each(HIDERS)('is behind the transforms of a mount, and knows them', async (hider) => {
    const main = new MCPServer('main')
    main.mount(await api(45), { as: 'api', transforms: [hider] })
    await check(main, 'api_')
  })

  it.each(HIDERS)('comes with a reload, and knows what was there before', async (hider) => {
    const [alone, mounted, main] = [await api(3), await api(3), new MCPServer('main')]
    alone.transform(hider)
    main.mount(mounted, { as: 'api', transforms: [hider] })
    await alone.reload(documentOf(45))
    await mounted.reload(documentOf(45))
    await check(alone, '')
    await check(main, 'api_')
    await alone.reload(documentOf(46))
    await check(alone, '')
  })

  it('a script in front of it reaches no more', async () => {
    const server = (await api(45)).transform(hide(['delete_*']), codeMode({ sandbox }))
    await using client = await Client.connect(server)
    const code = JSON.stringify({ name: 'delete_3', args: {} })
    sent.length = 0
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_code')
    expect(await outcome(client.callTool('run_code', { code }))).toContain('Unknown tool')
    expect(sent).toEqual([])
  })
})

it('compose T01 middleware of every server that the call passes is in force for what a layer calls', async () => {
  const seen: string[] = []
  const note = (server: MCPServer) =>
    server.use((ctx, next) => {
      if (ctx.method === 'tools/call') seen.push(`${server.name} ${ctx.params?.['name']}`)
      return next()
    })
  const [main, child] = [new MCPServer('main'), notes(searchTools({ above: 1 }))]
  note(main)
  note(child)
  main.mount(child, { as: 'n' })
  await using client = await Client.connect(main)
  await client.callTool('n_call_tool', { name: 'n_read' })
  expect(seen).toEqual(['main n_call_tool', 'notes call_tool', 'main n_read', 'notes read'])
  main.use((ctx, next) => {
    if (ctx.params?.['name'] === 'n_drop') throw new Error('denied')
    return next()
  })
  await expect(client.callTool('n_call_tool', { name: 'n_drop' })).rejects.toMatchObject({ code: -32603 })
})

it('compose T01 middleware that leaves tools out of a list leaves them out of a search', async () => {
  const server = notes(searchTools({ above: 1 }))
  server.use(async (ctx, next) => {
    const result = (await next()) as { tools?: { name: string }[] }
    return (
      ctx.method === 'tools/list' ? { ...result, tools: result.tools?.filter(({ name }) => name !== 'drop') } : result
    ) as never
  })
  await using client = await Client.connect(server)
  const found = await outcome(client.callTool('search_tools', { query: 'read drop' }))
  expect(found).toContain('read')
  expect(found).not.toContain('drop')
})
