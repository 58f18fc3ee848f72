// `gateway.mount()`: servers of this process beside the sources of a gateway.
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { rename } from '../../../src/exports/transforms.ts'
import { RawClient } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

function weather() {
  const server = new MCPServer('weather', { instructions: 'About the weather.' })
  server.tool('now', () => 'sunny')
  server.tool('ask', async (_args, ctx) => {
    const answer = await ctx.elicit('Where?', { type: 'object', properties: { city: { type: 'string' } } })
    return JSON.stringify(answer)
  })
  server.prompt('plan', () => 'How will it be?')
  server.resource('weather://today', () => 'sunny')
  return server
}

function files() {
  const server = new MCPServer('files')
  server.tool('read', () => 'text')
  return server
}

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)
const NEVER = { onFault: () => {} }

describe.each(['legacy', 'modern'] as const)('what is mounted in a gateway, %s', (mode) => {
  const connect = async (gateway: ReturnType<typeof createGateway>) => {
    const onElicitation = async () => ({ action: 'accept' as const, content: { city: 'Oslo' } })
    const client = await Client.connect(gateway, { mode, onElicitation })
    open.push(gateway, client)
    return client
  }

  it('compose X20 compose X25 is there beside its sources, and is used as they are', async () => {
    const gateway = createGateway({ files: files() }, NEVER)
    gateway.mount(weather(), { as: 'w' })
    const client = await connect(gateway)
    expect(names((await client.listTools()).tools)).toEqual(['files_read', 'w_now', 'w_ask'])
    expect((await client.callTool('w_now')).content).toEqual([{ type: 'text', text: 'sunny' }])
    expect((await client.callTool('files_read')).content).toEqual([{ type: 'text', text: 'text' }])
    expect((await client.callTool('w_ask')).content).toMatchObject([{ text: expect.stringContaining('Oslo') }])
    expect((await client.getPrompt('w_plan')).messages).toHaveLength(1)
    expect((await client.readResource('weather://today')).contents).toMatchObject([{ text: 'sunny' }])
    expect(client.instructions).toContain('About the weather.')
    expect(gateway.sources).toEqual(['files'])
  })

  it('compose X20 is announced once', async () => {
    const gateway = createGateway({ files: files() }, NEVER)
    open.push(gateway)
    const client = await RawClient.open(gateway, 'legacy')
    open.push(client)
    await client.result('tools/list')
    const inner = files()
    inner.mount(weather(), { as: 'w' })
    gateway.mount(inner, { as: 'm' })
    const told = () => client.told('notifications/tools/list_changed').length
    await vi.waitFor(() => expect(told()).toBe(1))
    await client.result('tools/list')
    expect(told()).toBe(1)
    // And what comes later, again.
    inner.tool('later', () => '')
    await vi.waitFor(() => expect(told()).toBe(2))
  })

  it('compose X20 changes are announced; the handle disables, renames and removes', async () => {
    const gateway = createGateway({ files: files() }, NEVER)
    const child = weather()
    const handle = gateway.mount(child, { as: 'w', transforms: [rename({ now: 'today' })] })
    const client = await connect(gateway)
    const list = async () => names((await client.listTools()).tools)
    expect(await list()).toEqual(['files_read', 'w_today', 'w_ask'])
    const subscription = await client.listen({ toolsListChanged: true })
    let changes = 0
    const reading = (async () => {
      for await (const _event of subscription) changes += 1
    })().catch(() => {})
    child.tool('later', () => 1)
    await vi.waitFor(() => expect(changes).toBe(1))
    expect(await list()).toContain('w_later')
    handle.disable()
    await vi.waitFor(() => expect(changes).toBe(2))
    expect(await list()).toEqual(['files_read'])
    await expect(client.callTool('w_today')).rejects.toMatchObject({ code: -32602 })
    handle.enable()
    handle.update({ as: 'v' })
    expect(await list()).toEqual(['files_read', 'v_today', 'v_ask', 'v_later'])
    handle.remove()
    expect(await list()).toEqual(['files_read'])
    expect(() => handle.enable()).toThrow('has been removed')
    await subscription.close()
    await reading
  })

  it('compose X21 visible and scopes apply to all of it', async () => {
    const gateway = createGateway({}, NEVER)
    let isShown = false
    gateway.mount(weather(), { as: 'a', visible: () => isShown })
    gateway.mount(files(), { as: 'b', scopes: ['admin'] })
    const client = await connect(gateway)
    expect(names((await client.listTools()).tools)).toEqual([])
    await expect(client.callTool('a_now')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool "a_now"' })
    await expect(client.callTool('b_read')).rejects.toMatchObject({ data: { reason: 'insufficient_scope' } })
    isShown = true
    expect((await client.callTool('a_now')).content).toEqual([{ type: 'text', text: 'sunny' }])
  })
})

describe('gateway.mount()', () => {
  it('compose G002 a gateway is not mounted in itself, directly or around', () => {
    const gateway = createGateway({}, NEVER)
    const main = new MCPServer('main')
    main.mount(gateway)
    open.push(gateway)
    expect(() => gateway.mount(gateway)).toThrow(RangeError)
    expect(() => gateway.mount(main)).toThrow('that would mount a server in itself')
  })

  it('compose G002 a server that was mounted twice and removed once is still in it', () => {
    const [main, child] = [new MCPServer('main'), new MCPServer('child')]
    const [one, two] = [main.mount(child, { as: 'a', transforms: [rename({})] }), main.mount(child, { as: 'b' })]
    one.remove()
    expect(() => child.mount(main)).toThrow(RangeError)
    two.remove()
    expect(() => child.mount(main)).not.toThrow()
  })

  it('compose G003 a name that is taken is refused, and both owners are named', () => {
    const gateway = createGateway({}, NEVER)
    open.push(gateway)
    gateway.mount(weather())
    const again = new MCPServer('again')
    again.tool('now', () => 1)
    expect(() => gateway.mount(again)).toThrow('The tool "now" of "again" has the name of a tool of "weather"')
    gateway.mount(again, { as: 'again' })
  })

  it('compose G001 options and targets that are none are refused', () => {
    const gateway = createGateway({}, NEVER)
    open.push(gateway, createProxy(files()))
    expect(() => gateway.mount('https://example.com/mcp' as never)).toThrow('createProxy')
    expect(() => gateway.mount(files(), { as: 'a b' })).toThrow(RangeError)
    expect(() => gateway.mount(files(), { name: 'a' } as never)).toThrow(TypeError)
  })
})
