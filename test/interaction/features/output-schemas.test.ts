// Structured results: held against the schema that their tool was listed with, however strange that schema is.
import { afterEach, expect, vi } from 'vitest'
import { createSchemaEngine } from '../../../src/schema/engine.ts'
import type { Server } from '../../../src/server/server.ts'
import { InvalidResultError, LimitError } from '../../../src/types/errors/failures.ts'
import type { Tool } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { answerRaw, failureOf, noteMethods, tool, toolServer } from '../kit/support-features.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A server whose one tool answers with what it is given as `content`. */
function echoServer(outputSchema: JSONObject, extra: Tool[] = []): Server {
  return toolServer([tool('echo', { outputSchema }), ...extra], (_ctx, { arguments: args }) => ({
    content: [],
    ...(args !== undefined && 'content' in args && { structuredContent: args['content'] }),
  }))
}

/** Which of the values, as structured content, the client takes. */
async function accepted({ connect }: Setting, outputSchema: JSONObject, values: unknown[]): Promise<boolean[]> {
  await using client = await connect(echoServer(outputSchema))
  await client.listTools()
  const outcomes = values.map(async (content) => {
    const outcome = await client.callTool('echo', { content }).catch((error: unknown) => error)
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(InvalidResultError)
    return !(outcome instanceof Error)
  })
  return await Promise.all(outcomes)
}

const NUMBERED: JSONObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

requirement('output:fits', async ({ connect }) => {
  await using client = await connect(echoServer(NUMBERED))
  await client.listTools()

  expect(await client.callTool('echo', { content: { n: 3 } })).toMatchObject({ structuredContent: { n: 3 } })
})

requirement('fault:F195:mismatch', async ({ connect }) => {
  await using client = await connect(echoServer(NUMBERED))
  await client.listTools()

  const error = await failureOf(client.callTool('echo', { content: { n: 'secret' } }))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect(String(error)).toMatch(/"echo".*output schema/)
  expect(String(error)).not.toContain('secret')
})

requirement('output:missing', async ({ connect }) => {
  await using client = await connect(echoServer(NUMBERED))
  await client.listTools()

  const error = await failureOf(client.callTool('echo'))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect(error).toMatchObject({ path: 'structuredContent' })
})

requirement('output:errors-are-exempt', async ({ connect }) => {
  const server = toolServer([tool('echo', { outputSchema: NUMBERED as Tool['outputSchema'] & object })], () => ({
    content: [{ type: 'text', text: 'no' }],
    structuredContent: { reason: 'no' },
    isError: true,
  }))
  await using client = await connect(server)
  await client.listTools()

  expect(await client.callTool('echo')).toMatchObject({ isError: true })
})

requirement('output:any-json-value', async (setting) => {
  const values = [null, 0, false, '', [], [1], {}]
  await using client = await setting.connect(echoServer({}))
  await client.listTools()
  for (const content of values) {
    expect((await client.callTool('echo', { content })).structuredContent).toEqual(content)
  }
  expect(await failureOf(client.callTool('echo'))).toBeInstanceOf(InvalidResultError)
})

requirement('output:null-is-a-value', async (setting) => {
  expect(await accepted(setting, { type: 'null' }, [null, {}])).toEqual([true, false])
  expect(await accepted(setting, { type: 'array' }, [null, []])).toEqual([false, true])
})

requirement('output:dialect-2020-12-by-default', async (setting) => {
  const schema = {
    type: 'object',
    properties: { pair: { prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, a: {}, b: {} },
    dependentRequired: { a: ['b'] },
    unevaluatedProperties: false,
  }
  const values = [{ pair: ['x', 1, 2] }, { pair: ['x', 'y'] }, { a: 1, b: 2 }, { a: 1 }, { c: 1 }]
  expect(await accepted(setting, schema, values)).toEqual([true, false, true, false, false])
})

requirement('output:dialect-draft-07', async (setting) => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: { short: { maxLength: 2 } },
    properties: {
      pair: { items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
      short: { $ref: '#/definitions/short', minLength: 9 },
    },
    dependencies: { a: ['b'] },
  }
  // In this dialect what stands beside a $ref is not looked at.
  const values = [{ pair: ['x', 1] }, { pair: ['x', 'y'] }, { short: 'ab' }, { short: 'abc' }, { a: 1 }]
  expect(await accepted(setting, schema, values)).toEqual([true, false, true, false, false])
})

requirement('output:dialect-unknown', async ({ connect }) => {
  const schema = { $schema: 'https://example.com/my-own-dialect', type: 'object' }
  const server = echoServer(schema, [tool('other')])
  await using client = await connect(server)
  await client.listTools()

  const error = await failureOf(client.callTool('echo', { content: {} }))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect(String((error as Error).cause)).toMatch(/dialect/i)
  expect(await client.callTool('other')).toMatchObject({ content: [] })
})

requirement('output:local-references', async (setting) => {
  const schema = {
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { $ref: '#number' } } } },
    properties: { list: { $ref: '#/$defs/node' }, n: { $anchor: 'number', type: 'number' } },
  }
  const values = [{ list: { next: { next: { v: 1 } } } }, { list: { next: { next: { v: 'x' } } } }]
  expect(await accepted(setting, schema, values)).toEqual([true, false])
})

requirement('fault:F190:reference-to-the-network', async (setting) => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  for (const $ref of ['https://example.com/s.json', 'file:///etc/s.json', 'data:,true', 'other.json']) {
    expect(await accepted(setting, { type: 'object', allOf: [{ $ref }] }, [{}]), $ref).toEqual([false])
  }
  expect(fetched).not.toHaveBeenCalled()
})

requirement('output:unresolved-reference', async (setting) => {
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } }
  expect(await accepted(setting, schema, [{}])).toEqual([false])
})

requirement('fault:F191:endless-references', async (setting) => {
  const toItself = { type: 'object', $ref: '#' }
  const mutual = {
    type: 'object',
    $ref: '#/$defs/a',
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  }
  // Whether such a schema is refused or means nothing, the check ends.
  for (const schema of [toItself, mutual]) {
    expect(await accepted(setting, schema, [{ a: 1 }])).toHaveLength(1)
  }
})

requirement('fault:F192:backtracking-pattern', async (setting) => {
  const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
  const [isAccepted] = await accepted(setting, schema, [{ text: `${'a'.repeat(50_000)}!` }])
  expect(isAccepted).toBe(false)
})

requirement('fault:F193:costly-content', async ({ connect }) => {
  const unique = Array.from({ length: 200 }, () => ({ uniqueItems: true }))
  await using client = await connect(echoServer({ type: 'object', properties: { list: { allOf: unique } } }))
  await client.listTools()

  const list = Array.from({ length: 400 }, (_, index) => ({ text: 'x'.repeat(2_000) + index }))
  const error = await failureOf(client.callTool('echo', { content: { list } }))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect((error as Error).cause).toBeInstanceOf(LimitError)
  expect((error as Error).cause).toMatchObject({ limit: 'schema validation steps', max: 10_000_000 })
  expect(await client.callTool('echo', { content: { list: ['a', 'b'] } })).toBeDefined()
})

requirement('fault:F193:costly-schema', async (setting) => {
  // Both would accept everything, if anybody had the patience.
  const wide = { type: 'object', allOf: Array.from({ length: 200_000 }, () => ({ minProperties: 0 })) }
  let deep: JSONObject = { type: 'object' }
  for (let level = 0; level < 1_000; level += 1) deep = { type: 'object', allOf: [deep] }
  expect(await accepted(setting, wide, [{}])).toEqual([false])
  if (setting.transport === 'direct') expect(await accepted(setting, deep, [{}])).toEqual([false])
})

requirement('fault:F194:invalid-schema', async ({ connect }) => {
  const server = echoServer({ type: 'object', properties: { n: { minimum: 'three' } } }, [tool('other')])
  await using client = await connect(server)
  const { tools } = await client.listTools()

  expect(tools).toHaveLength(2)
  expect(await failureOf(client.callTool('echo', { content: {} }))).toBeInstanceOf(InvalidResultError)
  expect(await client.callTool('other')).toMatchObject({ content: [] })
})

requirement('fault:F197:names-of-javascript', async (setting) => {
  const schema = { type: 'object', required: ['__proto__', 'constructor'] }
  const own = JSON.parse('{"__proto__":1,"constructor":2}') as JSONObject
  expect(await accepted(setting, schema, [own, {}])).toEqual([true, false])
})

requirement('output:unlisted-tool-is-looked-up-once', async ({ connect }) => {
  const server = echoServer(NUMBERED)
  const seen = noteMethods(server)
  await using client = await connect(server)

  expect(await failureOf(client.callTool('echo', { content: {} }))).toBeInstanceOf(InvalidResultError)
  await client.callTool('echo', { content: { n: 1 } })
  expect(seen.count('tools/list')).toBe(1)
})

requirement('output:looked-up-on-all-pages', async ({ connect }) => {
  const server = echoServer(NUMBERED)
  server.setRequestHandler('tools/list', (_ctx, { cursor }) =>
    cursor === undefined
      ? { tools: [tool('first')], nextCursor: 'more' }
      : { tools: [tool('echo', { outputSchema: NUMBERED })] },
  )
  await using client = await connect(server)

  expect(await failureOf(client.callTool('echo', { content: {} }))).toBeInstanceOf(InvalidResultError)
})

requirement('output:tool-in-no-listing', async ({ connect }) => {
  const server = echoServer(NUMBERED)
  const seen = noteMethods(server)
  await using client = await connect(server)
  await client.callTool('hidden', { content: { any: 1 } })
  await client.callTool('hidden', { content: { any: 2 } })

  expect(seen.count('tools/list')).toBe(1)
})

requirement('output:missing-structure-of-an-unlisted-tool', async ({ connect }) => {
  const server = echoServer(NUMBERED)
  const seen = noteMethods(server)
  await using client = await connect(server)

  expect(await failureOf(client.callTool('echo'))).toBeInstanceOf(InvalidResultError)
  expect(await failureOf(client.session.validateToolResult('echo', { content: [] }))).toBeInstanceOf(InvalidResultError)
  expect(seen.count('tools/list')).toBe(1)
})

requirement('output:newest-schema-counts', async ({ connect }) => {
  let outputSchema: JSONObject = NUMBERED
  const server = echoServer(NUMBERED)
  server.setRequestHandler('tools/list', () => ({ tools: [tool('echo', { outputSchema })] }))
  await using client = await connect(server)
  await client.listTools()
  await client.callTool('echo', { content: { n: 1 } })
  outputSchema = { type: 'object', required: ['m'] }
  await client.listTools({ cacheMode: 'refresh' })

  expect(await failureOf(client.callTool('echo', { content: { n: 1 } }))).toBeInstanceOf(InvalidResultError)
  await client.callTool('echo', { content: { m: 1 } })
})

requirement('output:compiled-once', async ({ connect }) => {
  const engine = createSchemaEngine()
  const compile = vi.fn((schema: unknown) => engine.compile(schema as never))
  await using client = await connect(echoServer(NUMBERED), { schemaEngine: { ...engine, compile } as typeof engine })
  await client.listTools()
  for (let n = 0; n < 3; n += 1) await client.callTool('echo', { content: { n } })
  await client.listTools({ cacheMode: 'refresh' })
  await client.callTool('echo', { content: { n: 3 } })

  expect(compile).toHaveBeenCalledOnce()
})

requirement('output:not-before-2025-06-18', async ({ connect, version }) => {
  const server = echoServer(NUMBERED)
  answerRaw(server, 'tools/list', () => ({ tools: [tool('echo', { outputSchema: NUMBERED })] }))
  answerRaw(server, 'tools/call', () => ({ content: [], structuredContent: { n: 'x' } }))
  await using client = await connect(server)
  await client.listTools()

  const outcome = await client.callTool('echo').catch((error: unknown) => error)

  expect(outcome instanceof InvalidResultError).toBe(isVersionAtLeast(version, '2025-06-18'))
})
