// What a handler of the friendly server may return, and the result that becomes of it.
import { expect } from 'vitest'
import { z } from 'zod'
import { audio, image, resourceLink } from '../../src/mcpserver/media.ts'
import { createDeferred } from '../../src/primitives/deferred.ts'
import { isVersionAtLeast } from '../../src/types/versions.ts'
import { requirement, type Setting } from './requirement.ts'
import { createServer, textsOf } from './support-mcpserver.ts'

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
  const { server } = createServer()
  server.tool('picture', {}, () => image('not base64!'))
  server.tool('sound', {}, () => audio('AQI'))
  await using client = await connect(server)

  expect(await client.callTool('picture')).toMatchObject({ isError: true })
  expect(await client.callTool('sound')).toMatchObject({ isError: true })
})
