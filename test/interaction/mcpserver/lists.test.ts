// Lists of an MCPServer: pages, and what handles change while clients look on.
import { expect } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../../src/client/client.ts'
import type { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { Inbox } from '../kit/support-features.ts'
import { createServer, namesOf, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const listNames = async (client: Client) => namesOf((await client.listTools({ cacheMode: 'bypass' })).tools)

/** A client that is told of everything that changes. */
async function connectWatching({ connect, isModern }: Setting, server: MCPServer, uri = 'x://watched') {
  const heard = new Inbox<string>()
  const client = await connect(server, {
    onMessage: ({ method, params = {} }) => {
      heard.push('uri' in params ? String(params['uri']) : method.replace(/^notifications\/|\/list_changed$/g, ''))
    },
  })
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  if (isModern) await client.listen({ ...lists, resourceSubscriptions: [uri] })
  else await client.subscribeResource(uri)
  return { client, heard, [Symbol.asyncDispose]: () => client.close() }
}

/** A server with one of everything, so that everything is declared. */
function createWatched() {
  const { server } = createServer()
  const tool = server.tool('tool', {}, () => 'tool')
  const prompt = server.prompt('prompt', {}, () => 'prompt')
  const resource = server.resource('x://watched', () => 'watched')
  return { server, tool, prompt, resource }
}

requirement('mcpserver:pages:every-list', async ({ connect }) => {
  const { server } = createServer({ pageSize: 2 })
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    server.tool(name, {}, () => name)
    server.prompt(name, {}, () => name)
    server.resource(`x://${name}`, { name }, () => name)
    server.resource(`x://${name}/{y}`, { name }, () => name)
  }
  await using client = await connect(server)

  expect((await client.listTools()).tools).toHaveLength(2)
  expect(namesOf(await collect(client.tools()))).toEqual(names)
  expect(namesOf(await collect(client.prompts()))).toEqual(names)
  expect(namesOf(await collect(client.resources()))).toEqual(names)
  expect(namesOf(await collect(client.resourceTemplates()))).toEqual(names)
})

requirement('mcpserver:pages:one-without-a-size', async ({ connect }) => {
  const { server } = createServer()
  for (let n = 0; n < 300; n += 1) server.tool(`t${n}`, {}, () => n)
  await using client = await connect(server)

  const { tools, nextCursor } = await client.listTools()
  expect(tools).toHaveLength(300)
  expect(nextCursor).toBeUndefined()
})

requirement('mcpserver:pages:foreign-cursors', async ({ connect }) => {
  const { server } = createServer({ pageSize: 1 })
  for (const name of ['a', 'b', 'c']) {
    server.tool(name, {}, () => name)
    server.prompt(name, {}, () => name)
  }
  await using client = await connect(server)
  const { nextCursor = '' } = await client.listTools()

  for (const cursor of ['', 'x', `${nextCursor}x`]) {
    expect(await refusalOf(client.listTools({ cursor })), cursor).toMatchObject({ code: -32602 })
  }
  expect(await refusalOf(client.listPrompts({ cursor: nextCursor }))).toMatchObject({ code: -32602 })
})

requirement('mcpserver:pages:stable-across-changes', async ({ connect }) => {
  const { server } = createServer({ pageSize: 2 })
  const handles = new Map(['a', 'b', 'c', 'd'].map((name) => [name, server.tool(name, {}, () => name)]))
  await using client = await connect(server)
  const { tools, nextCursor = '' } = await client.listTools()
  expect(namesOf(tools)).toEqual(['a', 'b'])

  // What ended the first page goes, what came before it stays, and something new comes.
  handles.get('b')?.remove()
  server.tool('e', {}, () => 'e')

  const rest = await client.listTools({ cursor: nextCursor, cacheMode: 'bypass' })
  expect(namesOf(rest.tools)).toEqual(['c', 'd'])
  const last = await client.listTools({ cursor: rest.nextCursor ?? '', cacheMode: 'bypass' })
  expect(namesOf(last.tools)).toEqual(['e'])
})

requirement('mcpserver:pages:template-lists', async ({ connect }) => {
  const { server } = createServer({ pageSize: 2 })
  const list = () => ['x', 'y', 'z'].map((name) => ({ uri: `notes://day/${name}` }))
  server.resource('notes://a', () => '')
  server.resource('notes://day/{day}', { list }, () => '')
  server.resource('notes://b', () => '')
  await using client = await connect(server)

  const uris = (await collect(client.resources())).map(({ uri }) => uri)
  expect(uris).toEqual(['notes://a', 'notes://day/x', 'notes://day/y', 'notes://day/z', 'notes://b'])
})

requirement('mcpserver:pages:template-lists-stable', async ({ connect }) => {
  const { server } = createServer({ pageSize: 2 })
  let days = ['a', 'b', 'c', 'd', 'e']
  server.resource('notes://{day}', { list: () => days.map((day) => ({ uri: `notes://${day}`, name: day })) }, () => '')
  await using client = await connect(server)
  const next = async (cursor: string | undefined) =>
    client.listResources({ ...(cursor !== undefined && { cursor }), cacheMode: 'bypass' })

  const first = await next(undefined)
  expect(namesOf(first.resources)).toEqual(['a', 'b'])
  days = ['a', 'c', 'd', 'e']
  expect(namesOf((await next(first.nextCursor)).resources)).toEqual(['c', 'd'])
  days = ['c', 'd', 'e']
  const second = await next(first.nextCursor)
  expect(namesOf(second.resources)).toEqual(['c', 'd'])
  days = ['e']
  expect(namesOf((await next(second.nextCursor)).resources)).toEqual(['e'])
})

requirement('fault:F104:registry-snapshot', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('old', {}, () => 'old')
  server.use(async (ctx, next) => {
    const result = await next()
    if (ctx.method === 'tools/list' && handle.isEnabled) {
      handle.remove()
      server.tool('new', {}, () => 'new')
    }
    return result
  })
  await using client = await connect(server)

  expect(await listNames(client)).toEqual(['old'])
  expect(await listNames(client)).toEqual(['new'])
  expect(await refusalOf(client.callTool('old'))).toMatchObject({ code: -32602 })
})

requirement('mcpserver:handles:update', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('first', { description: 'one' }, () => 'one')
  server.tool('second', {}, () => 'two')
  await using client = await connect(server)
  handle.update({ description: 'changed', run: () => 'changed' })

  const { tools } = await client.listTools({ cacheMode: 'bypass' })
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['first', 'changed'],
    ['second', undefined],
  ])
  expect(textsOf(await client.callTool('first'))).toEqual(['changed'])
})

requirement('mcpserver:handles:update-that-fails', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('t', { input: z.object({ a: z.number() }) }, ({ a }) => `${a}`)
  expect(() => handle.update({ timeoutMs: -1, description: 'x' })).toThrow(RangeError)
  await using client = await connect(server)

  expect((await client.listTools()).tools[0]).not.toHaveProperty('description')
  expect(textsOf(await client.callTool('t', { a: 1 }))).toEqual(['1'])
  handle.update({ description: 'y' })
  await using later = await connect(server)
  expect((await later.listTools()).tools[0]).toMatchObject({ description: 'y' })
})

requirement('mcpserver:handles:disable-and-enable', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('first', {}, () => 'one')
  server.tool('second', {}, () => 'two')
  await using client = await connect(server)

  handle.disable()
  expect(handle.isEnabled).toBe(false)
  expect(await listNames(client)).toEqual(['second'])
  expect(await refusalOf(client.callTool('first'))).toMatchObject({ code: -32602 })
  handle.enable()
  expect(await listNames(client)).toEqual(['first', 'second'])
  expect(textsOf(await client.callTool('first'))).toEqual(['one'])
})

requirement('mcpserver:handles:remove', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('first', {}, () => 'one')
  server.tool('second', {}, () => 'two')
  await using client = await connect(server)

  handle.remove()
  handle.remove()
  expect(() => handle.enable()).toThrow(/removed/)
  expect(await listNames(client)).toEqual(['second'])
  expect(await refusalOf(client.callTool('first'))).toMatchObject({ code: -32602 })
  server.tool('first', {}, () => 'again')
  expect(await listNames(client)).toEqual(['second', 'first'])
})

requirement('mcpserver:handles:announce', async (setting) => {
  const { server, tool, prompt, resource } = createWatched()
  await using watching = await connectWatching(setting, server)
  const { heard } = watching

  const changes: [string, () => void][] = [
    ['tools', () => tool.update({ title: 'Tool' })],
    ['tools', () => tool.disable()],
    ['tools', () => tool.enable()],
    ['tools', () => tool.remove()],
    ['prompts', () => prompt.disable()],
    ['resources', () => resource.update({ title: 'Resource' })],
    ['tools', () => server.tool('new', {}, () => 'new')],
  ]
  for (const [index, [, change]] of changes.entries()) {
    change()
    await heard.first(index + 1)
  }

  expect(heard.items).toEqual(changes.map(([kind]) => kind))
})

requirement('mcpserver:handles:announce-once-a-turn', async (setting) => {
  const { server, tool } = createWatched()
  await using watching = await connectWatching(setting, server)

  tool.disable()
  tool.enable()
  for (let n = 0; n < 100; n += 1) server.tool(`more-${n}`, {}, () => n)
  server.prompt('more', {}, () => '')
  server.resource('x://more', () => '')
  await watching.heard.first(3)
  await server.notifyResourceUpdated('x://watched')
  await watching.heard.first(4)

  expect([...watching.heard.items].sort()).toEqual(['prompts', 'resources', 'tools', 'x://watched'])
})

requirement('mcpserver:resources:notify-updated', async (setting) => {
  const { server } = createWatched()
  server.tool('change', {}, (_args, ctx) => ctx.notifyResourceUpdated('x://watched'))
  await using watching = await connectWatching(setting, server)

  await server.notifyResourceUpdated('x://other')
  await server.notifyResourceUpdated('x://watched')
  await watching.heard.first(1)
  await watching.client.callTool('change')
  expect(await watching.heard.first(2)).toEqual(['x://watched', 'x://watched'])
})

requirement('mcpserver:duplicates:refused', async ({ connect }) => {
  const { server } = createServer()
  server.tool('t', {}, () => 'first')
  server.prompt('t', {}, () => 'first')
  server.resource('x://1', () => 'first')
  expect(() => server.tool('t', {}, () => 'second')).toThrow(/onDuplicate/)
  expect(() => server.prompt('t', {}, () => 'second')).toThrow(RangeError)
  expect(() => server.resource('x://1', () => 'second')).toThrow(RangeError)
  await using client = await connect(server)

  expect(textsOf(await client.callTool('t'))).toEqual(['first'])
  expect((await client.readResource('x://1')).contents).toMatchObject([{ text: 'first' }])
})

requirement('mcpserver:duplicates:replaced', async ({ connect }) => {
  const { server } = createServer({ onDuplicate: 'replace' })
  const first = server.tool('t', {}, () => 'first')
  server.tool('u', {}, () => 'u')
  server.tool('t', {}, () => 'second')
  await using client = await connect(server)

  expect(await listNames(client)).toEqual(['t', 'u'])
  // The handle of what was replaced has no power over what came after it.
  first.remove()
  expect(() => first.update({})).toThrow(/removed/)
  expect(textsOf(await client.callTool('t'))).toEqual(['second'])
})
