// How a client finds out what a server speaks: modes, the probe, and what each answer to it proves.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../../src/types/errors/errors.ts'
import { TransportError } from '../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION, LEGACY_VERSIONS } from '../../../src/types/protocol/versions.ts'
import { type Answer, ScriptedServer } from '../../support/scripted-server.ts'
import { discoverResult, initializeResult } from '../../support/sessions.ts'
import { requirement } from '../kit/requirement.ts'
import { DONE, type Message, serverWith, transportTo } from '../kit/support-lifecycle.ts'

/** A server that would take a handshake, and answers discovery as told. */
function probed(discover: Answer | Message): ScriptedServer {
  return new ScriptedServer().on('server/discover', discover).on('initialize', initializeResult())
}

const refusal = (code: number, data?: unknown): Message => ({ error: { code, message: 'no', data } })

/** The requests that a server was sent, by method. */
function requests(server: ScriptedServer): unknown[] {
  return server.sent.map(({ message }) => message).flatMap(({ id, method }) => (id === undefined ? [] : [method]))
}

requirement('mode:auto:asks-first', async () => {
  const server = probed(discoverResult())
  await using client = await Client.connect(transportTo(server))

  expect(requests(server)).toEqual(['server/discover'])
  expect(server.paramsOf('server/discover')).toHaveProperty(
    ['_meta', 'io.modelcontextprotocol/protocolVersion'],
    LATEST_MODERN_VERSION,
  )
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
})

requirement('mode:auto:falls-back-on-any-error', async () => {
  for (const code of [-32601, -32602, -32600, -32603, -32700, -32000, -32001, -32002, -32042, 0, 1, 404]) {
    const server = probed(refusal(code))
    await using client = await Client.connect(transportTo(server))
    expect(requests(server), String(code)).toEqual(['server/discover', 'initialize'])
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
  }
})

requirement('mode:auto:falls-back-on-silence', async () => {
  vi.useFakeTimers()
  try {
    const server = probed(() => undefined)
    const connecting = Client.connect(transportTo(server))
    await vi.advanceTimersByTimeAsync(9_999)
    expect(requests(server)).toEqual(['server/discover'])
    await vi.advanceTimersByTimeAsync(1)
    await using client = await connecting
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    expect(server.received('notifications/cancelled')).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

requirement('mode:auto:probe-time-can-be-set', async () => {
  vi.useFakeTimers()
  try {
    const server = probed(() => undefined)
    const connecting = Client.connect(transportTo(server), { probeTimeoutMs: 250, timeoutMs: 60_000 })
    await vi.advanceTimersByTimeAsync(250)
    await using client = await connecting
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
  } finally {
    vi.useRealTimers()
  }
  expect(
    () =>
      new Client(
        serverWith(() => DONE),
        { probeTimeoutMs: -1 },
      ),
  ).toThrow(RangeError)
})

requirement('fault:F091:no-fallback-on-a-modern-error', async () => {
  const modern = [
    refusal(-32020),
    refusal(-32021, { requiredCapabilities: { sampling: {} } }),
    refusal(-32022),
    refusal(-32022, { supported: 'all', requested: 7 }),
    refusal(-32022, { supported: [], requested: LATEST_MODERN_VERSION }),
  ]
  for (const answer of modern) {
    const server = probed(answer)
    await expect(Client.connect(transportTo(server))).rejects.toMatchObject({ cause: answer['error'] as object })
    expect(requests(server)).toEqual(['server/discover'])
    expect(server.isClosed).toBe(true)
  }
})

requirement('fault:F091:asks-again-in-a-listed-version', async () => {
  let asked = 0
  const server = probed(() => {
    asked += 1
    return asked === 1 ? refusal(-32022, { supported: [LATEST_MODERN_VERSION], requested: 'x' }) : discoverResult()
  })
  await using client = await Client.connect(transportTo(server))
  expect(requests(server)).toEqual(['server/discover', 'server/discover'])
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
})

requirement('fault:F091:revision-not-repeated', async () => {
  let asked = 0
  const modern = probed(() => {
    asked += 1
    return asked === 1 ? refusal(-32022, { supported: [LATEST_MODERN_VERSION] }) : discoverResult()
  })
  await using client = await Client.connect(transportTo(modern))
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)

  const legacy = probed(refusal(-32022, { supported: ['2025-11-25'] }))
  await using older = await Client.connect(transportTo(legacy))
  expect(older.protocolVersion).toBe('2025-11-25')
})

requirement('fault:F091:asks-again-only-once', async () => {
  const server = probed(refusal(-32022, { supported: [LATEST_MODERN_VERSION], requested: 'x' }))
  await expect(Client.connect(transportTo(server))).rejects.toMatchObject({
    cause: expect.any(UnsupportedProtocolVersionError),
  })
  expect(requests(server)).toEqual(['server/discover', 'server/discover'])
})

requirement('mode:auto:refusal-lists-legacy-versions', async () => {
  const server = probed(refusal(-32022, { supported: ['2025-11-25', '2024-11-05'], requested: LATEST_MODERN_VERSION }))
  await using client = await Client.connect(transportTo(server))
  expect(requests(server)).toEqual(['server/discover', 'initialize'])
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
})

requirement('mode:auto:discovery-lists-legacy-versions', async () => {
  const server = probed(discoverResult(['2025-11-25']))
  await using client = await Client.connect(transportTo(server))
  expect(requests(server)).toEqual(['server/discover', 'initialize'])
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
})

requirement('mode:auto:answer-of-another-form', async () => {
  for (const result of [{}, { supportedVersions: 'all' }, { tools: [] }, { ...discoverResult(), capabilities: 7 }]) {
    const server = probed(result)
    await using client = await Client.connect(transportTo(server))
    expect(requests(server)).toEqual(['server/discover', 'initialize'])
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
  }
})

requirement('mode:auto:no-common-version', async () => {
  const refused = refusal(-32022, { supported: ['2030-01-01'], requested: LATEST_MODERN_VERSION })
  for (const answer of [discoverResult(['2030-01-01']), refused]) {
    const server = probed(answer)
    const failure = await Client.connect(transportTo(server)).catch((reason: Error) => reason)
    expect(failure).toMatchObject({ message: expect.stringContaining('The server speaks 2030-01-01 only') })
    const { cause } = failure as Error
    expect(cause).toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(cause).toMatchObject({ supported: ['2030-01-01'], requested: LATEST_MODERN_VERSION })
    expect(requests(server)).toEqual(['server/discover'])
  }
})

requirement('mode:auto:broken-way-proves-nothing', async () => {
  const closed = new TransportError('refused', { status: 502 })
  const unreachable: Transport = { kind: 'broken', open: () => Promise.reject(closed) }
  await expect(Client.connect(unreachable)).rejects.toMatchObject({ cause: closed, status: 502 })

  const server = probed(discoverResult())
  const mute: Transport = {
    kind: 'mute',
    open: async () => ({ ...server.channel, send: () => Promise.reject(closed) }),
  }
  await expect(Client.connect(mute)).rejects.toMatchObject({ cause: closed, status: 502 })
  expect(server.sent).toEqual([])
})

requirement('mode:auto:handshake-refused-after-silence', async () => {
  vi.useFakeTimers()
  try {
    let asked = 0
    const server = probed(() => {
      asked += 1
      return asked === 1 ? undefined : discoverResult()
    }).on('initialize', refusal(-32022, { supported: [LATEST_MODERN_VERSION], requested: LATEST_LEGACY_VERSION }))
    const connecting = Client.connect(transportTo(server))
    await vi.advanceTimersByTimeAsync(10_000)
    await using client = await connecting
    expect(requests(server)).toEqual(['server/discover', 'initialize', 'server/discover'])
    expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
  } finally {
    vi.useRealTimers()
  }
})

requirement('mode:auto:server-dies-of-the-question', async () => {
  const lives: ScriptedServer[] = []
  const transport: Transport = {
    kind: 'fragile',
    open: async () => {
      const life = new ScriptedServer().on('initialize', initializeResult())
      life.on('server/discover', () => {
        queueMicrotask(() => life.hangUp())
        return undefined
      })
      lives.push(life)
      return life.channel
    },
  }
  await using client = await Client.connect(transport)
  expect(lives.map(requests)).toEqual([['server/discover'], ['initialize']])
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
})

requirement('mode:auto:legacy-only-server', async () => {
  const server = serverWith(() => DONE, { supportedVersions: LEGACY_VERSIONS })
  await using client = await Client.connect(memoryTransport(server))
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
  expect(await client.callTool('run')).toEqual(DONE)
})

requirement('mode:auto:modern-only-server', async ({ connect }) => {
  await using client = await connect(serverWith(() => DONE, { supportedVersions: [LATEST_MODERN_VERSION] }))
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
})

requirement('mode:auto:ignores-prior-knowledge', async () => {
  const server = probed(discoverResult())
  await using client = await Client.connect(transportTo(server), {
    priorDiscover: { ...discoverResult(), capabilities: { logging: {} } },
  })
  expect(requests(server)).toEqual(['server/discover'])
  expect(client.serverCapabilities).not.toEqual({ logging: {} })
})

requirement('mode:legacy:never-asks', async () => {
  const server = probed(discoverResult())
  await using client = await Client.connect(transportTo(server), { mode: 'legacy' })
  expect(requests(server)).toEqual(['initialize'])
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
})

requirement('mode:pinned:costs-no-message', async ({ connect }) => {
  const methods: string[] = []
  const server = serverWith(() => DONE, {
    middleware: [
      (ctx, next) => {
        methods.push(ctx.method)
        return next()
      },
    ],
  })
  await using client = await connect(server, { mode: LATEST_MODERN_VERSION })

  expect(methods).toEqual([])
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
  expect(client.serverCapabilities).toEqual({})
  expect(client.serverInfo).toBeUndefined()
  expect(client.instructions).toBeUndefined()
  expect(await client.callTool('run')).toMatchObject(DONE)
  expect(methods).toEqual(['tools/call'])
})

requirement('mode:pinned:takes-prior-knowledge', async ({ connect, wire }) => {
  const server = serverWith(() => DONE, { instructions: 'be kind' })
  await using first = await connect(server)
  const before = wire.sent.length

  await using second = await connect(server, {
    mode: LATEST_MODERN_VERSION,
    priorDiscover: first.session.discoverResult!,
  })

  expect(wire.sent.length).toBe(before)
  expect(second.serverInfo).toEqual(first.serverInfo)
  expect(second.serverCapabilities).toEqual(first.serverCapabilities)
  expect(second.instructions).toBe('be kind')
})

requirement('mode:pinned:prior-knowledge-must-fit', async ({ connect }) => {
  const options = { mode: LATEST_MODERN_VERSION, priorDiscover: discoverResult(['2025-11-25']) } as const
  await expect(
    connect(
      serverWith(() => DONE),
      options,
    ),
  ).rejects.toThrow(/Unsupported protocol version.*2025-11-25/)
})

requirement('mode:pinned:legacy-revision', async ({ connect, version, wire }) => {
  await using client = await connect(
    serverWith(() => DONE),
    { mode: version },
  )
  expect(client.protocolVersion).toBe(version)
  expect(wire.sent[0]).toMatchObject({ method: 'initialize', params: { protocolVersion: version } })
  expect(await client.callTool('run')).toEqual(DONE)
})

requirement('mode:pinned:legacy-revision-refused', async ({ version }) => {
  const other = LEGACY_VERSIONS.find((candidate) => candidate !== version)!
  const server = new ScriptedServer().on('initialize', initializeResult(other))
  const client = new Client(transportTo(server), { mode: version })
  await expect(client.open()).rejects.toThrow(new RegExp(`${other}.*accepts ${version}`))
  expect(server.received('notifications/initialized')).toEqual([])
  expect(server.isClosed).toBe(true)
})

requirement('mode:modern:asks-once', async ({ connect, transport, wire }) => {
  await using client = await connect(
    serverWith(() => DONE),
    { mode: 'modern' },
  )
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
  const methods = wire.sent.map((message) => ('method' in message ? message.method : undefined))
  if (transport !== 'direct') expect(methods).toEqual(['server/discover'])
  expect(client.serverInfo).toBeDefined()
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('mode:modern:asks-again-in-a-listed-version', async () => {
  let asked = 0
  const server = probed(() => {
    asked += 1
    return asked === 1 ? refusal(-32022, { supported: [LATEST_MODERN_VERSION], requested: 'x' }) : discoverResult()
  })
  await using client = await Client.connect(transportTo(server), { mode: 'modern' })
  expect(requests(server)).toEqual(['server/discover', 'server/discover'])
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
})

requirement('mode:modern:legacy-server', async () => {
  const answers = [refusal(-32601), { unexpected: true }, discoverResult(['2025-11-25'])]
  for (const answer of answers) {
    const server = probed(answer)
    const failure = await Client.connect(transportTo(server), { mode: 'modern' }).catch((error: Error) => error)
    expect((failure as Error).cause).toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(failure).toMatchObject({ message: expect.stringMatching(/legacy revisions only.*'auto' or 'legacy'/) })
    expect(requests(server)).toEqual(['server/discover'])
    expect(server.isClosed).toBe(true)
  }
})

requirement('mode:modern:takes-prior-knowledge', async () => {
  const server = probed(discoverResult())
  const priorDiscover = { ...discoverResult(), instructions: 'be kind' }
  await using client = await Client.connect(transportTo(server), { mode: 'modern', priorDiscover })
  expect(requests(server)).toEqual([])
  expect(client.instructions).toBe('be kind')
})

requirement('mode:modern:tells-other-failures', async () => {
  const silent = probed(() => undefined)
  const connecting = Client.connect(transportTo(silent), { mode: 'modern', timeoutMs: 1 })
  await expect(connecting).rejects.toMatchObject({ cause: { code: -32001, local: true } })
  const reason = new TransportError('the cable is cut')
  const broken: Transport = { kind: 'broken', open: () => Promise.reject(reason) }
  await expect(Client.connect(broken, { mode: 'modern' })).rejects.toMatchObject({ cause: reason })
  // A server that knows discovery, and fails at it, is no legacy one.
  for (const [code, message] of [
    [-32603, "The source 'a' can't be reached (refused)."],
    [-32603, 'The session store is away'],
    [-32029, 'Too many requests'],
    [4001, 'Down for maintenance'],
  ] as const) {
    const server = probed({ error: { code, message, data: { more: 1 } } })
    const failure = await Client.connect(transportTo(server), { mode: 'modern' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: expect.stringContaining(message), cause: { code, data: { more: 1 } } })
    expect(failure).not.toMatchObject({ message: expect.stringContaining('legacy') })
    expect(requests(server)).toEqual(['server/discover'])
  }
})

requirement('mode:invalid:range-error', () => {
  const server = serverWith(() => DONE)
  const withMode = (mode: string) => () => new Client(server, { mode: mode as 'auto' })
  expect(withMode('')).toThrow(RangeError)
  expect(withMode('2030-01-01')).toThrow(RangeError)
  expect(withMode('2030-01-01')).toThrow(/^mode cannot be '2030-01-01'\. Use one of auto, modern, legacy, 2024-11-05, /)
  expect(withMode('handshake')).toThrow(/is now called 'legacy'/)
  expect(withMode('stateless')).toThrow(/is now called 'modern'/)
})

requirement('mode:failure:leaves-nothing-open', async () => {
  const server = new ScriptedServer().on('server/discover', refusal(-32601)).on('initialize', refusal(-32603))
  const client = new Client(transportTo(server))

  await expect(client.open()).rejects.toMatchObject({ cause: expect.any(MCPError) })

  expect(server.isClosed).toBe(true)
  expect(() => client.session).toThrow(/not open/)
  expect(() => client.protocolVersion).toThrow(/not open/)
})
