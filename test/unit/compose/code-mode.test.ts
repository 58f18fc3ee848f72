// `codeMode`: scripts over tools, in a sandbox that ends them at their limits.
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { type CodeModeOptions, codeMode, type Sandbox } from '../../../src/exports/transforms.ts'

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
    ['an allocation loop', 'const a = []; for (;;) a.push(new Array(1000).fill("x".repeat(1000)))', '32 MB of memory'],
    ['many small objects', 'const a = []; for (let i = 0; ; i++) a.push({ i })', '32 MB of memory'],
    ['many promises', 'const f = () => Promise.all([f(), f()]); await f()', /32 MB of memory|call stack/],
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

  it('compose G052 compose T12 memory is bounded by its bytes, whatever it is used for', async () => {
    for (const piece of ['new Uint8Array(1e6)', '"x".repeat(1e6 + kept.length)', 'new Array(125_000).fill(1.5)']) {
      const code = `const kept = []; try { for (;;) kept.push(${piece}) } catch {}; const { length } = kept; kept.length = 0; return length`
      const pieces = Number(text(await run(code, { limits: { memoryMB: 32 } })))
      expect(pieces).toBeGreaterThan(3)
      expect(pieces).toBeLessThan(64)
    }
  })

  it('compose G052 arguments of a call have a largest size, and what is thrown may be anything', async () => {
    const code = 'return (await tools.add({ a: "x".repeat(5e6) })).sum'
    expect(text(await run(code))).toContain('The arguments of a call have at most 1048576 characters.')
    for (const value of ['undefined', 'null', '""', '{ toString() { for (;;) {} } }', '[]', 'new Proxy({}, {})']) {
      expect(text(await run(`throw ${value}`)).length).toBeGreaterThan(3)
    }
  })

  it('compose G052 compose G053 what the engine says of itself is never the answer', async () => {
    const no = 'The script threw a value that is no error.'
    for (const value of ['Promise.resolve(1)', 'Promise.reject(1)', 'new Promise(() => {})', 'Symbol("x")', '() => {}'])
      expect(text(await run(`throw ${value}`))).not.toMatch(/[Ll]ifetime|QuickJS|ArrayBuffer/)
    expect(text(await run('throw Promise.resolve(1)'))).toBe(no)
    const plain = /^The script (?:waits for more than 10000 things at once|used more than \d+ MB of memory|took longer)/
    for (const code of [
      'for (;;) sleep(1e9)',
      'for (;;) void sleep(0)',
      'for (;;) Promise.resolve().then(() => sleep(1e9))',
    ])
      expect(text(await run(code, { limits: { timeMs: 5_000 } }))).toMatch(plain)
  })

  it('compose T11 describe_tools takes so many names, and gives each tool once', async () => {
    const { server } = calculator()
    const describe = (names: string[]) => server.callTool('describe_tools', { names })
    const { structuredContent } = await describe(Array.from({ length: 100 }, () => 'add'))
    expect((structuredContent as { tools: unknown[] }).tools).toHaveLength(1)
    const refused = await describe(Array.from({ length: 101 }, () => 'add'))
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: 'Give describe_tools at most 100 names at a time.' }],
    })
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

  it('compose G052 what an error says counts as output', async () => {
    const result = await run('throw new Error("x".repeat(1e6))', { limits: { outputLength: 1_000 } })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result).length).toBeLessThan(1_500)
  })

  it.each([
    ['tools.wait(); while (!(await tools.isRunning())); return 1', '1'],
    ['await tools.wait()', 'The script took longer than 1000 ms.'],
  ])('compose T11 calls end with their script: %s', async (code, expected) => {
    const server = new MCPServer('slow')
    let isRunning = false
    const aborted = new Promise<string>((resolve) => {
      server.tool('wait', (_args, ctx) => {
        isRunning = true
        return new Promise((end) =>
          ctx.signal.addEventListener('abort', () => {
            resolve((ctx.signal.reason as Error).message)
            end('late')
          }),
        )
      })
    })
    server.tool('isRunning', () => ({ is: isRunning }))
    server.transform(codeMode({ limits: { timeMs: code.startsWith('await') ? 1_000 : 30_000, calls: 1_000_000 } }))
    const script = code.replace('await tools.isRunning()', '(await tools.isRunning()).is')
    expect(text(await server.callTool('run_code', { code: script }))).toBe(expected)
    expect(await aborted).toBe('The script has ended.')
  })

  it('compose X82 what runs beside a question comes to its end, and is not made twice', async () => {
    let letGo = () => {}
    const isSuspended = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const sandbox: Sandbox = {
      run: (_code, { call, signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ ok: false, message: 'ended', logs: [] })
            letGo()
          })
          void Promise.all([call('charge', {}), call('ask', {})]).then((value) =>
            resolve({ ok: true, value: value.join(' '), logs: [] }),
          )
        }),
    }
    const { server, made } = calculator({ sandbox })
    server.tool('charge', async () => {
      made.push('charge')
      await isSuspended
      await new Promise((resolve) => setImmediate(resolve))
      return 'charged'
    })
    await using client = await Client.connect(server, {
      mode: 'modern',
      onElicitation: () => ({ action: 'accept', content: { ok: true } }),
    })
    expect(text(await client.callTool('run_code', { code: 'anything' }))).toBe('charged accept')
    expect(made).toEqual(['charge'])
  })

  it('compose G052 eight scripts run at a time, and one that is cancelled waits no more', async () => {
    const server = new MCPServer('busy')
    let [running, most] = [0, 0]
    const ends: (() => void)[] = []
    server.tool('enter', async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
      return 'done'
    })
    server.transform(codeMode())
    await using client = await Client.connect(server)
    const call = (signal?: AbortSignal) =>
      client.callTool('run_code', { code: 'return await tools.enter()' }, { ...(signal && { signal }) })
    const calls = Array.from({ length: 12 }, () => call())
    const cancelled = new AbortController()
    const last = call(cancelled.signal).catch((error: Error) => error.name)
    await vi.waitFor(() => expect(ends).toHaveLength(8), 20_000)
    cancelled.abort()
    expect(await last).toBe('AbortError')
    for (let ended = 0; ended < 12; ended += 1) {
      await vi.waitFor(() => expect(ends.length).toBeGreaterThan(0), 20_000)
      ends.shift()?.()
    }
    for (const result of await Promise.all(calls)) expect(text(result)).toBe('done')
    expect(most).toBe(8)
  })

  it('compose G052 scripts that wait have a largest size together; what is cancelled makes room', async () => {
    const server = new MCPServer('busy')
    const ends: (() => void)[] = []
    server.tool('enter', async () => {
      await new Promise<void>((resolve) => ends.push(resolve))
      return 'done'
    })
    server.transform(codeMode())
    await using client = await Client.connect(server)
    const stop = new AbortController()
    const code = 'return await tools.enter() //'.padEnd(100_000, 'x')
    const call = (signal?: AbortSignal) =>
      client.callTool('run_code', { code }, { ...(signal && { signal }) }).then(text, (error: Error) => error.name)
    const running = Array.from({ length: 8 }, () => call())
    await vi.waitFor(() => expect(ends).toHaveLength(8), 20_000)
    // 83 of them are 8,300,000 characters; one more is beyond 8 MiB.
    const waiting = Array.from({ length: 83 }, () => call(stop.signal))
    expect(await call()).toBe('Too many scripts wait at present. Try again later.')
    stop.abort()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['AbortError']))
    const last = call()
    for (const end of ends.splice(0)) end()
    await vi.waitFor(() => expect(ends).toHaveLength(1), 20_000)
    ends[0]?.()
    expect(await Promise.all([...running, last])).toEqual(Array(9).fill('done'))
  })

  it('compose G052 what waits for its turn waits in the memory of the script, not in that of the server', async () => {
    const server = new MCPServer('busy')
    const underWay: number[] = []
    let [most, mostLength, ended] = [0, 0, 0]
    const ends: (() => void)[] = []
    server.tool(
      'take',
      { input: { type: 'object', properties: { s: { type: 'string' } } } as const },
      async ({ s = '' }) => {
        underWay.push(s.length)
        most = Math.max(most, underWay.length)
        mostLength = Math.max(
          mostLength,
          underWay.reduce((sum, one) => sum + one, 0),
        )
        await new Promise<void>((resolve) => ends.push(resolve))
        underWay.splice(underWay.indexOf(s.length), 1)
        return 'done'
      },
    )
    server.transform(codeMode({ limits: { callsAtOnce: 3, memoryMB: 32 } }))
    const script = (length: number, calls: number) =>
      `const s = "x".repeat(${length}); await Promise.all(Array.from({ length: ${calls} }, () => tools.take({ s }))); return "end"`
    for (const [length, expected] of [
      [10, 3],
      [400_000, 2],
      [1_000_000, 1],
    ] as const) {
      ;[most, mostLength, ended] = [0, 0, 0]
      const running = server.callTool('run_code', { code: script(length, 7) })
      for (; ended < 7; ended += 1) {
        await vi.waitFor(() => expect(ends.length).toBe(Math.min(expected, 7 - ended)), 20_000)
        ends.shift()?.()
      }
      expect(text(await running)).toBe('end')
      expect(most).toBe(expected)
      expect(mostLength).toBeLessThanOrEqual(1_048_576)
    }
  })

  it.each([
    ['calls', 'for (;;) callTool("add", { a: 1 })', 'more than 50 calls'],
    [
      'long names of tools',
      'return await callTool("x".repeat(2e6), {}).catch((error) => error.message)',
      'at most 1048576',
    ],
    ['things that it waits for', 'for (;;) sleep(1e9)', 'waits for more than 10000 things at once'],
    ['levels', 'let a = []; for (let i = 0; i < 90; i++) a = [a]; return a', 'too deep'],
    ['members', 'return Array(40_000).fill([[]])', /more than 100000 characters|too many members/],
    [
      'levels of arguments',
      'let a = []; for (let i = 0; i < 90; i++) a = [a]; return await tools.add({ a }).catch((error) => error.message)',
      'an object of at most 64 levels',
    ],
    ['arguments that are no object', 'return await callTool("add", 5).catch((error) => error.message)', 'an object'],
    [
      'arguments that are no JSON',
      'return await callTool("add", () => 5).catch((error) => error.message)',
      'an object',
    ],
    ['what is thrown', 'throw Promise.resolve(1)', 'threw a value that is no error'],
  ])('compose G052 a script that makes too much of %s gets no further', async (_what, code, message) => {
    expect(text(await run(code))).toMatch(message)
  })

  it('compose G052 what a tool gives a script has a largest size, and so has what it says of a failure', async () => {
    const server = new MCPServer('large')
    server.tool('long', () => 'x'.repeat(4_194_304))
    server.tool('many', () => ({ content: [], structuredContent: { many: Array(1_100_000).fill(1) } }))
    server.tool('fails', () => ({ content: [{ type: 'text', text: 'x'.repeat(2e6) }], isError: true }))
    server.tool('fits', () => 'x'.repeat(4_000_000))
    server.transform(codeMode())
    const failure = async (tool: string, show = 'error.message') => {
      const code = `try { return (await tools.${tool}()).length } catch (error) { return ${show} }`
      return text(await server.callTool('run_code', { code }))
    }
    expect(await failure('long')).toBe('The result of long has more than 4194304 characters.')
    expect(await failure('many')).toBe('The result of many has more than 4194304 characters.')
    expect(Number(await failure('fails', 'error.message.length'))).toBeLessThan(100_010)
    expect(await failure('fits')).toBe('4000000')
  })

  it('compose G052 results are kept for a question only while they fit into its state', async () => {
    const { server } = calculator()
    let given = 0
    server.tool('gives', () => {
      given += 1
      return 'x'.repeat(200_000)
    })
    await using client = await Client.connect(server, {
      mode: 'modern',
      onElicitation: () => ({ action: 'accept', content: { ok: true } }),
    })
    const askAfter = (calls: number) =>
      client.callTool('run_code', {
        code: `for (let i = 0; i < ${calls}; i++) await tools.gives(); return await tools.ask()`,
      })
    expect(text(await askAfter(4))).toBe('accept')
    expect(given).toBe(4)
    for (const calls of [6, 40]) {
      const result = await askAfter(calls)
      expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('gathered too much')])
    }
    expect(
      text(await client.callTool('run_code', { code: 'for (let i = 0; i < 40; i++) await tools.gives(); return 1' })),
    ).toBe('1')
  })

  it('compose T11 without limits of its own a script has those that are documented', async () => {
    const given: unknown[] = []
    const sandbox: Sandbox = {
      run: async (_code, { limits }) => {
        given.push(limits)
        return { ok: true, value: undefined, logs: [] }
      },
    }
    const defaults = { timeMs: 30_000, memoryMB: 64, calls: 50, callsAtOnce: 8, outputLength: 100_000 }
    await run('', { sandbox })
    await run('', { sandbox, limits: { calls: 3 } })
    expect(given).toEqual([defaults, { ...defaults, calls: 3 }])
    expect(text(await run('x'.repeat(100_001), { sandbox }))).toBe(
      'Give run_code a script of at most 100000 characters.',
    )
  })

  it('compose G052 describe_tools takes a hundred names at once', async () => {
    const { server } = calculator()
    const names = Array.from({ length: 98 }, (_, at) => `name${at}`)
    const result = await server.callTool('describe_tools', { names: [...names, 'add', 'hidden'] })
    expect((result.structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(['add'])
  })

  it("a sandbox of one's own takes the place of ours; wrong options are refused", async () => {
    const sandbox = { run: async (code: string) => ({ ok: true as const, value: code, logs: [] }) }
    expect(text(await run('anything', { sandbox }))).toBe('anything')
    expect(() => codeMode({ sandbox: {} as never })).toThrow('function run')
    expect(() => codeMode({ limits: { timeMs: 0 } })).toThrow(RangeError)
    expect(await run(7 as never)).toMatchObject({ isError: true })
  })
})
