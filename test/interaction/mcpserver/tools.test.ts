// Tools of an MCPServer: how they are defined and listed, what reaches their handlers, and how they fail.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { afterEach, expect, vi } from 'vitest'
import { z } from 'zod'
import { tool } from '../../../src/mcpserver/tools/tool.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError, UrlElicitationRequiredError } from '../../../src/types/errors/errors.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, NAME_FORM, namesOf, passTime, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

afterEach(() => {
  vi.useRealTimers()
})

requirement('mcpserver:tools:definition', async ({ connect }) => {
  const { server } = createServer()
  const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
  const annotations = { readOnlyHint: true }
  const icons = [{ src: 'https://example.com/sun.png', mimeType: 'image/png' }]
  const meta = { 'example.com/group': 'nature' }
  server.tool('weather', { title: 'Weather', description: 'Of today.', input, annotations, icons, meta }, () => 'sun')
  await using client = await connect(server)

  expect((await client.listTools()).tools).toEqual([
    {
      name: 'weather',
      title: 'Weather',
      description: 'Of today.',
      inputSchema: input,
      annotations,
      icons,
      _meta: meta,
    },
  ])
})

requirement('mcpserver:tools:schema-libraries', async ({ connect }) => {
  const inputs: Record<string, object> = {
    zod: z.object({ city: z.string(), days: z.number() }),
    valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.number() })),
    arktype: type({ city: 'string', days: 'number' }),
    typebox: Type.Object({ city: Type.String(), days: Type.Number() }),
    plain: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' } },
      required: ['city', 'days'],
    },
  }
  const { server } = createServer()
  for (const [name, input] of Object.entries(inputs)) server.tool(name, { input }, (args) => JSON.stringify(args))
  await using client = await connect(server)

  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const properties = { city: { type: 'string' }, days: { type: 'number' } }
    expect(inputSchema, name).toMatchObject({ type: 'object', properties })
    expect([...(inputSchema.required ?? [])].sort(), name).toEqual(['city', 'days'])
    expect(textsOf(await client.callTool(name, { city: 'Rome', days: 2 }))).toEqual(['{"city":"Rome","days":2}'])
  }
})

requirement('mcpserver:tools:as-values', async ({ connect }) => {
  const add = tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)
  const { server } = createServer({ tools: [add] })
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['add'])
  expect(textsOf(await client.callTool('add', { a: 1, b: 2 }))).toEqual(['3'])
})

requirement('mcpserver:tools:declared-once-registered', async ({ connect }) => {
  const { server } = createServer({ capabilities: { prompts: {} } })
  await using before = await connect(server)
  server.tool('late', {}, () => 'late')
  await using after = await connect(server)

  expect(before.serverCapabilities).toHaveProperty('prompts')
  expect(before.serverCapabilities).not.toHaveProperty('tools')
  expect(after.serverCapabilities).toHaveProperty('tools')
  expect(after.serverCapabilities).not.toHaveProperty('resources')
})

requirement('mcpserver:tools:no-input', async ({ connect }) => {
  const { server } = createServer({})
  const run = vi.fn(() => 'now')
  server.tool('now', {}, run)
  await using client = await connect(server)

  expect((await client.listTools()).tools[0]?.inputSchema).toEqual({ type: 'object', additionalProperties: false })
  expect(textsOf(await client.callTool('now'))).toEqual(['now'])
  await client.callTool('now', { please: true }).catch(() => {})
  expect(run).toHaveBeenCalledOnce()
})

requirement('mcpserver:tools:parsed-arguments', async ({ connect }) => {
  const { server } = createServer()
  const input = z.object({ a: z.string().transform((text) => text.length), b: z.number().default(1) })
  server.tool('add', { input }, ({ a, b }) => `${a + b}`)
  await using client = await connect(server)

  expect(textsOf(await client.callTool('add', { a: 'four' }))).toEqual(['5'])
})

requirement('tools:call:arguments-validated', async ({ connect, version }) => {
  const { server } = createServer()
  const run = vi.fn()
  server.tool('add', { input: z.object({ a: z.number() }) }, run)
  await using client = await connect(server)

  const call = client.callTool('add', { a: 'one' })
  if (isVersionAtLeast(version, '2025-11-25')) expect(await call).toMatchObject({ isError: true })
  else expect(await refusalOf(call)).toMatchObject({ code: -32602 })
  expect(run).not.toHaveBeenCalled()
})

requirement('mcpserver:tools:arguments-explained', async ({ connect, version }) => {
  const { server } = createServer()
  const properties = { a: { type: 'number' }, of: { type: 'array', items: { type: 'string' } } }
  server.tool('add', { input: { type: 'object', properties, required: ['a'] } }, () => 1)
  await using client = await connect(server)
  const explain = async (args: JSONObject) => {
    const call = client.callTool('add', args)
    return isVersionAtLeast(version, '2025-11-25') ? textsOf(await call).join() : (await refusalOf(call)).message
  }

  expect(await explain({ a: 'one' })).toBe('Invalid arguments for tool "add":\n- a: expected number, got string')
  expect(await explain({ a: 1, of: ['x', 2] })).toContain('of[1]: expected string')
  expect(await explain({})).toContain('"a"')
})

requirement('mcpserver:tools:costly-arguments', async ({ connect }) => {
  const { server } = createServer()
  const tags = { allOf: Array.from({ length: 200 }, () => ({ uniqueItems: true })) }
  server.tool('sort', { input: { type: 'object', properties: { tags } } }, () => 'sorted')
  await using client = await connect(server)

  const many = Array.from({ length: 400 }, (_, index) => ({ text: 'x'.repeat(2_000) + index }))
  const error = await refusalOf(client.callTool('sort', { tags: many }))

  expect(error).toMatchObject({ code: -32602, data: { limit: 'schema validation steps', max: 10_000_000 } })
  expect(error.message).toMatch(/^Invalid arguments for tool "sort": there is too much to check/)
  expect(textsOf(await client.callTool('sort', { tags: ['a', 'b'] }))).toEqual(['sorted'])
})

requirement('mcpserver:tools:alternatives-explained', async ({ connect, version }) => {
  const { server } = createServer()
  const circle = z.object({ kind: z.literal('circle'), radius: z.number() })
  const square = z.object({ kind: z.literal('square'), side: z.number() })
  const shape = z.union([circle, square])
  server.tool('zod', { input: z.object({ shape, size: z.enum(['S', 'M']).optional() }) }, () => 1)
  const properties = { shape: z.toJSONSchema(shape) as JSONObject, size: { enum: ['S', 'M'] } }
  server.tool('json', { input: { type: 'object', properties } as JSONObject }, () => 1)
  await using client = await connect(server)
  const explain = async (name: string, args: JSONObject) => {
    const call = client.callTool(name, args)
    return isVersionAtLeast(version, '2025-11-25') ? textsOf(await call).join() : (await refusalOf(call)).message
  }

  for (const name of ['zod', 'json']) {
    expect(await explain(name, { shape: { kind: 'square', side: 'x' } })).toMatch(/- shape\.side: .*number.*string/)
    expect(await explain(name, { shape: { kind: 'star' } })).toMatch(/- shape\.kind: .*"circle".*"square".*"star"/)
    expect(await explain(name, { shape: { kind: 'circle', radius: 1 }, size: 'XXL' })).toMatch(
      /- size: .*"S".*got "XXL"/,
    )
  }
})

requirement('mcpserver:tools:repair-before-explaining', async ({ connect, version }) => {
  const { server, faults } = createServer()
  const input = z.object({ of: z.array(z.object({ n: z.number() })), by: z.object({ at: z.array(z.number()) }) })
  server.tool('sum', { input }, (args) => JSON.stringify(args))
  await using client = await connect(server)

  const call = client.callTool('sum', { of: ['{"n":"x"}'], by: { at: '[1]' } })
  const text = isVersionAtLeast(version, '2025-11-25') ? textsOf(await call).join() : (await refusalOf(call)).message
  expect(text.split('\n')).toEqual([expect.anything(), '- of[0].n: Invalid input: expected number, received string'])
  expect(faults).toEqual([])
  const repaired = await client.callTool('sum', { of: ['{"n":1}'], by: { at: '[1]' } })
  expect(textsOf(repaired)).toEqual(['{"of":[{"n":1}],"by":{"at":[1]}}'])
  expect(faults).toMatchObject([{ message: expect.stringMatching(/: of\[0\], by\.at$/) }])
})

requirement('mcpserver:tools:repair', async ({ connect }) => {
  const { server, faults } = createServer()
  const input = z.object({ of: z.array(z.number()), by: z.object({ n: z.number() }).optional() })
  server.tool('sum', { input }, (args) => JSON.stringify(args))
  await using client = await connect(server)

  expect(textsOf(await client.callTool('sum', { of: '[1, 2]', by: '{"n":3}' }))).toEqual(['{"of":[1,2],"by":{"n":3}}'])
  expect(faults).toMatchObject([{ kind: 'invalid-message', message: expect.stringMatching(/"sum".*of, by/) }])
})

requirement('mcpserver:tools:strict', async ({ connect, version }) => {
  const { server, faults } = createServer({ strict: true })
  const run = vi.fn()
  server.tool('sum', { input: z.object({ of: z.array(z.number()) }) }, run)
  await using client = await connect(server)

  const call = client.callTool('sum', { of: '[1, 2]' })
  if (isVersionAtLeast(version, '2025-11-25')) expect(await call).toMatchObject({ isError: true })
  else await refusalOf(call)
  expect(run).not.toHaveBeenCalled()
  expect(faults).toEqual([])
})

requirement('mcpserver:tools:unknown', async ({ connect }) => {
  const { server } = createServer()
  server.tool('known', {}, () => 1)
  await using client = await connect(server)

  for (const name of ['unknown', '__proto__', 'constructor', 'toString']) {
    expect(await refusalOf(client.callTool(name)), name).toMatchObject({ code: -32602 })
  }
  expect((await refusalOf(client.callTool('x'.repeat(50_000)))).message.length).toBeLessThan(1_000)
})

requirement('mcpserver:tools:tool-error', async ({ connect }) => {
  const { server, faults } = createServer()
  server.tool('full', {}, async () => {
    throw new ToolError('The shelf is full')
  })
  await using client = await connect(server)

  const result = await client.callTool('full')
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The shelf is full' }] })
  expect(faults).toEqual([])
})

requirement('mcpserver:tools:mcp-error', async ({ connect }) => {
  const { server, faults } = createServer()
  server.tool('refuse', {}, () => {
    throw new MCPError(-1234, 'Not today', { until: 'tomorrow' })
  })
  await using client = await connect(server)

  const refusal = await refusalOf(client.callTool('refuse'))
  expect(refusal.toErrorData()).toEqual({ code: -1234, message: 'Not today', data: { until: 'tomorrow' } })
  expect(faults).toEqual([])
})

requirement('mcpserver:tools:exception', async ({ connect }) => {
  const { server, faults } = createServer()
  const error = new Error('connect postgres://admin:hunter2@db')
  server.tool('crash', {}, () => Promise.reject(error))
  await using client = await connect(server)

  const result = await client.callTool('crash')
  expect(result).toMatchObject({ isError: true, content: [{ text: 'The tool "crash" failed' }] })
  expect(JSON.stringify(result)).not.toContain('hunter2')
  expect(faults).toMatchObject([{ kind: 'handler-failed', method: 'tools/call', error }])
})

requirement('mcpserver:tools:expose-errors', async ({ connect }) => {
  const { server } = createServer({ exposeErrors: true })
  server.tool('crash', {}, () => {
    throw new Error('out of paper')
  })
  await using client = await connect(server)

  expect(textsOf(await client.callTool('crash'))).toEqual(['The tool "crash" failed: out of paper'])
})

requirement('mcpserver:tools:schema-that-throws', async ({ connect }) => {
  const { server, faults } = createServer()
  const throwing = z.string().refine(() => {
    throw new Error('hunter2')
  })
  server.tool('look', { input: z.object({ a: throwing }) }, () => 1)
  await using client = await connect(server)

  const result = await client.callTool('look', { a: 'x' })
  expect(result).toMatchObject({ isError: true, content: [{ text: 'The tool "look" failed' }] })
  expect(faults).toMatchObject([{ kind: 'handler-failed' }])
})

requirement('mcpserver:tools:timeout', async ({ connect }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { server } = createServer()
  const { promise: aborted, resolve } = createDeferred<unknown>()
  server.tool('deaf', { timeoutMs: 5_000 }, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason))
    await new Promise(() => {})
  })
  server.tool('quick', { timeoutMs: 5_000 }, () => 'done')
  await using client = await connect(server)

  const calls = ['deaf', 'quick'].map((name) => client.callTool(name))
  await vi.advanceTimersByTimeAsync(5_000)
  const [deaf, quick] = await Promise.all(calls)

  expect(deaf).toMatchObject({ isError: true, content: [{ text: 'The tool "deaf" did not finish within 5000 ms' }] })
  expect(quick).toMatchObject({ content: [{ text: 'done' }] })
  expect(await aborted).toMatchObject({ name: 'TimeoutError' })
})

requirement('mcpserver:tools:timeout-without-the-user', async ({ connect }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { server } = createServer()
  const { promise: asked, resolve: ask } = createDeferred<void>()
  const { promise: answer, resolve: decline } = createDeferred<{ action: 'decline' }>()
  server.tool('ask', { timeoutMs: 5_000 }, async (_args, ctx) => (await ctx.elicit('Sure?', NAME_FORM)).action)
  const onElicitation = () => {
    ask()
    return answer
  }
  await using client = await connect(server, { onElicitation })

  const call = client.callTool('ask')
  await passTime(asked)
  await vi.advanceTimersByTimeAsync(60_000)
  decline({ action: 'decline' })

  expect(textsOf(await passTime(call))).toEqual(['decline'])
})

requirement('mcpserver:tools:url-required', async ({ connect, isModern }) => {
  const { server } = createServer()
  let isPaid = false
  server.tool('download', {}, () => {
    if (isPaid) return 'here'
    const elicitation = { mode: 'url' as const, message: 'Pay', url: 'https://example.com/pay', elicitationId: 'e1' }
    throw new UrlElicitationRequiredError([elicitation])
  })
  const onElicitation = () => {
    isPaid = true
    return { action: 'accept' as const }
  }
  await using client = await connect(server, { onElicitation, elicitationCapabilities: { url: {} } })

  if (isModern) expect(textsOf(await client.callTool('download'))).toEqual(['here'])
  else expect(await refusalOf(client.callTool('download'))).toMatchObject({ code: -32042 })
})

requirement('mcpserver:tools:cancelled-quietly', async ({ connect }) => {
  const { server, faults } = createServer()
  const { promise: started, resolve: start } = createDeferred<void>()
  const { promise: ended, resolve: end } = createDeferred<void>()
  server.tool('wait', {}, (_args, ctx) => {
    const waiting = new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
    start()
    return waiting.finally(end)
  })
  await using client = await connect(server)
  const controller = new AbortController()
  const call = client.callTool('wait', {}, { signal: controller.signal })
  await started
  controller.abort(new Error('enough'))

  await expect(call).rejects.toThrow('enough')
  await ended
  await client.listTools()
  expect(faults).toEqual([])
})

requirement('tools:names:checked', async ({ connect }) => {
  const { server } = createServer()
  for (const name of ['', 'a b', 'a/b', 'ä', 'x'.repeat(129), '\u0000']) {
    expect(() => server.tool(name, {}, () => 1), name).toThrow(RangeError)
  }
  const good = ['a', 'A-z_0.9', 'x'.repeat(128)]
  for (const name of good) server.tool(name, {}, () => 1)
  expect(() => server.tool('a', {}, () => 2)).toThrow(RangeError)
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(good)
})

requirement('fault:F194:registration-refuses', async ({ connect }) => {
  const { server } = createServer()
  const run = () => 1
  server.tool('good', {}, run)
  expect(() => server.tool('t', { input: z.string() }, run)).toThrow(/must be the schema of an object/)
  expect(() => server.tool('t', { input: { type: 'nonsense' } }, run)).toThrow(/input of tool "t"/)
  expect(() => server.tool('t', { output: { minimum: 'low' } as object }, run)).toThrow(/output of tool "t"/)
  expect(() => server.tool('t', { timeoutMs: 0 }, run)).toThrow(RangeError)
  expect(() => server.tool('t', {}, 'run' as never)).toThrow(TypeError)
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['good'])
})

requirement('mcpserver:tools:broken-definitions', async ({ connect }) => {
  const { server } = createServer()
  const handle = server.tool('good', {}, () => 1)
  const broken: [object, RegExp][] = [
    [{ annotations: { readOnlyHint: 'yes' } }, /annotations\.readOnlyHint: expected boolean/],
    [{ icons: [{}] }, /icons\[0\]\.src: expected string/],
    [{ title: 5 }, /title: expected string/],
    [{ meta: 'x' }, /meta: expected object/],
    [{ scopes: 'admin' }, /The option scopes of tool/],
    [{ visible: true }, /The option visible of tool/],
    [{ requires: { sampling: 1 } }, /requires\.sampling/],
  ]
  for (const [options, message] of broken) {
    expect(() => server.tool('bad', options, () => 1)).toThrow(message)
    expect(() => server.tool('bad', options, () => 1)).toThrow('tool "bad"')
    expect(() => handle.update(options)).toThrow(message)
  }
  const input = { type: 'object', properties: { any: true } } as const
  server.tool('boolean-schemas', { input, output: input }, (args) => args)
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['good', 'boolean-schemas'])
})

requirement('mcpserver:tools:map-of-schemas', async ({ connect }) => {
  const { server } = createServer()
  server.tool('good', {}, () => 1)
  const map: object = { path: z.string().startsWith('/safe/') }
  const advice = /map of "zod" schemas.*wrap it, as in z\.object/
  expect(() => server.tool('bad', { input: map }, () => 1)).toThrow(advice)
  expect(() => server.tool('bad', { output: map }, () => map)).toThrow(advice)
  expect(() => server.prompt('bad', { input: map }, () => '')).toThrow(advice)
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['good'])
})

requirement('mcpserver:tools:doubtful-patterns', async ({ connect }) => {
  const { server, faults } = createServer()
  server.tool('slow', { input: z.object({ name: z.string().regex(/^(a+)+$/) }) }, ({ name }) => name)
  server.tool('quick', { input: z.object({ name: z.string().regex(/^a+$/), to: z.email() }) }, ({ name }) => name)
  await using client = await connect(server)

  expect(faults).toMatchObject([
    {
      kind: 'configuration-warning',
      message: expect.stringMatching(/"\^\(a\+\)\+\$" at #\/properties\/name.*tool "slow"/),
    },
  ])
  expect(textsOf(await client.callTool('slow', { name: 'aa' }))).toEqual(['aa'])
})

requirement('mcpserver:tools:header-annotations', async ({ connect }) => {
  const { server } = createServer()
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const register = (name: string, properties: object) =>
    server.tool(name, { input: { type: 'object', properties } }, () => name)
  register('good', { a: region })
  expect(() => register('twice', { a: region, b: region })).toThrow(RangeError)
  expect(() => register('spaced', { a: { type: 'string', 'x-mcp-header': 'a b' } })).toThrow(/headers/)
  await using client = await connect(server)

  expect(namesOf((await client.listTools()).tools)).toEqual(['good'])
})

requirement('headers:server:annotations-checked', async ({ connect }) => {
  const { server, faults } = createServer()
  const register = (name: string, property: string, annotation: unknown, type = 'string') => {
    const properties = { [property]: { type, 'x-mcp-header': annotation } }
    return () => server.tool(name, { input: { type: 'object', properties } }, () => name)
  }
  for (const annotation of ['', 'a b', 'a:b', 'a\nb', 5]) expect(register('t', 'a', annotation)).toThrow(RangeError)
  expect(register('t', 'a', 'A', 'number')).toThrow(RangeError)
  register('harmless', 'region', 'Region')()
  expect(faults).toEqual([])

  const delicate = ['password', 'apiKey', 'ACCESS_TOKEN', 'user-email', 'creditCard', 'clientSecret']
  for (const [index, name] of delicate.entries()) register(`t${index}`, name, `A${index}`)()
  register('named', 'value', 'Auth-Token')()
  await using client = await connect(server)

  expect((await client.listTools()).tools).toHaveLength(delicate.length + 2)
  expect(faults.map(({ kind }) => kind)).toEqual(Array(delicate.length + 1).fill('configuration-warning'))
  expect(faults[0]?.message).toMatch(/"password" of tool "t0".*x-mcp-header/)
})

requirement('fault:F190:no-schema-from-the-network', async ({ connect }) => {
  const { server } = createServer()
  const fetching = vi.spyOn(globalThis, 'fetch')
  for (const $ref of ['https://example.com/schema.json', 'file:///etc/passwd', 'data:,{}', 'other.json']) {
    const input = { type: 'object', properties: { a: { $ref } } }
    expect(() => server.tool('t', { input }, () => 1), $ref).toThrow(/\$ref/)
  }
  const $defs = { name: { type: 'string' } }
  server.tool('t', { input: { type: 'object', properties: { a: { $ref: '#/$defs/name' } }, $defs } }, () => 'ok')
  await using client = await connect(server)

  expect(textsOf(await client.callTool('t', { a: 'x' }))).toEqual(['ok'])
  expect(fetching).not.toHaveBeenCalled()
  fetching.mockRestore()
})

requirement('fault:F197:argument-named-proto', async ({ connect, version }) => {
  const { server } = createServer()
  const input = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"}},"required":["__proto__"]}')
  server.tool('odd', { input }, (args) => Object.keys(args))
  await using client = await connect(server)

  expect(textsOf(await client.callTool('odd', JSON.parse('{"__proto__": 1}')))).toEqual(['__proto__'])
  const without = client.callTool('odd', {})
  if (isVersionAtLeast(version, '2025-11-25')) expect(await without).toMatchObject({ isError: true })
  else expect(await refusalOf(without)).toMatchObject({ code: -32602 })
})
