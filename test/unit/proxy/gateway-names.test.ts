// Names that a gateway has not seen in a list: whose they are, and what becomes of them while their source is away.
import { describe, expect, it } from 'vitest'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { createGateway, createProxy, type GatewayOptions, type GatewayTargets } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { hide, rename, unlisted } from '../../../src/exports/transforms.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()
const MODES = ['legacy', 'modern'] as const

function serverOf(name: string, tools: Record<string, string>): MCPServer {
  const server = new MCPServer(name)
  for (const [tool, answer] of Object.entries(tools)) server.tool(tool, () => answer)
  return server
}

/** A target that nobody answers at. */
function awayFor() {
  const away = {
    opened: 0,
    transport: {
      kind: 'test',
      open: async () => {
        away.opened += 1
        throw Object.assign(new Error('nobody is here'), { code: 'ECONNREFUSED' })
      },
    } satisfies Transport,
  }
  return away
}

async function connect(targets: GatewayTargets, mode: 'legacy' | 'modern', options: GatewayOptions = {}) {
  const faults: Fault[] = []
  const gateway = createGateway(targets, { onFault: (fault) => void faults.push(fault), ...options })
  const client = await Client.connect(gateway, { mode })
  open.push(gateway, client)
  const call = async (name: string) =>
    client.callTool(name).then(
      ({ content }) => (content[0] as { text: string }).text,
      ({ code, message, data }) => ({ code, message, ...data?.mcpwire }),
    )
  return { gateway, client, faults, call }
}

describe.each(MODES)('a name that a source does not list, %s', (mode) => {
  it('goes to the source that its namespace names, and to nobody else', async () => {
    const a = serverOf('a', { x: 'X', y: 'Y' })
    a.transform(unlisted(['y']))
    const asked: string[] = []
    const b = serverOf('b', { z: 'Z' })
    b.use((ctx, next) => {
      if (ctx.method === 'tools/call') asked.push(String(ctx.params?.['name']))
      return next()
    })
    const { call, client } = await connect({ a, b }, mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_x', 'b_z'])
    expect(await call('a_y')).toBe('Y')
    expect(await call('y')).toMatchObject({ code: -32602, message: 'Unknown tool "y"' })
    expect(await call('c_y')).toMatchObject({ code: -32602, message: 'Unknown tool "c_y"' })
    expect(await call('a_nope')).toMatchObject({ code: -32602, message: 'Unknown tool "a_nope"' })
    expect(asked).toEqual([])
  })

  it('is unknown behind a transform that changes tools, which can not know whether to hide it', async () => {
    const a = serverOf('a', { x: 'X', y: 'Y' })
    a.transform(unlisted(['y']))
    const { call, gateway } = await connect({ a }, mode)
    gateway.transform(hide(['a_z', 'a_x*']))
    expect(await call('a_y')).toMatchObject({ code: -32602, message: 'Unknown tool "a_y"' })
    expect(await call('a_x')).toMatchObject({ code: -32602, message: 'Unknown tool "a_x"' })
  })

  it('tells which scopes a caller lacks', async () => {
    const a = new MCPServer('a')
    a.tool('write', { scopes: ['notes:write'] }, () => 'written')
    const { client } = await connect({ a }, mode)
    const [direct, through] = await Promise.all([
      Client.connect(a, { mode }).then(async (one) => {
        open.push(one)
        return one.callTool('write').catch((error: unknown) => error)
      }),
      client.callTool('a_write').catch((error: unknown) => error),
    ])
    expect((through as { code: number }).code).toBe((direct as { code: number }).code)
    expect(String((through as Error).message)).not.toContain('Unknown tool')
  })

  it('stays refused where a transform hides it', async () => {
    const a = serverOf('a', { x: 'X', y: 'Y' })
    const hidden = await connect({ a: { target: a, transforms: [hide(['y'])] } }, mode)
    expect(await hidden.call('a_y')).toMatchObject({ code: -32602, message: 'Unknown tool "a_y"' })
    const renamed = await connect({ a: { target: a, transforms: [rename({ y: 'why' })] } }, mode)
    expect(await renamed.call('a_y')).toMatchObject({ code: -32602, message: 'Unknown tool "a_y"' })
    expect(await renamed.call('a_why')).toBe('Y')
    const outside = await connect({ a }, mode, { transforms: [hide(['a_y'])] })
    expect(await outside.call('a_y')).toMatchObject({ code: -32602, message: 'Unknown tool "a_y"' })
  })
})

describe.each(MODES)('a name of a source that was never there, %s', (mode) => {
  it('compose G013 is no unknown name, for a tool, a prompt and a resource', async () => {
    const away = awayFor()
    const { call, client, gateway } = await connect({ a: away.transport, b: serverOf('b', { z: 'Z' }) }, mode)
    expect(await call('a_x')).toMatchObject({ code: -32603, id: 'G013' })
    await expect(client.getPrompt('a_p')).rejects.toMatchObject({ data: { mcpwire: { source: 'a' } } })
    await expect(client.readResource('a://x')).rejects.toMatchObject({ data: { mcpwire: { source: 'a' } } })
    expect(await call('b_nope')).toMatchObject({ code: -32602 })
    expect((await gateway.health())[0]).toMatchObject({ name: 'a', state: 'failed' })
    // Three failures in a row: it is not asked again.
    const { opened } = away
    expect(await call('a_x')).toMatchObject({ id: 'G011' })
    expect(away.opened).toBe(opened)
  })

  it('is none in a server that a proxy of it is mounted in', async () => {
    const main = serverOf('main', { here: 'HERE' })
    const proxy = createProxy(awayFor().transport, { onFault: () => {} })
    main.mount(proxy, { as: 'far' })
    const client = await Client.connect(main, { mode })
    open.push(main, proxy, client)
    await expect(client.callTool('far_x')).rejects.toMatchObject({ data: { mcpwire: { id: 'G013' } } })
    await expect(client.callTool('near_x')).rejects.toMatchObject({ code: -32602 })
  })

  it('keeps no resource of another source from being read', async () => {
    const b = new MCPServer('b')
    b.resource('b://{+p}', { list: () => [] }, () => 'B')
    const { client } = await connect({ a: awayFor().transport, b }, mode)
    expect((await client.readResource('b://one')).contents).toMatchObject([{ text: 'B' }])
  })
})

describe.each(['legacy', 'modern', 'auto'] as const)('a client that connects while the source is away, %s', (mode) => {
  it('hears what is wrong with the source, from a proxy and from a gateway that needs it', async () => {
    const onFault = () => {}
    const fronts = [
      [createProxy(awayFor().transport, { onFault }), 'reached'],
      [createGateway({ a: awayFor().transport }, { onFault, onFailure: 'fail' }), 'listed'],
    ] as const
    for (const [front, what] of fronts) {
      open.push(front)
      const failure = await Client.connect(front, { mode }).catch((error: unknown) => error)
      expect((failure as Error).message).toMatch(new RegExp(`The source '\\w+' can't be ${what}`))
      expect(failure).toMatchObject({ cause: { code: -32603, data: { mcpwire: { id: expect.any(String) } } } })
    }
  })
})

describe.each(MODES)('a source that is away beside one that is there, %s', (mode) => {
  it.each([undefined, false, true])('is left out as onFailure says, with optional: %s', async (optional) => {
    const targets = () => ({ dead: { target: awayFor().transport, optional }, ok: serverOf('ok', { x: 'X' }) })
    const { client } = await connect(targets(), mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ok_x'])
    const failing = connect(targets(), mode, { onFailure: 'fail' })
    if (optional === true) expect((await (await failing).client.listTools()).tools).toHaveLength(1)
    else await expect(failing).rejects.toThrow("The source 'dead' can't be listed")
  })
})

describe.each(MODES)('names of one source that begin as those of another, %s', (mode) => {
  it('belong to the source with the longer namespace, in either order, and the author is warned', async () => {
    const a = serverOf('a', { b_x: 'EVIL', own: 'OWN' })
    const good = serverOf('a_b', { x: 'GOOD' })
    for (const targets of [
      { a, a_b: good },
      { a_b: good, a },
    ]) {
      const { call, client, faults } = await connect(targets, mode)
      expect(faults[0]).toMatchObject({ kind: 'configuration-warning', message: expect.stringContaining('"a_b"') })
      expect(await call('a_b_x')).toBe('GOOD')
      expect((await client.listTools()).tools.map(({ name }) => name).toSorted()).toEqual(['a_b_x', 'a_own'])
      expect(await call('a_b_x')).toBe('GOOD')
      expect(await call('a_own')).toBe('OWN')
    }
  })

  it('are not those of the shorter one while the other is away', async () => {
    const away = awayFor()
    const { call, client } = await connect({ a: serverOf('a', { b_x: 'EVIL' }), a_b: away.transport }, mode)
    expect((await client.listTools()).tools).toEqual([])
    expect(await call('a_b_x')).toMatchObject({ code: -32603, source: 'a_b' })
  })
})

describe.each(MODES)('a resource that one source lists and that fits a template of another, %s', (mode) => {
  it('is read from the source that lists it, before and after any list', async () => {
    const template = new MCPServer('template')
    template.resource('file:///{+p}', () => 'TEMPLATE')
    const exact = new MCPServer('exact')
    exact.resource('file:///etc/config', () => 'EXACT')
    const { client } = await connect({ template, exact }, mode)
    const read = async (uri: string) => (await client.readResource(uri)).contents
    expect(await read('file:///etc/config')).toMatchObject([{ text: 'EXACT' }])
    await client.listResourceTemplates()
    expect(await read('file:///etc/config')).toMatchObject([{ text: 'EXACT' }])
    expect(await read('file:///etc/other')).toMatchObject([{ text: 'TEMPLATE' }])
  })
})
