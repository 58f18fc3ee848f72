// Failures to connect are one class, whatever the target; the time to connect is bounded, and a command is named with its last words.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { ClientSessionGroup } from '../../../../src/client/group/session-group.ts'
import type { ClientTarget } from '../../../../src/client/opening/targets.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Channel, Receiver, Transport } from '../../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../../../src/types/errors/errors.ts'
import { ConnectError, OAuthError, TransportError } from '../../../../src/types/errors/failures.ts'
import { freePort } from '../../../support/free-port.ts'
import { RawPeer } from '../../../support/peers.ts'
import { createFolder } from '../../node/files/temporary-folder.ts'
import { ScriptedServer } from '../session/scripted-server.ts'

afterEach(() => {
  vi.useRealTimers()
})

const node = process.execPath

async function failureOf(target: ClientTarget, options?: ClientOptions): Promise<ConnectError> {
  const failure = await Client.connect(target, options).then(
    async (client) => {
      await client.close()
      throw new Error('It connected')
    },
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ConnectError)
  expect(failure).toBeInstanceOf(TransportError)
  return failure as ConnectError
}

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answering(status: number): RequestListener {
  return (incoming, response) => {
    incoming.resume()
    response.writeHead(status).end()
  }
}

function script(source: string, ...args: string[]) {
  return stdio({ command: node, args: ['-e', source, ...args], stderr: 'ignore' })
}

const broken = (cause: Error): Transport => ({ kind: 'broken', open: () => Promise.reject(cause) })

/** A transport of some kind whose server takes everything and says nothing. */
function silent(kind: string) {
  const received: string[] = []
  const transport: Transport = {
    kind,
    async open() {
      const [here, there] = createMemoryChannelPair()
      const message = (each: unknown) => void received.push(String((each as { method?: string }).method))
      await there.start({ message, lost() {}, fault() {}, closed() {} })
      return here
    },
  }
  return { transport, received }
}

describe('all failures to connect are one class, with the target, the phase and the cause', () => {
  it('a URL where nothing accepts connections', async () => {
    const url = `http://127.0.0.1:${await freePort()}/mcp?key=secret`
    const failure = await failureOf(url)
    expect(failure).toMatchObject({ name: 'ConnectError', phase: 'connect', target: url.split('?')[0] })
    expect(failure.message).toContain('nothing accepts connections there')
    expect(failure.message).not.toContain('secret')
    expect(failure.cause).toBeInstanceOf(Error)
  })

  it('a host name that is not known', async () => {
    const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: unknown }))
    const failure = await failureOf(streamableHttp('https://nowhere.invalid/mcp', { fetch }))
    expect(failure).toMatchObject({ phase: 'connect', target: 'https://nowhere.invalid/mcp' })
    expect(failure.message).toContain('the host name is not known')
  })

  it('https on a port that speaks http', async () => {
    const failure = await failureOf(`https://${await listen(answering(200))}/mcp`)
    expect(failure.phase).toBe('connect')
    expect(failure.message).toContain('check that the server uses https')
  })

  it.each([
    [404, 'connect'],
    [500, 'connect'],
    [401, 'authorize'],
    [403, 'authorize'],
  ] as const)('a URL that answers %i', async (status, phase) => {
    const failure = await failureOf(`http://${await listen(answering(status))}/mcp`)
    expect(failure).toMatchObject({ status, phase })
  })

  it.each([
    [404, -32000],
    [404, -32601],
    [405, -32000],
    [500, -32603],
  ])(
    'a URL that answers %i with a JSON-RPC error %i says so in mode modern, and not that it is legacy',
    async (status, code) => {
      const url = await listen((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'No such path' } }))
      })
      const failure = await failureOf(`http://${url}/wrong`, { mode: 'modern' })
      expect(failure).toMatchObject({ status, phase: 'connect' })
      expect(failure.message).toContain(`answered HTTP ${status}`)
      expect(failure.message).toContain('The response says: "No such path"')
      expect(failure.message).not.toContain('legacy')
    },
  )

  it('a URL whose server asks for a handshake is legacy, and says so in mode modern', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      const error = { code: -32000, message: 'Bad Request: Server not initialized' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    })
    const failure = await failureOf(`http://${url}/mcp`, { mode: 'modern' })
    expect(failure.message).toContain('legacy revisions only')
  })

  it('an authorization that fails', async () => {
    const refused = new OAuthError('access_denied', 'The user said no')
    const auth = { authorize: () => () => Promise.reject(refused) }
    const failure = await failureOf(streamableHttp('http://127.0.0.1:1/mcp', { auth }))
    expect(failure.phase).toBe('authorize')
    expect(failure.message).toContain('The user said no')
  })

  it('a server that speaks no revision of ours', async () => {
    const server = new ScriptedServer({
      'server/discover': () => {
        throw new UnsupportedProtocolVersionError(['2031-01-01'], '2026-07-28')
      },
    })
    const failure = await failureOf(server)
    expect(failure).toMatchObject({ phase: 'negotiate', target: 'the server in this process' })
    expect(failure.cause).toBeInstanceOf(UnsupportedProtocolVersionError)
  })

  it('a server in this process that cannot start', async () => {
    const failure = await failureOf({ connectInProcess: () => Promise.reject(new Error('no database')) })
    expect(failure).toMatchObject({ phase: 'connect', cause: { message: 'no database' } })
    expect(failure.message).toContain('no database')
  })

  it("a transport of one's own, whatever it throws", async () => {
    const cause = new RangeError('out of range')
    const failure = await failureOf(broken(cause))
    expect(failure.cause).toBe(cause)
    expect(failure).toMatchObject({ phase: 'connect', target: "the transport 'broken'", stderr: [] })
    expect((await failureOf({ kind: 'odd', open: () => Promise.reject('a string') })).message).toContain('a string')
  })

  it('a server in this process, or a transport, that throws what cannot be shown', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const silenced = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('hunter2')
      },
    })
    for (const thrown of [Object.create(null), silenced, proxy]) {
      const lifespan = () => {
        throw thrown
      }
      const open = () => Promise.reject(thrown)
      for (const target of [new MCPServer('odd', { lifespan }), { kind: 'odd', open }]) {
        const failure = await failureOf(target)
        expect(failure.message).toContain('a value that cannot be shown')
        expect(failure.message).not.toContain('hunter2')
      }
    }
  })

  it('a channel that is in use', async () => {
    const [here, there] = createMemoryChannelPair()
    const peer = new RawPeer(there)
    const first = new Client(here)
    const opening = first.open().catch(() => {})
    await peer.next()
    expect((await failureOf(here)).message).toContain('The channel is in use')
    await first.close()
    await opening
  })

  it('in a group as well, and a group is left as it was', async () => {
    await using group = new ClientSessionGroup()
    await expect(group.connectToServer(broken(new Error('no')))).rejects.toBeInstanceOf(ConnectError)
    expect(group.sessions).toEqual([])
  })

  it('but not what the caller did: closing while it opens, opening twice, options that cannot work', async () => {
    const client = new Client(silent('quiet').transport)
    const opening = client.open()
    await expect(client.open()).rejects.not.toBeInstanceOf(ConnectError)
    await Promise.all([client.close(), expect(opening).rejects.not.toBeInstanceOf(ConnectError)])
    expect(() => new Client('http://127.0.0.1/mcp', { connectTimeoutMs: -1 })).toThrow(RangeError)
  })
})

describe('a command that does not become a server', () => {
  it('and cannot be started', async () => {
    const failure = await failureOf({ command: 'mcpwire-no-such-command', args: ['--token', 'secret'] })
    expect(failure).toMatchObject({ phase: 'spawn', target: 'mcpwire-no-such-command --token ***' })
    expect(failure.message).toContain("Cannot start 'mcpwire-no-such-command' (ENOENT)")
    expect(failure.message).not.toContain('secret')
  })

  it('but exits: the message has the command, the exit code and the last lines of its stderr', async () => {
    const failure = await failureOf(script('console.error("one\\nAPI_KEY is not set"); process.exitCode = 3'))
    expect(failure).toMatchObject({ phase: 'negotiate', exitCode: 3, stderr: ['one', 'API_KEY is not set'] })
    expect(failure.message).toContain(`Could not connect to ${node} -e ***`)
    expect(failure.message).toContain('exited with code 3 before it sent a message')
    expect(failure.message).toContain('The last lines of its stderr:\n  one\n  API_KEY is not set')
  })

  it('but is killed', async () => {
    const failure = await failureOf(script('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1e6)'))
    expect(failure).toMatchObject({ phase: 'negotiate', signal: 'SIGKILL' })
  })

  it('but writes three lines that are not JSON: connecting fails at once and the process is ended', async () => {
    await using folder = await createFolder()
    const ended = await folder.write('ended', '')
    const source = `
      process.on('SIGTERM', () => { require('fs').writeFileSync(process.argv[1], 'x'); process.exit() })
      console.error('listening on 3000')
      setTimeout(() => console.log('Welcome!\\nto a program\\nfor people'), 50)
      setInterval(() => {}, 1e6)`
    const failure = await failureOf(script(source, ended), { connectTimeoutMs: Infinity })
    expect(failure.phase).toBe('negotiate')
    expect(failure.message).toContain('wrote only lines that are not JSON to its standard output')
    expect(failure.message).toContain('Check that it is an MCP server')
    expect(readFileSync(ended, 'utf8')).toBe('x')
  })

  it('but writes two such lines before it answers: they are skipped', async () => {
    const source = `
      console.log('one\\ntwo')
      process.stdin.on('data', (line) => {
        const { id } = JSON.parse(line)
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' }
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })`
    await using client = await Client.connect(script(source))
    expect(client.protocolVersion).toBe('2026-07-28')
  })

  it('but writes a line that is not JSON and hangs: the message has that line', async () => {
    const heard = createDeferred()
    const transport = stdio({
      command: node,
      args: ['-e', 'console.log("Listening \\u001b[31mred"); setInterval(() => {}, 1e6)'],
      stderr: 'ignore',
      shutdown: { graceMs: 0, terminateMs: 0 },
    })
    const held: (() => void)[] = []
    const patient: Transport = {
      ...transport,
      async open(options) {
        held.push(options!.hold!())
        return transport.open(options)
      },
    }
    const failing = failureOf(patient, { connectTimeoutMs: 1, mode: 'legacy', onFault: () => heard.resolve() })
    await heard.promise
    held[0]!()
    const { message, help } = await failing
    expect(help).toMatch(/stdout-polluted/)
    expect(message).toContain('. It wrote lines that are not JSON to its standard output: "Listening \\u001b[31mred"')
  })

  it('and crashes with a long stack: the message of its error is among the lines that are shown', async () => {
    const script = `const { error } = console; error('throw it'); error('SchemaError: Unusable schema'); for (let i = 0; i < 15; i++) error('    at line ' + i); error('Node.js v20'); process.exit(1)`
    const failure = await failureOf({ command: process.execPath, args: ['-e', script] })
    const [, shown = ''] = failure.message.split('stderr:\n')
    expect(shown.split('\n').map((line) => line.trim())).toEqual([
      'SchemaError: Unusable schema',
      ...[7, 8, 9, 10, 11, 12, 13, 14].map((index) => `at line ${index}`),
      'Node.js v20',
    ])
  })

  it('but hangs: the time is bounded, and the message has the last lines of its stderr', async () => {
    const said = createDeferred()
    const transport = stdio({
      command: node,
      args: ['-e', 'console.error("waiting for the database"); setInterval(() => {}, 1e6)'],
      stderr: () => said.resolve(),
      shutdown: { graceMs: 0, terminateMs: 0 },
    })
    // The clock is not ours to move before the program has started.
    const held: (() => void)[] = []
    const patient: Transport = {
      ...transport,
      async open(options) {
        held.push(options!.hold!())
        return transport.open(options)
      },
    }
    const failing = failureOf(patient, { connectTimeoutMs: 1, mode: 'legacy' })
    await said.promise
    held[0]!()
    const failure = await failing
    expect(failure).toMatchObject({ phase: 'negotiate', stderr: ['waiting for the database'] })
    expect(failure.message).toContain('it did not answer within 1 ms')
    expect(failure.message).toContain('The last lines of its stderr:\n  waiting for the database')
  })
})

describe('a server that exits at once in mode auto', () => {
  async function starts(last: string): Promise<string> {
    await using folder = await createFolder()
    const path = await folder.write('starts', '')
    await failureOf(script(`require('fs').appendFileSync(process.argv[1], 'x'); ${last}`, path))
    return readFileSync(path, 'utf8')
  }

  it.each([
    'process.exit(1)',
    'process.exit(0)',
    'console.error("API_KEY is not set"); process.exitCode = 1',
    'process.stdin.on("data", () => process.exit(3))',
  ])('is not started a second time: %s', async (last) => {
    expect(await starts(last)).toBe('x')
  })

  it.each([
    'console.error("Error: ExpectedInitializeRequest"); process.exitCode = 1',
    'process.stdin.on("data", () => process.abort())',
  ])('unless it shows that it died of the question for its era: %s', async (last) => {
    expect(await starts(last)).toBe('xx')
  })
})

describe('the time to connect', () => {
  async function timeUntil(
    target: ClientTarget,
    options?: ClientOptions,
  ): Promise<{ ms: number; failure: ConnectError }> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const from = performance.now()
    let ms = Number.NaN
    const failing = failureOf(target, options).finally(() => {
      ms = performance.now() - from
    })
    while (Number.isNaN(ms)) await vi.advanceTimersToNextTimerAsync()
    return { ms, failure: await failing }
  }

  it.each([
    ['streamable-http', 10_000],
    ['sse', 10_000],
    ['stdio', 30_000],
    ['of-my-own', 30_000],
  ])('of a transport of kind %s is %i ms in all, of which the probe takes a third', async (kind, limit) => {
    const { transport, received } = silent(kind)
    const { ms, failure } = await timeUntil(transport)
    expect(ms).toBe(limit)
    expect(failure.message).toContain(`within ${limit} ms`)
    expect(received.filter((method) => method !== 'undefined')).toEqual(['server/discover', 'initialize'])
  })

  it('counts from the opening: a transport that never opens fails too', async () => {
    const never: Transport = { kind: 'never', open: () => new Promise<Channel>(() => {}) }
    const { ms, failure } = await timeUntil(never, { connectTimeoutMs: 250 })
    expect(ms).toBe(250)
    expect(failure).toMatchObject({ phase: 'connect' })
  })

  it('counts until the client is ready: a log level that is never set cannot leave it open without a connection', async () => {
    const asked = createDeferred<void>()
    const setLevel = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const server = new ScriptedServer({ 'logging/setLevel': setLevel }, { capabilities: { logging: {} } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const failing = failureOf(server, { connectTimeoutMs: 250, mode: 'legacy', logLevel: 'info' })
    await asked.promise
    await vi.advanceTimersByTimeAsync(250)
    expect((await failing).message).toContain('within 250 ms')
  })

  it('leaves a probe no more than a third, whatever the option says', async () => {
    const { transport, received } = silent('of-my-own')
    let handshakeAt = Number.NaN
    const push = received.push.bind(received)
    received.push = (method) => {
      if (method === 'initialize') handshakeAt = performance.now()
      return push(method)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const from = performance.now()
    await timeUntil(transport, { connectTimeoutMs: 900, probeTimeoutMs: 5_000 })
    expect(handshakeAt - from).toBe(300)
  })

  it('stops while the user logs in', async () => {
    const started = createDeferred<Receiver>()
    const channel: Channel = {
      start: (receiver) => started.resolve(receiver),
      send: async () => {},
      close: () => {},
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const failing = failureOf({ kind: 'slow', open: async () => channel }, { connectTimeoutMs: 100, mode: 'legacy' })
    const release = (await started.promise).hold!(1)
    await vi.advanceTimersByTimeAsync(10_000)
    release()
    let isOver = false
    void failing.finally(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect((await failing).message).toContain('within 100 ms')
  })

  it('can be unlimited', async () => {
    const { transport } = silent('of-my-own')
    const client = new Client(transport, { connectTimeoutMs: Infinity, mode: 'legacy', timeoutMs: 50_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const opening = client.open().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await opening).toMatchObject({ name: 'ConnectError', cause: expect.any(MCPError) })
  })
})
