// Tools of which several versions have one name, and the transform that chooses among them.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { rename, searchTools, version } from '../../../src/exports/transforms.ts'
import { compareVersions } from '../../../src/wire/component-versions.ts'

const KEY = 'mcpwire/version'

function shop() {
  const server = new MCPServer('shop')
  server.tool('price', { version: '1', input: { type: 'object', properties: { id: { type: 'string' } } } }, () => 'one')
  server.tool('price', { version: '2.0' }, () => 'two')
  server.tool('price', { version: '10' }, () => 'ten')
  server.tool('stock', () => 'plain')
  return server
}

const text = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text
const unknown = { code: -32602, message: 'Unknown tool "price"' }

async function listed(client: Client) {
  const { tools } = await client.listTools()
  return tools.map(({ name, _meta }) => `${name} ${_meta?.[KEY] ?? '-'}`)
}

describe.each(['modern', 'legacy'] as const)('versions of tools, %s', (mode) => {
  const connect = (server: Parameters<typeof Client.connect>[0]) => Client.connect(server, { mode })

  it('compose T08 the highest version is listed and called; a call may name another one', async () => {
    await using client = await connect(shop())
    expect(await listed(client)).toEqual(['price 10', 'stock -'])
    expect(text(await client.callTool('price'))).toBe('ten')
    expect(text(await client.callTool('price', {}, { meta: { [KEY]: '1' } }))).toBe('one')
    expect(text(await client.callTool('price', {}, { meta: { [KEY]: '2' } }))).toBe('two')
    for (const wanted of ['3', '', 'latest', '__proto__', 1, null, {}]) {
      await expect(client.callTool('price', {}, { meta: { [KEY]: wanted } as never })).rejects.toMatchObject(unknown)
    }
    await expect(client.callTool('stock', {}, { meta: { [KEY]: '1' } })).rejects.toMatchObject({ code: -32602 })
  })

  it('compose T08 version() chooses; what it leaves out can not be called, named or not', async () => {
    const server = shop().transform(version({ at: '1', below: '3' }))
    await using client = await connect(server)
    expect(await listed(client)).toEqual(['price 2.0', 'stock -'])
    expect(text(await client.callTool('price'))).toBe('two')
    expect(text(await client.callTool('price', {}, { meta: { [KEY]: '1' } }))).toBe('one')
    await expect(client.callTool('price', {}, { meta: { [KEY]: '10' } })).rejects.toMatchObject(unknown)

    await using exact = await connect(shop().transform(version('1')))
    expect(await listed(exact)).toEqual(['price 1', 'stock -'])
    expect(text(await exact.callTool('price', { id: 'a' }))).toBe('one')

    await using none = await connect(shop().transform(version({ at: '11' })))
    expect(await listed(none)).toEqual(['stock -'])
    await expect(none.callTool('price')).rejects.toMatchObject(unknown)
  })

  it('compose T08 two ranges both count, around other transforms', async () => {
    const server = shop().transform(version({ below: '10' }), rename({ price: 'cost' }), version({ at: '2' }))
    await using client = await connect(server)
    expect(await listed(client)).toEqual(['cost 2.0', 'stock -'])
    expect(text(await client.callTool('cost'))).toBe('two')
    await expect(client.callTool('cost', {}, { meta: { [KEY]: '1' } })).rejects.toMatchObject({ code: -32602 })
  })

  it('compose T08 one server is mounted once for each version', async () => {
    const [child, main] = [shop(), new MCPServer('main')]
    main.mount(child, { as: 'old', transforms: [version('1')] })
    main.mount(child, { as: 'new' })
    await using client = await connect(main)
    expect(await listed(client)).toEqual(['old_price 1', 'old_stock -', 'new_price 10', 'new_stock -'])
    expect(text(await client.callTool('old_price'))).toBe('one')
    expect(text(await client.callTool('new_price'))).toBe('ten')
    child.tool('price', { version: '11' }, () => 'eleven')
    expect(await listed(client)).toEqual(['old_price 1', 'old_stock -', 'new_stock -', 'new_price 11'])
  })

  it('compose T08 in front of a proxy, versions that do not fit are hidden', async () => {
    const upstream = shop()
    const fits = createProxy(upstream, { transforms: [version({ at: '2' })] })
    await using client = await connect(fits)
    expect(await listed(client)).toEqual(['price 10', 'stock -'])
    await expect(client.callTool('price', {}, { meta: { [KEY]: '1' } })).rejects.toMatchObject(unknown)
    expect(text(await client.callTool('price', {}, { meta: { [KEY]: '2' } }))).toBe('two')

    const lower = createProxy(upstream, { transforms: [version({ below: '3' })] })
    await using other = await connect(lower)
    expect(await listed(other)).toEqual(['stock -'])
    await expect(other.callTool('price')).rejects.toMatchObject(unknown)
  })

  it('compose T08 searches find the version that is listed', async () => {
    await using client = await connect(shop().transform(version({ below: '3' }), searchTools({ above: 1 })))
    const found = await client.callTool('search_tools', { query: 'price' })
    expect(JSON.stringify(found.structuredContent)).toContain('"mcpwire/version":"2.0"')
    expect(text(await client.callTool('call_tool', { name: 'price', arguments: {} }))).toBe('two')
  })

  it('compose T08 each caller sees the highest version that it may see', async () => {
    const server = shop()
    server.tool('price', { version: '11', visible: () => false }, () => 'hidden')
    await using client = await connect(server)
    expect(await listed(client)).toEqual(['price 10', 'stock -'])
    expect(text(await client.callTool('price'))).toBe('ten')
    await expect(client.callTool('price', {}, { meta: { [KEY]: '11' } })).rejects.toMatchObject(unknown)
  })

  it('compose T08 handles disable and remove their own version', async () => {
    const server = new MCPServer('shop')
    server.tool('price', { version: '1' }, () => 'one')
    const two = server.tool('price', { version: '2' }, () => 'two')
    await using client = await connect(server)
    expect(two.key).toBe('price')
    two.disable()
    expect(await listed(client)).toEqual(['price 1'])
    expect(text(await client.callTool('price'))).toBe('one')
    two.enable()
    two.update({ title: 'Price' })
    expect(text(await client.callTool('price'))).toBe('two')
    two.remove()
    expect(await listed(client)).toEqual(['price 1'])
  })
})

describe('versions', () => {
  it('compose T08 with and without a version under one name, or one version twice, is refused', () => {
    const server = shop()
    expect(() => server.tool('price', () => '')).toThrow(RangeError)
    expect(() => server.tool('stock', { version: '1' }, () => '')).toThrow(
      'A tool "stock" without a version is already registered.',
    )
    expect(() => server.tool('price', { version: '2' }, () => '')).toThrow('of this version is already registered')
    expect(() => server.tool('price', { version: 'v10.0' }, () => '')).toThrow(RangeError)
    expect(() => server.tool('fresh', { version: 'new' }, () => '')).toThrow("such as '2' or '1.4.0', not \"new\"")
    expect(() => server.tool('fresh', { version: 2 as never }, () => '')).toThrow('not 2')
    const handle = server.tool('fresh', { version: '1' }, () => '')
    expect(() => handle.update({ version: '2' })).toThrow("can't change")
    expect(() => server.tool('slow', { version: '1', task: true }, () => '')).toThrow(/version|tasks/)
    handle.remove()
    server.tool('fresh', () => '')
  })

  it("compose T08 with onDuplicate 'replace' the same version is replaced", async () => {
    const server = new MCPServer('shop', { onDuplicate: 'replace' })
    server.tool('price', { version: '1' }, () => 'one')
    server.tool('price', { version: '1.0' }, () => 'again')
    expect((await server.listTools()).tools).toHaveLength(1)
    expect(text(await server.callTool('price'))).toBe('again')
  })

  it('compose T08 version() refuses what is no version', () => {
    for (const wrong of ['', 'new', 3, null, undefined, [], { at: 'x' }, { below: 2 }]) {
      expect(() => version(wrong as never)).toThrow()
    }
    expect(() => version({ at: '3', below: '2' })).toThrow('No version is at least "3" and below "2".')
    expect(() => version({ above: '2' } as never)).toThrow(TypeError)
  })

  it('compose T08 versions compare by their numbers', () => {
    const sorted = ['1.0.0-rc.1', '1', '1.0.1', '1.2', '1.10', '2', '10', '2026-07-28', '2026-10-01']
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
    expect(compareVersions('v2', '2.0.0+build')).toBe(0)
    expect(compareVersions('9007199254740993', '9007199254740992')).toBe(1)
  })
})
