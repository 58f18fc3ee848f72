// What callers read when a proxy cannot do its work: the rows of the table of failures, each by its id.
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { Channel, Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client, type ClientOptions } from '../../../src/exports/client.ts'
import { createMemoryChannelPair } from '../../../src/exports/dispatcher.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import type { ProxyTarget } from '../../../src/proxy/base/targets.ts'
import { Breaker } from '../../../src/proxy/pool/breaker.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import type { MCPError } from '../../../src/types/errors/errors.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

async function connect(target: ProxyTarget, options: ProxyOptions = {}, clientOptions: ClientOptions = {}) {
  const faults: Fault[] = []
  const proxy = createProxy(target, { onFault: (fault) => faults.push(fault), ...options })
  // A pinned modern revision costs no message, so that the proxy is asked by the calls of the test alone.
  const client = (await Client.connect(proxy, { mode: '2026-07-28', ...clientOptions })) as Client
  open.push(proxy, client)
  return { proxy, client, faults }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: MCPError) => ({ code: error.code, message: error.message, data: error.data as Record<string, unknown> }),
  )

/** A server that is reached over channels which the test can break. */
function breakable(server: MCPServer): { transport: Transport; channels: Channel[] } {
  const channels: Channel[] = []
  const transport: Transport = {
    kind: 'test',
    open: async () => {
      const [here, there] = createMemoryChannelPair()
      channels.push(there)
      await server.connect(there)
      return here
    },
  }
  return { transport, channels }
}

async function answering(status: number, body = '{}', type = 'application/json'): Promise<string> {
  const server: HttpServer = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const legacyOnly = () => new MCPServer('old', { supportedVersions: ['2025-11-25'] })

/** A server that takes no client. */
function refusing(): MCPServer {
  const server = new MCPServer('refusing')
  server.use(() => {
    throw new Error('nobody is let in')
  })
  return server
}

describe('targets and options', () => {
  it('compose G001 what is no target is refused at once', () => {
    expect(() => createProxy(7 as never)).toThrow(TypeError)
    expect(() => createProxy('not a url')).toThrow(TypeError)
    expect(() => createProxy({ mcpServers: {} })).toThrow(/no server/)
    expect(() => createProxy({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })).toThrow(/createGateway/)
    expect(() => createProxy(new MCPServer('a'), { sesions: 'shared' } as never)).toThrow(/sessions/)
    expect(() => createProxy(new MCPServer('a'), { sessions: 'all' as never })).toThrow(RangeError)
  })

  it.each(['authorization', 'Cookie', 'host', 'mcp-session-id', 'Transfer-Encoding'])(
    'compose G032 the header %s is never forwarded',
    (name) => {
      expect(() => createProxy('http://localhost/mcp', { forwardHeaders: [name] })).toThrow(RangeError)
    },
  )
})

describe('a source that is not there', () => {
  it('compose G013 says why in one word, without internals', async () => {
    const { client, faults } = await connect('http://127.0.0.1:1/mcp')
    const failure = await failureOf(client.listTools())
    expect(failure).toMatchObject({
      code: -32603,
      data: { mcpwire: { id: 'G013', source: 'source' }, reason: 'refused' },
    })
    expect(JSON.stringify(failure)).not.toContain('127.0.0.1')
    expect(faults.some(({ error }) => String((error as Error)?.message).includes('127.0.0.1'))).toBe(true)
    const spawn = await connect({ command: 'no-such-program-here' })
    expect((await failureOf(spawn.client.listTools())).data).toMatchObject({ reason: 'spawn' })
  })

  it.each<[string, ProxyTarget, ProxyOptions]>([
    ['version', legacyOnly(), { mode: '2026-07-28' }],
    ['handshake', refusing(), { mode: 'legacy' }],
    ['timeout', { kind: 'test', open: () => new Promise<Channel>(() => {}) }, { client: { connectTimeoutMs: 30 } }],
    ['network', { kind: 'test', open: () => Promise.reject(new Error('the cable of rack 7')) }, {}],
  ])('compose G013 the word for it: %s', async (reason, target, options) => {
    const { client } = await connect(target, options)
    const failure = await failureOf(client.callTool('x'))
    expect(failure).toMatchObject({ code: -32603, data: { mcpwire: { id: 'G013' }, reason } })
    expect(JSON.stringify(failure)).not.toContain('rack 7')
  })

  it('compose G011 compose X39 is not asked for a while after three failures', async () => {
    const { client, proxy } = await connect('http://127.0.0.1:1/mcp')
    for (let i = 0; i < 3; i += 1) await failureOf(client.callTool('x'))
    const failure = await failureOf(client.callTool('x'))
    expect(failure.data).toMatchObject({ mcpwire: { id: 'G011' } })
    expect(failure.data['retryAfterMs']).toBeGreaterThan(0)
    expect((await proxy.health())[0]).toMatchObject({ state: 'failed', connections: 0 })
  })

  it('compose G011 the time doubles up to a minute, and ends with a success', () => {
    let now = 0
    const breaker = new Breaker(() => now)
    const waits: number[] = []
    for (let i = 0; i < 10; i += 1) {
      breaker.failed()
      waits.push(breaker.retryAfterMs)
      now += breaker.retryAfterMs
    }
    expect(waits).toEqual([0, 0, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000])
    breaker.succeeded()
    breaker.failed()
    expect(breaker.retryAfterMs).toBe(0)
  })

  it('compose A08 compose G017 a 401 of the source is never that of the front', async () => {
    for (const status of [401, 403]) {
      const { client } = await connect(await answering(status))
      expect(await failureOf(client.callTool('x'))).toMatchObject({
        code: -32603,
        data: { mcpwire: { id: 'G017', source: 'source' } },
      })
    }
  })

  it('compose X40 fails the start of an eager proxy', async () => {
    const proxy = createProxy('http://127.0.0.1:1/mcp', { start: 'eager', onFault: () => {} })
    open.push(proxy)
    await expect(proxy.server.start()).rejects.toMatchObject({ data: { mcpwire: { id: 'G013' } } })
  })
})

describe('a connection that is lost', () => {
  it('compose G014 a call that may have been executed is not repeated', async () => {
    const server = new MCPServer('a')
    const calls = vi.fn()
    const { transport, channels } = breakable(server)
    server.tool('break', async () => {
      calls()
      await channels.at(-1)?.close()
      return 1
    })
    const { client, faults } = await connect(transport)
    const failure = await failureOf(client.callTool('break'))
    expect(failure).toMatchObject({ code: -32603, data: { mcpwire: { id: 'G014' }, maybeExecuted: true } })
    expect(calls).toHaveBeenCalledOnce()
    expect(faults.some(({ message }) => message.includes('was lost'))).toBe(true)
    // The next request opens a new one.
    expect((await client.listTools()).tools).toHaveLength(1)
    expect(channels).toHaveLength(2)
  })

  it.each(['tools/call', 'tools/list'])('compose G007 a %s whose connection is closed here', async (method) => {
    const server = new MCPServer('a')
    const { transport, channels } = breakable(server)
    const held = vi.fn()
    server.tool('x', () => 1)
    server.use(async (ctx, next) => {
      if (ctx.method !== method) return next()
      held()
      await new Promise<void>((resolve) => ctx.onAbort(() => resolve()))
      return next()
    })
    const { client, proxy, faults } = await connect(transport, { mode: 'legacy' })
    const failed = failureOf(method === 'tools/call' ? client.callTool('x') : client.listTools())
    await vi.waitFor(() => expect(held).toHaveBeenCalled())
    // Callers that nobody has verified.
    await proxy.forget(undefined)
    expect(await failed).toMatchObject({
      code: -32000,
      data: { mcpwire: { id: 'G007', source: 'source' }, maybeExecuted: true },
    })
    // What is closed on purpose is not opened once more for the same call, and nobody is told of a loss.
    expect(held).toHaveBeenCalledOnce()
    expect(channels).toHaveLength(1)
    expect(faults).toEqual([])
  })

  it('compose G007 a connection that is closed while it opens', async () => {
    const opening = vi.fn(() => new Promise<Channel>(() => {}))
    const { client, proxy, faults } = await connect({ kind: 'test', open: opening })
    const failed = failureOf(client.callTool('x'))
    await vi.waitFor(() => expect(opening).toHaveBeenCalled())
    await proxy.forget(undefined)
    const failure = await failed
    expect(failure).toMatchObject({ code: -32000, data: { mcpwire: { id: 'G007' } } })
    expect(failure.data).not.toHaveProperty('maybeExecuted')
    expect(faults).toEqual([])
  })

  it('a connection that takes its time to close is used no more', async () => {
    const server = new MCPServer('a')
    const { transport, channels } = breakable(server)
    server.tool('break', async () => {
      await channels.at(-1)?.close()
      return 1
    })
    server.tool('x', () => 'there')
    const held: (() => void)[] = []
    // As a process that has closed its pipes and is still to be ended.
    const slow: Transport = {
      kind: 'test',
      open: async () => {
        const channel = await transport.open()
        return {
          start: (receiver) => channel.start(receiver),
          send: (message, hints) => channel.send(message, hints),
          close: () => new Promise<void>((resolve) => held.push(resolve)).then(() => channel.close()),
          closeMs: 60_000,
        }
      },
    }
    const { client, proxy } = await connect(slow)
    await failureOf(client.callTool('break'))
    expect((await client.callTool('x')).content).toMatchObject([{ text: 'there' }])
    expect((await client.listTools()).tools).toHaveLength(2)
    expect(channels).toHaveLength(2)
    // The proxy ends when all is closed.
    let isClosed = false
    const closing = proxy.close().then(() => {
      isClosed = true
    })
    await vi.waitFor(() => expect(held).toHaveLength(2))
    held.at(-1)?.()
    await channels.at(-1)?.close()
    expect(isClosed).toBe(false)
    held[0]?.()
    await closing
  })

  it('a list is asked once more on a new connection', async () => {
    const server = new MCPServer('a')
    server.tool('x', () => 1)
    const { transport, channels } = breakable(server)
    let breaks = 1
    server.use(async (ctx, next) => {
      if (ctx.method === 'tools/list' && breaks-- > 0) await channels.at(-1)?.close()
      return next()
    })
    const { client } = await connect(transport)
    expect((await client.listTools()).tools).toHaveLength(1)
    expect(channels).toHaveLength(2)
  })

  it('compose G016 an answer that is none', async () => {
    const server = new MCPServer('a')
    const { transport } = breakable(server)
    const broken: Transport = {
      kind: 'test',
      open: async () => {
        const channel = await transport.open()
        return {
          start: (receiver) =>
            channel.start({
              ...receiver,
              message: (message, hints) => {
                const one = message as { result?: unknown; id?: unknown }
                return receiver.message(
                  one.result !== undefined && isCall ? { jsonrpc: '2.0', id: one.id, result: 7 } : message,
                  hints,
                )
              },
            }),
          send: (message, hints) => {
            isCall = (message as { method?: string }).method === 'tools/call'
            return channel.send(message, hints)
          },
          close: () => channel.close(),
        }
      },
    }
    let isCall = false
    server.tool('x', () => 1)
    const { client, faults } = await connect(broken)
    expect((await failureOf(client.callTool('x'))).data).toMatchObject({ mcpwire: { id: 'G016' } })
    expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'tools/call' }])
    expect(faults[0]?.message).toMatch(/It begins with "7"\.$/)
  })

  it.each([
    ['text', `no message: ${'x'.repeat(500)}`, `"no message: ${'x'.repeat(188)}"`],
    ['another message', '{"jsonrpc":"2.0","id":"other","result":{}}', '{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\\"other\\"'],
    ['an answer that is no JSON-RPC', '{"jsonrpc":"1.0","id":1,"result":{}}', '{\\"jsonrpc\\":\\"1.0\\"'],
    ['neither result nor error', '{"jsonrpc":"2.0","id":1,"oops":"secret-of-the-source"}', 'secret-of-the-source'],
  ])(
    'compose G016 the fault has the first 200 bytes, and the caller none of them: %s',
    async (_what, body, excerpt) => {
      const { client, faults } = await connect(await answering(200, body), { mode: '2026-07-28' })
      const failure = await failureOf(client.listTools())
      expect(failure).toMatchObject({ code: -32603, data: { mcpwire: { id: 'G016' } } })
      expect(JSON.stringify(failure)).not.toMatch(/secret-of|no message|other/)
      const fault = faults.findLast(({ kind, method }) => kind === 'invalid-message' && method === 'tools/list')
      expect(fault?.message).toContain(excerpt)
      expect(fault?.message).not.toContain('x'.repeat(189))
    },
  )

  it('compose G016 over a pipe', async () => {
    const script = `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{"tools":[oops]}}'))`
    const { client, faults } = await connect(
      { command: process.execPath, args: ['-e', script] },
      { mode: '2026-07-28' },
    )
    expect((await failureOf(client.listTools())).data).toMatchObject({ mcpwire: { id: 'G016' } })
    expect(faults.find(({ kind }) => kind === 'invalid-message')?.message).toContain('[oops]')
  })

  it('compose G012 no more connections than allowed', async () => {
    const server = new MCPServer('a')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    server.tool('hold', () => held)
    const { transport } = breakable(server)
    const { client, proxy } = await connect(transport, { maxConnections: 1, sessions: 'call' })
    const first = client.callTool('hold')
    await vi.waitFor(async () => expect((await proxy.health())[0]?.connections).toBe(1))
    expect((await failureOf(client.callTool('hold'))).data).toMatchObject({ mcpwire: { id: 'G012' }, max: 1 })
    release()
    await first
  })

  it('the connection that was idle for longest makes room for another one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = new MCPServer('a')
    const { transport, channels } = breakable(server)
    server.tool('x', () => 1)
    const proxy = createProxy(transport, { maxConnections: 2, sessions: 'connection', onFault: () => {} })
    open.push(proxy)
    const legacy = async () => {
      const client = await Client.connect(proxy, { mode: 'legacy' })
      open.push(client)
      return client
    }
    const later = () => vi.setSystemTime(Date.now() + 1_000)
    const ended = vi.fn()
    const noteEnd = (name: string, at: number) => {
      const channel = channels[at] as Channel
      const { close } = channel
      channel.close = () => {
        ended(name)
        return close.call(channel)
      }
    }
    const first = await legacy()
    later()
    await legacy()
    later()
    await first.callTool('x')
    later()
    noteEnd('first', 0)
    noteEnd('second', 1)
    await legacy()
    expect(ended.mock.calls).toEqual([['second']])
    expect((await proxy.health())[0]?.connections).toBe(2)
  })

  it('compose G031 a loop of proxies ends', async () => {
    const server = new MCPServer('a')
    server.tool('x', () => 1)
    const { client } = await connect(server)
    const meta = { 'mcpwire/hops': 9 }
    expect((await failureOf(client.callTool('x', {}, { meta }))).data).toMatchObject({ mcpwire: { id: 'G031' } })
    expect((await client.callTool('x', {}, { meta: { 'mcpwire/hops': 8 } })).isError).toBeUndefined()
  })
})

describe('calls that wait for a modern caller', () => {
  const form = { type: 'object', properties: { a: { type: 'string' } } } as const

  function asking(): MCPServer {
    const server = new MCPServer('a')
    const input = { type: 'object', properties: { n: { type: 'number' } } } as const
    server.tool('ask', { input }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Who?', form)))
    return server
  }

  const ask = (client: Client, args: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    client.session.sendRaw(
      'tools/call',
      { name: 'ask', arguments: args, ...more },
      { envelope: { clientCapabilities: { elicitation: { form: {} } } } },
    )

  it('compose P20 the state is new in each round, and only the newest is good', async () => {
    const { client, proxy } = await connect(asking(), { mode: 'legacy' })
    const first = await ask(client, {})
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q1: { method: 'elicitation/create' } },
    })
    expect((await proxy.health())[0]?.parked).toBe(1)
    const again = await ask(client, {}, { requestState: first['requestState'] })
    expect(Object.keys(again['inputRequests'] as object)).toEqual(['q1'])
    expect(again['requestState']).not.toBe(first['requestState'])
    expect((await failureOf(ask(client, {}, { requestState: first['requestState'] }))).data).toMatchObject({
      mcpwire: { id: 'G022' },
      reason: 'expired_state',
    })
    const inputResponses = { q1: { action: 'accept', content: { a: 'x' } }, unknown: {} }
    const last = await ask(client, {}, { requestState: again['requestState'], inputResponses })
    expect(last).toMatchObject({
      resultType: 'complete',
      content: [{ text: '{"action":"accept","content":{"a":"x"}}' }],
    })
    expect((await proxy.health())[0]?.parked).toBe(0)
  })

  it('compose G021 compose G022 a caller that does not come back gives the call up', async () => {
    const { client, proxy } = await connect(asking(), { mode: 'legacy', parkMs: 20 })
    const { requestState } = await ask(client, {})
    await vi.waitFor(async () => expect((await proxy.health())[0]?.parked).toBe(0))
    expect(await failureOf(ask(client, {}, { requestState }))).toMatchObject({
      code: -32602,
      data: { mcpwire: { id: 'G022' }, reason: 'expired_state' },
    })
  })

  it.each(['does not come back', 'cancels', 'is forgotten'])(
    'compose G021 compose P20 of a caller that %s, forms are cancelled and other questions fail, before the call itself is cancelled',
    async (end) => {
      const happened: string[] = []
      const asked = vi.fn()
      const server = new MCPServer('a')
      server.tool('ask', async (_args, ctx) => {
        const cancelled = new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
        void cancelled.then(() => happened.push('call cancelled'))
        const noted = (name: string, question: Promise<unknown>) =>
          question.then(
            (answer) => happened.push(`${name}: ${JSON.stringify(answer)}`),
            () => happened.push(`${name}: failed`),
          )
        const questions = [noted('form', ctx.elicit('Who?', form)), noted('roots', ctx.listRoots())]
        asked()
        await Promise.all(questions)
        await cancelled
      })
      const parkMs = end === 'does not come back' ? 20 : 600_000
      const { client, proxy, faults } = await connect(server, { mode: 'legacy', parkMs })
      const abort = new AbortController()
      const params = { name: 'ask', arguments: {} }
      const envelope = { clientCapabilities: { elicitation: { form: {} }, roots: {} } }
      const first = await client.session.sendRaw('tools/call', params, { envelope })
      expect(Object.keys(first['inputRequests'] as object)).toHaveLength(2)
      if (end === 'is forgotten') await proxy.forget(undefined)
      if (end === 'cancels') {
        // Another round, which answers nothing and is cancelled while the source is asked once more.
        const inputResponses = { q2: { roots: [] } }
        const { requestState } = first
        const again = await client.session.sendRaw(
          'tools/call',
          { ...params, requestState, inputResponses },
          { envelope },
        )
        const round = { ...params, requestState: again['requestState'], inputResponses: { q1: 7 } }
        const answer = client.session.sendRaw('tools/call', round, { envelope, signal: abort.signal })
        abort.abort()
        await answer.catch(() => {})
      }
      await vi.waitFor(() => expect(happened).toContain('call cancelled'))
      expect(happened.at(-1)).toBe('call cancelled')
      expect(happened).toContain('form: {"action":"cancel"}')
      expect(happened).toHaveLength(3)
      if (end !== 'cancels') expect(happened).toContain('roots: failed')
      expect(faults).toEqual([])
    },
  )

  it('compose G022 a state of another process', async () => {
    const one = await connect(asking(), { mode: 'legacy' })
    const other = await connect(asking(), { mode: 'legacy' })
    await ask(other.client, {})
    const { requestState } = await ask(one.client, {})
    expect((await failureOf(ask(other.client, {}, { requestState }))).data).toMatchObject({ mcpwire: { id: 'G022' } })
  })

  it('compose G023 a state with other arguments is as good as forged', async () => {
    const { client, faults } = await connect(asking(), { mode: 'legacy' })
    const { requestState } = await ask(client, { n: 1 })
    expect(await failureOf(ask(client, { n: 2 }, { requestState }))).toMatchObject({ code: -32602 })
    expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'tools/call' }])
    expect(faults[0]?.message).toContain("'source'")
  })

  it('compose G021 a call waits as long as parkMs says, also for longer than other states are good', async () => {
    const { client, faults } = await connect(asking(), { mode: 'legacy', parkMs: 1_200_000 })
    const { requestState } = await ask(client, {})
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_100_000 })
    const inputResponses = { q1: { action: 'decline' } }
    expect(await ask(client, {}, { requestState, inputResponses })).toMatchObject({ resultType: 'complete' })
    expect(faults).toEqual([])
  })

  it('compose G012 no more of them than allowed', async () => {
    const { client } = await connect(asking(), { mode: 'legacy', maxParked: 1 })
    await ask(client, {})
    expect((await failureOf(ask(client, {}))).data).toMatchObject({ mcpwire: { id: 'G012' }, limit: 'maxParked' })
  })
})

it.each(['legacy', 'modern'] as const)(
  'compose G033 a request of a %s client that is too large to be sent is called that, and does not arrive',
  async (mode) => {
    const calls: unknown[] = []
    const server = new MCPServer('regions')
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    server.tool('look', { input: { type: 'object', properties: { region } } as never }, (args) => {
      calls.push(args)
      return 'ok'
    })
    const upstream = await serveHttp(server, { port: 0 })
    const proxy = createProxy(upstream.url, { mode: 'modern', onFault: () => {} })
    const client = (await Client.connect(proxy, { mode })) as Client
    await expect(client.callTool('look', { region: 'x'.repeat(10_000) })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /^The request 'tools\/call' is too large for '.*': header .*Region is at most 8192/,
      ),
    })
    expect(calls).toEqual([])
    expect((await client.callTool('look', { region: 'eu' })).isError).toBeUndefined()
    await client.close()
    await proxy.close()
    await upstream.close()
  },
)
