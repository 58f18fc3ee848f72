import { expect, it } from 'vitest'
import { coreOf } from '../../../../src/server/internals.ts'
import { createServer, inBothEras, refusalOf, textOf } from '../support.ts'

inBothEras('handles', ({ connect }) => {
  it('update, disable, enable and remove what was registered', async () => {
    const { server } = createServer()
    const first = server.tool('first', { description: 'one' }, () => 'one')
    server.tool('second', {}, () => 'two')
    await using client = await connect(server, { cache: false })
    const names = async () => (await client.listTools()).tools.map(({ name, description }) => [name, description])

    first.update({ description: 'changed', run: () => 'changed' })
    expect(await names()).toEqual([
      ['first', 'changed'],
      ['second', undefined],
    ])
    expect(textOf(await client.callTool('first'))).toBe('changed')
    first.disable()
    expect(first.isEnabled).toBe(false)
    expect(await names()).toEqual([['second', undefined]])
    expect(await refusalOf(client.callTool('first'))).toMatchObject({ code: -32602 })
    first.enable()
    expect(await names()).toEqual([
      ['first', 'changed'],
      ['second', undefined],
    ])
    first.remove()
    first.remove()
    expect(await names()).toEqual([['second', undefined]])
    expect(() => first.enable()).toThrow(/removed/)
    server.tool('first', {}, () => 'again')
    expect(await names()).toEqual([
      ['second', undefined],
      ['first', undefined],
    ])
  })
})

it('rejects a name that is registered already, unless onDuplicate is replace', async () => {
  const { server } = createServer()
  server.tool('t', {}, () => 'first')
  expect(() => server.tool('t', {}, () => 'second')).toThrow(RangeError)
  server.prompt('t', {}, () => '')
  expect(() => server.prompt('t', {}, () => '')).toThrow(/onDuplicate/)
  server.resource('x://1', () => '')
  expect(() => server.resource('x://1', () => '')).toThrow(RangeError)

  const { server: lenient } = createServer({ onDuplicate: 'replace' })
  const first = lenient.tool('t', {}, () => 'first')
  lenient.tool('u', {}, () => 'u')
  lenient.tool('t', {}, () => 'second')
  expect(textOf(await lenient.callTool('t'))).toBe('second')
  expect((await lenient.listTools()).tools.map(({ name }) => name)).toEqual(['t', 'u'])
  expect(first.isEnabled).toBe(false)
  first.remove()
  expect(textOf(await lenient.callTool('t'))).toBe('second')
  expect(() => first.update({})).toThrow(/removed/)
})

it('serves, and declares, a feature once something of it is registered', async () => {
  const { server } = createServer({ capabilities: { prompts: {} } })
  expect(coreOf(server.server).requestHandler('tools/list')).toBeUndefined()
  expect(coreOf(server.server).requestHandler('resources/read')).toBeUndefined()
  expect(await server.listPrompts()).toEqual({ prompts: [] })
  server.tool('t', {}, () => 1).remove()
  expect(await server.listTools()).toEqual({ tools: [] })
})

it('makes a page once, until something changes', async () => {
  const { server } = createServer({ pageSize: 2 })
  const handles = ['a', 'b', 'c'].map((name) => server.tool(name, {}, () => name))
  const before = await server.listTools()
  expect(before.tools).toHaveLength(2)
  expect(await server.listTools()).toBe(before)
  handles[0]?.update({ title: 'A' })
  const after = await server.listTools()
  expect(after).not.toBe(before)
  expect(after.tools[1]).toBe(before.tools[1])
})

inBothEras('pages', ({ connect }) => {
  it('cover every list, and reject cursors of another list', async () => {
    const { server } = createServer({ pageSize: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      server.tool(name, {}, () => name)
      server.prompt(name, {}, () => name)
      server.resource(`x://${name}`, () => name)
      server.resource(`x://${name}/{y}`, () => name)
    }
    await using client = await connect(server, { cache: false })
    const collect = async <T>(items: AsyncIterable<T>) => {
      const all: T[] = []
      for await (const item of items) all.push(item)
      return all
    }

    expect((await collect(client.tools())).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await collect(client.prompts())).toHaveLength(5)
    expect(await collect(client.resources())).toHaveLength(5)
    expect(await collect(client.resourceTemplates())).toHaveLength(5)
    const { nextCursor = '' } = await client.listTools()
    expect((await client.listTools({ cursor: nextCursor })).tools.map(({ name }) => name)).toEqual(['c', 'd'])
    for (const cursor of ['', 'x', `${nextCursor}x`]) {
      expect(await refusalOf(client.listTools({ cursor }))).toMatchObject({ code: -32602 })
    }
    expect(await refusalOf(client.listPrompts({ cursor: nextCursor }))).toMatchObject({ code: -32602 })
  })
})

it('rejects options out of range', () => {
  for (const pageSize of [0, -1, 1.5, Number.NaN]) expect(() => createServer({ pageSize })).toThrow(RangeError)
  expect(() => createServer({ onDuplicate: 'ignore' as never })).toThrow(RangeError)
})
