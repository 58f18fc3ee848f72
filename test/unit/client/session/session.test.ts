import { afterEach, describe, expect, it, vi } from 'vitest'
import { ClientSession } from '../../../../src/client/session/session.ts'
import { createDirectDispatcherPair } from '../../../../src/dispatcher/direct-dispatcher.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../../../src/types/errors/errors.ts'
import { PACKAGE_VERSION } from '../../../../src/types/protocol/package-version.ts'
import { LEGACY_VERSIONS } from '../../../../src/types/protocol/versions.ts'
import { ScriptedServer } from '../../../support/scripted-server.ts'
import { discoverResult, initializeResult, openHandshake, openModern, openSession } from '../../../support/sessions.ts'

afterEach(() => vi.useRealTimers())

describe('a session before it is started', () => {
  it('F092 rejects requests with a plain error that says what to do', async () => {
    const session = new ClientSession(new ScriptedServer().channel)
    session.adopt(discoverResult())
    const failure = await session.listTools().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(MCPError)
    expect((failure as Error).message).toContain('Call start() first')
    await expect(session.initialize()).rejects.toThrow('Call start() first')
    await expect(session.callTool('x')).rejects.toThrow('Call start() first')
  })

  it('sends notifications all the same', async () => {
    const server = new ScriptedServer()
    await new ClientSession(server.channel).sendNotification('acme/hello', { a: 1 })
    expect(server.received('acme/hello')).toEqual([{ jsonrpc: '2.0', method: 'acme/hello', params: { a: 1 } }])
  })

  it('rejects start() when the channel cannot be started', async () => {
    const { channel } = new ScriptedServer()
    const broken = { ...channel, start: () => Promise.reject(new Error('no such pipe')) }
    await expect(new ClientSession(broken).start()).rejects.toThrow('no such pipe')
  })

  it('waits in start() for a channel that takes its time', async () => {
    const { channel } = new ScriptedServer()
    let isStarted = false
    const slow = {
      ...channel,
      start: async () => {
        await new Promise<void>((resolve) => setImmediate(resolve))
        isStarted = true
      },
    }
    await new ClientSession(slow).start()
    expect(isStarted).toBe(true)
  })

  it('F090 starts once, and leaves a dispatcher that runs already alone', async () => {
    const { session } = await openSession()
    await expect(session.start()).rejects.toThrow('was started before')
    const [dispatcher] = createDirectDispatcherPair()
    await new ClientSession(dispatcher).start()
    await expect(new ClientSession(dispatcher).start()).rejects.toThrow('runs already')
  })

  it.each([
    [{ timeoutMs: -1 }, RangeError],
    [{ timeoutMs: Number.NaN }, RangeError],
    [{ logLevel: 'loud' as never }, RangeError],
    [{ extensions: { search: {} } }, TypeError],
    [{ resultClaims: { 'com.example/a': [] } }, TypeError],
  ])('rejects options that cannot work: %o', (options, kind) => {
    expect(() => new ClientSession(new ScriptedServer().channel, options)).toThrow(kind)
  })
})

describe('a session before anything is agreed on', () => {
  it('C-LIFE-04 sends no request of the specification but ping', async () => {
    await using open = await openSession()
    const { session, server } = open
    await expect(session.listTools()).rejects.toThrow('Call initialize(), discover() or adopt() first')
    expect(server.sent).toEqual([])
    server.on('ping', {})
    await expect(session.sendPing()).resolves.toEqual({})
    expect(server.headersOf('ping')).toBeUndefined()
  })

  it('has no negotiated properties', async () => {
    await using open = await openSession()
    const { protocolVersion, serverInfo, serverCapabilities, instructions } = open.session
    expect({ protocolVersion, serverInfo, serverCapabilities, instructions }).toEqual({})
  })
})

describe('initialize()', () => {
  it('C-LIFE-01 offers the newest legacy revision, then says initialized', async () => {
    await using open = await openSession()
    const { session, server } = open
    server.on('initialize', { ...initializeResult(), instructions: 'Be kind.' })
    const result = await session.initialize()
    expect(server.paramsOf('initialize')).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'mcpwire', version: PACKAGE_VERSION },
      _meta: {},
    })
    expect(server.sent.map(({ message }) => message['method'])).toEqual(['initialize', 'notifications/initialized'])
    expect(result.protocolVersion).toBe('2025-11-25')
    expect(session).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'scripted', version: '1' },
      instructions: 'Be kind.',
      initializeResult: result,
      discoverResult: undefined,
    })
  })

  it('has no version header on the handshake itself, and has one from then on', async () => {
    await using open = await openHandshake()
    const { server } = open
    expect(server.headersOf('initialize')).toBeUndefined()
    expect(server.headersOf('notifications/initialized')).toEqual({ 'MCP-Protocol-Version': '2025-11-25' })
  })

  it.each(LEGACY_VERSIONS)('goes on with %s when the server answers that', async (version) => {
    await using open = await openHandshake({}, version)
    expect(open.session.protocolVersion).toBe(version)
  })

  it.each(['1.0', '2026-07-28', '2099-01-01'])('C-LIFE-05 refuses %s, says so, and adopts nothing', async (version) => {
    await using open = await openSession()
    const { session, server } = open
    server.on('initialize', initializeResult(version))
    await expect(session.initialize()).rejects.toThrow(`Unsupported protocol version from the server: ${version}`)
    expect(session.protocolVersion).toBeUndefined()
    expect(server.received('notifications/initialized')).toEqual([])
  })

  it('does not repeat what a hostile server calls a version', async () => {
    await using open = await openSession()
    open.server.on('initialize', initializeResult('\u001b[31mred'))
    await expect(open.session.initialize()).rejects.toThrow('(unreadable)')
  })

  it('is done once, also when called twice at the same time', async () => {
    await using open = await openSession()
    const { session, server } = open
    server.on('initialize', initializeResult())
    const [first, second] = await Promise.all([session.initialize(), session.initialize()])
    expect(second).toBe(first)
    expect(await session.initialize()).toBe(first)
    expect(server.received('initialize')).toHaveLength(1)
  })

  it('can be tried again after a failure', async () => {
    await using open = await openSession()
    const { session, server } = open
    server.on('initialize', { error: { code: -32603, message: 'not yet' } })
    await expect(session.initialize()).rejects.toThrow('not yet')
    server.on('initialize', initializeResult())
    await expect(session.initialize()).resolves.toMatchObject({ protocolVersion: '2025-11-25' })
  })

  it('C-LIFE-07 is never cancelled', async () => {
    await using open = await openSession()
    const { session, server } = open
    server.on('initialize', () => undefined)
    const controller = new AbortController()
    const call = session.initialize({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(server.received('notifications/cancelled')).toEqual([])
  })

  it('rejects to cross over from the modern era', async () => {
    await using open = await openModern()
    await expect(open.session.initialize()).rejects.toThrow('has no handshake')
    expect(open.server.sent).toEqual([])
  })

  it('rejects an answer that is no InitializeResult', async () => {
    await using open = await openSession()
    open.server.on('initialize', { protocolVersion: '2025-11-25' })
    await expect(open.session.initialize()).rejects.toMatchObject({ name: 'InvalidResultError', path: 'capabilities' })
  })

  it('takes batches at 2025-03-26 and nowhere else', async () => {
    for (const [version, expected] of [
      ['2025-03-26', 1],
      ['2025-06-18', 0],
    ] as const) {
      const onMessage = vi.fn()
      await using open = await openHandshake({ onMessage }, version)
      open.server.deliver([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
      expect(onMessage).toHaveBeenCalledTimes(expected)
    }
  })
})

describe('discover()', () => {
  it('adopts the newest revision that both have', async () => {
    await using open = await openSession()
    const { session, server } = open
    server.on('server/discover', { ...discoverResult(['2025-11-25', '2026-07-28']), instructions: 'Hi.' })
    const result = await session.discover()
    expect(session).toMatchObject({
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'scripted', version: '1' },
      instructions: 'Hi.',
      discoverResult: result,
      initializeResult: undefined,
    })
    expect(await session.discover()).toBe(result)
    expect(server.received('server/discover')).toHaveLength(1)
  })

  it('F091 asks once more at a listed version, and then gives up', async () => {
    await using open = await openSession()
    const { session, server } = open
    const data = { supported: ['2026-07-28', '2025-11-25'], requested: '2026-07-28' }
    server.on('server/discover', { error: { code: -32022, message: 'Unsupported protocol version', data } })
    await expect(session.discover()).rejects.toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(server.received('server/discover')).toHaveLength(2)
    expect(session.protocolVersion).toBeUndefined()
  })

  it('does not ask again where nothing is shared, or for any other error', async () => {
    await using open = await openSession()
    const { session, server } = open
    const data = { supported: ['2025-11-25'], requested: '2026-07-28' }
    server.on('server/discover', { error: { code: -32022, message: 'no', data } })
    await expect(session.discover()).rejects.toMatchObject({ code: -32022 })
    server.on('server/discover', { error: { code: -32601, message: 'what?' } })
    await expect(session.discover()).rejects.toMatchObject({ code: -32601 })
    expect(server.received('server/discover')).toHaveLength(2)
  })

  it('rejects to cross over from the legacy era', async () => {
    await using open = await openHandshake()
    await expect(open.session.discover()).rejects.toThrow('has no discovery')
    expect(open.server.received('server/discover')).toEqual([])
  })

  it('rejects a server that lists no modern revision', async () => {
    await using open = await openSession()
    open.server.on('server/discover', discoverResult(['2025-11-25']))
    await expect(open.session.discover()).rejects.toThrow('Unsupported protocol version from the server: 2025-11-25')
    expect(open.session.protocolVersion).toBeUndefined()
  })

  it('forgives a negative ttlMs and a malformed serverInfo', async () => {
    await using open = await openSession()
    const _meta = { 'io.modelcontextprotocol/serverInfo': 7 }
    open.server.on('server/discover', { ...discoverResult(), ttlMs: -1, _meta })
    await open.session.discover()
    expect(open.session.serverInfo).toBeUndefined()
  })
})

describe('sendDiscover()', () => {
  it('asks once with envelope and headers, and adopts nothing', async () => {
    await using open = await openSession({ clientInfo: { name: 'me', version: '2' } })
    const { session, server } = open
    server.on('server/discover', discoverResult())
    await session.sendDiscover('2026-07-28')
    expect(server.paramsOf('server/discover')).toEqual({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'me', version: '2' },
      },
    })
    expect(server.headersOf('server/discover')).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'server/discover',
    })
    expect(session.protocolVersion).toBeUndefined()
  })

  it('times out without a cancellation', async () => {
    vi.useFakeTimers()
    await using open = await openSession()
    open.server.on('server/discover', () => undefined)
    const call = open.session.sendDiscover('2026-07-28', { timeoutMs: 10 })
    const failure = expect(call).rejects.toMatchObject({ code: -32001, local: true })
    await vi.advanceTimersByTimeAsync(11)
    await failure
    expect(open.server.received('notifications/cancelled')).toEqual([])
  })

  it('leaves the handshake as it would have been', async () => {
    await using open = await openSession()
    const { session, server } = open
    await expect(session.sendDiscover('2026-07-28')).rejects.toMatchObject({ code: -32601 })
    server.on('initialize', initializeResult())
    await session.initialize()
    expect(server.headersOf('initialize')).toBeUndefined()
    expect(server.paramsOf('initialize')['_meta']).toEqual({})
  })
})

describe('adopt()', () => {
  it('installs either result without traffic, and each clears the other', async () => {
    await using open = await openSession()
    const { session, server } = open
    session.adopt(discoverResult())
    expect(session).toMatchObject({ protocolVersion: '2026-07-28', initializeResult: undefined })
    session.adopt(initializeResult('2025-06-18'))
    expect(session).toMatchObject({ protocolVersion: '2025-06-18', discoverResult: undefined })
    expect(server.sent).toEqual([])
  })

  it('rejects a wanted version that the result does not list', async () => {
    await using open = await openSession()
    expect(() => open.session.adopt(discoverResult(['2025-11-25']), '2026-07-28')).toThrow(
      'Unsupported protocol version',
    )
    expect(open.session.protocolVersion).toBeUndefined()
  })
})

describe('close()', () => {
  it('settles what is open, can be repeated, and drops notifications afterwards', async () => {
    const { session, server } = await openModern()
    server.on('tools/list', () => undefined)
    const call = session.listTools()
    const failure = expect(call).rejects.toMatchObject({ code: -32000, local: true })
    await Promise.all([session.close(), session.close()])
    await failure
    const count = server.sent.length
    await session.sendNotification('acme/late')
    expect(server.sent).toHaveLength(count)
    await expect(session.listTools()).rejects.toMatchObject({ code: -32000, local: true })
    expect(server.isClosed).toBe(true)
  })

  it('F084 aborts a callback that is at work, and does not wait for it', async () => {
    let signal: AbortSignal | undefined
    const { session, server } = await openHandshake({
      onListRoots: (_params, ctx) => {
        signal = ctx.signal
        return new Promise(() => {})
      },
    })
    void server.request('roots/list')
    await session.close()
    expect(signal?.aborted).toBe(true)
  })
})
