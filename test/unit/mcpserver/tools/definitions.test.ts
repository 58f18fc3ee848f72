// Definitions that could not be listed, or would be read wrongly: refused where they are written.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { SchemaError } from '../../../../src/schema/json-schema.ts'
import { createServer, inBothEras } from '../support.ts'

const TOOLS: [string, object, RegExp][] = [
  [
    'annotations',
    { annotations: { readOnlyHint: 'yes' } },
    /tool "bad" .* annotations\.readOnlyHint: expected boolean/,
  ],
  ['an icon', { icons: [{}] }, /tool "bad" .* icons\[0\]\.src: expected string, got nothing/],
  ['a title', { title: 5 }, /tool "bad" .* title: expected string, got number/],
  ['a description', { description: 7 }, /tool "bad" .* description: expected string/],
  ['meta', { meta: 'x' }, /tool "bad" .* meta: expected/],
  ['scopes', { scopes: 'admin' }, /scopes of tool "bad" must be a list of strings/],
  ['a scope', { scopes: [1] }, /scopes of tool "bad" must be a list of strings/],
  ['visible', { visible: true }, /visible of tool "bad" must be a function/],
  ['requires', { requires: 'x' }, /tool "bad" .* requires: expected/],
  ['a requirement', { requires: { sampling: true } }, /tool "bad" .* requires\.sampling: expected/],
  ['timeoutMs', { timeoutMs: '50' }, /timeoutMs of tool "bad" is a string\. Use a number above 0/],
]
const RESOURCES: [string, object, RegExp][] = [
  [
    'a priority',
    { annotations: { priority: 7 } },
    /resource "a:\/\/bad" .* annotations\.priority: expected number from 0/,
  ],
  ['an audience', { annotations: { audience: ['nobody'] } }, /annotations\.audience\[0\]: expected/],
  ['a MIME type', { mimeType: 3 }, /mimeType: expected string, got number/],
  ['a size', { size: 1.5 }, /size of resource "a:\/\/bad" is -?[\d.]+\. Use a whole number, 0 or more/],
  ['a size below 0', { size: -1 }, /size of resource "a:\/\/bad" is -?[\d.]+\. Use a whole number, 0 or more/],
  ['scopes', { scopes: 'admin' }, /scopes of resource "a:\/\/bad"/],
]

inBothEras('a broken definition', ({ connect }) => {
  it.each(TOOLS)('of a tool is rejected, at registration and as an update: %s', async (_, options, message) => {
    const { server } = createServer()
    const handle = server.tool('good', {}, () => 1)
    expect(() => server.tool('bad', options, () => 1)).toThrow(message)
    expect(() => handle.update(options)).toThrow('good')
    await using client = await connect(server)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['good'])
  })

  it.each(RESOURCES)('of a resource is rejected, at registration and as an update: %s', async (_, options, message) => {
    const { server } = createServer()
    const handle = server.resource('a://good', () => '')
    expect(() => server.resource('a://bad', options, () => '')).toThrow(message)
    expect(() => handle.update(options)).toThrow('good')
    await using client = await connect(server)
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a://good'])
  })

  it('of a template or prompt is rejected as well', async () => {
    const { server } = createServer()
    server.prompt('good', {}, () => '')
    server.resource('a://{good}', () => '')
    const title = 5 as unknown as string
    expect(() => server.prompt('bad', { title }, () => '')).toThrow(/prompt "bad" .* title: expected string/)
    expect(() => server.resource('a://bad/{x}', { title }, () => '')).toThrow(/resource "a:.* title: expected string/)
    expect(() => server.prompt('bad', { visible: true as never }, () => '')).toThrow('visible of prompt "bad"')
    await using client = await connect(server)
    expect((await client.listPrompts()).prompts).toHaveLength(1)
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
  })

  it('is no schema that is a map of schemas', async () => {
    const { server } = createServer()
    const handle = server.tool('good', {}, () => 1)
    const map = { path: z.string() } as object
    expect(() => server.tool('bad', { input: map }, () => 1)).toThrow(SchemaError)
    expect(() => server.tool('bad', { input: map }, () => 1)).toThrow(
      /the input of tool "bad": .* wrap it, as in z\.obj/,
    )
    expect(() => server.tool('bad', { output: map }, () => ({}))).toThrow('the output of tool "bad"')
    expect(() => server.prompt('bad', { input: map }, () => '')).toThrow('the input of prompt "bad"')
    expect(() => handle.update({ input: map, run: () => 1 })).toThrow(SchemaError)
    await using client = await connect(server)
    expect((await client.listTools()).tools).toHaveLength(1)
  })

  it('is not one whose properties are booleans, which every revision can list', async () => {
    const { server } = createServer()
    const input = { type: 'object', properties: { any: true, none: false } } as const
    server.tool('echo', { input, output: input }, (args) => args)
    await using client = await connect(server)

    const [tool] = (await client.listTools()).tools
    expect(tool?.inputSchema.properties).toEqual({ any: {}, none: { not: {} } })
    expect(tool?.outputSchema).toMatchObject({ properties: { any: {}, none: { not: {} } } })
    expect((await client.callTool('echo', { any: 1 })).structuredContent).toEqual({ any: 1 })
    expect(await client.callTool('echo', { none: 1 })).toMatchObject({ isError: true })
  })
})
