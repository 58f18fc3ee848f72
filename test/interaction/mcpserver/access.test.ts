// Who may see and use what of an MCPServer, what a handler knows of its call, and calls without a client.
import { expect, vi } from 'vitest'
import { z } from 'zod'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { MCPError } from '../../../src/types/errors/errors.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, NAME_FORM, namesOf, refusalOf, servedTo, textsOf } from '../kit/support-mcpserver.ts'

const ADMIN: AuthInfo = { clientId: 'console', subject: 'ada', scopes: ['notes:write', 'notes:read'] }
const READER: AuthInfo = { clientId: 'console', subject: 'bob', scopes: ['notes:read'] }
const ONLY_ADMIN = { visible: (ctx: { auth: AuthInfo | undefined }) => ctx.auth?.subject === 'ada' }

/** An error in which the name asked for is told apart from nothing else. */
const withoutName = (error: MCPError, name: string) => JSON.stringify(error.toErrorData()).replaceAll(name, '…')

requirement('mcpserver:visible:hides-in-lists', async ({ connect }) => {
  const { server } = createServer()
  server.tool('open', {}, () => 1)
  server.tool('secret', ONLY_ADMIN, () => 1)
  server.prompt('secret', ONLY_ADMIN, () => '')
  server.resource('notes://secret', ONLY_ADMIN, () => '')
  server.resource('notes://secret/{x}', { ...ONLY_ADMIN, list: () => [{ uri: 'notes://secret/1' }] }, () => '')
  await using ada = await connect(servedTo(ADMIN, server))
  expect(namesOf((await ada.listTools()).tools)).toEqual(['open', 'secret'])
  expect((await ada.listResources()).resources).toHaveLength(2)

  for (const auth of [READER, undefined]) {
    await using client = await connect(servedTo(auth, server))
    expect(namesOf((await client.listTools()).tools)).toEqual(['open'])
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
  }
})

requirement('regression:R31:hidden-is-refused-as-unknown', async ({ connect }) => {
  const { server } = createServer()
  const run = vi.fn(() => 'done')
  server.tool('secret', ONLY_ADMIN, run)
  server.prompt('secret', ONLY_ADMIN, run)
  server.resource('notes://secret', ONLY_ADMIN, run)
  await using bob = await connect(servedTo(READER, server))
  const uses = [
    (name: string) => bob.callTool(name),
    (name: string) => bob.getPrompt(name),
    (name: string) => bob.readResource(`notes://${name}`),
  ]

  for (const use of uses) {
    const hidden = await refusalOf(use('secret'))
    const unknown = await refusalOf(use('absent'))
    expect(withoutName(hidden, 'secret')).toBe(withoutName(unknown, 'absent'))
  }
  expect(run).not.toHaveBeenCalled()
  await using ada = await connect(servedTo(ADMIN, server))
  expect(textsOf(await ada.callTool('secret'))).toEqual(['done'])
})

requirement('mcpserver:visible:undecided-hides', async ({ connect }) => {
  const { server, faults } = createServer()
  const visible = () => {
    throw new Error('no database')
  }
  server.tool('guarded', { visible }, () => 'done')
  server.tool('truthy', { visible: () => 'yes' as unknown as boolean }, () => 'done')
  await using client = await connect(server)

  expect((await client.listTools()).tools).toEqual([])
  for (const name of ['guarded', 'truthy']) {
    expect(await refusalOf(client.callTool(name)), name).toMatchObject({ code: -32602 })
  }
  expect(faults[0]).toMatchObject({ kind: 'handler-failed' })
})

requirement('mcpserver:visible:no-boolean-is-reported', async ({ connect }) => {
  const { server, faults } = createServer()
  const doubtful = { promise: async () => true, truthy: () => 1 } as unknown as Record<string, () => boolean>
  for (const [name, visible] of Object.entries(doubtful)) server.tool(name, { visible }, () => 'done')
  await using client = await connect(server)

  for (let round = 0; round < 2; round++) {
    expect((await client.listTools()).tools).toEqual([])
    for (const name of ['promise', 'truthy']) await refusalOf(client.callTool(name))
  }
  expect(faults).toMatchObject([
    { kind: 'configuration-warning', message: expect.stringMatching(/tool "promise" returns a promise/) },
    {
      kind: 'configuration-warning',
      message: expect.stringMatching(/tool "truthy" returns a number instead of a boolean/),
    },
  ])
})

requirement('mcpserver:scopes:hidden-and-refused-with-what-is-needed', async ({ connect }) => {
  const { server } = createServer()
  const run = vi.fn(() => 'written')
  server.tool('write', { scopes: ['notes:write'] }, run)

  for (const auth of [READER, undefined]) {
    await using client = await connect(servedTo(auth, server))
    expect((await client.listTools()).tools).toEqual([])
    expect(await refusalOf(client.callTool('write'))).toMatchObject({
      code: -32600,
      data: { reason: 'insufficient_scope', requiredScopes: ['notes:write'] },
    })
  }
  expect(run).not.toHaveBeenCalled()
  await using ada = await connect(servedTo(ADMIN, server))
  expect((await ada.listTools()).tools.map(({ name }) => name)).toEqual(['write'])
  expect(textsOf(await ada.callTool('write'))).toEqual(['written'])
})

requirement('mcpserver:requires:checked-before-the-handler', async ({ connect }) => {
  const { server } = createServer()
  const run = vi.fn(() => 'asked')
  server.tool('ask', { requires: { roots: {} } }, run)
  await using without = await connect(server)
  await using able = await connect(server, { onListRoots: () => ({ roots: [] }) })

  expect(await refusalOf(without.callTool('ask'))).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { roots: {} } },
  })
  expect(run).not.toHaveBeenCalled()
  expect(textsOf(await able.callTool('ask'))).toEqual(['asked'])
})

requirement('mcpserver:context:members', async ({ connect, isModern, version, transport }) => {
  const { server } = createServer({ lifespan: () => ({ db: 'open' }) })
  const look = (ctx: Context) => ({
    version: ctx.protocolVersion,
    client: ctx.clientInfo?.name,
    capabilities: Object.keys(ctx.clientCapabilities),
    meta: ctx.meta['example.com/trace'],
    lifespan: ctx.lifespan,
    hasId: ctx.requestId !== undefined,
    auth: ctx.auth ?? null,
    isHttp: ctx.http !== undefined,
    canSend: ctx.session.canSendRequest,
    isAborted: ctx.signal.aborted,
  })
  server.tool('look', {}, (_args, ctx) => JSON.stringify(look(ctx)))
  const clientInfo = { name: 'looker', version: '1' }
  await using client = await connect(server, { clientInfo, onListRoots: () => ({ roots: [] }) })

  const [seen] = textsOf(await client.callTool('look', {}, { meta: { 'example.com/trace': 'abc' } }))
  expect(JSON.parse(seen ?? '')).toEqual({
    version,
    client: 'looker',
    capabilities: ['roots'],
    meta: 'abc',
    lifespan: { db: 'open' },
    hasId: true,
    auth: null,
    isHttp: ['http', 'fetch', 'sse'].includes(transport),
    canSend: !isModern,
    isAborted: false,
  })
})

requirement('mcpserver:context:auth', async ({ connect }) => {
  const { server } = createServer()
  server.tool('who', {}, (_args, ctx) => `${ctx.auth?.subject} of ${ctx.auth?.clientId}`)
  await using client = await connect(servedTo(ADMIN, server))

  expect(textsOf(await client.callTool('who'))).toEqual(['ada of console'])
})

requirement('mcpserver:context:progress', async ({ connect }) => {
  const { server } = createServer()
  server.tool('work', {}, async (_args, ctx) => {
    await ctx.reportProgress(1, 2)
    await ctx.reportProgress(2, 2)
    return 'done'
  })
  await using client = await connect(server)
  const heard: unknown[] = []

  await client.callTool('work', {}, { onProgress: (progress) => heard.push(progress) })
  expect(heard).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ])
  expect(textsOf(await client.callTool('work'))).toEqual(['done'])
})

requirement('mcpserver:context:log', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.tool('work', {}, async (_args, ctx) => {
    await ctx.log.info('not wanted')
    await ctx.log.error({ what: 'wanted' })
    await ctx.log('critical', 'chosen', 'worker')
  })
  const heard: unknown[] = []
  await using client = await connect(server, {
    logLevel: 'error',
    onLog: ({ level, data, logger }) => {
      heard.push([level, data, logger])
    },
  })
  if (!isModern) await client.setLoggingLevel('error')

  expect(client.serverCapabilities.logging).toEqual({})
  await client.callTool('work')
  expect(heard).toEqual([
    ['error', { what: 'wanted' }, undefined],
    ['critical', 'chosen', 'worker'],
  ])
})

requirement('mcpserver:context:signal', async ({ connect }) => {
  const { server } = createServer()
  const { promise: started, resolve: start } = createDeferred<void>()
  const { promise: aborted, resolve: abort } = createDeferred<void>()
  server.tool('wait', {}, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => abort())
    start()
    await aborted
  })
  await using client = await connect(server)
  const controller = new AbortController()
  const call = client.callTool('wait', {}, { signal: controller.signal })
  await started
  controller.abort(new Error('enough'))

  await expect(call).rejects.toThrow('enough')
  await aborted
})

requirement('mcpserver:context:read-resource', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.resource('notes://{id}', ({ id }) => `note ${id}`)
  server.resource('vault://secret', { visible: () => false }, () => 'secret')
  server.tool('read', { input: z.object({ uri: z.string() }) }, async ({ uri }, ctx) => {
    return (await ctx.readResource(uri)).contents.map((contents) => ('text' in contents ? contents.text : ''))
  })
  await using client = await connect(server)

  expect(textsOf(await client.callTool('read', { uri: 'notes://1' }))).toEqual(['note 1'])
  expect(await refusalOf(client.callTool('read', { uri: 'vault://secret' }))).toMatchObject({
    code: isModern ? -32602 : -32002,
    data: { uri: 'vault://secret' },
  })
})

requirement('mcpserver:context:ambient', async ({ connect }) => {
  const { server } = createServer({ ambientContext: true })
  const helper = async () => {
    await Promise.resolve()
    return server.currentContext?.request.method
  }
  server.tool('t', {}, helper)
  server.prompt('p', {}, helper)
  await using client = await connect(server)

  expect(textsOf(await client.callTool('t'))).toEqual(['tools/call'])
  expect((await client.getPrompt('p')).messages).toMatchObject([{ content: { text: 'prompts/get' } }])
  expect(server.currentContext).toBeUndefined()
  expect(() => createServer().server.currentContext).toThrow(/ambientContext/)
})

requirement('mcpserver:middleware:around-calls', async ({ connect }) => {
  const { server } = createServer()
  const run = vi.fn(() => 'served')
  server.tool('t', {}, run)
  server.use((ctx, next) => (ctx.method === 'tools/call' ? { content: [{ type: 'text', text: 'rewritten' }] } : next()))
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['t'])
  expect(textsOf(await client.callTool('t'))).toEqual(['rewritten'])
  expect(run).not.toHaveBeenCalled()
})

requirement('mcpserver:direct:calls-without-a-client', async () => {
  const { server } = createServer()
  server.tool('add', { input: z.object({ a: z.number() }) }, ({ a }) => a + 1)
  server.resource('greeting://{name}', ({ name }) => `Hello, ${name}!`)
  server.prompt('ask', { input: z.object({ q: z.string() }), complete: { q: () => ['why'] } }, ({ q }) => q)

  const { structuredContent } = await server.callTool('add', { a: 1 })
  expect(structuredContent).toEqual({ result: 2 })
  expect(namesOf((await server.listTools()).tools)).toEqual(['add'])
  expect((await server.readResource('greeting://Ada')).contents).toMatchObject([{ text: 'Hello, Ada!' }])
  expect((await server.listResourceTemplates()).resourceTemplates).toHaveLength(1)
  expect((await server.getPrompt('ask', { q: 'who' })).messages).toMatchObject([{ content: { text: 'who' } }])
  const ref = { type: 'ref/prompt' as const, name: 'ask' }
  expect(await server.complete(ref, { name: 'q', value: '' })).toEqual({ completion: { values: ['why'] } })
  expect(await refusalOf(server.callTool('absent'))).toMatchObject({ code: -32602 })
})

requirement('mcpserver:direct:caller-and-lifespan', async () => {
  const close = vi.fn()
  const { server } = createServer({ lifespan: () => ({ db: 'open', close }) })
  server.tool('look', { scopes: ['x'] }, (_args, ctx) => [
    ctx.auth?.clientId,
    ctx.meta['a.com/b'],
    ctx.lifespan !== undefined,
  ])

  const auth = { clientId: 'c', scopes: ['x'] }
  expect(textsOf(await server.callTool('look', {}, { auth, meta: { 'a.com/b': 1 } }))).toEqual(['c', '1', 'true'])
  expect(close).toHaveBeenCalledOnce()
  expect(await refusalOf(server.callTool('look'))).toMatchObject({ code: -32600 })
})

requirement('mcpserver:direct:nobody-to-ask', async () => {
  const { server } = createServer()
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Sure?', NAME_FORM))

  expect(await refusalOf(server.callTool('ask'))).toMatchObject({ code: -32021 })
})
