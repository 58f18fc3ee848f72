import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import * as zm from 'zod/mini'
import { completable } from '../../../../src/mcpserver/prompts/completion.ts'
import { prompt } from '../../../../src/mcpserver/prompts/prompt.ts'
import { createServer, inBothEras, refusalOf } from '../support.ts'

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } })

inBothEras('prompts', ({ connect }) => {
  it('lists the arguments of its schema', async () => {
    const { server } = createServer()
    const code = z.string().describe('What to review').meta({ title: 'Code' })
    server.prompt(
      'review',
      { title: 'Review', description: 'Reviews code', input: z.object({ code, style: z.string().optional() }) },
      () => '',
    )
    server.prompt('plain', {}, () => '')
    await using client = await connect(server)

    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: 'review',
        title: 'Review',
        description: 'Reviews code',
        arguments: [
          { name: 'code', title: 'Code', description: 'What to review', required: true },
          { name: 'style', required: false },
        ],
      },
      { name: 'plain' },
    ])
  })

  it('validates arguments, which are strings that may contain JSON', async () => {
    const { server } = createServer({ strict: true })
    server.prompt(
      'plan',
      { input: z.object({ city: z.string(), days: z.number() }) },
      ({ city, days }) => `${city}, ${days + 1}`,
    )
    await using client = await connect(server)

    expect((await client.getPrompt('plan', { city: '7', days: '2' })).messages).toEqual([user('7, 3')])
    expect(await refusalOf(client.getPrompt('plan', { city: 'Rome' }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('days'),
    })
    expect(await refusalOf(client.getPrompt('plan', { city: 'Rome', days: 'two' }))).toMatchObject({ code: -32602 })
    expect(await refusalOf(client.getPrompt('nope'))).toMatchObject({ code: -32602 })
  })

  it('reports values that are not messages to the author', async () => {
    const { server, faults } = createServer()
    server.prompt('number', {}, () => 3)
    server.prompt('role', {}, () => ({ role: 'system', content: 'x' }))
    await using client = await connect(server)

    for (const name of ['number', 'role']) {
      expect(await refusalOf(client.getPrompt(name))).toMatchObject({ code: -32603 })
    }
    expect(faults).toHaveLength(2)
  })
})

inBothEras('completion', ({ connect }) => {
  const languages = ['python', 'pascal', 'perl']
  const startingWith = (value: string) => languages.filter((language) => language.startsWith(value))
  const ref = (name: string) => ({ type: 'ref/prompt' as const, name })
  const template = (uri: string) => ({ type: 'ref/resource' as const, uri })

  it('calls completers of the schema', async () => {
    const { server } = createServer()
    const inputs = {
      zod: z.object({ language: completable(z.string(), startingWith) }),
      optional: z.object({ language: completable(z.string(), startingWith).optional().default('perl') }),
      described: z.object({ language: completable(z.string(), startingWith).describe('Which').meta({ title: 'L' }) }),
      narrowed: z.object({
        language: completable(z.string(), startingWith)
          .min(1)
          .max(9)
          .refine(() => true),
      }),
      transformed: z.object({ language: completable(z.string(), startingWith).transform((text) => text.length) }),
      piped: z.object({ language: completable(z.string(), startingWith).pipe(z.string().min(1)).optional() }),
      behind: z.object({ language: z.preprocess((value) => value, completable(z.string(), startingWith)) }),
      whole: z.strictObject({ language: completable(z.string(), startingWith) }).transform((args) => args),
      extended: z.object({ language: completable(z.string(), startingWith) }).extend({ b: z.string().optional() }),
      mini: zm.object({ language: zm.optional(completable(zm.string(), startingWith).check(zm.minLength(1))) }),
      json: { type: 'object', properties: { language: completable({ type: 'string' }, startingWith) } },
      typebox: Type.Object({ language: Type.Optional(completable(Type.String(), startingWith)) }),
    }
    for (const [name, input] of Object.entries(inputs)) {
      const beside = name === 'mini' && { inputJsonSchema: { type: 'object', properties: { language: {} } } }
      server.prompt(name, { input: input as object, ...beside }, () => 'ok')
    }
    await using client = await connect(server)

    for (const name of Object.keys(inputs)) {
      const { completion } = await client.complete(ref(name), { name: 'language', value: 'p' })
      expect(completion.values, name).toEqual(languages)
      expect((await client.getPrompt(name, { language: 'perl' })).messages).toEqual([user('ok')])
    }
  })

  it('passes the arguments that are already filled in to completers', async () => {
    const { server } = createServer()
    server.resource(
      'repo://{owner}/{name}',
      { complete: { name: (value, { arguments: { owner } }) => [`${owner}/${value}1`] } },
      () => '',
    )
    await using client = await connect(server)

    const { completion } = await client.complete(
      template('repo://{owner}/{name}'),
      { name: 'name', value: 'x' },
      { owner: 'ada' },
    )
    expect(completion).toEqual({ values: ['ada/x1'] })
  })

  it('sends at most 100 values, with hasMore', async () => {
    const { server } = createServer()
    const many = Array.from({ length: 250 }, (_, n) => `v${n}`)
    server.prompt('p', { input: z.object({ a: z.string(), b: z.string(), c: z.string() }) }, () => '')
    server.completion(ref('p'), 'a', async () => many)
    server.completion(ref('p'), 'b', () => ({ values: many.slice(0, 3), total: 9, hasMore: true }))
    await using client = await connect(server)
    const complete = async (name: string) => (await client.complete(ref('p'), { name, value: '' })).completion

    expect(await complete('a')).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true })
    expect(await complete('b')).toEqual({ values: ['v0', 'v1', 'v2'], total: 9, hasMore: true })
    expect(await complete('c')).toEqual({ values: [] })
  })
})

it('accepts prompts as values', async () => {
  const hello = prompt('hello', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}`)
  const { server } = createServer({ prompts: [hello] })
  expect((await server.getPrompt('hello', { name: 'Ada' })).messages).toEqual([user('Hello, Ada')])
})

it('rejects completable schemas of libraries that do not expose their fields', () => {
  for (const schema of [v.string(), type('string')]) {
    expect(() => completable(schema, () => [])).toThrow(
      /can't be made completable. Set the option complete of the prompt/,
    )
  }
  expect(() => completable(z.string(), undefined as never)).toThrow(TypeError)
})

it('marks a schema once', () => {
  const schema = completable(z.string(), () => [])
  expect(() => completable(schema, () => [])).toThrow(TypeError)
  const { server } = createServer()
  expect(() => server.prompt('p', { complete: { a: () => [] } }, () => '')).toThrow(/no argument "a"/)
})
