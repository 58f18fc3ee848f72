import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { tool } from '../../../src/mcpserver/tool.ts'
import { createServer, refusalOf } from './support.ts'

const add = tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)

it('calls handlers without a client, a wire or stamps', async () => {
  const server = new MCPServer('direct', { tools: [add] })
  server.resource('greeting://{name}', ({ name }) => `Hello, ${name}!`)
  server.prompt('ask', { input: z.object({ q: z.string() }), complete: { q: () => ['why'] } }, ({ q }) => q)

  expect(await server.callTool('add', { a: 1, b: 2 })).toEqual({
    content: [{ type: 'text', text: '3' }],
    structuredContent: { result: 3 },
  })
  expect((await server.listTools()).tools).toHaveLength(1)
  expect((await server.readResource('greeting://Ada')).contents[0]).toMatchObject({ text: 'Hello, Ada!' })
  expect(await server.listResources()).toEqual({ resources: [] })
  expect((await server.listResourceTemplates()).resourceTemplates).toHaveLength(1)
  expect((await server.listPrompts()).prompts).toHaveLength(1)
  expect((await server.getPrompt('ask', { q: 'who' })).messages).toHaveLength(1)
  const ref = { type: 'ref/prompt' as const, name: 'ask' }
  expect(await server.complete(ref, { name: 'q', value: '' })).toEqual({ completion: { values: ['why'] } })
})

it('says what is not there', async () => {
  const { server } = createServer()
  await expect(server.callTool('add')).rejects.toThrow(/Nothing is registered/)
  server.tool('other', {}, () => 1)
  expect(await refusalOf(server.callTool('add'))).toMatchObject({ code: -32602 })
  await expect(server.run({ transport: 'pigeon' as never })).rejects.toThrow(RangeError)
})

it('opens and closes the lifespan around a call, and passes on who calls', async () => {
  const close = vi.fn()
  const { server } = createServer({ lifespan: () => ({ db: 'open', close }) })
  const auth = { clientId: 'c', scopes: ['x'] }
  server.tool('look', { scopes: ['x'] }, (_args, ctx) => [
    ctx.auth?.clientId,
    ctx.meta['a.com/b'],
    ctx.lifespan !== undefined,
  ])

  expect((await server.callTool('look', {}, { auth, meta: { 'a.com/b': 1 } })).content).toMatchObject([
    { text: 'c' },
    { text: '1' },
    { text: 'true' },
  ])
  expect(close).toHaveBeenCalledOnce()
})

it('aborts with the signal it was given, before or while the handler runs', async () => {
  const { server } = createServer()
  const controller = new AbortController()
  server.tool('cancel', {}, (_args, ctx) => {
    const before = ctx.signal.aborted
    controller.abort('enough')
    return [before, ctx.signal.aborted, ctx.signal.reason]
  })
  const call = async () => (await server.callTool('cancel', {}, { signal: controller.signal })).content

  expect(await call()).toMatchObject([{ text: 'false' }, { text: 'true' }, { text: 'enough' }])
  expect(await call()).toMatchObject([{ text: 'true' }, { text: 'true' }, { text: 'enough' }])
})

it('has nobody to ask', async () => {
  const { server } = createServer()
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Sure?', z.object({})))
  expect(await refusalOf(server.callTool('ask'))).toMatchObject({ code: -32021 })
})
