import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { DirectListOptions } from '../../../src/mcpserver/direct-calls.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { tool } from '../../../src/mcpserver/tools/tool.ts'
import { InputRequiredRoundsExceededError } from '../../../src/types/errors/failures.ts'
import type { PaginatedResult } from '../../../src/types/protocol/base.ts'
import { createServer, refusalOf } from './support.ts'

const add = tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)

it('calls handlers without a client, a transport or added members', async () => {
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

it('fails for a feature without registrations, and for an unknown tool or transport', async () => {
  const { server } = createServer()
  await expect(server.callTool('add')).rejects.toThrow(/has no handler for 'tools\/call'/)
  server.tool('other', {}, () => 1)
  expect(await refusalOf(server.callTool('add'))).toMatchObject({ code: -32602 })
  await expect(server.run({ transport: 'pigeon' as 'http' })).rejects.toThrow(RangeError)
})

it('aborts with the given signal, before or while the handler runs', async () => {
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

it('fails when a handler asks and there is no callback', async () => {
  const { server } = createServer()
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Sure?', z.object({})))
  expect(await refusalOf(server.callTool('ask'))).toMatchObject({ code: -32021 })
})

it('lists page by page with the cursor of the page before', async () => {
  const { server } = createServer({ pageSize: 2 })
  for (const name of ['a', 'b', 'c']) {
    server.tool(name, {}, () => name)
    server.prompt(name, {}, () => name)
    server.resource(`x://${name}`, { name }, () => name)
    server.resource(`x://${name}/{y}`, { name }, () => name)
  }
  const { nextCursor = '' } = await server.listTools()
  const { tools } = await server.listTools({ cursor: nextCursor })
  expect(tools.map(({ name }) => name)).toEqual(['c'])
  expect(await refusalOf(server.listPrompts({ cursor: nextCursor }))).toMatchObject({ code: -32602 })
  const rest = async (list: (options: DirectListOptions) => Promise<PaginatedResult>) => {
    const first = await list({})
    return list({ cursor: first.nextCursor as string })
  }
  expect(await rest((options) => server.listPrompts(options))).toMatchObject({ prompts: [{ name: 'c' }] })
  expect(await rest((options) => server.listResources(options))).toMatchObject({ resources: [{ name: 'c' }] })
  const templates = await rest((options) => server.listResourceTemplates(options))
  expect(templates).toMatchObject({ resourceTemplates: [{ name: 'c' }] })
})

it.each(['2025-11-25', '2026-07-28'] as const)('answers questions with callbacks at %s', async (protocolVersion) => {
  const { server } = createServer()
  const step = vi.fn(() => 7)
  server.tool('ask', {}, async (_args, ctx) => {
    const sure = await ctx.elicit('Sure?', z.object({ ok: z.boolean() }))
    const seven = await ctx.step('once', step)
    const { content } = await ctx.sample({ messages: [], maxTokens: 1 })
    const { roots } = await ctx.listRoots()
    return [sure, seven, content, roots]
  })
  server.prompt('ask', {}, async (_args, ctx) => (await ctx.elicit('Why?', z.object({ a: z.string() }))).action)
  const asked: unknown[] = []
  const result = await server.callTool(
    'ask',
    {},
    {
      protocolVersion,
      onElicitation: (params) => {
        asked.push(params.message)
        return { action: 'accept', content: { ok: true } }
      },
      onSampling: async () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
      onListRoots: () => ({ roots: [{ uri: 'file:///a' }] }),
    },
  )

  expect(result.content).toEqual([
    { type: 'text', text: '{"action":"accept","content":{"ok":true}}' },
    { type: 'text', text: '7' },
    { type: 'text', text: 'hi' },
    { type: 'text', text: '[{"uri":"file:///a"}]' },
  ])
  expect(asked).toEqual(['Sure?'])
  expect(step).toHaveBeenCalledOnce()
  const prompt = server.getPrompt('ask', {}, { protocolVersion, onElicitation: () => ({ action: 'decline' }) })
  expect((await prompt).messages).toMatchObject([{ content: { text: 'decline' } }])
})

it('names what is wrong with an answer, and the callback that is missing', async () => {
  const { server } = createServer({ exposeErrors: true })
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Sure?', z.object({ ok: z.boolean() })))
  server.tool('endless', {}, async (_args, ctx) => {
    for (let n = 0; ; n += 1) await ctx.elicit(`${n}?`, z.object({}))
  })
  const onElicitation = () => ({ action: 'perhaps' }) as never
  const declared = { clientCapabilities: { elicitation: { form: {} } } }
  const legacy = { protocolVersion: '2025-11-25' as const }
  const say = (text: string) =>
    expect.objectContaining({ content: [{ type: 'text', text: expect.stringContaining(text) }] })

  await expect(server.callTool('ask', {}, { onElicitation })).rejects.toThrow(/onElicitation returned .*: action: /)
  expect(await server.callTool('ask', {}, { onElicitation, ...legacy })).toEqual(say('onElicitation returned'))
  expect(await server.callTool('ask', {}, { ...declared, ...legacy })).toEqual(
    say("A handler sent 'elicitation/create', but the call has no callback"),
  )
  const asking = await server.callTool('ask', {}, declared)
  expect(asking).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  const always = { onElicitation: () => ({ action: 'accept' as const, content: {} }) }
  await expect(server.callTool('endless', {}, always)).rejects.toThrow(InputRequiredRoundsExceededError)
})

it('calls by default in the newest revision that the server supports, in whatever order these are given', async () => {
  const { server } = createServer({ supportedVersions: ['2025-11-25', '2025-03-26', '2025-06-18'] })
  server.tool('look', {}, (_args, ctx) => ctx.protocolVersion)

  expect((await server.callTool('look')).content).toMatchObject([{ text: '2025-11-25' }])
})

it('acts as a client of any revision, with the given capabilities', async () => {
  const { server } = createServer({ supportedVersions: ['2024-11-05', '2025-11-25', '2026-07-28'] })
  server.tool('look', { requires: { sampling: {} }, output: z.array(z.string()) }, (_args, ctx) => [
    ctx.protocolVersion,
  ])
  server.resource('x://{id}', () => undefined)
  const clientCapabilities = { sampling: {} }

  expect(await refusalOf(server.callTool('look'))).toMatchObject({ code: -32021 })
  expect((await server.callTool('look', {}, { clientCapabilities })).structuredContent).toEqual(['2026-07-28'])
  const legacy = { clientCapabilities, protocolVersion: '2025-11-25' as const }
  expect((await server.callTool('look', {}, legacy)).structuredContent).toEqual({ result: ['2025-11-25'] })
  const oldest = { clientCapabilities, protocolVersion: '2024-11-05' as const }
  expect(await server.callTool('look', {}, oldest)).not.toHaveProperty('structuredContent')
  expect((await server.listTools(oldest)).tools[0]).not.toHaveProperty('outputSchema')
  expect(await refusalOf(server.readResource('x://1', legacy))).toMatchObject({ code: -32002 })
  expect(await refusalOf(server.readResource('x://1'))).toMatchObject({ code: -32602 })
  await expect(server.listTools({ protocolVersion: '2025-06-18' })).rejects.toThrow(RangeError)
})

it('rejects a result that no client would get, and keeps members that the handler has set', async () => {
  const { server, faults } = createServer()
  server.tool('bad', {}, () => ({ content: [{ type: 'text', text: 'x', annotations: 7 }] }))
  server.tool('meta', {}, () => ({ content: [], _meta: { 'x.com/y': 1 } }))
  expect(await refusalOf(server.callTool('bad'))).toMatchObject({ code: -32603 })
  expect(faults[0]?.message).toMatch(/annotations/)
  expect(await server.callTool('meta')).toEqual({ content: [], _meta: { 'x.com/y': 1 } })
})

it('shares no objects between the caller and the handlers', async () => {
  const { server } = createServer()
  const config = { a: 1, deep: { b: 2 } }
  const input = { type: 'object', properties: { list: { type: 'array' } } } as const
  server.tool('config', {}, () => config)
  server.tool('whole', {}, () => ({ content: [], structuredContent: config }))
  server.tool('push', { input }, ({ list = [] }) => list.push('server'))
  for (const name of ['config', 'whole']) {
    const { structuredContent } = await server.callTool(name)
    Object.assign(structuredContent as typeof config, { a: 9 }).deep.b = 9
    expect(config).toEqual({ a: 1, deep: { b: 2 } })
  }
  const args = { list: ['client'] }
  await server.callTool('push', args)
  expect(args).toEqual({ list: ['client'] })
})
