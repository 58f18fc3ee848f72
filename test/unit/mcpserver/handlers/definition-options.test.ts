// Options of tools and prompts under their older names, and shapes that are no schemas.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { prompt } from '../../../../src/mcpserver/prompts/prompt.ts'
import { tool } from '../../../../src/mcpserver/tools/tool.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { inBothEras } from '../support.ts'

type Registering = Record<'tool' | 'prompt' | 'resource', (key: string, options: object, run: () => string) => unknown>

const input = z.object({ a: z.string() })
const output = z.object({ length: z.number() })

inBothEras('inputSchema and outputSchema', ({ connect: open }) => {
  it('mean input and output: they are listed, typed and validated', async () => {
    const server = new MCPServer('older names', {
      tools: [tool('value', { inputSchema: input, outputSchema: output }, ({ a }) => ({ length: a.length }))],
    })
    server.tool('statement', { inputSchema: input, outputSchema: output }, ({ a }) => ({ length: a.length }))
    await using client = await open(server)
    for (const { inputSchema, outputSchema } of (await client.listTools()).tools) {
      expect(inputSchema).toMatchObject({ properties: { a: { type: 'string' } }, required: ['a'] })
      expect(outputSchema).toMatchObject({ properties: { length: { type: 'number' } } })
    }
    for (const name of ['value', 'statement'] as const) {
      const result = await client.callTool(name as 'value', { a: 'four' })
      expect(result.structuredContent).toEqual({ length: 4 })
    }
  })

  it('can be plain JSON Schema', async () => {
    const server = new MCPServer('older names')
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const
    server.tool('greet', { inputSchema }, ({ a }) => `Hello, ${a}`)
    await using client = await open(server)
    expect((await client.callTool('greet', { a: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
  })
})

describe('a definition', () => {
  it('with both names of one option is a TypeError', () => {
    const server = new MCPServer('both')
    const both = { input, inputSchema: input }
    expect(() => server.tool('a', both, () => 1)).toThrow(TypeError)
    expect(() => server.tool('a', both, () => 1)).toThrow(/tool "a" has both input and inputSchema/)
    expect(() => tool('a', { output, outputSchema: output }, () => ({ length: 1 }))).toThrow(
      /both output and outputSchema/,
    )
    expect(() => prompt('p', both, () => 'x')).toThrow(/prompt "p" has both input and inputSchema/)
    expect(() => server.prompt('p', both, () => 'x')).toThrow(TypeError)
    const plain = { name: 'a', options: both, run: () => 1 }
    expect(() => new MCPServer('both', { tools: [plain] })).toThrow(TypeError)
  })

  it('with an older name can be updated by the current name, and the other way round', async () => {
    const server = new MCPServer('updated')
    const other = z.object({ b: z.string() })
    const first = server.tool('first', { inputSchema: input }, () => 1)
    const second = server.tool('second', { input }, () => 1)
    first.update({ input: other, run: () => 2 })
    second.update({ inputSchema: other, run: () => 2 })
    for (const { inputSchema } of (await server.listTools()).tools) expect(inputSchema.required).toEqual(['b'])
    expect(() => first.update({ input, inputSchema: input, run: () => 3 })).toThrow(TypeError)
    expect((await server.listTools()).tools[0]?.inputSchema.required).toEqual(['b'])
  })

  it.each(['input', 'inputSchema', 'output', 'outputSchema'])('with a raw shape as %s is shown z.object', (key) => {
    const server = new MCPServer('raw')
    const define = (shape: object) => () => server.tool('raw', { [key]: shape }, () => ({}))
    expect(define({ a: z.string() })).toThrow(/tool "raw".*wrap it, as in z\.object\(\{ a: z\.string\(\) \}\)/)
    expect(define({ a: z.number(), b: z.array(z.string()) })).toThrow(/z\.object\(\{ a: z\.number\(\), b: … \}\)/)
    const many = Object.fromEntries(['a', 'b c', 'd', 'e'].map((name) => [name, z.boolean()]))
    expect(define(many)).toThrow(/z\.object\(\{ a: z\.boolean\(\), "b c": z\.boolean\(\), d: z\.boolean\(\), … \}\)/)
  })

  it('with a raw shape of a zod that is no Standard Schema is shown z.object too', () => {
    class ZodString {
      readonly _def = { typeName: 'ZodString' }
      safeParse() {}
    }
    const define = () => new MCPServer('raw').tool('raw', { input: { a: new ZodString() } }, () => 1)
    expect(define).toThrow(/z\.object\(\{ a: z\.string\(\) \}\)/)
  })

  it.each([
    ['tool', 'parameters', 'Use "input"'],
    ['tool', 'inputs', 'The nearest known option is "input"'],
    ['tool', '_meta', 'Use "meta"'],
    ['prompt', 'argsSchema', 'Use "input"'],
    ['resource', 'mimetype', 'The nearest known option is "mimeType"'],
  ] as const)('of a %s with the unknown option %s says what to write', (kind, key, advice) => {
    const server = new MCPServer('unknown')
    const define = () => (server as unknown as Registering)[kind]('x://y', { [key]: 'x' }, () => 'x')
    expect(define).toThrow(TypeError)
    expect(define).toThrow(`Unknown option "${key}" for ${kind} "x://y". ${advice}.`)
  })

  it('that is rejected registers nothing', async () => {
    const server = new MCPServer('clean')
    expect(() => server.tool('a', { titel: 'x' } as object, () => 1)).toThrow(TypeError)
    server.tool('a', { title: 'x' }, () => 1)
    await using client = await connect(server)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a'])
  })

  it('does not change when an update has an unknown option', async () => {
    const server = new MCPServer('steady')
    const handle = server.tool('a', { title: 'one' }, () => 1)
    expect(() => handle.update({ title: 'two', titel: 'x' } as object)).toThrow(/"titel" for tool "a".*"title"/)
    expect((await server.listTools()).tools[0]?.title).toBe('one')
  })
})

describe('run()', () => {
  it('names the missing transport for an option of HTTP', async () => {
    const server = new MCPServer('run')
    await expect(server.run({ port: 0 } as object)).rejects.toThrow(
      new TypeError("The option port of run() is for HTTP. Add transport: 'http'."),
    )
  })
})
