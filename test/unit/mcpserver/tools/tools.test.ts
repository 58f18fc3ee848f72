import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { MCPServer, prompt, resource, tool } from '../../../../src/exports/index.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { MCPError, UrlElicitationRequiredError } from '../../../../src/types/errors/errors.ts'
import { ToolError } from '../../../../src/types/errors/failures.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import { createServer, inBothEras, refusalOf, textOf } from '../support.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

inBothEras('calling a tool', ({ connect, isModern }) => {
  it('validates arguments, calls the function and sends its value', async () => {
    const { server } = createServer()
    server.tool('add', { input: z.object({ a: z.number(), b: z.number().default(1) }) }, ({ a, b }) => a + b)
    await using client = await connect(server)

    const result = await client.callTool('add', { a: 2 })

    expect(result.structuredContent).toEqual({ result: 3 })
    expect(result.content).toEqual([{ type: 'text', text: '3' }])
    expect(result.isError).toBeUndefined()
  })

  it('sends a whole result as it is', async () => {
    const { server } = createServer()
    const whole: CallToolResult = {
      content: [{ type: 'text', text: 'no' }],
      structuredContent: { why: 'late' },
      isError: true,
      _meta: { 'example.com/x': 1 },
    }
    server.tool('whole', {}, () => whole)
    await using client = await connect(server)

    expect(await client.callTool('whole')).toMatchObject(whole)
  })

  it('lists and sends an output in the form that the revision has', async () => {
    const { server } = createServer()
    server.tool('count', { output: z.array(z.number()) }, () => [1, 2])
    server.tool('weather', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 21 }))
    server.tool('either', { output: z.union([z.object({ a: z.number() }), z.string()]) }, () => ({ a: 1 }))
    await using client = await connect(server)

    const [count, weather] = (await client.listTools()).tools
    expect(count?.outputSchema).toMatchObject(
      isModern
        ? { type: 'array' }
        : { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] },
    )
    expect(weather?.outputSchema).toMatchObject({ type: 'object', properties: { celsius: { type: 'number' } } })
    // The client holds each result against the listing, so that these would throw if the two did not agree.
    expect((await client.callTool('count')).structuredContent).toEqual(isModern ? [1, 2] : { result: [1, 2] })
    expect((await client.callTool('weather')).structuredContent).toEqual({ celsius: 21 })
    expect((await client.callTool('either')).structuredContent).toEqual(isModern ? { a: 1 } : { result: { a: 1 } })
    expect(textOf(await client.callTool('count'))).toBe('[1,2]')
  })

  it('F195 answers a value that does not fit the output with an error, not with wrong data', async () => {
    const { server, faults } = createServer()
    server.tool('weather', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 'warm' }) as never)
    await using client = await connect(server)
    await client.listTools()

    const result = await client.callTool('weather')

    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The tool "weather" failed' }] })
    expect(result).not.toHaveProperty('structuredContent')
    expect(String(faults[0]?.error)).toContain('celsius')
  })

  it('explains wrong arguments to the model and does not run', async () => {
    const { server } = createServer()
    const run = vi.fn()
    const input = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    }
    server.tool('add', { input }, run)
    await using client = await connect(server)

    expect(textOf(await client.callTool('add', { a: 'one' }))).toBe(
      'Invalid arguments for tool "add":\n- a: expected number, got string',
    )
    expect(await client.callTool('add', { a: 1, b: 2 })).toMatchObject({ isError: true })
    expect(textOf(await client.callTool('add'))).toContain('a')
    expect(run).not.toHaveBeenCalled()
  })

  it('takes no arguments where no input is given', async () => {
    const { server } = createServer()
    server.tool('now', {}, () => 'now')
    await using client = await connect(server)

    expect((await client.listTools()).tools[0]?.inputSchema).toEqual({ type: 'object', additionalProperties: false })
    expect(textOf(await client.callTool('now'))).toBe('now')
    expect(await client.callTool('now', { please: true })).toMatchObject({ isError: true })
  })

  it('repairs a list that came in a string, and reports it to the author', async () => {
    const { server, faults } = createServer()
    server.tool('sum', { input: z.object({ of: z.array(z.number()) }) }, ({ of }) => of.length)
    await using client = await connect(server)

    expect((await client.callTool('sum', { of: '[1, 2]' })).structuredContent).toEqual({ result: 2 })
    expect(faults).toMatchObject([{ kind: 'invalid-message', message: expect.stringContaining('of') }])
    expect(await client.callTool('sum', { of: '["x"]' })).toMatchObject({ isError: true })
  })

  it('rejects an unknown tool with -32602', async () => {
    const { server } = createServer()
    server.tool('known', {}, () => 1)
    await using client = await connect(server)

    for (const name of ['unknown', '__proto__', 'constructor', 'toString']) {
      expect(await refusalOf(client.callTool(name))).toMatchObject({ code: -32602 })
    }
    expect((await refusalOf(client.callTool('\u0007'.repeat(5_000)))).message.length).toBeLessThan(600)
  })

  it('shows a ToolError to the model, an MCPError to the client, and everything else to the author', async () => {
    const { server, faults } = createServer()
    server.tool('full', {}, () => {
      throw new ToolError('The shelf is full')
    })
    server.tool('refuse', {}, async () => {
      throw new MCPError(-1234, 'Not today', { until: 'tomorrow' })
    })
    server.tool('crash', {}, async () => {
      throw new Error('connect postgres://admin:hunter2@db')
    })
    await using client = await connect(server)

    expect(await client.callTool('full')).toMatchObject({ isError: true, content: [{ text: 'The shelf is full' }] })
    expect(await refusalOf(client.callTool('refuse'))).toMatchObject({ code: -1234, data: { until: 'tomorrow' } })
    expect(faults).toEqual([])
    const crashed = await client.callTool('crash')
    expect(crashed).toMatchObject({ isError: true, content: [{ text: 'The tool "crash" failed' }] })
    expect(JSON.stringify(crashed)).not.toContain('hunter2')
    expect(faults).toMatchObject([{ kind: 'handler-failed', method: 'tools/call' }])
  })

  it('shows every error to the model with exposeErrors', async () => {
    const { server } = createServer({ exposeErrors: true })
    server.tool('crash', {}, () => {
      throw new Error('out of paper')
    })
    await using client = await connect(server)

    expect(textOf(await client.callTool('crash'))).toBe('The tool "crash" failed: out of paper')
  })

  it('treats a schema that throws as a failure of the tool', async () => {
    const { server, faults } = createServer()
    const throwing = z.string().refine(() => {
      throw new Error('hunter2')
    })
    server.tool('in', { input: z.object({ a: throwing }) }, () => 1)
    server.tool('out', { output: z.object({ a: throwing }) }, () => ({ a: 'x' }))
    await using client = await connect(server)

    expect(textOf(await client.callTool('in', { a: 'x' }))).toBe('The tool "in" failed')
    expect(textOf(await client.callTool('out'))).toBe('The tool "out" failed')
    expect(faults).toHaveLength(2)
  })

  it('reports what a tool yields as progress, and returns the list of it', async () => {
    const { server } = createServer()
    server.tool('download', {}, async function* () {
      yield 'one'
      yield { done: 2 }
      yield { type: 'text', text: 'three' }
    })
    server.tool('summarise', { output: z.object({ total: z.number() }) }, function* () {
      yield 'working'
      return { total: 1 }
    })
    await using client = await connect(server)
    const progress: unknown[] = []

    const result = await client.callTool('download', {}, { onProgress: (step) => progress.push(step) })

    expect(progress).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: '{"done":2}' },
      { progress: 3, message: 'three' },
    ])
    expect(textOf(result)).toBe('one|{"done":2}|three')
    expect((await client.callTool('summarise')).structuredContent).toEqual({ total: 1 })
  })

  it('fails a tool that takes too long, and aborts its signal', async () => {
    const { server } = createServer()
    const { promise: aborted, resolve } = createDeferred<unknown>()
    server.tool('slow', { timeoutMs: 5_000 }, async (_args, ctx) => {
      await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
    })
    server.tool('deaf', { timeoutMs: 5_000 }, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason))
      await new Promise(() => {})
    })
    server.tool('quick', { timeoutMs: 5_000 }, () => 'done')
    await using client = await connect(server)

    const calls = ['slow', 'deaf', 'quick'].map((name) => client.callTool(name))
    await vi.advanceTimersByTimeAsync(5_000)

    const [slow, deaf, quick] = await Promise.all(calls)
    expect(slow).toMatchObject({ isError: true, content: [{ text: 'The tool "slow" did not finish within 5000 ms' }] })
    expect(deaf).toMatchObject({ isError: true })
    expect(quick).toMatchObject({ content: [{ text: 'done' }] })
    expect(await aborted).toMatchObject({ name: 'TimeoutError' })
  })

  it('asks the user to visit a page that a tool throws an error about', async () => {
    const { server } = createServer()
    let isPaid = false
    server.tool('download', {}, () => {
      if (isPaid) return 'here'
      throw new UrlElicitationRequiredError([
        { mode: 'url', message: 'Pay', url: 'https://example.com/pay', elicitationId: 'e1' },
      ])
    })
    const asked: string[] = []
    await using client = await connect(server, {
      onElicitation: (params) => {
        if (params.mode === 'url') asked.push(params.url)
        isPaid = true
        return { action: 'accept' }
      },
    })

    if (isModern) {
      expect(textOf(await client.callTool('download'))).toBe('here')
      expect(asked).toEqual(['https://example.com/pay'])
    } else {
      expect(await refusalOf(client.callTool('download'))).toMatchObject({ code: -32042 })
    }
  })

  it('lets a handler return its questions itself', async () => {
    const { server } = createServer()
    server.tool('ask', {}, (_args, ctx) => {
      if (ctx.inputResponses !== undefined) return { state: ctx.requestState, answers: ctx.inputResponses }
      const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
      const inputRequests = { sure: { method: 'elicitation/create', params } }
      return { resultType: 'input_required', inputRequests, requestState: 'round 1' }
    })
    await using client = await connect(server, { onElicitation: () => ({ action: 'decline' }) })

    if (isModern) {
      const { structuredContent } = await client.callTool('ask')
      expect(structuredContent).toEqual({ state: 'round 1', answers: { sure: { action: 'decline' } } })
    } else {
      expect(await refusalOf(client.callTool('ask'))).toMatchObject({ code: -32603 })
    }
  })
})

it('answers wrong arguments with -32602 in revisions that require it', async () => {
  const { server } = createServer({ supportedVersions: ['2025-06-18'] })
  server.tool('add', { input: z.object({ a: z.number() }) }, ({ a }) => a)
  await using client = await connect(server, { mode: 'legacy' })

  expect(client.protocolVersion).toBe('2025-06-18')
  const refusal = await refusalOf(client.callTool('add', { a: 'one' }))
  expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining('a:') })
})

it('B-SCHEMA-05 F194 rejects at registration what could not be called later', () => {
  const { server } = createServer()
  const run = () => 1
  expect(() => server.tool('bad name', {}, run)).toThrow(RangeError)
  expect(() => server.tool('t', { input: z.string() }, run)).toThrow(/must be the schema of an object/)
  expect(() => server.tool('t', { input: { type: 'nonsense' } }, run)).toThrow(/input of tool "t"/)
  expect(() => server.tool('t', { output: { minimum: 'low' } as object }, run)).toThrow(/output of tool "t"/)
  expect(() => server.tool('t', { input: { $schema: 'https://example.com/dialect' } }, run)).toThrow(/dialect/)
  expect(() => server.tool('t', { timeoutMs: 0 }, run)).toThrow(RangeError)
  expect(() => server.tool('t', {}, 'run' as never)).toThrow(TypeError)
  const twice = { type: 'string', 'x-mcp-header': 'Region' }
  expect(() => server.tool('t', { input: { type: 'object', properties: { a: twice, b: twice } } }, run)).toThrow(
    /Region|repeats/,
  )
  expect(coreOf(server.server).requestHandler('tools/list')).toBeUndefined()
})

it('returns frozen lists', async () => {
  const { server } = createServer()
  const input = { type: 'object', properties: { a: { type: 'number' } } }
  server.tool('add', { input, annotations: { readOnlyHint: true } }, () => 1)
  const [tool] = (await server.listTools()).tools

  expect(() => Object.assign(tool?.inputSchema.properties as object, { b: {} })).toThrow(TypeError)
  await expect(server.listTools().then(({ tools }) => tools.pop())).rejects.toThrow(TypeError)
  input.properties.a.type = 'string'
  expect((await server.listTools()).tools[0]?.inputSchema.properties).toEqual({ a: { type: 'number' } })
  expect(Object.isFrozen(input)).toBe(false)
})

it.each([
  ['a tool', async () => textOf(await withoutOptions().callTool('hello')), 'hello'],
  ['a tool as a value', async () => textOf(await withoutOptions().callTool('value')), 'value'],
  ['a prompt', async () => JSON.stringify(await withoutOptions().getPrompt('greet')), /Greet\./],
  ['a prompt as a value', async () => JSON.stringify(await withoutOptions().getPrompt('part')), /Part\./],
  ['a resource', async () => JSON.stringify(await withoutOptions().readResource('note://one')), /first/],
  ['a resource as a value', async () => JSON.stringify(await withoutOptions().readResource('note://2')), /note 2/],
] as const)('takes %s without options', async (_name, use, expected) => {
  expect(await use()).toMatch(expected)
})

function withoutOptions(): MCPServer {
  const server = new MCPServer('short', {
    tools: [tool('value', () => 'value')],
    prompts: [prompt('part', () => 'Part.')],
    resources: [resource('note://{n}', ({ n }) => `note ${n}`)],
  })
  server.tool('hello', () => 'hello')
  server.prompt('greet', () => 'Greet.')
  server.resource('note://one', () => 'first')
  return server
}

it('says of a tool without a handler that the handler is missing', () => {
  const { server } = createServer()
  expect(() => server.tool('empty', {} as never)).toThrow(/The handler of tool "empty" must be a function/)
  expect(() => server.tool('turned-round', (() => 1) as never, {} as never)).toThrow(
    /must be an object, not a function/,
  )
})
