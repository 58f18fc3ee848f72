// Prompts of an MCPServer, and the suggestions for arguments of prompts and templates.
import { expect } from 'vitest'
import { z } from 'zod'
import { completable } from '../../../src/mcpserver/prompts/completion.ts'
import { prompt } from '../../../src/mcpserver/prompts/prompt.ts'
import { image } from '../../../src/mcpserver/values/media.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, NAME_FORM, namesOf, refusalOf } from '../kit/support-mcpserver.ts'

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } })
const promptRef = (name: string) => ({ type: 'ref/prompt' as const, name })
const templateRef = (uri: string) => ({ type: 'ref/resource' as const, uri })

requirement('mcpserver:prompts:listed', async ({ connect }) => {
  const { server } = createServer()
  const code = z.string().describe('What to review').meta({ title: 'Code' })
  const input = z.object({ code, style: z.string().optional() })
  server.prompt('review', { title: 'Review', description: 'Reviews code', input }, () => '')
  server.prompt('plain', {}, () => '')
  await using client = await connect(server)

  const listed = [
    { name: 'code', title: 'Code', description: 'What to review', required: true },
    { name: 'style', required: false },
  ]
  expect((await client.listPrompts()).prompts).toEqual([
    { name: 'review', title: 'Review', description: 'Reviews code', arguments: listed },
    { name: 'plain' },
  ])
})

requirement('mcpserver:prompts:messages', async ({ connect }) => {
  const { server } = createServer()
  const picture = image(new Uint8Array([1]))
  server.prompt('string', { description: 'Says hello' }, () => 'Hello')
  server.prompt('block', {}, async () => picture)
  server.prompt('list', {}, () => ['Hi', { role: 'assistant', content: 'Yes?' }, { role: 'user', content: picture }])
  server.prompt('whole', {}, () => ({ description: 'own', messages: [user('x')] }))
  await using client = await connect(server)

  expect(await client.getPrompt('string')).toMatchObject({ description: 'Says hello', messages: [user('Hello')] })
  expect((await client.getPrompt('block')).messages).toEqual([{ role: 'user', content: picture }])
  expect((await client.getPrompt('list')).messages).toEqual([
    user('Hi'),
    { role: 'assistant', content: { type: 'text', text: 'Yes?' } },
    { role: 'user', content: picture },
  ])
  expect(await client.getPrompt('whole')).toMatchObject({ description: 'own', messages: [user('x')] })
})

requirement('prompts:get:arguments-required', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('plan', { input: z.object({ city: z.string(), style: z.string().optional() }) }, ({ city }) => city)
  await using client = await connect(server)

  expect((await client.getPrompt('plan', { city: 'Rome' })).messages).toEqual([user('Rome')])
  for (const args of [{}, { style: 'short' }]) {
    const refusal = await refusalOf(client.getPrompt('plan', args))
    expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining('city') })
  }
})

requirement('mcpserver:prompts:typed-arguments', async ({ connect }) => {
  const { server } = createServer()
  const input = z.object({ city: z.string(), days: z.number() })
  server.prompt('plan', { input }, ({ city, days }) => `${city}, ${days + 1}`)
  await using client = await connect(server)

  expect((await client.getPrompt('plan', { city: '7', days: '2' })).messages).toEqual([user('7, 3')])
  const refusal = await refusalOf(client.getPrompt('plan', { city: 'Rome', days: 'two' }))
  expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining('days') })
})

requirement('mcpserver:prompts:unknown', async ({ connect }) => {
  const { server } = createServer({ prompts: [prompt('hello', {}, () => 'Hello')] })
  await using client = await connect(server)

  expect(namesOf((await client.listPrompts()).prompts)).toEqual(['hello'])
  for (const name of ['nope', '__proto__', 'toString']) {
    expect(await refusalOf(client.getPrompt(name)), name).toMatchObject({ code: -32602 })
  }
})

requirement('mcpserver:prompts:no-messages', async ({ connect }) => {
  const { server, faults } = createServer()
  server.prompt('number', {}, () => 3)
  server.prompt('role', {}, () => ({ role: 'system', content: 'x' }))
  await using client = await connect(server)

  for (const name of ['number', 'role']) {
    expect(await refusalOf(client.getPrompt(name)), name).toMatchObject({ code: -32603 })
  }
  expect(faults).toHaveLength(2)
})

requirement('mcpserver:prompts:asks', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('ask', {}, async (_args, ctx) => (await ctx.elicit('Sure?', NAME_FORM)).action)
  await using client = await connect(server, { onElicitation: () => ({ action: 'cancel' }) })

  expect((await client.getPrompt('ask')).messages).toEqual([user('cancel')])
})

requirement('mcpserver:completion:declared', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.prompt('review', { input: z.object({ language: z.string() }) }, () => '')
  await using before = await connect(server)
  handle.update({ complete: { language: () => [] } })
  await using after = await connect(server)

  expect(before.serverCapabilities.completions).toBeUndefined()
  expect(after.serverCapabilities.completions).toEqual({})
})

requirement('mcpserver:completion:in-the-schema', async ({ connect }) => {
  const languages = ['python', 'pascal', 'perl']
  const startingWith = (value: string) => languages.filter((language) => language.startsWith(value))
  const { server } = createServer()
  const inputs: Record<string, object> = {
    zod: z.object({ language: completable(z.string(), startingWith) }),
    optional: z.object({ language: completable(z.string(), startingWith).optional() }),
    described: z.object({ language: completable(z.string(), startingWith).min(1).describe('Of the code') }),
    transformed: z.object({ language: completable(z.string(), startingWith).transform((text) => text.length) }),
    whole: z.object({ language: completable(z.string(), startingWith) }).transform((args) => args),
    json: { type: 'object', properties: { language: completable({ type: 'string' }, startingWith) } },
  }
  for (const [name, input] of Object.entries(inputs)) server.prompt(name, { input }, () => 'ok')
  await using client = await connect(server)

  for (const name of Object.keys(inputs)) {
    const { completion } = await client.complete(promptRef(name), { name: 'language', value: 'pa' })
    expect(completion.values, name).toEqual(['pascal'])
  }
})

requirement('mcpserver:completion:registration-refuses', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('review', { input: z.object({ code: z.string() }) }, () => '')
  server.prompt('plain', {}, () => '')
  server.resource('notes://{id}', () => '')
  const suggest = () => ['x']
  expect(() => server.completion(promptRef('review'), 'cod', suggest)).toThrow(
    'The prompt "review" has no argument "cod" to complete. It has "code".',
  )
  expect(() => server.completion(promptRef('plain'), 'a', suggest)).toThrow('It has none')
  expect(() => server.completion(templateRef('notes://{id}'), 'name', suggest)).toThrow(
    'The resource "notes://{id}" has no argument "name" to complete. It has "id".',
  )
  server.completion(promptRef('review'), 'code', suggest)
  server.completion(templateRef('notes://{id}'), 'id', suggest)
  const handle = server.completion(promptRef('later'), 'code', suggest)
  expect(() => handle.update({ complete: 5 as never })).toThrow(TypeError)
  server.prompt('later', { input: z.object({ code: z.string() }) }, () => '')
  await using client = await connect(server)

  const { completion } = await client.complete(promptRef('later'), { name: 'code', value: '' })
  expect(completion.values).toEqual(['x'])
})

requirement('mcpserver:completion:context', async ({ connect }) => {
  const { server } = createServer()
  const complete = {
    name: (value: string, { arguments: known }: { arguments: object }) => [value, JSON.stringify(known)],
  }
  server.resource('repo://{owner}/{name}', { complete }, () => '')
  await using client = await connect(server)

  const argument = { name: 'name', value: 'x' }
  const { completion } = await client.complete(templateRef('repo://{owner}/{name}'), argument, { owner: 'ada' })
  expect(completion.values).toEqual(['x', '{"owner":"ada"}'])
})

requirement('mcpserver:completion:hundred-values', async ({ connect }) => {
  const { server } = createServer()
  const many = Array.from({ length: 250 }, (_, n) => `v${n}`)
  server.prompt('p', { input: z.object({ a: z.string(), b: z.string(), c: z.string() }) }, () => '')
  server.completion(promptRef('p'), 'a', async () => many)
  server.completion(promptRef('p'), 'b', () => many.slice(0, 100))
  await using client = await connect(server)
  const complete = async (name: string) => (await client.complete(promptRef('p'), { name, value: '' })).completion

  expect(await complete('a')).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true })
  expect(await complete('b')).toEqual({ values: many.slice(0, 100) })
  expect(await complete('c')).toEqual({ values: [] })
})

requirement('mcpserver:completion:has-more', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('p', { input: z.object({ a: z.string() }) }, () => '')
  server.completion(promptRef('p'), 'a', () => ({ values: ['x'], total: 9, hasMore: true }))
  await using client = await connect(server)

  const { completion } = await client.complete(promptRef('p'), { name: 'a', value: '' })
  expect(completion).toEqual({ values: ['x'], total: 9, hasMore: true })
})

requirement('mcpserver:completion:by-reference', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('p', { input: z.object({ a: z.string() }), complete: { a: () => ['inline'] } }, () => '')
  const handle = server.completion(promptRef('p'), 'a', () => ['registered'])
  await using client = await connect(server)
  const complete = async () => (await client.complete(promptRef('p'), { name: 'a', value: '' })).completion.values

  expect(await complete()).toEqual(['registered'])
  handle.update({ complete: () => ['updated'] })
  expect(await complete()).toEqual(['updated'])
  handle.remove()
  expect(await complete()).toEqual(['inline'])
})

requirement('mcpserver:completion:unknown', async ({ connect }) => {
  const { server } = createServer()
  server.prompt('p', { input: z.object({ a: z.string() }), complete: { a: () => [] } }, () => '')
  server.prompt('hidden', { input: z.object({ a: z.string() }), visible: () => false }, () => '')
  server.completion(promptRef('hidden'), 'a', () => ['secret'])
  server.resource('x://fixed', () => '')
  await using client = await connect(server)

  for (const ref of [promptRef('q'), promptRef('hidden'), templateRef('x://{a}'), templateRef('x://fixed')]) {
    expect(await refusalOf(client.complete(ref, { name: 'a', value: '' }))).toMatchObject({ code: -32602 })
  }
  expect(await refusalOf(client.complete(promptRef('p'), { name: 'b', value: '' }))).toMatchObject({ code: -32602 })
})
