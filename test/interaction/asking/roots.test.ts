// Roots: the folders that a client lets a server work in.
import { expect, vi } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Root } from '../../../src/types/features/roots.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { createAsker, ROOTS, text, textOf, toolServer } from '../kit/support-interaction.ts'

const HOME: Root = { uri: 'file:///home/ada', name: 'home' }

requirement('roots:list:answer', async ({ connect }) => {
  const { server, answers } = createAsker(ROOTS)
  await using client = await connect(server, { onListRoots: () => ({ roots: [HOME, { uri: 'file:///tmp' }] }) })

  await client.callTool('tool')

  expect(answers).toEqual([{ roots: [HOME, { uri: 'file:///tmp' }] }])
})

requirement('roots:list:sent-with-params', async ({ connect, wire, isModern }) => {
  const { server } = createAsker(ROOTS)
  const high = new MCPServer('high')
  high.tool('tool', {}, async (_args, ctx) => JSON.stringify((await ctx.listRoots()).roots))
  for (const asking of [server, high]) {
    await using client = await connect(asking, { onListRoots: () => ({ roots: [HOME] }) })
    await client.callTool('tool')
  }

  const received = wire.received as unknown as Asked[]
  const questions = isModern
    ? received.flatMap(({ result }) => Object.values(result?.inputRequests ?? {}))
    : received.filter(({ method }) => method === 'roots/list')
  expect(questions).toMatchObject([
    { method: 'roots/list', params: {} },
    { method: 'roots/list', params: {} },
  ])
})

interface Asked {
  method?: string
  result?: { inputRequests?: JSONObject }
}

requirement('roots:list:empty', async ({ connect }) => {
  const { server, answers } = createAsker(ROOTS)
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })

  await client.callTool('tool')

  expect(answers).toEqual([{ roots: [] }])
})

requirement('roots:list:has-params', async ({ connect, isModern, wire }) => {
  const server = new MCPServer('asker')
  server.tool('tool', {}, async (_args, ctx) => JSON.stringify(await ctx.listRoots()))
  await using client = await connect(server, { onListRoots: () => ({ roots: [HOME] }) })

  expect(JSON.parse(textOf(await client.callTool('tool')) ?? '')).toEqual({ roots: [HOME] })

  const received = wire.received as { method?: string; params?: unknown; result?: { inputRequests?: object } }[]
  const asked = received.flatMap(({ method, params, result }) =>
    isModern ? Object.values(result?.inputRequests ?? {}) : method === undefined ? [] : [{ method, params }],
  )
  expect(asked).toEqual([{ method: 'roots/list', params: isModern ? {} : { _meta: {} } }])
})

requirement('roots:list:verb', async ({ connect }) => {
  const server = toolServer(async ({ session }) => text(JSON.stringify(await session.listRoots())))
  await using client = await connect(server, { onListRoots: () => ({ roots: [HOME] }) })

  expect(JSON.parse(textOf(await client.callTool('tool')) ?? '')).toEqual({ roots: [HOME] })
})

requirement('roots:list:file-uris-only', async ({ connect }) => {
  for (const uri of ['https://example.com/', '/home', 'FILE', 7]) {
    const { server, answers } = createAsker(ROOTS)
    await using client = await connect(server, { onListRoots: () => ({ roots: [HOME, { uri } as Root] }) })
    await expect(client.callTool('tool'), String(uri)).rejects.toMatchObject({ code: -32603 })
    expect(answers).toEqual([])
  }
})

requirement('roots:list:not-declared-not-sent', async ({ connect }) => {
  const failures: unknown[] = []
  const server = toolServer(async ({ session }) => {
    await session.listRoots().catch((error: unknown) => failures.push(error))
    // Past the check of `listRoots`.
    await session.sendRequest('roots/list').catch((error: unknown) => failures.push(error))
    return text('')
  })
  await using client = await connect(server)

  await client.callTool('tool')

  expect(failures).toMatchObject([
    { code: -32021, local: true },
    { code: -32601, local: false },
  ])
})

requirement('roots:capability:declared-with-callback', async ({ connect, isModern }) => {
  const declared: unknown[] = []
  const server = toolServer(({ clientCapabilities }) => {
    declared.push(clientCapabilities.roots)
    return text('')
  })
  await using plain = await connect(server)
  await using able = await connect(server, { onListRoots: () => ({ roots: [] }) })

  await plain.callTool('tool')
  await able.callTool('tool')

  expect(declared).toEqual([undefined, isModern ? {} : { listChanged: true }])
})

requirement('roots:changed:server-asks-again', async ({ connect }) => {
  const known = createDeferred<unknown>()
  const server = toolServer(() => text(''), {
    notifications: {
      'notifications/roots/list_changed': async ({ session }) => known.resolve(await session.listRoots()),
    },
  })
  const roots = [HOME]
  await using client = await connect(server, { onListRoots: () => ({ roots }) })

  roots.push({ uri: 'file:///new' })
  await client.sendRootsListChanged()

  expect(await known.promise).toEqual({ roots: [HOME, { uri: 'file:///new' }] })
})

requirement('roots:changed:gone-in-the-modern-era', async ({ connect }) => {
  const heard = vi.fn()
  const server = toolServer(() => text(''), { notifications: { 'notifications/roots/list_changed': heard } })
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })

  await expect(client.sendRootsListChanged()).rejects.toMatchObject({ code: -32601, local: true })
  await client.callTool('tool')

  expect(heard).not.toHaveBeenCalled()
})
