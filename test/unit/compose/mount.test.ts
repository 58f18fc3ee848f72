// `server.mount()`: another server of this process as part of this one.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { MCPServer, type MCPServerOptions, Server } from '../../../src/exports/server.ts'
import { ListSource } from '../../support/sources.ts'

const MODES = ['modern', 'legacy'] as const

function weather(options: MCPServerOptions = {}) {
  const server = new MCPServer('weather', options)
  const input = { type: 'object', properties: { city: { type: 'string' } } } as const
  server.tool('forecast', { input }, ({ city }) => `sunny in ${city}`)
  server.resource('weather://today', () => 'sunny')
  server.resource('weather://{city}', { complete: { city: () => ['Oslo'] } }, ({ city }) => `sunny in ${city}`)
  server.prompt('ask', () => 'How is it?')
  return server
}

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)
const text = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text

async function turn() {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

describe.each(MODES)('a mounted server, %s', (mode) => {
  const connect = (server: MCPServer, options = {}) => Client.connect(server, { mode, ...options })

  it('compose X20 its tools, prompts and resources are there, with the namespace', async () => {
    const main = new MCPServer('main')
    main.tool('own', () => 'mine')
    main.mount(weather(), { as: 'weather' })
    await using client = await connect(main)
    expect(names((await client.listTools()).tools)).toEqual(['own', 'weather_forecast'])
    expect(names((await client.listPrompts()).prompts)).toEqual(['weather_ask'])
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['weather://today'])
    expect(text(await client.callTool('weather_forecast', { city: 'Oslo' }))).toContain('sunny')
    expect(text(await client.callTool('own'))).toBe('mine')
    expect(await client.readResource('weather://Rome')).toMatchObject({ contents: [{ text: 'sunny in Rome' }] })
    expect(await client.getPrompt('weather_ask')).toMatchObject({ messages: [{ content: { text: 'How is it?' } }] })
    expect(client.serverInfo?.name).toBe('main')
  })

  it('compose X20 a tool is called before any listing', async () => {
    const main = new MCPServer('main')
    main.mount(weather(), { as: 'w' })
    await using client = await connect(main)
    expect(text(await client.callTool('w_forecast', { city: 'Oslo' }))).toContain('sunny')
  })

  it('compose X20 what is registered, changed and removed later is in the next listing, announced once per turn', async () => {
    const child = weather()
    const main = new MCPServer('main')
    main.mount(child, { as: 'w' })
    await using client = await connect(main, {})
    await client.listTools()
    const one = child.tool('one', () => 1)
    child.tool('two', () => 2)
    expect(names((await client.listTools()).tools)).toEqual(['w_forecast', 'w_one', 'w_two'])
    one.remove()
    await turn()
    expect(names((await client.listTools()).tools)).toEqual(['w_forecast', 'w_two'])
  })

  it('compose X20 the handle disables, enables, renames and removes', async () => {
    const main = new MCPServer('main')
    main.tool('own', () => 1)
    const handle = main.mount(weather(), { as: 'w' })
    await using client = await connect(main)
    const list = async () => names((await client.listTools()).tools)
    handle.disable()
    expect(handle.isEnabled).toBe(false)
    expect(await list()).toEqual(['own'])
    await expect(client.callTool('w_forecast')).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool "w_forecast"',
    })
    handle.enable()
    expect(await list()).toEqual(['own', 'w_forecast'])
    handle.update({ as: 'v' })
    expect(await list()).toEqual(['own', 'v_forecast'])
    await expect(client.callTool('w_forecast')).rejects.toMatchObject({ code: -32602 })
    handle.remove()
    expect(await list()).toEqual(['own'])
    expect(() => handle.enable()).toThrow('has been removed')
  })

  it('compose X21 middleware, lifespan, visible and scopes of the child are in force', async () => {
    const seen: string[] = []
    const child = new MCPServer('child', {
      lifespan: () => ({ db: 'open' }),
      middleware: [
        (ctx, next) => {
          seen.push(`${ctx.method} ${ctx.params?.['name'] ?? ''} ${ctx.server.info.name}`)
          return next()
        },
      ],
    })
    child.tool('life', (_args, ctx) => JSON.stringify(ctx.lifespan))
    child.tool('hidden', { visible: () => false }, () => 1)
    child.tool('scoped', { scopes: ['admin'] }, () => 1)
    const main = new MCPServer('main')
    main.mount(child, { as: 'c' })
    await using client = await connect(main)
    expect(names((await client.listTools()).tools)).toEqual(['c_life'])
    expect(text(await client.callTool('c_life'))).toBe('{"db":"open"}')
    await expect(client.callTool('c_hidden')).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool "c_hidden"',
    })
    await expect(client.callTool('c_scoped')).rejects.toMatchObject({
      data: { reason: 'insufficient_scope', requiredScopes: ['admin'] },
    })
    expect(seen).toContain('tools/list  child')
    expect(seen).toContain('tools/call life child')
  })

  it('compose X20 what is wrong with a call is told under the name that the caller used', async () => {
    const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const child = new MCPServer('child')
    child.tool('add', { input }, () => 'sum')
    child.tool('fail', () => {
      throw new Error('secret')
    })
    child.tool('slow', { timeoutMs: 1 }, () => new Promise(() => {}))
    const prompt = { input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } } as const
    child.prompt('ask', prompt, () => 'How is it?')
    const middle = new MCPServer('middle')
    middle.mount(child, { as: 'b' })
    const main = new MCPServer('main')
    main.mount(middle, { as: 'a' })
    await using client = await connect(main)
    const refused = await client.callTool('a_b_add', { n: 'x' }).then(text, (error) => error.message)
    expect(refused).toMatch(/^Invalid arguments for tool "a_b_add":\n- n: /)
    await expect(client.getPrompt('a_b_ask', {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid arguments for prompt "a_b_ask":\n- /),
    })
    expect(text(await client.callTool('a_b_fail'))).toBe('The tool "a_b_fail" failed')
    expect(text(await client.callTool('a_b_slow'))).toBe('The tool "a_b_slow" did not finish within 1 ms')
  })

  it('compose X21 visible and scopes of the mount apply to all of it', async () => {
    let isShown = false
    const main = new MCPServer('main')
    main.mount(weather(), { as: 'a', visible: () => isShown })
    main.mount(weather(), { as: 'b', scopes: ['admin'] })
    await using client = await connect(main)
    const outcome = () => client.callTool('a_forecast').then(text, (error) => error.message)
    expect(names((await client.listTools()).tools)).toEqual([])
    expect(await outcome()).toBe('Unknown tool "a_forecast"')
    isShown = true
    expect(names((await client.listTools()).tools)).toEqual(['a_forecast'])
    expect(await outcome()).toContain('sunny')
    const result = await main.listTools({ auth: { clientId: 'c', scopes: ['admin'] } })
    expect(names(result.tools)).toEqual(['a_forecast', 'b_forecast'])
    await expect(main.callTool('b_forecast', {}, { auth: { clientId: 'c', scopes: ['admin'] } })).resolves.toBeDefined()
    await main.listTools({ auth: { clientId: 'c', scopes: ['admin'] } })
    await expect(main.callTool('b_forecast')).rejects.toMatchObject({ data: { reason: 'insufficient_scope' } })
  })

  it('compose P15 a cursor of one node is good on the others; with keys of requestState, on those that have them', async () => {
    const node = (...keys: string[]) => {
      const main = new MCPServer('main', { pageSize: 1, requestState: keys.length > 0 ? { keys } : {} })
      main.tool('first', () => '1')
      main.mount(weather(), { as: 'w' })
      return main
    }
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)]
    const next = async (server: MCPServer, cursor?: string) =>
      server.listTools(cursor === undefined ? {} : { cursor }).then(
        ({ tools, nextCursor = '' }) => ({ names: names(tools), nextCursor }),
        ({ code }: { code: number }) => ({ names: code, nextCursor: '' }),
      )
    const { nextCursor: open } = await next(node())
    const { nextCursor: signed } = await next(node(a))
    expect(await next(node(), open)).toMatchObject({ names: ['w_forecast'] })
    expect(await next(node(b, a), signed)).toMatchObject({ names: ['w_forecast'] })
    expect(await next(node(b), signed)).toMatchObject({ names: -32602 })
    expect(await next(node(a), open)).toMatchObject({ names: -32602 })
    expect(await next(node(), signed)).toMatchObject({ names: -32602 })
  })

  it('compose X25 completion, subscriptions and ctx.readResource reach what is mounted', async () => {
    const child = weather()
    const main = new MCPServer('main')
    main.tool('read', async (_args, ctx) => JSON.stringify((await ctx.readResource('weather://today')).contents))
    main.mount(child, { as: 'w' })
    await using client = await connect(main)
    expect(text(await client.callTool('read'))).toContain('sunny')
    const completed = await client.complete(
      { type: 'ref/resource', uri: 'weather://{city}' },
      { name: 'city', value: '' },
    )
    expect(completed.completion.values).toEqual(['Oslo'])
  })

  it('compose X26 the child is served alone and mounted twice at the same time', async () => {
    const child = weather()
    const [one, two] = [new MCPServer('one'), new MCPServer('two')]
    one.mount(child, { as: 'a' })
    two.mount(child, { as: 'b' })
    await using alone = await connect(child)
    await using inOne = await connect(one)
    await using inTwo = await connect(two)
    expect(names((await alone.listTools()).tools)).toEqual(['forecast'])
    expect(text(await inOne.callTool('a_forecast'))).toContain('sunny')
    expect(text(await inTwo.callTool('b_forecast'))).toContain('sunny')
  })

  it('compose X23 compose N08 nested mounts: names add up, calls reach the innermost', async () => {
    const [middle, main] = [new MCPServer('middle'), new MCPServer('main')]
    middle.mount(weather(), { as: 'inner' })
    main.mount(middle, { as: 'outer' })
    await using client = await connect(main)
    expect(names((await client.listTools()).tools)).toEqual(['outer_inner_forecast'])
    expect(text(await client.callTool('outer_inner_forecast', { city: 'Oslo' }))).toContain('sunny')
  })

  it('a question of a mounted tool reaches the client, and its answer the tool', async () => {
    const child = new MCPServer('child')
    let steps = 0
    child.tool('ask', async (_args, ctx) => {
      await ctx.step('once', () => (steps += 1))
      const answer = await ctx.elicit('Your name?', { type: 'object', properties: { name: { type: 'string' } } })
      return answer.action === 'accept' ? `Hello ${(answer.content as { name: string }).name}` : 'no'
    })
    const main = new MCPServer('main')
    main.mount(child, { as: 'c' })
    await using client = await connect(main, {
      onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    expect(text(await client.callTool('c_ask'))).toBe('Hello Ada')
    expect(steps).toBe(1)
  })

  it('compose G007 a call that runs while its mount is removed goes on to its end', async () => {
    const child = new MCPServer('child')
    let finish: (value: string) => void = () => {}
    const started = new Promise<void>((resolve) => {
      child.tool('slow', () => {
        resolve()
        return new Promise<string>((done) => {
          finish = done
        })
      })
    })
    const main = new MCPServer('main')
    const handle = main.mount(child, { as: 'c' })
    await using client = await connect(main)
    const call = client.callTool('c_slow')
    await started
    handle.remove()
    finish('done')
    expect(text(await call)).toBe('done')
    await expect(client.callTool('c_slow')).rejects.toMatchObject({ code: -32602 })
  })

  it('compose G035 a child whose lifespan fails is left out and reported; the parent serves', async () => {
    const faults: Fault[] = []
    const child = new MCPServer('child', {
      lifespan: () => {
        throw new Error('no database')
      },
    })
    child.tool('x', () => 1)
    const main = new MCPServer('main', { onFault: (fault) => faults.push(fault) })
    main.tool('own', () => 'mine')
    main.mount(child, { as: 'c' })
    await using client = await connect(main)
    expect(names((await client.listTools()).tools)).toEqual(['own'])
    expect(faults.some(({ message }) => message.includes('"c"'))).toBe(true)
  })

  it('compose G036 what middleware of the child throws is the answer, and the parent sees it', async () => {
    const seen: unknown[] = []
    const child = new MCPServer('child', {
      middleware: [
        (ctx, next) => {
          if (ctx.method === 'tools/call') throw Object.assign(new Error('secret'), {})
          return next()
        },
      ],
    })
    child.tool('x', () => 1)
    const main = new MCPServer('main', {
      onFault: () => {},
      middleware: [
        async (_ctx, next) => {
          try {
            return await next()
          } catch (error) {
            seen.push(error)
            throw error
          }
        },
      ],
    })
    main.mount(child, { as: 'c' })
    await using client = await connect(main)
    await expect(client.callTool('c_x')).rejects.toMatchObject({ code: -32603 })
    expect(String(seen[0])).toContain('secret')
  })
})

describe('mount()', () => {
  it('compose G002 a server is not mounted in itself, directly or around', () => {
    const [a, b, c] = [new MCPServer('a'), new MCPServer('b'), new MCPServer('c')]
    expect(() => a.mount(a)).toThrow(RangeError)
    a.mount(b)
    b.mount(c)
    expect(() => c.mount(a)).toThrow('"a" can\'t be mounted in "c": that would mount a server in itself.')
    expect(() => c.mount(a.server)).toThrow(RangeError)
  })

  it('compose G003 a name that is taken is refused, and both owners are named', () => {
    const main = new MCPServer('main')
    main.tool('w_forecast', () => 1)
    expect(() => main.mount(weather(), { as: 'w' })).toThrow(
      'The tool "w_forecast" of "w" has the name of a tool of "main".',
    )
    main.mount(weather(), { as: 'v' })
    expect(() => main.tool('v_forecast', () => 1)).toThrow(RangeError)
    expect(() => main.mount(weather(), { as: 'v' })).toThrow(RangeError)
  })

  it("compose N06 with onDuplicate 'replace' the newer one has the name", async () => {
    const main = new MCPServer('main', { onDuplicate: 'replace' })
    main.tool('w_forecast', () => 'old')
    main.mount(weather(), { as: 'w' })
    expect(text(await main.callTool('w_forecast', { city: 'X' }))).toContain('sunny')
    main.tool('w_forecast', () => 'newest')
    expect(text(await main.callTool('w_forecast'))).toBe('newest')
  })

  it.each([
    ['https://example.com/mcp', 'createProxy'],
    [{ command: 'npx' }, 'createProxy'],
    [7, 'mount() takes a server or a source, not a number.'],
    [{}, 'an object that is neither'],
  ])('compose G001 %j is refused', (target, message) => {
    expect(() => new MCPServer('main').mount(target as never)).toThrow(message)
  })

  it('compose N04 a namespace with other characters is refused', () => {
    expect(() => new MCPServer('main').mount(weather(), { as: 'a b' })).toThrow(RangeError)
  })

  it("a low-level server and a source of one's own can be mounted", async () => {
    const low = new Server('low', {
      handlers: {
        'tools/list': () => ({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'low' }] }),
      },
    })
    const main = new MCPServer('main')
    main.mount(low, { as: 'low' })
    main.mount(new ListSource({ tools: ['y'] }), { as: 'source' })
    expect(names((await main.listTools()).tools)).toEqual(['low_x', 'source_y'])
    expect(text(await main.callTool('low_x'))).toBe('low')
  })

  it('compose X20 compose X25 changes of the child are announced by the parent, lists once per turn', async () => {
    const child = weather()
    const main = new MCPServer('main')
    main.mount(child, { as: 'w' })
    await using client = await Client.connect(main)
    await client.listTools()
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['weather://today'] })
    const heard: unknown[] = []
    const reading = (async () => {
      for await (const event of subscription) heard.push(event)
    })()
    child.tool('one', () => 1)
    child.tool('two', () => 2)
    main.tool('three', () => 3)
    await turn()
    await child.notifyResourceUpdated('weather://today')
    await turn()
    await subscription.close()
    await reading
    expect(heard.map((event) => JSON.stringify(event))).toEqual([
      expect.stringContaining('toolsListChanged'),
      expect.stringContaining('weather://today'),
    ])
  })
})
