// A proxy in front of a server in this process: the same for a client as the server itself, in every pair of eras.
import { describe, expect, it, vi } from 'vitest'
import { Client, type ClientOptions } from '../../../src/exports/client.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import { createProxy, type ProxyServer } from '../../../src/proxy/proxy.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const PAIRS = [
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const

function everything(): MCPServer {
  const server = new MCPServer('upstream', {
    version: '7',
    instructions: 'use it',
    title: 'Up',
    requestState: { keys: ['a-key-of-thirty-two-bytes-length'] },
  })
  server.tool(
    'echo',
    { input: { type: 'object', properties: { text: { type: 'string' } } } },
    ({ text }) => `echo ${text}`,
  )
  server.tool('fails', () => {
    throw new Error('no')
  })
  server.tool('progress', async (_args, ctx) => {
    for (const n of [1, 2, 3]) await ctx.reportProgress(n, 3, `step ${n}`)
    return 'done'
  })
  server.tool('log', async (_args, ctx) => {
    await ctx.log.warning('careful')
    return 'logged'
  })
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
  server.tool('ask', async (_args, ctx) => {
    const answer = await ctx.elicit('Who?', schema)
    return answer.action === 'accept' ? `hello ${(answer.content as { name: string }).name}` : answer.action
  })
  server.tool('sample', async (_args, ctx) => {
    const result = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
      maxTokens: 5,
    })
    return JSON.stringify(result.content)
  })
  server.resource('notes://one', { name: 'one' }, () => 'a note')
  server.resource('notes://{id}', { name: 'any' }, ({ id }) => `note ${id}`)
  server.prompt(
    'greet',
    { input: { type: 'object', properties: { who: { type: 'string' } } } },
    ({ who }) => `Hello ${who}`,
  )
  server.completion({ type: 'ref/prompt', name: 'greet' }, 'who', () => ['Ada', 'Alan'])
  return server
}

async function connect(
  front: 'legacy' | 'modern',
  back: 'legacy' | 'modern',
  options: ClientOptions = {},
  proxyOptions: ProxyOptions = {},
): Promise<{ client: Client; server: MCPServer; proxy: ProxyServer }> {
  const server = everything()
  const proxy = createProxy(server, { mode: back, ...proxyOptions })
  const client = (await Client.connect(proxy, { mode: front, ...options })) as Client
  open.push(server, proxy, client)
  return { client, server, proxy }
}

describe.each(PAIRS)('compose X30–X33 front %s, back %s', (front, back) => {
  it('compose P01 identity, lists, calls, reads, prompts and completions are those of the source', async () => {
    const { client, server } = await connect(front, back)
    const direct = (await Client.connect(server, { mode: front })) as Client
    open.push(direct)
    expect(client.serverInfo).toEqual(direct.serverInfo)
    expect(client.instructions).toBe('use it')
    const { tasks: _tasks, ...capabilities } = direct.serverCapabilities as Record<string, unknown>
    expect(client.serverCapabilities).toEqual(capabilities)
    const same = async (run: (one: Client) => Promise<unknown>) => expect(await run(client)).toEqual(await run(direct))
    await same((one) => one.listTools())
    await same((one) => one.listResources())
    await same((one) => one.listResourceTemplates())
    await same((one) => one.listPrompts())
    await same((one) => one.callTool('echo', { text: 'x' }))
    await same((one) => one.callTool('fails'))
    await same((one) => one.readResource('notes://one'))
    await same((one) => one.readResource('notes://7'))
    await same((one) => one.getPrompt('greet', { who: 'Ada' }))
    await same((one) => one.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'who', value: 'A' }))
  })

  it('compose P04 errors are those of the source, as they are', async () => {
    const { client, server } = await connect(front, back)
    const direct = (await Client.connect(server, { mode: front })) as Client
    open.push(direct)
    const failure = async (one: Client, run: (one: Client) => Promise<unknown>) => {
      const error = (await run(one).catch((reason: unknown) => reason)) as {
        code: number
        message: string
        data: unknown
      }
      return { code: error.code, message: error.message, data: error.data }
    }
    for (const run of [
      (one: Client) => one.callTool('missing'),
      (one: Client) => one.getPrompt('missing'),
      (one: Client) => one.readResource('other://missing'),
    ]) {
      expect(await failure(client, run)).toEqual(await failure(direct, run))
    }
  })

  it('compose P07 progress arrives in order, before the result', async () => {
    const { client } = await connect(front, back)
    const seen: unknown[] = []
    const result = await client.callTool('progress', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })))
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('log messages arrive', async () => {
    const onLog = vi.fn()
    const { client } = await connect(front, back, { onLog, logLevel: 'info' })
    await client.callTool('log')
    await vi.waitFor(() => expect(onLog).toHaveBeenCalledOnce())
    expect(onLog.mock.calls[0]?.[0]).toMatchObject({ level: 'warning', data: 'careful' })
  })

  it('compose P20 compose P21 questions of the source reach the client, and answers the source', async () => {
    const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ada' } }))
    const onSampling = async () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'yes' },
    })
    const { client, proxy } = await connect(front, back, { onElicitation, onSampling })
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'hello Ada' }])
    expect(onElicitation).toHaveBeenCalledOnce()
    expect((await client.callTool('sample')).content).toEqual([{ type: 'text', text: '{"type":"text","text":"yes"}' }])
    expect((await proxy.health())[0]?.parked).toBe(0)
  })

  it('changes of lists and resources are heard', async () => {
    const { client, server } = await connect(front, back)
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['notes://one'] })
    const events: unknown[] = []
    const reading = (async () => {
      for await (const event of subscription) {
        events.push(event)
        if (events.length === 2) break
      }
    })()
    server.tool('later', () => 1)
    await vi.waitFor(() => expect(events).toHaveLength(1))
    await server.notifyResourceUpdated('notes://one')
    await reading
    expect(events).toMatchObject([{ type: 'toolsListChanged' }, { type: 'resourceUpdated', uri: 'notes://one' }])
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('later')
    await subscription.close()
  })

  it('compose P08 cancelling reaches the source', async () => {
    const { client, server } = await connect(front, back)
    const aborted = vi.fn()
    const started = vi.fn()
    server.tool('wait', (_args, ctx) => {
      started()
      return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(aborted())))
    })
    const stop = new AbortController()
    const waiting = client.callTool('wait', {}, { signal: stop.signal })
    await vi.waitFor(() => expect(started).toHaveBeenCalled())
    stop.abort()
    await expect(waiting).rejects.toThrow()
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled())
  })
})
