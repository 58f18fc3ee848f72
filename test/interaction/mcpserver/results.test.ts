// What a handler of an MCPServer may return, and the result that becomes of it.
import { expect } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../../src/client/client.ts'
import { audio, image, resourceLink } from '../../../src/mcpserver/values/media.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { createServer, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

/** The content and the structured content that become of a value. */
async function resultOf({ connect }: Setting, value: unknown) {
  const { server } = createServer()
  server.tool('tool', {}, () => value)
  await using client = await connect(server)
  const { content, structuredContent, isError } = await client.callTool('tool')
  expect(isError).toBeUndefined()
  return structuredContent === undefined ? { content } : { content, structuredContent }
}

const text = (value: string) => ({ type: 'text', text: value })
const picture = image(new Uint8Array([1, 2, 3]))

requirement('mcpserver:results:nothing', async (setting) => {
  expect(await resultOf(setting, undefined)).toEqual({ content: [] })
  expect(await resultOf(setting, null)).toEqual({ content: [] })
  expect(await resultOf(setting, [])).toEqual({ content: [] })
})

requirement('mcpserver:results:string', async (setting) => {
  expect(await resultOf(setting, 'hello')).toEqual({ content: [text('hello')] })
  expect(await resultOf(setting, '{"a":1}')).toEqual({ content: [text('{"a":1}')] })
  expect(await resultOf(setting, '')).toEqual({ content: [text('')] })
})

requirement('mcpserver:results:number-and-boolean', async (setting) => {
  expect(await resultOf(setting, 3)).toEqual({ content: [text('3')], structuredContent: { result: 3 } })
  expect(await resultOf(setting, false)).toEqual({ content: [text('false')], structuredContent: { result: false } })
})

requirement('tools:call:structure-as-text', async (setting) => {
  const { content, structuredContent } = await resultOf(setting, { at: new Date(0), list: [1, { two: null }] })
  expect(structuredContent).toEqual({ at: '1970-01-01T00:00:00.000Z', list: [1, { two: null }] })
  expect(content).toEqual([text(JSON.stringify(structuredContent))])
})

requirement('mcpserver:results:text-for-all', async (setting) => {
  for (const value of [3, false, { a: [1] }]) {
    expect((await resultOf(setting, value)).content).toEqual([text(JSON.stringify(value))])
  }
})

requirement('mcpserver:results:list', async (setting) => {
  expect(await resultOf(setting, ['a', 7, { b: 1 }, null, undefined])).toEqual({
    content: [text('a'), text('7'), text('{"b":1}'), text('null')],
  })
})

requirement('mcpserver:results:content-block', async (setting) => {
  const embedded = { type: 'resource', resource: { uri: 'notes://today', text: 'x' } }
  expect(picture).toEqual({ type: 'image', data: 'AQID', mimeType: 'image/png' })
  expect(await resultOf(setting, picture)).toEqual({ content: [picture] })
  expect(await resultOf(setting, embedded)).toEqual({ content: [embedded] })
})

requirement('mcpserver:results:mixed-list', async (setting) => {
  const sound = audio('AQID', 'audio/mpeg', { annotations: { priority: 1 } })
  const link = resourceLink('notes://today', { title: 'Today' })
  expect(await resultOf(setting, ['see', picture, sound, link, 7])).toEqual({
    content: [text('see'), picture, sound, link, text('7')],
  })
})

requirement('mcpserver:results:whole', async ({ connect }) => {
  const whole = { content: [{ type: 'text' as const, text: 'no' }], isError: true, _meta: { 'example.com/x': 1 } }
  const { server } = createServer()
  server.tool('tool', {}, () => whole)
  await using client = await connect(server)

  expect(await client.callTool('tool')).toMatchObject(whole)
})

requirement('mcpserver:results:data-with-content', async (setting) => {
  const book = { content: ['chapter 1'], author: 'Ada' }
  expect(await resultOf(setting, book)).toEqual({ content: [text(JSON.stringify(book))], structuredContent: book })
})

requirement('mcpserver:results:awaited', async (setting) => {
  // biome-ignore lint/suspicious/noThenProperty: this is how query builders are made
  const query = { then: (resolve: (rows: string[]) => void) => resolve(['a', 'b']) }
  expect((await resultOf(setting, query)).content).toEqual([text('a'), text('b')])
})

requirement('mcpserver:results:no-json-form', async ({ connect }) => {
  const { server, faults } = createServer()
  const loop: { self?: unknown } = {}
  loop.self = loop
  const values: Record<string, unknown> = { function: () => 1, bigint: 10n, bytes: new Uint8Array(3), loop }
  for (const [name, value] of Object.entries(values)) server.tool(name, {}, () => value)
  await using client = await connect(server)

  for (const name of Object.keys(values)) expect(await client.callTool(name), name).toMatchObject({ isError: true })
  expect(faults.map(({ kind }) => kind)).toEqual(Array(4).fill('handler-failed'))
})

/** The texts of a call that failed. */
async function failureOf(client: Client, name: string) {
  const result = await client.callTool(name)
  expect(result, name).toMatchObject({ isError: true })
  expect(result, name).not.toHaveProperty('structuredContent')
  return textsOf(result)
}

requirement('mcpserver:results:less-than-it-is', async ({ connect }) => {
  const { server, faults } = createServer()
  const values = {
    map: new Map(),
    set: new Set(),
    buffer: new ArrayBuffer(3),
    nan: Number.NaN,
    deep: { a: [Infinity] },
  }
  for (const [name, value] of Object.entries(values)) server.tool(name, {}, () => value)
  await using client = await connect(server)

  for (const name of Object.keys(values)) expect(await failureOf(client, name)).toEqual([`The tool "${name}" failed`])
  expect(faults.map(({ error }) => String(error))).toEqual(Array(5).fill(expect.stringContaining('no JSON form')))
})

requirement('mcpserver:results:nearly-whole', async ({ connect }) => {
  const { server, faults } = createServer()
  const values = {
    strings: { isError: true, content: ['bad'] },
    structure: { structuredContent: { a: 1 } },
    chapters: { content: ['chapter 1'] },
  }
  for (const [name, value] of Object.entries(values)) server.tool(name, {}, () => value)
  server.tool('schema', { output: z.object({ a: z.number() }) }, () => values.structure as never)
  await using client = await connect(server)

  for (const name of [...Object.keys(values), 'schema']) await failureOf(client, name)
  expect(faults.map(({ kind }) => kind)).toEqual(Array(4).fill('handler-failed'))
})

requirement('mcpserver:results:returned-error', async ({ connect }) => {
  const { server } = createServer()
  server.tool('tool', {}, () => new ToolError('out of paper'))
  server.tool('other', { output: z.object({}) }, async () => new Error('hunter2') as never)
  server.tool('refused', {}, () => new MCPError(1234, 'meant for you'))
  server.resource('x://refused', () => new MCPError(1234, 'meant for you'))
  server.prompt('refused', {}, () => new MCPError(1234, 'meant for you') as never)
  await using client = await connect(server)

  expect(await failureOf(client, 'tool')).toEqual(['out of paper'])
  expect(await failureOf(client, 'other')).toEqual(['The tool "other" failed'])
  expect(await refusalOf(client.callTool('refused'))).toMatchObject({ code: 1234 })
  expect(await refusalOf(client.readResource('x://refused'))).toMatchObject({ code: 1234 })
  expect(await refusalOf(client.getPrompt('refused'))).toMatchObject({ code: 1234 })
})

requirement('mcpserver:results:yielded-items', async ({ connect, version }) => {
  const { server } = createServer()
  server.tool('download', {}, async function* () {
    yield 'one'
    yield { done: 2 }
    yield picture
  })
  await using client = await connect(server)
  const progress: { progress: number; message?: string }[] = []

  const result = await client.callTool('download', {}, { onProgress: (step) => progress.push(step) })

  expect(progress.map((step) => step.progress)).toEqual([1, 2, 3])
  if (isVersionAtLeast(version, '2025-03-26')) expect(progress[1]?.message).toBe('{"done":2}')
  expect(result.content).toEqual([text('one'), text('{"done":2}'), picture])
})

requirement('mcpserver:results:returned-after-yields', async ({ connect }) => {
  const { server } = createServer()
  server.tool('summarise', { output: z.object({ total: z.number() }) }, function* () {
    yield 'working'
    return { total: 1 }
  })
  await using client = await connect(server)

  expect(textsOf(await client.callTool('summarise'))).toEqual(['{"total":1}'])
})

requirement('mcpserver:results:iterator-stops-when-cancelled', async ({ connect }) => {
  const { server } = createServer()
  const { promise: stopped, resolve: stop } = createDeferred<void>()
  server.tool('endless', {}, async function* () {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      stop()
    }
  })
  await using client = await connect(server)
  const controller = new AbortController()
  const onProgress = () => controller.abort(new Error('enough'))

  await expect(client.callTool('endless', {}, { signal: controller.signal, onProgress })).rejects.toThrow('enough')
  await stopped
})

requirement('mcpserver:output:listed-as-the-revision-allows', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.tool('count', { output: z.array(z.number()) }, () => [1, 2])
  server.tool('weather', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 21 }))
  await using client = await connect(server)
  const [count, weather] = (await client.listTools()).tools

  const wrapped = { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] }
  expect(count?.outputSchema).toMatchObject(isModern ? { type: 'array' } : wrapped)
  expect(weather?.outputSchema).toMatchObject({ type: 'object', properties: { celsius: { type: 'number' } } })
})

requirement('mcpserver:output:sent-as-listed', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.tool('count', { output: z.array(z.number()) }, () => [1, 2])
  server.tool('name', { output: z.string() }, () => 'Ada')
  server.tool('weather', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 21 }))
  await using client = await connect(server)
  // The client holds each result against the listing, so that these would throw if the two did not agree.
  await client.listTools()

  const count = await client.callTool('count')
  expect(count.structuredContent).toEqual(isModern ? [1, 2] : { result: [1, 2] })
  expect(textsOf(count)).toEqual(['[1,2]'])
  expect((await client.callTool('name')).structuredContent).toEqual(isModern ? 'Ada' : { result: 'Ada' })
  expect((await client.callTool('weather')).structuredContent).toEqual({ celsius: 21 })
})

requirement('mcpserver:output:whole-results-too', async ({ connect }) => {
  const { server } = createServer()
  const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const whole = { content: [{ type: 'text' as const, text: 'one' }], structuredContent: { n: 1 } }
  server.tool('good', { output }, () => whole)
  server.tool('bad', { output }, () => ({ ...whole, structuredContent: { n: 1.5 } }))
  server.tool('failed', { output }, () => ({ content: [{ type: 'text' as const, text: 'no' }], isError: true }))
  await using client = await connect(server)
  await client.listTools()

  expect(textsOf(await client.callTool('good'))).toEqual(['one'])
  expect(await client.callTool('bad')).toMatchObject({ isError: true, content: [{ text: 'The tool "bad" failed' }] })
  expect(await client.callTool('failed')).toMatchObject({ isError: true, content: [{ text: 'no' }] })
})

requirement('mcpserver:output:value-before-result', async ({ connect }) => {
  const { server } = createServer()
  const message = z.object({ type: z.literal('text'), text: z.string() })
  const value = { content: [{ type: 'text' as const, text: 'x' }] }
  server.tool('thread', { output: z.object({ content: z.array(message) }) }, () => value)
  await using client = await connect(server)
  await client.listTools()

  const result = await client.callTool('thread')
  expect(result.structuredContent).toEqual(value)
  expect(textsOf(result)).toEqual([JSON.stringify(value)])
})

requirement('fault:F195:server-checks-its-own-output', async ({ connect }) => {
  const { server, faults } = createServer()
  server.tool('weather', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 'hunter2' }) as never)
  await using client = await connect(server)
  await client.listTools()

  const result = await client.callTool('weather')
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The tool "weather" failed' }] })
  expect(result).not.toHaveProperty('structuredContent')
  expect(String(faults[0]?.error)).toContain('celsius')
})

requirement('fault:F201:media-is-base64', async ({ connect }) => {
  const { server, faults } = createServer()
  const picture = { type: 'image' as const, data: '***', mimeType: 'image/png' }
  const embedded = { type: 'resource' as const, resource: { uri: 'x://y', blob: '***' } }
  const values = {
    picture: () => image('not base64!'),
    sound: () => audio('AQI'),
    literal: () => picture,
    listed: () => ['see', { ...picture, type: 'audio' }],
    embedded: () => embedded,
    whole: () => ({ content: [embedded] }),
  }
  for (const [name, run] of Object.entries(values)) server.tool(name, {}, run)
  server.prompt('block', {}, () => picture)
  server.prompt('whole', {}, () => ({ messages: [{ role: 'user', content: embedded }] }))
  server.resource('x://contents', () => ({ uri: 'x://contents', blob: '***' }))
  server.resource('x://whole', () => ({ contents: [{ uri: 'x://whole', blob: 'AQI' }] }))
  await using client = await connect(server)

  for (const name of Object.keys(values)) await failureOf(client, name)
  for (const name of ['block', 'whole']) expect(await refusalOf(client.getPrompt(name))).toMatchObject({ code: -32603 })
  for (const uri of ['x://contents', 'x://whole']) {
    expect(await refusalOf(client.readResource(uri)), uri).toMatchObject({ code: -32603 })
  }
  expect(faults.map(({ error }) => String(error))).toEqual(Array(10).fill(expect.stringContaining('Base64')))
})
