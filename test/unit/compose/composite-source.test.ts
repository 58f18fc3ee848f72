// Several sources as one: names lead to their owners, lists are joined, pages are made once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompositeOptions, CompositeSource } from '../../../src/compose/composite/composite-source.ts'
import { Cursors } from '../../../src/compose/composite/cursors.ts'
import { cutName, type NamingOptions, readNaming } from '../../../src/compose/composite/names.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { Server } from '../../../src/server/server.ts'
import type { ListMethod, Source } from '../../../src/server/source.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { loadParts } from '../../support/load-parts.ts'
import { ListSource, requestOf } from '../../support/sources.ts'

await loadParts()

function compose(
  sources: Record<string, Source>,
  { naming, ...options }: { naming?: NamingOptions } & Pick<CompositeOptions, 'pageSize' | 'cursorSecrets'> = {},
) {
  const faults: Fault[] = []
  const composite = new CompositeSource({
    naming: readNaming('the test', naming),
    ...options,
    report: (fault) => faults.push(fault),
  })
  const parts = Object.entries(sources).map(([name, source]) =>
    composite.add({ name, namespace: name === 'own' ? undefined : name, source }),
  )
  return { composite, parts, faults }
}

const CLOSED = { isListed: () => false, check: () => false }

async function namesOf(source: Source, list: ListMethod = 'tools/list', request = requestOf()): Promise<string[]> {
  const names: string[] = []
  for (let cursor: string | undefined, page = 0; page < 2_000; page += 1) {
    const result = (await source.list(list, request, cursor)) as unknown as Record<string, unknown>
    const items = (result['tools'] ??
      result['resources'] ??
      result['prompts'] ??
      result['resourceTemplates']) as never[]
    names.push(...items.map((item) => item['uri'] ?? item['uriTemplate'] ?? item['name']))
    cursor = result['nextCursor'] as string | undefined
    if (cursor === undefined) return names
  }
  throw new Error('endless')
}

const call = (source: Source, name: string, request: ServerRequestContext = requestOf()) =>
  (async () => source.handle(request, 'tools/call', { name, arguments: { a: 1 }, _meta: { x: 1 } }))()

describe('a composite source', () => {
  it('compose N01 compose N07 own components come first, then the others in order, each with its namespace', async () => {
    const { composite } = compose({
      own: new ListSource({ tools: ['here'], prompts: ['ask'] }),
      b: new ListSource({ tools: ['two', 'one'], prompts: ['ask'] }),
      a: new ListSource({ tools: ['one'] }),
    })
    expect(await namesOf(composite)).toEqual(['here', 'b_two', 'b_one', 'a_one'])
    expect(await namesOf(composite, 'prompts/list')).toEqual(['ask', 'b_ask'])
  })

  it('compose N02 a call goes to the owner with its own name and everything else as it came', async () => {
    const b = new ListSource({ tools: ['one'] })
    const { composite } = compose({ a: new ListSource({ tools: ['one'] }), b })
    await namesOf(composite)
    await call(composite, 'b_one')
    expect(b.handled).toEqual([{ method: 'tools/call', params: { name: 'one', arguments: { a: 1 }, _meta: { x: 1 } } }])
  })

  it('compose N02 names are not split: a_b + c and a + b_c collide, and the older one keeps the name', async () => {
    const [first, second] = [new ListSource({ tools: ['c'] }), new ListSource({ tools: ['b_c', 'd'] })]
    const { composite, faults } = compose({ a_b: first, a: second })
    expect(await namesOf(composite)).toEqual(['a_b_c', 'a_d'])
    await call(composite, 'a_b_c')
    expect(first.handled).toHaveLength(1)
    expect(second.handled).toHaveLength(0)
    expect(faults.map(({ message }) => message)).toEqual([
      'The tool "a_b_c" of "a" is left out: "a_b" has that name already.',
    ])
  })

  it.each([true, false])(
    'compose N02 a name that nobody has listed is looked for, longest namespace first (async %s)',
    async (isAsync) => {
      const [long, short, other] = [
        new ListSource({ tools: ['c'] }),
        new ListSource({ tools: ['b_x'] }),
        new ListSource(),
      ]
      for (const source of [long, short, other]) source.isAsync = isAsync
      const { composite } = compose({ a: short, a_b: long, other })
      await call(composite, 'a_b_x')
      expect(short.handled).toHaveLength(1)
      expect(long.asked).toEqual(['tools/list'])
      expect(other.asked).toEqual([])
    },
  )

  it('compose N03 what is listed can be called, however long its name', async () => {
    const long = 'x'.repeat(90)
    const source = new ListSource({ tools: [long] })
    const { composite } = compose({ files: source })
    const [listed = ''] = await namesOf(composite)
    expect(listed).toHaveLength(64)
    await call(composite, listed)
    expect(source.handled[0]?.params['name']).toBe(long)
  })

  it('compose N04 a name that a source chose stays as it is', async () => {
    const { composite } = compose({ own: new ListSource({ tools: ['Ä tool', 'y'.repeat(100)] }) })
    expect(await namesOf(composite)).toEqual(['Ä tool', 'y'.repeat(100)])
  })

  it('compose N05 URIs stay, names of resources get the prefix', async () => {
    const notes = new ListSource({ resources: ['notes://1'], templates: ['notes://{id}'] })
    const { composite } = compose({ n: notes })
    expect(await namesOf(composite, 'resources/list')).toEqual(['notes://1'])
    expect(await composite.list('resources/list', requestOf())).toMatchObject({
      resources: [{ name: 'n_n notes://1' }],
    })
    await composite.handle(requestOf(), 'resources/read', { uri: 'notes://1' })
    expect(notes.handled[0]?.params).toEqual({ uri: 'notes://1' })
  })

  it('compose N05 with prefix, URIs are mapped in lists, params, results and changes', async () => {
    const notes = new ListSource({
      resources: ['notes://1'],
      templates: ['notes://{id}'],
      tools: ['link'],
      prompts: ['p'],
    })
    notes.handler = (method, params) =>
      method === 'resources/read'
        ? { contents: [{ uri: params['uri'], text: 'x' }] }
        : method === 'prompts/get'
          ? { messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'notes://1', text: 'x' } } }] }
          : {
              content: [
                { type: 'resource_link', uri: 'notes://2', name: 'two' },
                { type: 'text', text: 'notes://2' },
              ],
            }
    const { composite } = compose({ n: notes }, { naming: { resources: 'prefix' } })
    const request = requestOf()
    expect(await namesOf(composite, 'resources/list')).toEqual(['notes://n/1'])
    expect(await namesOf(composite, 'resources/templates/list')).toEqual(['notes://n/{id}'])
    expect(await composite.handle(request, 'resources/read', { uri: 'notes://n/1' })).toEqual({
      contents: [{ uri: 'notes://n/1', text: 'x' }],
    })
    await expect(composite.handle(request, 'resources/read', { uri: 'notes://1' })).rejects.toThrow(
      'Resource not found',
    )
    expect(await call(composite, 'n_link')).toEqual({
      content: [
        { type: 'resource_link', uri: 'notes://n/2', name: 'two' },
        { type: 'text', text: 'notes://2' },
      ],
    })
    expect(await composite.handle(request, 'prompts/get', { name: 'n_p' })).toMatchObject({
      messages: [{ content: { resource: { uri: 'notes://n/1' } } }],
    })
    await composite.handle(request, 'completion/complete', { ref: { type: 'ref/resource', uri: 'notes://n/{id}' } })
    expect(notes.handled.at(-1)?.params).toEqual({ ref: { type: 'ref/resource', uri: 'notes://{id}' } })
    const events: unknown[] = []
    composite.watch((event) => events.push(event))
    notes.change({ type: 'resourceUpdated', uri: 'notes://1' })
    expect(events).toEqual([{ type: 'resourceUpdated', uri: 'notes://n/1' }])
  })

  it('compose N06 compose G004 found later: the older owner keeps the name, and it is reported once', async () => {
    const [a, b] = [new ListSource({ tools: ['x'] }), new ListSource({ tools: ['y'] })]
    const { composite, faults } = compose({ a_b: a, a: b })
    await namesOf(composite)
    b.parts.tools = ['y', 'b_x']
    b.change()
    expect(await namesOf(composite)).toEqual(['a_b_x', 'a_y'])
    b.change()
    await namesOf(composite)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ kind: 'configuration-warning' })
  })

  it('compose N06 the owner that a source was before it changed stays the owner, in whatever order they stand', async () => {
    const [a, b] = [new ListSource({ tools: ['y'] }), new ListSource({ tools: ['x'] })]
    const { composite } = compose({ a, a_b: b })
    await namesOf(composite)
    a.parts.tools = ['b_x']
    a.change()
    b.change()
    await namesOf(composite)
    await call(composite, 'a_b_x')
    expect(b.handled).toHaveLength(1)
  })

  it('compose N06 a name that its owner gave up goes to the other', async () => {
    const [a, b] = [new ListSource({ tools: ['x'] }), new ListSource({ tools: ['b_x'] })]
    const { composite } = compose({ a_b: a, a: b })
    await namesOf(composite)
    a.parts.tools = []
    a.change()
    expect(await namesOf(composite)).toEqual(['a_b_x'])
    await call(composite, 'a_b_x')
    expect(b.handled).toHaveLength(1)
  })

  it("compose N06 with onCollision 'prefix' the newer one gets the name of its source", async () => {
    const faults: Fault[] = []
    const composite = new CompositeSource({
      naming: readNaming('x', { onCollision: 'prefix' }),
      report: (fault) => faults.push(fault),
    })
    const second = new ListSource({ tools: ['read', 'other'] })
    composite.add({ name: 'one', source: new ListSource({ tools: ['read'] }) })
    composite.add({ name: 'two', source: second })
    expect(await namesOf(composite)).toEqual(['read', 'two_read', 'other'])
    await call(composite, 'two_read')
    expect(second.handled[0]?.params['name']).toBe('read')
    expect(faults).toEqual([])
  })

  it('compose N06 the first owner of a URI reads it, it is listed once, and the second is reported', async () => {
    const [a, b] = [new ListSource({ resources: ['x://1'] }), new ListSource({ resources: ['x://1', 'x://2'] })]
    const { composite, faults } = compose({ a, b })
    expect(await namesOf(composite, 'resources/list')).toEqual(['x://1', 'x://2'])
    await composite.handle(requestOf(), 'resources/read', { uri: 'x://1' })
    expect([a.handled.length, b.handled.length]).toEqual([1, 0])
    expect(faults).toHaveLength(1)
  })

  it('compose N06 overlapping templates are tried in order; anything but "not found" is the answer', async () => {
    const sources = [0, 1, 2].map((at) => {
      const source = new ListSource({ templates: ['x://{id}'] })
      source.handler = () => {
        if (at === 0) throw new MCPError(-32002, 'Resource not found')
        if (at === 1) return { contents: [{ uri: 'x://7', text: 'second' }] }
        throw new Error('never asked')
      }
      return source
    })
    const { composite } = compose({ a: sources[0] as Source, b: sources[1] as Source, c: sources[2] as Source })
    await namesOf(composite, 'resources/templates/list')
    expect(await composite.handle(requestOf(), 'resources/read', { uri: 'x://7' })).toMatchObject({
      contents: [{ text: 'second' }],
    })
    sources[0]!.handler = () => {
      throw new Error('disk is full')
    }
    await expect(composite.handle(requestOf(), 'resources/read', { uri: 'x://7' })).rejects.toThrow('disk is full')
  })

  it('compose N08 nested: prefixes add up outside in, and the name is cut once', async () => {
    const name = 'n'.repeat(60)
    const { composite: inner } = compose({ inner: new ListSource({ tools: [name] }) })
    const { composite: outer } = compose({ outer: inner })
    await namesOf(inner)
    expect(await namesOf(outer)).toEqual([cutName(`outer_inner_${name}`, 64)])
    const [listed = ''] = await namesOf(outer)
    expect(await call(outer, listed)).toMatchObject({ of: { name } })
  })

  it('compose N09 completion refs are mapped back', async () => {
    const source = new ListSource({ prompts: ['greet'] })
    const { composite } = compose({ a: source })
    await composite.handle(requestOf(), 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'a_greet' },
      argument: {},
    })
    expect(source.handled[0]?.params).toEqual({ ref: { type: 'ref/prompt', name: 'greet' }, argument: {} })
    await expect(
      (async () => composite.handle(requestOf(), 'completion/complete', { ref: { type: 'ref/prompt', name: 'b' } }))(),
    ).rejects.toThrow('Unknown prompt or resource template')
  })

  it('compose N10 instructions are joined under their namespaces, and cut between sources', async () => {
    const sources = ['a', 'b', 'c'].map((name) => {
      const source = new ListSource()
      source.description = { instructions: name.repeat(name === 'b' ? 9_000 : 10) }
      return [name, source] as const
    })
    const { composite } = compose(Object.fromEntries(sources))
    const { instructions } = await composite.describe(requestOf())
    expect(instructions).toBe('a:\naaaaaaaaaa\n\nc:\ncccccccccc')
  })

  it('compose N11 _meta stays untouched unless origin is asked for', async () => {
    const source = new ListSource({ tools: ['x'] })
    expect(await compose({ a: source }).composite.list('tools/list', requestOf())).toEqual({
      tools: [{ name: 'a_x', inputSchema: { type: 'object' } }],
    })
    const { composite } = compose({ a: source }, { naming: { origin: true } })
    expect(await composite.list('tools/list', requestOf())).toMatchObject({
      tools: [{ _meta: { 'mcpwire/source': { name: 'a' } } }],
    })
  })

  it('compose N12 a vendor method goes to the source that names its prefix, else where route says', async () => {
    const [a, b, c] = [new ListSource(), new ListSource(), new ListSource()]
    a.description = { extensions: { 'com.example/acme': {} } }
    b.description = { capabilities: { experimental: { beta: {} } } }
    for (const source of [a, b, c]) source.handler = () => ({})
    const composite = new CompositeSource({
      naming: readNaming('x'),
      report: () => {},
      route: (method) => (method === 'odd/thing' ? 'c' : undefined),
    })
    for (const [name, source] of Object.entries({ a, b, c })) composite.add({ name, namespace: name, source })
    const request = requestOf()
    await composite.handle(request, 'acme/search', {})
    await composite.handle(request, 'beta/go', {})
    await composite.handle(request, 'odd/thing', {})
    expect([a, b, c].map(({ handled }) => handled.map(({ method }) => method))).toEqual([
      ['acme/search'],
      ['beta/go'],
      ['odd/thing'],
    ])
    await expect(composite.handle(request, 'nobody/knows', {})).rejects.toMatchObject({ code: -32601 })
  })

  it('compose G006 an unknown name has the error of any server, whether a source lacks or hides it', async () => {
    const source = new ListSource({ tools: ['secret'] })
    const { composite } = compose({ a: source })
    await namesOf(composite)
    source.parts.tools = []
    await expect(call(composite, 'a_secret')).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool "a_secret"',
    })
    await expect(call(composite, 'a_other')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool "a_other"' })
  })

  it('compose G006 for names that nobody has, a source behind a wire is listed once in 5 seconds', async () => {
    const source = new ListSource({ tools: [] })
    source.isAsync = true
    const server = new Server('front')
    let now = 0
    coreOf(server).clock = { ...coreOf(server).clock, monotonic: () => now }
    const { composite } = compose({ a: source })
    for (let i = 0; i < 10; i += 1) await call(composite, `a_x${i}`, requestOf({ server })).catch(() => {})
    expect(source.asked).toHaveLength(1)
    now = 5_000
    await call(composite, 'a_x', requestOf({ server })).catch(() => {})
    expect(source.asked).toHaveLength(2)
    source.parts.tools = ['x']
    source.change()
    await call(composite, 'a_x', requestOf({ server }))
  })

  it('compose G010 a source that fails is left out, reported once, and comes back', async () => {
    const [a, b] = [new ListSource({ tools: ['x'] }), new ListSource({ tools: ['y'] })]
    const { composite, faults } = compose({ a, b })
    a.failure = new Error('down')
    expect(await namesOf(composite)).toEqual(['b_y'])
    expect(await namesOf(composite)).toEqual(['b_y'])
    expect(faults).toHaveLength(1)
    a.failure = undefined
    expect(await namesOf(composite)).toEqual(['a_x', 'b_y'])
  })

  it('compose K26 the page is made once for the same lists, and anew after a change', async () => {
    const [a, b] = [new ListSource({ tools: ['x'] }), new ListSource({ tools: ['y'] })]
    const { composite, parts } = compose({ a, b })
    const page = await composite.list('tools/list', requestOf())
    expect(await composite.list('tools/list', requestOf())).toBe(page)
    b.change()
    const changed = await composite.list('tools/list', requestOf())
    expect(changed).not.toBe(page)
    composite.setEnabled(parts[0]!, false)
    expect(await composite.list('tools/list', requestOf())).toEqual({
      tools: [expect.objectContaining({ name: 'b_y' })],
    })
  })

  it('compose P16 of several sources the shortest time and the stricter scope count', async () => {
    const sources = [
      [1_000, 'public'],
      [200, 'public'],
      [500, 'private'],
    ].map(([ttlMs, cacheScope], at) => {
      const source = new ListSource({ tools: [`t${at}`] })
      const list = source.list.bind(source)
      source.list = (...args) => ({ ...(list(...args) as object), ttlMs, cacheScope }) as never
      return source
    })
    const two = compose({ a: sources[0] as Source, b: sources[1] as Source })
    expect(await two.composite.list('tools/list', requestOf())).toMatchObject({ ttlMs: 200, cacheScope: 'public' })
    const three = compose({ a: sources[0] as Source, b: sources[1] as Source, c: sources[2] as Source })
    expect(await three.composite.list('tools/list', requestOf())).toMatchObject({ ttlMs: 200, cacheScope: 'private' })
  })

  it('a change of several sources in one turn is told once for each list', async () => {
    const [a, b] = [new ListSource({ tools: ['x'] }), new ListSource({ tools: ['y'] })]
    const { composite } = compose({ a, b })
    await Promise.resolve()
    const events: unknown[] = []
    composite.watch((event) => events.push(event))
    a.change()
    b.change()
    a.change()
    expect(events).toEqual([])
    await Promise.resolve()
    expect(events).toEqual([{ type: 'toolsListChanged' }])
  })

  it('a list that no source has is a method that does not exist', async () => {
    const { composite } = compose({ a: new ListSource({ tools: [] }) })
    await expect((async () => composite.list('prompts/list', requestOf()))()).rejects.toMatchObject({ code: -32601 })
    expect(await composite.list('tools/list', requestOf())).toEqual({ tools: [] })
  })

  it('compose P15 pages over any sources hold every component once, in order', async () => {
    const shape = fc.array(
      fc.record({
        count: fc.integer({ min: 0, max: 12 }),
        size: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        isAsync: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    )
    const pageSize = fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(shape, pageSize, async (shapes, most) => {
        const sources = shapes.map(({ count, size, isAsync }, at) => {
          const source = new ListSource({ tools: Array.from({ length: count }, (_, i) => `t${at}x${i}`) })
          return [`s${at}`, Object.assign(source, { size, isAsync })] as const
        })
        const { composite } = compose(Object.fromEntries(sources), most === undefined ? {} : { pageSize: most })
        const expected = sources.flatMap(([name, { parts }]) => (parts.tools ?? []).map((tool) => `${name}_${tool}`))
        expect(await namesOf(composite)).toEqual(expected)
        for (const name of expected)
          expect(await call(composite, name)).toMatchObject({ of: { name: name.split('_')[1] } })
      }),
      { numRuns: 60 },
    )
  })

  describe('cursors of several sources', () => {
    const secret = (letter: string) => new TextEncoder().encode(letter.repeat(32))
    const node = (secrets?: readonly Uint8Array[], hidden = false) => {
      const [a, b] = [new ListSource({ tools: ['x', 'y'], prompts: ['p', 'q'] }), new ListSource({ tools: ['z'] })]
      a.size = 1
      const composed = compose({ a }, { cursorSecrets: secrets })
      composed.composite.add({ name: 'b', source: b, ...(hidden && { guard: CLOSED }) })
      return { ...composed, sources: { a, b } }
    }
    const firstCursor = async (composite: CompositeSource, list: ListMethod = 'tools/list') =>
      String((await composite.list(list, requestOf())).nextCursor)
    const outcome = async (composite: CompositeSource, cursor: string) =>
      (async () => composite.list('tools/list', requestOf(), cursor))().then(
        (page) => (page as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name),
        (error: { code: number }) => error.code,
      )
    /** What the cursor says, with one member changed. */
    const changed = (cursor: string, at: number, value: unknown) => {
      const [body = '', tag] = cursor.split('.')
      const members = JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))) as unknown[]
      members[at] = value
      return `${btoa(JSON.stringify(members)).replaceAll('=', '')}.${tag}`
    }

    it.each([
      ['without secrets', undefined],
      ['with secrets', [secret('a')]],
    ])(
      'compose P15 a cursor that is good on every node is refused once anything of it has changed (%s)',
      async (_, secrets) => {
        const { composite, sources } = node(secrets)
        const cursor = await firstCursor(composite)
        expect(await outcome(node(secrets).composite, cursor)).toEqual(['a_y', 'z'])
        const [body, tag] = cursor.split('.')
        const before = sources.a.asked.length
        for (const wrong of [
          '',
          'nonsense',
          body ?? '',
          `${body}.`,
          `.${tag}`,
          `${cursor}.${tag}`,
          changed(cursor, 0, 1),
          changed(cursor, 0, 9),
          changed(cursor, 1, '0'),
          changed(cursor, 1, null),
          changed(cursor, 2, 1),
          changed(cursor, 3, 'x'),
          changed(cursor, 4, 0),
          changed(cursor, 6, true),
          await firstCursor(composite, 'prompts/list'),
        ])
          expect([wrong, await outcome(composite, wrong)]).toEqual([wrong, -32602])
        // The prompts were asked for once; for what is refused, no source is asked at all.
        expect(sources.a.asked.slice(before)).toEqual(['prompts/list'])
      },
    )

    it('compose P15 with secrets only who has one of them makes cursors', async () => {
      const cursor = await firstCursor(node([secret('a')]).composite)
      expect(await outcome(node([secret('b'), secret('a')]).composite, cursor)).toEqual(['a_y', 'z'])
      for (const others of [[secret('b')], undefined])
        expect(await outcome(node(others).composite, cursor)).toBe(-32602)
      const place = { part: 1, cursor: undefined, count: 0, key: undefined, pages: 0, items: 0, isPerCaller: false }
      const made = new Cursors().write('tools/list', place)
      expect(await outcome(node([secret('a')]).composite, made)).toBe(-32602)
    })

    it('compose P15 a position that somebody makes up shows nothing that its caller may not list', async () => {
      const place = { part: 1, cursor: undefined, count: 0, key: undefined, pages: 0, items: 0, isPerCaller: false }
      const make = (changes: object) => new Cursors().write('tools/list', { ...place, ...changes })
      expect(await outcome(node().composite, make({}))).toEqual(['z'])
      expect(await outcome(node(undefined, true).composite, make({}))).toBe(-32602)
      expect(await outcome(node().composite, make({ part: 2 }))).toBe(-32602)
      expect(await outcome(node().composite, make({ count: 1e9, key: 'nothing', items: 1e9 }))).toEqual([])
    })

    it('compose P15 a cursor that a source refuses is -32602 for the whole list, so that the client starts anew', async () => {
      const { composite, sources, faults } = node()
      const cursor = await firstCursor(composite)
      const { list } = sources.a
      sources.a.list = (of, request, at) => {
        if (at !== undefined) throw new MCPError(-32602, 'This cursor has expired')
        return list.call(sources.a, of, request, at)
      }
      expect(await outcome(composite, cursor)).toBe(-32602)
      sources.a.list = async (of, request, at) => {
        if (at !== undefined) throw new MCPError(-32602, 'This cursor has expired')
        return list.call(sources.a, of, request, at)
      }
      expect(await outcome(composite, cursor)).toBe(-32602)
      expect(faults).toEqual([])
      expect(await outcome(composite, await firstCursor(composite))).toBe(-32602)
    })
  })

  it('compose G026 cursors that repeat, and lists without end, are given up', async () => {
    const source = new ListSource({ tools: ['x'] })
    source.list = async () => ({ tools: [], nextCursor: 'again' })
    const { composite, faults } = compose({ a: source })
    await expect(call(composite, 'a_y')).rejects.toThrow('Unknown tool "a_y"')
    expect(String(faults[0]?.error)).toContain("'tools/list' has no end")
  })

  it('compose G026 a list that is still not there after a minute is given up', async () => {
    const source = new ListSource({ tools: ['x'] })
    const server = new Server('front')
    let [now, asked] = [0, 0]
    coreOf(server).clock = { ...coreOf(server).clock, monotonic: () => now }
    source.list = async () => {
      now += 9_000
      asked += 1
      return { tools: [], nextCursor: `${asked}` }
    }
    const { composite, faults } = compose({ a: source })
    await expect(call(composite, 'a_y', requestOf({ server }))).rejects.toThrow('Unknown tool "a_y"')
    expect(asked).toBeLessThan(10)
    expect(String(faults[0]?.error)).toContain("'tools/list' was not there after 60 s")
  })

  const endless: [string, (cursor: string | undefined) => object, number][] = [
    ['repeats its cursor', () => ({ nextCursor: 'again' }), 2],
    ['goes in circles', (cursor) => ({ nextCursor: cursor === 'a' ? 'b' : 'a' }), 1_000],
    ['always has a next page', (cursor = '0') => ({ nextCursor: String(Number(cursor) + 1) }), 1_000],
  ]
  it.each(endless)(
    'compose G026 a source that %s: those after it are listed, and it is reported',
    async (_, more, most) => {
      let asked = 0
      const source = new ListSource({ tools: [] })
      source.list = async (_list, _request, cursor) => {
        asked += 1
        return { tools: [{ name: `t${asked}`, inputSchema: { type: 'object' } }], ...more(cursor) } as never
      }
      const { composite, faults } = compose({ a: source, b: new ListSource({ tools: ['x'] }) })
      const names = await namesOf(composite)
      expect(names.at(-1)).toBe('b_x')
      expect(asked).toBe(most)
      expect(String(faults[0]?.error)).toContain("'tools/list' has no end")
    },
  )

  it('compose G026 a page with more than 100,000 items is cut there, and so are several together', async () => {
    const page = (from: number) =>
      Array.from({ length: 60_000 }, (_, at) => ({ name: `t${from + at}`, inputSchema: { type: 'object' } }))
    const source = new ListSource({ tools: [] })
    const after = new ListSource({ tools: ['x'] })
    const { composite, faults } = compose({ a: source, b: after })
    source.list = async () => ({ tools: [...page(0), ...page(60_000)] }) as never
    expect((await namesOf(composite)).length).toBe(100_001)
    expect(String(faults[0]?.error)).toContain("'tools/list' has no end")
    source.list = async (_list, _request, cursor) =>
      ({ tools: page(Number(cursor ?? 0)), nextCursor: String(Number(cursor ?? 0) + 60_000) }) as never
    expect((await namesOf(composite)).length).toBe(100_001)
  })

  it.each([{}, { tools: null }, { tools: { length: 1e9 } }, { tools: 'x' }])(
    'compose G010 the result %j is no list: the others are listed, and it is reported',
    async (result) => {
      const source = new ListSource({ tools: [] })
      source.list = async () => result as never
      const { composite, faults } = compose({ a: source, b: new ListSource({ tools: ['x'] }) })
      expect(await namesOf(composite)).toEqual(['b_x'])
      expect(String(faults[0]?.error)).toContain("The result of 'tools/list' has no list 'tools'")
    },
  )
})
