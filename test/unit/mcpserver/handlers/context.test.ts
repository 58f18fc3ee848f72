import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Context } from '../../../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { connect as connectForTest } from '../../../../src/testing/connect.ts'
import { LOGGING_LEVELS } from '../../../../src/types/features/logging.ts'
import { passTime } from '../../../interaction/kit/support-mcpserver.ts'
import { createServer, inBothEras, refusalOf, textOf } from '../support.ts'

afterEach(() => {
  vi.useRealTimers()
})

inBothEras('the context', ({ connect, isModern }) => {
  it('has the request, the caller and the server', async () => {
    const { server } = createServer({ lifespan: () => ({ db: 'open' }) })
    server.tool('look', {}, (_args, ctx) => ({
      version: ctx.protocolVersion,
      client: ctx.clientInfo?.name,
      capabilities: Object.keys(ctx.clientCapabilities),
      meta: ctx.meta['example.com/trace'],
      lifespan: ctx.lifespan,
      hasId: ctx.requestId !== undefined,
      auth: ctx.auth ?? null,
      http: ctx.http ?? null,
      canSend: ctx.session.canSendRequest,
      isAborted: ctx.signal.aborted,
      method: ctx.request.method,
    }))
    await using client = await connect(server, {
      clientInfo: { name: 'looker', version: '1' },
      onElicitation: () => ({ action: 'cancel' }),
    })

    const { structuredContent } = await client.callTool('look', {}, { meta: { 'example.com/trace': 'abc' } })
    expect(structuredContent).toEqual({
      version: client.protocolVersion,
      client: 'looker',
      capabilities: ['elicitation'],
      meta: 'abc',
      lifespan: { db: 'open' },
      hasId: true,
      auth: null,
      http: null,
      canSend: !isModern,
      isAborted: false,
      method: 'tools/call',
    })
  })

  it('reports progress, and logs at every level that the client wants', async () => {
    const { server } = createServer()
    server.tool('work', {}, async (_args, ctx) => {
      await ctx.reportProgress(1, 2, 'half')
      for (const level of LOGGING_LEVELS) await ctx.log[level]({ level })
      await ctx.log('error', 'chosen', 'worker')
    })
    const heard: unknown[] = []
    await using client = await connect(server, {
      logLevel: 'error',
      onLog: ({ level, data, logger }) => {
        heard.push([level, data, logger])
      },
    })
    if (!isModern) await client.setLoggingLevel('error')

    expect(client.serverCapabilities.logging).toEqual({})
    await client.callTool('work', {}, { onProgress: (progress) => heard.unshift(progress) })

    expect(heard).toEqual([
      { progress: 1, total: 2, message: 'half' },
      ...['error', 'critical', 'alert', 'emergency'].map((level) => [level, { level }, undefined]),
      ['error', 'chosen', 'worker'],
    ])
  })

  it('logs nothing where the server does not declare that it does', async () => {
    const { server } = createServer({ logging: false })
    server.tool('work', {}, async (_args, ctx) => {
      await ctx.log.emergency('fire')
      await ctx.log('error', 'smoke')
    })
    const heard: unknown[] = []
    await using client = await connect(server, { logLevel: 'debug', onLog: (message) => void heard.push(message) })
    await client.callTool('work')

    expect(client.serverCapabilities.logging).toBeUndefined()
    expect(heard).toEqual([])
  })

  it('reads resources as the caller would, without the rounds of its own call', async () => {
    const { server } = createServer()
    server.resource('notes://{id}', ({ id }, ctx) => {
      if (id === 'ask') return { resultType: 'input_required', inputRequests: {} }
      return JSON.stringify([id, ctx.inputResponses ?? null, ctx.requestState ?? null])
    })
    server.resource('vault://secret', { visible: () => false }, () => 'secret')
    server.resource('vault://open', async (_variables, ctx) => (await ctx.elicit('Open?', z.object({}))).action)
    server.tool('read', { input: z.object({ uri: z.string() }) }, async ({ uri }, ctx) => {
      await ctx.elicit('Sure?', z.object({}))
      return (await ctx.readResource(uri)).contents.map((contents) => ('text' in contents ? contents.text : ''))
    })
    await using client = await connect(server, { onElicitation: () => ({ action: 'decline' }) })

    expect(textOf(await client.callTool('read', { uri: 'notes://1' }))).toBe('["1",null,null]')
    expect(textOf(await client.callTool('read', { uri: 'vault://open' }))).toBe('decline')
    expect(await refusalOf(client.callTool('read', { uri: 'vault://secret' }))).toMatchObject({
      code: isModern ? -32602 : -32002,
      data: { uri: 'vault://secret' },
    })
    expect(await client.callTool('read', { uri: 'notes://ask' })).toMatchObject({ isError: true })
  })

  it('reads resources within the time of the tool, without the time of the user', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { server } = createServer()
    const reasons: unknown[] = []
    server.resource('vault://open', async (_variables, ctx) => (await ctx.elicit('Open?', z.object({}))).action)
    server.resource('vault://stuck', async (_variables, ctx) => {
      ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason))
      await new Promise(() => {})
    })
    server.tool('read', { input: z.object({ uri: z.string() }), timeoutMs: 1_000 }, async ({ uri }, ctx) =>
      (await ctx.readResource(uri)).contents.map((contents) => ('text' in contents ? contents.text : '')),
    )
    const onElicitation = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      return { action: 'decline' as const }
    }
    await using client = await connect(server, { onElicitation })

    expect(textOf(await passTime(client.callTool('read', { uri: 'vault://open' })))).toBe('decline')
    const stuck = await passTime(client.callTool('read', { uri: 'vault://stuck' }))
    expect(textOf(stuck)).toBe('The tool "read" did not finish within 1000 ms')
    expect(reasons).toMatchObject([{ name: 'TimeoutError' }])
  })

  it('asks several questions in a row, and runs each step once', async () => {
    const { server } = createServer()
    let booked = 0
    server.tool('book', { input: z.object({ city: z.string() }) }, async ({ city }, ctx) => {
      const day = await ctx.elicit('Which day?', z.object({ day: z.string() }))
      if (day.action !== 'accept') return 'no'
      const id = await ctx.step('book', () => ++booked)
      const seats = await ctx.elicit('How many seats?', z.object({ seats: z.number() }))
      return seats.action === 'accept' ? `${id}: ${city}, ${day.content.day}, ${seats.content.seats}` : 'no'
    })
    await using client = await connect(server, {
      onElicitation: ({ message }) => ({
        action: 'accept',
        content: message === 'Which day?' ? { day: 'Monday' } : { seats: 2 },
      }),
    })

    expect(textOf(await client.callTool('book', { city: 'Rome' }))).toBe('1: Rome, Monday, 2')
    expect(booked).toBe(1)
  })

  it('is available without being passed along, with ambientContext', async () => {
    const { server } = createServer({ ambientContext: true })
    const seen: (Context | undefined)[] = []
    const helper = async () => {
      await Promise.resolve()
      seen.push(server.currentContext)
      return server.currentContext?.request.method
    }
    server.tool('t', {}, async (_args, ctx) => {
      seen.push(ctx)
      return helper()
    })
    server.prompt('p', {}, helper)
    server.resource('x://1', helper)
    await using client = await connect(server)

    expect(textOf(await client.callTool('t'))).toBe('tools/call')
    expect((await client.getPrompt('p')).messages[0]?.content).toMatchObject({ text: 'prompts/get' })
    expect((await client.readResource('x://1')).contents[0]).toMatchObject({ text: 'resources/read' })
    expect(seen[1]).toBe(seen[0])
    expect(server.currentContext).toBeUndefined()
  })

  it('is available in every function of the author, with ambientContext', async () => {
    const { server } = createServer({ ambientContext: true })
    const seen: Record<string, unknown> = {}
    const look = (where: string) => {
      seen[where] = server.currentContext?.request.method
    }
    server.tool('yields', {}, async function* () {
      look('generator')
      yield 1
      await Promise.resolve()
      look('generator, later')
    })
    const visible = () => {
      look('visible')
      return true
    }
    const list = async function* () {
      look('list')
      await Promise.resolve()
      yield { uri: 'x://1' }
      look('list, later')
    }
    const complete = {
      id: async () => {
        look('completer')
        await Promise.resolve()
        look('completer, later')
        return []
      },
    }
    server.resource('x://{id}', { visible, list, complete }, () => 'text')
    await using client = await connect(server)

    await client.callTool('yields')
    await client.listResources()
    expect(seen['visible']).toBe('resources/list')
    await client.complete({ type: 'ref/resource', uri: 'x://{id}' }, { name: 'id', value: '' })
    expect(seen).toEqual({
      generator: 'tools/call',
      'generator, later': 'tools/call',
      list: 'resources/list',
      'list, later': 'resources/list',
      visible: 'completion/complete',
      completer: 'completion/complete',
      'completer, later': 'completion/complete',
    })
    expect(server.currentContext).toBeUndefined()
  })
})

it('names the option to set where there is no ambient context', () => {
  expect(() => createServer().server.currentContext).toThrow(/ambientContext/)
})

it('rejects questions while a list is made', async () => {
  const { server, faults } = createServer()
  const visible = (ctx: Context) => {
    void ctx.listRoots()
    return true
  }
  server.tool('t', { visible }, () => 1)
  expect((await server.listTools()).tools).toEqual([])
  expect(String(faults[0]?.error)).toContain('tools/list')
})

it('encrypts the state of a call that asks, unless requestState is false', async () => {
  const states: Record<string, string> = {}
  for (const [name, requestState] of [
    ['sealed', {}],
    ['open', false],
  ] as const) {
    const server = new MCPServer(name, { requestState })
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.step('secret', () => 'hunter2')
      return (await ctx.elicit('Sure?', z.object({}))).action
    })
    await using client = await connectForTest(server, { onElicitation: () => ({ action: 'accept' }) })
    const result = await client.session.callTool('ask', {}, { allowInputRequired: true })
    states[name] = 'requestState' in result ? String(result.requestState) : ''
  }

  expect(states['open']).toContain('hunter2')
  expect(states['sealed']).not.toBe('')
  expect(states['sealed']).not.toContain('hunter2')
})
