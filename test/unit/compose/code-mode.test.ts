// `codeMode`: scripts over tools, in a sandbox that ends them at their limits.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { type CodeModeOptions, codeMode } from '../../../src/exports/transforms.ts'

const NUMBERS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const

function calculator(options: CodeModeOptions = {}) {
  const server = new MCPServer('calculator', { onFault: () => {} })
  const made: string[] = []
  server.tool(
    'add',
    { input: NUMBERS, output: { type: 'object', properties: { sum: { type: 'number' } } } as const },
    ({ a = 0, b = 0 }) => {
      made.push(`add ${a} ${b}`)
      return { sum: a + b }
    },
  )
  server.tool('fail', () => {
    throw new Error('secret detail')
  })
  server.tool('hidden', { visible: () => false }, () => 'never')
  server.tool('ask', async (_args, ctx) => {
    const { action } = await ctx.elicit('Sure?', { type: 'object', properties: { ok: { type: 'boolean' } } })
    return action
  })
  server.transform(codeMode(options))
  return { server, made }
}

const text = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text
const run = async (code: string, options: CodeModeOptions = {}) => {
  const { server } = calculator(options)
  return server.callTool('run_code', { code })
}

describe('codeMode', () => {
  it('compose T11 the list is three tools; a script calls tools and returns a value', async () => {
    const { server, made } = calculator({ keep: ['fail'] })
    expect((await server.listTools()).tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tools',
      'run_code',
      'fail',
    ])
    const code =
      'const { sum } = await tools.add({ a: 1, b: 2 })\nconsole.log("so far", sum)\nreturn { total: sum + (await callTool("add", { a: 3 })).sum }'
    const result = await server.callTool('run_code', { code })
    expect(result.structuredContent).toEqual({ total: 6 })
    expect(result.content).toContainEqual({ type: 'text', text: 'console:\nso far 3' })
    expect(made).toEqual(['add 1 2', 'add 3 0'])
    expect(text(await server.callTool('search_tools', { query: 'add' }))).toContain('"add"')
    expect(text(await server.callTool('describe_tools', { names: ['add'] }))).toContain('inputSchema')
  })

  it('compose T11 tools that fail, are hidden or do not exist throw a ToolError', async () => {
    const failed = (name: string) =>
      run(`try { await tools.${name}() } catch (error) { return error.name + ': ' + error.message }`)
    expect(text(await failed('fail'))).toBe('ToolError: The tool "fail" failed')
    expect(text(await failed('hidden'))).toBe('ToolError: Unknown tool "hidden"')
    expect(text(await failed('nothing'))).toBe('ToolError: Unknown tool "nothing"')
    expect(text(await failed('run_code'))).toContain("can't be called by a script")
  })

  it('compose T11 scripts see no network, files, environment or timers', async () => {
    const seen = await run(
      'return [typeof process, typeof require, typeof fetch, typeof setTimeout, typeof Worker, typeof WebAssembly]',
    )
    expect(JSON.parse(text(seen))).toEqual(Array(6).fill('undefined'))
    expect(text(await run('return this.constructor.constructor("return typeof process")()'))).toBe('undefined')
    expect(await run('return import("node:fs")')).toMatchObject({ isError: true })
  })

  it.each([
    ['an endless loop', 'for (;;) {}', 'longer than'],
    ['an endless loop of promises', 'const f = async () => { for (;;) await 0 }; await f()', 'longer than'],
    [
      'an allocation loop',
      'const a = []; for (;;) a.push(new Array(1000).fill("x".repeat(1000)))',
      /longer than|memory/,
    ],
    ['a slow pattern', '/(a+)+$/.test("a".repeat(40) + "b")', 'longer than'],
    ['much output', 'return "x".repeat(5000)', '1000 characters'],
    ['much on the console', 'for (;;) console.log("xxxxxxxxxxxxxxxxxxxx")', '1000 characters'],
    ['many calls', 'for (;;) await tools.add()', 'more than 5 calls'],
    ['many calls at once', 'await Promise.all(Array.from({ length: 100 }, () => tools.add()))', 'more than 5 calls'],
    ['a long sleep', 'await sleep(1e9)', 'longer than'],
  ])('compose G052 compose T12 %s is ended at its limit', async (_what, code, message) => {
    // Only where the time is what ends it, so that a busy machine ends nothing else by its time.
    const timeMs = String(message).includes('longer than') ? 1_500 : 30_000
    const result = await run(code, {
      limits: { timeMs, memoryMB: 32, calls: 5, callsAtOnce: 2, outputLength: 1_000 },
    })
    expect(result.isError).toBe(true)
    expect(text(result)).toMatch(message)
  })

  it.each([
    ['JSON.stringify = () => "x"; Array.prototype.map = null; return { a: 1 }', '{"a":1}'],
    ['Object.defineProperty(Object.prototype, "error", { get: () => "x" }); return 1', '1'],
    ['globalThis.tools = null; return (await callTool("add", { a: 1 })).sum', '1'],
  ])('compose T12 tricks with prototypes harm nobody: %s', async (code, expected) => {
    const { server } = calculator()
    const result = await server.callTool('run_code', { code })
    expect([expected, '']).toContain(result.isError === true ? '' : text(result))
    expect(text(await server.callTool('run_code', { code: 'return (await tools.add({ a: 2 })).sum' }))).toBe('2')
  })

  it('compose G053 an error of the script has its line and message', async () => {
    expect(text(await run('const x = 1\nconst y = ;'))).toMatch(/SyntaxError.*\(line 2\)/)
    expect(text(await run('const x = 1\n\nthrow new Error("here")'))).toBe('Error: here (line 3)')
    expect(text(await run('await new Promise(() => {})'))).toContain('waits for something that never happens')
    expect(await run('return 1n')).toMatchObject({ isError: true })
  })

  it.each(['modern', 'legacy'] as const)(
    'compose X82 a question inside is answered, and calls are not made twice (%s)',
    async (mode) => {
      const { server, made } = calculator()
      await using client = await Client.connect(server, {
        mode,
        onElicitation: () => ({ action: 'accept', content: { ok: true } }),
      })
      const code =
        'const { sum } = await tools.add({ a: 1 }); const answer = await tools.ask(); return answer + (await tools.add({ a: sum })).sum'
      expect(text(await client.callTool('run_code', { code }))).toBe('accept1')
      expect(made).toEqual(['add 1 0', 'add 1 0'])
    },
  )

  it("a sandbox of one's own takes the place of ours; wrong options are refused", async () => {
    const sandbox = { run: async (code: string) => ({ ok: true as const, value: code, logs: [] }) }
    expect(text(await run('anything', { sandbox }))).toBe('anything')
    expect(() => codeMode({ sandbox: {} as never })).toThrow('function run')
    expect(() => codeMode({ limits: { timeMs: 0 } })).toThrow(RangeError)
    expect(await run(7 as never)).toMatchObject({ isError: true })
  })
})
