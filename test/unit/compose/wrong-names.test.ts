// Names that transforms are given and that are not there, or cannot be: told alike by all of them, at once where it is known.
import { expect, describe as group, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import {
  changeArguments,
  codeMode,
  describe,
  hide,
  namespace,
  only,
  rename,
  searchTools,
  type Transform,
  transform,
  unlisted,
} from '../../../src/exports/transforms.ts'

const INPUT = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } as const

function notes() {
  const server = new MCPServer('notes', { onFault: () => {} })
  server.tool('read', { input: INPUT }, (args) => JSON.stringify(args))
  server.tool('drop', () => 'dropped')
  server.prompt('greet', { input: { type: 'object', properties: { who: { type: 'string' } } } }, () => 'hello')
  return server
}

const text = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)

/** Each takes names, and names one that is not there. */
const naming: Record<string, (name: string) => Transform> = {
  'hide()': (name) => hide([name, 'x*']),
  'only()': (name) => only({ names: [name, '*'] }),
  'unlisted()': (name) => unlisted([name]),
  'rename()': (name) => rename({ [name]: 'other' }),
  'describe()': (name) => describe({ [name]: { title: 'T' } }),
  'changeArguments("nope")': (name) => changeArguments(name, {}),
  'searchTools()': (name) => searchTools({ above: 0, keep: [name] }),
  'codeMode()': (name) => codeMode({ keep: [name] }),
}
/** Those that take tools only. */
const isOfTools = (owner: string) => !/^(?:hide|only|unlisted|rename|describe)/.test(owner)

group.each(Object.entries(naming))('compose G050 %s', (owner, make) => {
  const kinds = isOfTools(owner) ? 'no tool' : 'no tool or prompt'

  it('a name that is not there is a RangeError, also outside of a search', () => {
    expect(() => notes().transform(make('nope'))).toThrow(
      `${owner} names "nope", but ${kinds} has that name. There are`,
    )
    expect(() => notes().transform(searchTools({ above: 0 }), make('nope'))).toThrow(RangeError)
    expect(() => new MCPServer('main').mount(notes(), { transforms: [make('nope')] })).toThrow(RangeError)
    notes().transform(make('drop'))
    notes().transform(searchTools({ above: 0 }), make('drop'))
    if (!isOfTools(owner)) notes().transform(make('greet'))
  })

  it.each([
    [
      'a proxy',
      (faults: Fault[], one: Transform) =>
        createProxy(notes(), { transforms: [one], onFault: (fault) => faults.push(fault) }),
    ],
    [
      'a gateway',
      (faults: Fault[], one: Transform) =>
        createGateway(
          { n: notes(), m: { target: notes(), as: '' } },
          { transforms: [one], onFault: (fault) => faults.push(fault) },
        ),
    ],
    [
      'a source of a gateway',
      (faults: Fault[], one: Transform) =>
        createGateway({ n: { target: notes(), transforms: [one] } }, { onFault: (fault) => faults.push(fault) }),
    ],
  ])('in front of %s it is told once, when the lists are seen', async (_where, front) => {
    const seen = async (name: string) => {
      const faults: Fault[] = []
      await using server = front(faults, make(name))
      await using client = await Client.connect(server)
      await client.listTools()
      await client.listTools()
      return faults.map(({ message }) => message).filter((message) => message.includes('names'))
    }
    const told = `${owner} names "nope", but ${kinds} has that name.`
    expect(await seen('nope')).toEqual([told])
    expect(await seen('drop')).toEqual([])
    // A prompt may be the one that is meant.
    if (!isOfTools(owner)) expect(await seen('greet')).toEqual([])
  })
})

it('compose G050 a list that a search has shortened tells nothing of names', async () => {
  const faults: Fault[] = []
  const transforms = [searchTools({ above: 0 }), changeArguments('read', {}), hide(['nope'])]
  await using server = createProxy(notes(), { transforms, onFault: (fault) => faults.push(fault) })
  await using client = await Client.connect(server)
  await client.listTools()
  expect(faults).toEqual([])
  await client.callTool('search_tools', { query: 'read' })
  expect(faults.map(({ message }) => message)).toEqual(['hide() names "nope", but no tool or prompt has that name.'])
})

group('compose T06 an argument that is not there', () => {
  /** The transform stands in front of a list that is known when it is made, or of one that is not. */
  const live = async (...transforms: Transform[]) => {
    const faults: string[] = []
    const server = createProxy(notes(), { transforms, onFault: ({ message }) => faults.push(message) })
    const client = await Client.connect(server)
    await client.listTools()
    const { tools } = await client.listTools()
    return { client, faults, tools, read: tools.find(({ name }) => name === 'read') }
  }

  it.each([
    [
      'changeArguments("read") names "c", which is not an argument.',
      () => changeArguments('read', { c: { name: 'd' } }),
    ],
    [
      'changeArguments("read") names "c", which is not an argument.',
      () => changeArguments('read', { c: { hide: true, value: 1 } }),
    ],
    [
      'changeArguments("read") renames "a" to "b", which is there already.',
      () => changeArguments('read', { a: { name: 'b' } }),
    ],
    [
      'describe() names the argument "c" of "read", which is not there.',
      () => describe({ read: { arguments: { c: 'x' } } }),
    ],
    [
      'describe() names the argument "x" of "greet", which is not there.',
      () => describe({ greet: { arguments: { x: 'x' } } }),
    ],
  ])('is a RangeError where it is known: %s', (message, make) => {
    expect(() => notes().transform(make())).toThrow(new RangeError(message))
    const renamed = notes().transform(namespace('n'), namespace('m'))
    const main = new MCPServer('main')
    expect(() => main.mount(notes(), { as: 'x', transforms: [make()] })).toThrow(message)
    expect(() => renamed.transform(describe({ m_n_read: { arguments: { c: '' } } }))).toThrow('"c" of "m_n_read"')
    main.mount(notes(), { as: 'y' })
    expect(() => main.transform(changeArguments('y_read', { c: {} }))).toThrow('changeArguments("y_read") names "c"')
  })

  it('is told once in a live list; the tool stays, and the rest of the changes too', async () => {
    const { client, faults, read } = await live(
      changeArguments('read', { c: { name: 'place', default: 1 }, a: { description: 'A' } }),
      describe({ read: { title: 'R', arguments: { d: 'D', b: 'B' } } }),
    )
    expect(read).toMatchObject({
      title: 'R',
      inputSchema: { properties: { a: { description: 'A' }, b: { description: 'B' } } },
    })
    expect(faults).toEqual([
      'changeArguments("read") names "c", which is not an argument. That is ignored.',
      'describe() names the argument "d" of "read", which is not there. That is ignored.',
    ])
    for (const _again of [1, 2, 3]) expect(text(await client.callTool('read', { a: '1' }))).toBe('{"a":"1"}')
    await client.close()
  })

  it('a name that is taken is ignored', async () => {
    const { client, faults, read } = await live(changeArguments('read', { a: { name: 'b', description: 'A' } }))
    expect(read?.inputSchema.properties).toMatchObject({ a: { description: 'A' }, b: {} })
    expect(faults).toEqual(['changeArguments("read") renames "a" to "b", which is there already. That is ignored.'])
    expect(text(await client.callTool('read', { a: '1', b: '2' }))).toBe('{"a":"1","b":"2"}')
    await client.close()
  })

  it('one that is hidden takes its tool away, since another may have its meaning now', async () => {
    const { client, faults, tools } = await live(changeArguments('read', { c: { hide: true, value: 'fixed' } }))
    expect(names(tools)).toEqual(['drop'])
    expect(faults).toEqual(['changeArguments("read") names "c", which is not an argument. The tool is left out.'])
    await expect(client.callTool('read', { a: '1' })).rejects.toMatchObject({ message: 'Unknown tool "read"' })
    await client.close()
  })
})

group('compose T03 a name that no tool can have', () => {
  const BAD = ['', 'a b\n', 'x'.repeat(129), 'é']

  it.each(BAD)('is a RangeError in a record: %j', (name) => {
    expect(() => notes().transform(rename({ read: name }))).toThrow(RangeError)
    expect(() => createProxy(notes(), { transforms: [rename({ read: name })] })).toThrow(/can't name a (?:tool|prompt)/)
  })

  it('prompts have a rule of their own', async () => {
    const server = notes().transform(rename({ greet: 'Sag "hallo"' }))
    expect(names((await server.listPrompts()).prompts)).toEqual(['Sag "hallo"'])
    expect(() => notes().transform(rename({ greet: 'a\nb' }))).toThrow(RangeError)
  })

  it.each(BAD)('of a function is told once, and the tool keeps its name: %j', async (name) => {
    const faults: string[] = []
    const server = new MCPServer('main', { onFault: ({ message }) => faults.push(message) })
    server.tool('read', () => 'read')
    server.tool('drop', () => 'drop')
    server.transform(rename((old) => (old === 'read' ? name : `new_${old}`)))
    await using client = await Client.connect(server)
    for (const _again of [1, 2]) expect(names((await client.listTools()).tools)).toEqual(['read', 'new_drop'])
    expect(text(await client.callTool('read'))).toBe('read')
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(/^rename\(\) can't name a tool .* The tool "read" keeps its name\.$/s)
  })
})

it('compose T03 a prompt that is renamed is no tool that is missed', async () => {
  const faults: Fault[] = []
  const server = new MCPServer('main', { onFault: (fault) => faults.push(fault) })
  server.mount(createProxy(notes()), { transforms: [rename({ greet: 'salute' })] })
  server.transform(transform({}))
  await using client = await Client.connect(server)
  expect(names((await client.listTools()).tools)).toEqual(['read', 'drop'])
  expect(names((await client.listPrompts()).prompts)).toEqual(['salute'])
  expect(faults).toEqual([])
})

it('compose X20 after its only mount is gone, the lists of a server are empty', async () => {
  const main = new MCPServer('main')
  const handle = main.mount(notes(), { as: 'n' })
  await using client = await Client.connect(main)
  expect(names((await client.listTools()).tools)).toEqual(['n_read', 'n_drop'])
  handle.remove()
  expect((await client.listTools()).tools).toEqual([])
  expect((await client.listPrompts()).prompts).toEqual([])
  await expect(client.callTool('n_read')).rejects.toMatchObject({ code: -32602 })
})
