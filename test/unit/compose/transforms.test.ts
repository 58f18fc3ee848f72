// Transforms: what clients see of a server, and that what is hidden can't be used.
import { expect, describe as group, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import {
  changeArguments,
  describe,
  hide,
  namespace,
  only,
  promptsAsTools,
  rename,
  resourcesAsTools,
  schemaProfile,
  searchTools,
  transform,
  unlisted,
} from '../../../src/exports/transforms.ts'
import { readHeaderAnnotations } from '../../../src/wire/headers/header-annotations.ts'

const faults: Fault[] = []
const INPUT = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string' } },
  required: ['city', 'unit'],
} as const

function notes(options = {}) {
  const server = new MCPServer('notes', { onFault: (fault) => faults.push(fault), ...options })
  server.tool('read', { meta: { tags: ['safe'] }, annotations: { readOnlyHint: true } }, () => 'read')
  server.tool('drop', { meta: { tags: ['admin'] }, annotations: { destructiveHint: true } }, () => 'dropped')
  server.tool('weather', { input: INPUT }, (args) => JSON.stringify(args))
  server.prompt('greet', () => 'hello')
  server.resource('notes://1', () => 'one')
  server.resource('notes://secret/{id}', ({ id }) => `secret ${id}`)
  return server
}

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)
const text = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text
const toolsOf = async (server: MCPServer) => names((await server.listTools()).tools)
const unknown = (name: string) => ({ code: -32602, message: `Unknown tool "${name}"` })

group.each(['modern', 'legacy'] as const)('transforms, %s', (mode) => {
  it('compose T01 what is hidden is unknown: not listed, not called, not read, not got, not completed', async () => {
    const server = notes().transform(
      hide({ tags: ['admin'] }),
      hide(['greet']),
      hide({ uris: ['notes://1', 'notes://secret/*'] }),
    )
    await using client = await Client.connect(server, { mode })
    expect(names((await client.listTools()).tools)).toEqual(['read', 'weather'])
    await expect(client.callTool('drop')).rejects.toMatchObject(unknown('drop'))
    await expect(client.getPrompt('greet')).rejects.toMatchObject({ code: -32602 })
    await expect(client.readResource('notes://1')).rejects.toThrow('not found')
    await expect(client.readResource('notes://secret/7')).rejects.toThrow('not found')
    expect(text(await client.callTool('read'))).toBe('read')
  })

  it('compose T01 unlisted: in no list, and used by those who know the name', async () => {
    const server = notes().transform(
      unlisted(['drop', 'greet']),
      unlisted({ uris: ['notes://1'] }),
      rename({ drop: 'remove' }),
    )
    await using client = await Client.connect(server, { mode })
    expect(names((await client.listTools()).tools)).toEqual(['read', 'weather'])
    expect(names((await client.listPrompts()).prompts)).toEqual([])
    expect((await client.listResources()).resources).toEqual([])
    expect(text(await client.callTool('remove'))).toBe('dropped')
    expect((await client.getPrompt('greet')).messages).toHaveLength(1)
    expect((await client.readResource('notes://1')).contents).toHaveLength(1)
  })

  it.each([
    ['describe', describe({ read: { title: 'Read' } }), 'safe'],
    ['rename', rename({ safe: 'vault' }), 'vault'],
    ['rename, by a function', rename((name) => `x_${name}`), 'x_safe'],
    ['namespace', namespace('n'), 'n_safe'],
    ['changeArguments', changeArguments('weather', {}), 'safe'],
    ['hide', hide(['read']), 'safe'],
    ['only', only(['safe']), 'safe'],
    ['schemaProfile', schemaProfile('openai'), 'safe'],
  ])(
    'compose T02 %s: what needs scopes says so to callers without them, under its new name',
    async (_of, change, name) => {
      const server = notes()
      server.tool('safe', { scopes: ['admin'] }, () => 'open')
      server.transform(change)
      const main = new MCPServer('main')
      main.mount(server, { as: 'm' })
      for (const [target, front] of [
        [server, name],
        [main, `m_${name}`],
      ] as const) {
        await using client = await Client.connect(target, { mode })
        expect(names((await client.listTools()).tools)).not.toContain(front)
        await expect(client.callTool(front)).rejects.toMatchObject({ data: { requiredScopes: ['admin'] } })
        const auth = { clientId: 'c', scopes: ['admin'] }
        expect(text(await target.callTool(front, {}, { auth }))).toBe('open')
      }
    },
  )

  it.each([
    ['hide', hide(['safe'])],
    ['hide, by tags', hide({ tags: ['x'] })],
    ['only', only(['read'])],
    ['a function', transform({ tool: (tool) => (tool.name === 'safe' ? undefined : tool) })],
  ])('compose T01 %s: what needs scopes is hidden all the same', async (_of, change) => {
    const server = notes()
    server.tool('safe', { scopes: ['admin'], meta: { tags: ['x'] } }, () => 'open')
    server.transform(change)
    await using client = await Client.connect(server, { mode })
    await expect(client.callTool('safe')).rejects.toMatchObject(unknown('safe'))
  })

  it('compose T03 arguments that do not fit a renamed tool are told under its new name', async () => {
    const server = notes().transform(rename({ weather: 'sky' }), namespace('n'))
    await using client = await Client.connect(server, { mode })
    const refuse = () => client.callTool('n_sky', { city: 1 }).then(text, (error) => error.message)
    // Before the listing, and along the kept way after it.
    expect(await refuse()).toMatch(/^Invalid arguments for tool "n_sky":/)
    await client.listTools()
    expect(await refuse()).toMatch(/^Invalid arguments for tool "n_sky":/)
    expect(await refuse()).toMatch(/^Invalid arguments for tool "n_sky":/)
  })

  it('compose T01 middleware of the server is in force for what call_tool calls', async () => {
    const server = notes().transform(searchTools({ above: 1 }))
    server.use((ctx, next) => {
      if (ctx.method === 'tools/call' && ctx.params?.['name'] === 'drop') throw new Error('denied')
      return next()
    })
    await using client = await Client.connect(server, { mode })
    await expect(client.callTool('call_tool', { name: 'drop' })).rejects.toMatchObject({ code: -32603 })
    expect(text(await client.callTool('call_tool', { name: 'read' }))).toBe('read')
  })

  it('compose T02 compose T03 a renamed tool is called by its new name, and the old one is unknown', async () => {
    const server = notes().transform(rename({ read: 'open', greet: 'hi' }))
    await using client = await Client.connect(server, { mode })
    expect(text(await client.callTool('open'))).toBe('read')
    expect(names((await client.listTools()).tools)).toEqual(['open', 'drop', 'weather'])
    expect(names((await client.listPrompts()).prompts)).toEqual(['hi'])
    await client.getPrompt('hi')
    await expect(client.callTool('read')).rejects.toMatchObject(unknown('read'))
  })

  it('compose T06 arguments: renamed, hidden with a value, with a default; mapped back before the call', async () => {
    const server = notes().transform(
      changeArguments('weather', { city: { name: 'place', description: 'Where' }, unit: { hide: true, value: 'C' } }),
    )
    await using client = await Client.connect(server, { mode })
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'weather')
    expect(tool?.inputSchema).toMatchObject({
      properties: { place: { type: 'string', description: 'Where' } },
      required: ['place'],
    })
    expect(tool?.inputSchema.properties).not.toHaveProperty('unit')
    expect(text(await client.callTool('weather', { place: 'Oslo' }))).toBe('{"city":"Oslo","unit":"C"}')
    // As any tool says it of an argument that it does not have: to the model.
    for (const args of [{ place: 'Oslo', unit: 'F' }, { city: 'Oslo' }]) {
      const refused = await client.callTool('weather', args as never)
      expect(refused.isError).toBe(true)
      expect(text(refused)).toMatch(/^Invalid arguments for tool "weather":\n- unknown property "(?:unit|city)"$/)
    }
  })

  it('compose T09 resources and prompts as tools, under the same access rules', async () => {
    const server = notes()
    server.resource('notes://hidden', { visible: () => false }, () => 'never')
    server.transform(resourcesAsTools(), promptsAsTools())
    await using client = await Client.connect(server, { mode })
    expect(names((await client.listTools()).tools)).toEqual(
      expect.arrayContaining(['list_prompts', 'get_prompt', 'list_resources', 'read_resource', 'read']),
    )
    expect(text(await client.callTool('list_resources'))).toContain('notes://secret/{id}')
    expect(await client.callTool('read_resource', { uri: 'notes://1' })).toMatchObject({
      content: [{ type: 'resource', resource: { uri: 'notes://1', text: 'one' } }],
    })
    expect(await client.callTool('read_resource', { uri: 'notes://hidden' })).toMatchObject({ isError: true })
    expect(text(await client.callTool('get_prompt', { name: 'greet' }))).toContain('hello')
  })

  it('compose T10 above the limit the list is search_tools and call_tool; results are those of the tools', async () => {
    const server = notes().transform(searchTools({ above: 2, keep: ['read'] }))
    await using client = await Client.connect(server, { mode })
    expect(names((await client.listTools()).tools)).toEqual(['search_tools', 'call_tool', 'read'])
    const found = await client.callTool('search_tools', { query: 'city weather' })
    expect(found.structuredContent).toMatchObject({ tools: [{ name: 'weather', inputSchema: INPUT }] })
    expect(
      text(await client.callTool('call_tool', { name: 'weather', arguments: { city: 'A', unit: 'C' } })),
    ).toContain('"A"')
    expect(await client.callTool('call_tool', { name: 'call_tool' })).toMatchObject({ isError: true })
    await expect(client.callTool('call_tool', { name: 'nothing' })).rejects.toMatchObject(unknown('nothing'))
    expect(await client.callTool('search_tools', {})).toMatchObject({ isError: true })
  })

  it('compose T10 a question of a tool that call_tool calls reaches the client', async () => {
    const server = notes()
    server.tool('ask', async (_args, ctx) => {
      const { action } = await ctx.elicit('Sure?', { type: 'object', properties: { ok: { type: 'boolean' } } })
      return action
    })
    server.transform(searchTools({ above: 0 }))
    await using client = await Client.connect(server, {
      mode,
      onElicitation: () => ({ action: 'accept', content: { ok: true } }),
    })
    expect(text(await client.callTool('call_tool', { name: 'ask' }))).toBe('accept')
  })
})

group('searchTools() without options', () => {
  const many = (count: number) => {
    const server = new MCPServer('many')
    for (let at = 0; at < count; at += 1) server.tool(`find${at}`, { description: 'Finds notes' }, () => `${at}`)
    return server.transform(searchTools())
  }

  it('compose T10 40 tools are a list, one more are not', async () => {
    expect(await toolsOf(many(40))).toHaveLength(40)
    expect(await toolsOf(many(41))).toEqual(['search_tools', 'call_tool'])
  })

  it('compose T10 a search gives five tools, the first ones where they fit alike', async () => {
    const found = await many(41).callTool('search_tools', { query: 'notes' })
    expect(names((found.structuredContent as { tools: { name: string }[] }).tools)).toEqual(
      [0, 1, 2, 3, 4].map((at) => `find${at}`),
    )
  })
})

group('transforms', () => {
  it('compose T02 with keepOld both names work, and the new one is listed', async () => {
    const server = notes().transform(rename({ read: 'open' }, { keepOld: true }))
    expect(await toolsOf(server)).toEqual(['open', 'drop', 'weather'])
    expect(text(await server.callTool('read'))).toBe('read')
    expect(text(await server.callTool('open'))).toBe('read')
  })

  it('compose T03 by a function; two that get one name are one, and that is reported', async () => {
    faults.length = 0
    const server = notes().transform(rename((name) => (name === 'weather' ? 'weather' : 'x')))
    expect(await toolsOf(server)).toEqual(['x', 'weather'])
    expect(faults.some(({ message }) => message.includes('"x"'))).toBe(true)
  })

  it('compose T04 names, patterns, tags, annotations and functions', async () => {
    expect(await toolsOf(notes().transform(hide('w*r')))).toEqual(['read', 'drop'])
    expect(await toolsOf(notes().transform(only(['read', 'd*'])))).toEqual(['read', 'drop'])
    expect(await toolsOf(notes().transform(only({ annotations: { readOnlyHint: true } })))).toEqual(['read'])
    expect(await toolsOf(notes().transform(hide((item) => item.name === 'read')))).toEqual(['drop', 'weather'])
    expect(await toolsOf(notes().transform(only({ tags: ['safe'] })))).toEqual(['read'])
  })

  it('compose T04 per caller: each sees and calls its own', async () => {
    const server = notes().transform(hide((item, { auth }) => item.name === 'drop' && auth?.subject !== 'ada'))
    const ada = { auth: { clientId: 'c', subject: 'ada', scopes: [] } }
    expect(names((await server.listTools(ada)).tools)).toEqual(['read', 'drop', 'weather'])
    expect(await toolsOf(server)).toEqual(['read', 'weather'])
    expect(text(await server.callTool('drop', {}, ada))).toBe('dropped')
    await expect(server.callTool('drop')).rejects.toMatchObject(unknown('drop'))
  })

  it('compose T05 describe spreads over the component', async () => {
    const server = notes().transform(
      describe({
        weather: {
          title: 'Weather',
          description: 'Now',
          annotations: { readOnlyHint: true },
          arguments: { city: 'Where' },
        },
      }),
    )
    const tool = (await server.listTools()).tools.find(({ name }) => name === 'weather')
    expect(tool).toMatchObject({
      title: 'Weather',
      description: 'Now',
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { city: { type: 'string', description: 'Where' }, unit: { type: 'string' } } },
    })
  })

  it('compose T06 header annotations move along with a renamed argument, and go with a hidden one', async () => {
    const server = new MCPServer('s')
    const input = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, b: { type: 'string', 'x-mcp-header': 'B' } },
    } as const
    server.tool('t', { input }, (args) => JSON.stringify(args))
    server.transform(changeArguments('t', { region: { name: 'area' }, b: { hide: true, value: () => 'x' } }))
    const [tool] = (await server.listTools()).tools
    const reading = readHeaderAnnotations(tool?.inputSchema)
    expect(reading).toEqual({ ok: true, annotations: [{ name: 'Region', path: ['area'], type: 'string' }] })
    expect(text(await server.callTool('t', { area: 'eu' }))).toBe('{"region":"eu","b":"x"}')
  })

  it('compose T06 what can not be is refused', () => {
    expect(() => changeArguments('t', { a: { hide: true } })).toThrow('without a value')
    expect(() => changeArguments('t', { a: { name: 'x' }, b: { name: 'x' } })).toThrow('the same name')
    expect(() => changeArguments('t', { a: { nmae: 'x' } as never })).toThrow('name')
  })

  it('compose T06 a default and a reference: taken out of its definition first', async () => {
    const server = new MCPServer('s')
    const input = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      required: ['a'],
      $defs: { A: { type: 'string' } },
    } as const
    server.tool('t', { input }, (args) => JSON.stringify(args))
    server.transform(changeArguments('t', { a: { default: 'd' } }))
    const [tool] = (await server.listTools()).tools
    expect(tool?.inputSchema.properties).toEqual({ a: { type: 'string', default: 'd' } })
    expect(tool?.inputSchema.required).toBeUndefined()
    expect(text(await server.callTool('t'))).toBe('{"a":"d"}')
  })

  it('compose T07 namespace', async () => {
    const server = notes().transform(namespace('n'))
    expect(await toolsOf(server)).toEqual(['n_read', 'n_drop', 'n_weather'])
    expect(text(await server.callTool('n_read'))).toBe('read')
  })

  it('compose T13 the page is made once, and layers are in order, the last outermost', async () => {
    const server = notes().transform(rename({ read: 'open' }), hide(['open']), namespace('x'))
    expect(await toolsOf(server)).toEqual(['x_drop', 'x_weather'])
    expect((await server.listTools()).tools).toBe((await server.listTools()).tools)
    await expect(server.callTool('x_open')).rejects.toMatchObject(unknown('x_open'))
  })

  it('compose G050 an unknown name is refused at once; in a live list it is told when the list is seen', async () => {
    expect(() => notes().transform(rename({ raed: 'open' }))).toThrow(
      'rename() names "raed", but no tool or prompt has that name.',
    )
    expect(() => notes().transform(hide(['raed']))).toThrow(RangeError)
    expect(() => notes().transform(changeArguments('raed', {}))).toThrow(RangeError)
    const { ListSource } = await import('../../support/sources.ts')
    faults.length = 0
    const source = new ListSource({ tools: ['x'] })
    Object.assign(source, { keys: undefined })
    const server = notes()
    server.mount(source, { as: 'l', transforms: [rename({ nope: 'y' })] })
    await server.listTools()
    expect(faults.map(({ message }) => message)).toContain(
      'rename() names "nope", but no tool or prompt has that name.',
    )
  })

  it('compose G051 a function that throws hides the component, told once', async () => {
    faults.length = 0
    const server = notes().transform(
      transform({
        tool: (tool) => {
          if (tool.name === 'drop') throw new Error('oops')
          return tool
        },
      }),
    )
    expect(await toolsOf(server)).toEqual(['read', 'weather'])
    await expect(server.callTool('drop')).rejects.toMatchObject(unknown('drop'))
    await toolsOf(server)
    expect(faults.filter(({ message }) => message.includes('"drop"'))).toHaveLength(1)
  })

  it('transform() may run around calls', async () => {
    const server = notes().transform(
      transform({ call: async (params, next) => ({ ...(await next(params)), _meta: { seen: params['name'] } }) }),
    )
    expect((await server.callTool('read'))._meta).toEqual({ seen: 'read' })
    expect(() => transform({ tol: () => undefined } as never)).toThrow('tool')
  })

  it('what is registered later goes through the transforms too', async () => {
    const server = notes().transform(hide('secret_*'))
    server.tool('secret_one', () => 1)
    server.tool('late', () => 'late')
    expect(await toolsOf(server)).toEqual(['read', 'drop', 'weather', 'late'])
    await expect(server.callTool('secret_one')).rejects.toMatchObject(unknown('secret_one'))
  })

  it('transforms of a mount stand before its namespace', async () => {
    const main = new MCPServer('main')
    main.mount(notes(), { as: 'n', transforms: [hide(['drop']), rename({ read: 'open' })] })
    expect(await toolsOf(main)).toEqual(['n_open', 'n_weather'])
    expect(text(await main.callTool('n_open'))).toBe('read')
    await expect(main.callTool('n_drop')).rejects.toMatchObject(unknown('n_drop'))
  })

  it.each(['openai', 'strict'] as const)('compose X83 schemaProfile %s', async (profile) => {
    const server = new MCPServer('s')
    const input = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/A', description: 'x' },
        b: { type: 'object', properties: { c: { type: 'string' } } },
      },
      required: ['a'],
      anyOf: [{ required: ['a'] }, { properties: { d: { type: 'number' } } }],
      $defs: { A: { type: 'string' } },
    } as const
    server.tool('t', { input }, (args) => JSON.stringify(args))
    server.transform(schemaProfile(profile))
    const [tool] = (await server.listTools()).tools
    expect(tool?.inputSchema).not.toHaveProperty('anyOf')
    expect(tool?.inputSchema.properties?.['a']).toEqual({ $ref: '#/$defs/A' })
    if (profile === 'strict') {
      expect(tool?.inputSchema).toMatchObject({
        additionalProperties: false,
        properties: { b: { type: ['object', 'null'], additionalProperties: false, required: ['c'] } },
      })
      expect(text(await server.callTool('t', { a: 'x', b: null, d: null }))).toBe('{"a":"x"}')
    }
  })
})

group('layers whose way is known', () => {
  it('compose T13 a call takes the way of the tool that is there now, through every layer', async () => {
    const server = new MCPServer('notes')
    const add = (reply: string) => server.tool('say', { input: INPUT }, ({ city }) => `${reply} ${city}`)
    let handle = add('one')
    const seen: unknown[] = []
    server.transform(
      transform({
        call: (params, next) => next({ ...params, arguments: { ...(params['arguments'] as object), unit: 'K' } }),
      }),
      changeArguments('say', { city: { name: 'place' }, unit: { hide: true, value: 'C' } }),
      rename({ say: 'tell' }),
      transform({
        call: (params, next) => {
          seen.push(params['name'])
          return next(params)
        },
      }),
    )
    await using client = await Client.connect(server)
    const say = async () => text((await client.callTool('tell', { place: 'Oslo' })) as never)
    expect([await say(), await say()]).toEqual(['one Oslo', 'one Oslo'])
    handle.remove()
    await expect(client.callTool('tell', { place: 'Oslo' })).rejects.toMatchObject(unknown('tell'))
    handle = add('two')
    expect([await say(), await say()]).toEqual(['two Oslo', 'two Oslo'])
    handle.disable()
    await expect(client.callTool('tell', { place: 'Oslo' })).rejects.toMatchObject(unknown('tell'))
    expect(new Set(seen)).toEqual(new Set(['tell']))
    await expect(client.callTool('say', { city: 'Oslo', unit: 'C' })).rejects.toMatchObject(unknown('say'))
  })
})
