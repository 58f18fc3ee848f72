// Which era a connection belongs to, and what is not possible in it.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { NoBackChannelError } from '../../../src/types/errors/errors.ts'
import { settle } from '../../support/peers.ts'
import { requirement } from '../kit/requirement.ts'
import {
  codeOf,
  connectScripted,
  DONE,
  envelope,
  FaultLog,
  RawClient,
  receivedOf,
  serverWith,
  text,
} from '../kit/support-lifecycle.ts'

const simple = () => serverWith(() => DONE)
const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

requirement('era:server:first-request-decides', async () => {
  await using raw = await RawClient.open(simple())

  expect(await raw.ask('tools/list', { _meta: envelope() })).toHaveProperty('result.resultType', 'complete')
  const { error } = await raw.ask('initialize', opening)

  expect(error).toMatchObject({
    code: -32022,
    message: expect.stringContaining('was opened with a modern request'),
    data: { requested: '2025-11-25' },
  })
  expect(codeOf(await raw.ask('tools/list'))).toBe(-32602)

  await using handshake = await RawClient.open(simple())
  expect(await handshake.ask('initialize', opening)).toHaveProperty('result.protocolVersion', '2025-11-25')
  handshake.send({ method: 'notifications/initialized' })
  expect(codeOf(await handshake.ask('tools/list', { _meta: envelope() }))).toBe(-32600)
})

requirement('era:server:failed-modern-request-decides', async () => {
  await using raw = await RawClient.open(simple())
  expect(codeOf(await raw.ask('vendor/none', { _meta: envelope() }))).toBe(-32601)
  expect(codeOf(await raw.ask('initialize', opening))).toBe(-32022)
})

requirement('era:server:notifications-do-not-decide', async () => {
  const handshake = await RawClient.open(simple())
  handshake.send({ method: 'vendor/hello', params: { _meta: envelope() } })
  expect(await handshake.ask('initialize', opening)).toHaveProperty('result.protocolVersion', '2025-11-25')
  await handshake[Symbol.asyncDispose]()

  await using modern = await RawClient.open(simple())
  modern.send({ method: 'notifications/initialized' })
  expect(await modern.ask('tools/list', { _meta: envelope() })).toHaveProperty('result.resultType', 'complete')
})

requirement('era:server:early-notifications-are-bounded', async () => {
  const heard: unknown[] = []
  const server = simple()
  server.setNotificationHandler('vendor/early', (_ctx, { n }) => {
    heard.push(n)
  })
  await using raw = await RawClient.open(server, true)

  for (let n = 0; n < 20; n++) raw.send({ method: 'vendor/early', params: { n } })
  await raw.ask('tools/list')

  expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

requirement('era:server:early-notifications-are-contained', async () => {
  const log = new FaultLog()
  await using raw = await RawClient.open(
    serverWith(() => DONE, { onFault: log.onFault }),
    true,
  )
  raw.send({ method: 'notifications/roots/list_changed' })
  expect(await raw.ask('tools/list')).toHaveProperty('result.tools')
  expect(await log.until('notification-failed')).toMatchObject({ method: 'notifications/roots/list_changed' })
})

requirement('era:server:bare-discovery-opens-the-handshake', async () => {
  await using raw = await RawClient.open(simple())
  expect(codeOf(await raw.ask('server/discover'))).toBe(-32601)
  expect(await raw.ask('initialize', opening)).toHaveProperty('result.protocolVersion', '2025-11-25')
})

requirement('era:server:discovery-alone-settles-nothing', async () => {
  await using late = await RawClient.open(simple())
  // Both are on their way before the server answers the first.
  late.request('server/discover', { _meta: envelope() }, 'probe')
  late.request('initialize', opening, 'handshake')
  const answers = [await late.next(), await late.next()]
  expect(answers.find(({ id }) => id === 'probe')).toHaveProperty('result.supportedVersions')
  expect(answers.find(({ id }) => id === 'handshake')).toHaveProperty('result.protocolVersion', '2025-11-25')
  expect(await late.ask('tools/list')).not.toHaveProperty('result.resultType')

  await using modern = await RawClient.open(simple())
  await modern.ask('server/discover', { _meta: envelope() })
  expect(await modern.ask('tools/list', { _meta: envelope() })).toHaveProperty('result.resultType', 'complete')
  expect(codeOf(await modern.ask('initialize', opening))).toBe(-32022)
})

requirement('era:server:removed-methods-are-unknown', async () => {
  const server = serverWith(() => DONE, {
    logging: true,
    subscriptions: true,
    handlers: { 'resources/list': () => ({ resources: [] }), 'resources/subscribe': () => ({}) },
  })
  await using raw = await RawClient.open(server, true)

  expect(codeOf(await raw.ask('initialize', opening))).toBe(-32601)
  expect(codeOf(await raw.ask('ping'))).toBe(-32601)
  expect(codeOf(await raw.ask('logging/setLevel', { level: 'info' }))).toBe(-32601)
  expect(codeOf(await raw.ask('resources/subscribe', { uri: 'file:///x' }))).toBe(-32601)
  expect(codeOf(await raw.ask('resources/unsubscribe', { uri: 'file:///x' }))).toBe(-32601)
})

requirement('era:server:serves-both-at-once', async () => {
  const server = serverWith(({ protocolVersion }) => text(protocolVersion))
  await using modern = await Client.connect(memoryTransport(server))
  await using legacy = await Client.connect(memoryTransport(server), { mode: 'legacy' })
  await using direct = await Client.connect(server)

  const results = await Promise.all([modern, legacy, direct].map((client) => client.callTool('run')))

  expect(results.map(({ content }) => content)).toEqual(
    ['2026-07-28', '2025-11-25', '2026-07-28'].map((version) => [{ type: 'text', text: version }]),
  )
})

requirement('era:modern:nothing-is-remembered', async () => {
  const seen: unknown[] = []
  const server = serverWith(({ clientInfo, clientCapabilities, connection }) => {
    seen.push([clientInfo?.name, clientCapabilities, connection.state.size])
    connection.state.set('left', 'behind')
    return DONE
  })
  await using raw = await RawClient.open(server, true)
  const asking = (name: string, capabilities: object) =>
    raw.ask('tools/call', {
      name: 'run',
      _meta: {
        'io.modelcontextprotocol/clientInfo': { name, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    })

  await asking('first', { sampling: {} })
  await asking('second', {})

  expect(seen).toEqual([
    ['first', { sampling: {} }, 0],
    ['second', {}, 0],
  ])
})

requirement('era:modern:server-asks-nothing', async ({ connect, wire }) => {
  const failures: unknown[] = []
  const server = serverWith(async ({ session }) => {
    expect(session.canSendRequest).toBe(false)
    for (const related of [true, false]) {
      await session.listRoots({ related }).catch((error: unknown) => failures.push(error))
      await session.sendRequest('vendor/ask', {}, { related }).catch((error: unknown) => failures.push(error))
    }
    return DONE
  })
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })
  await client.callTool('run')

  expect(failures).toHaveLength(4)
  for (const failure of failures) expect(failure).toBeInstanceOf(NoBackChannelError)
  for (const method of ['roots/list', 'vendor/ask', 'notifications/cancelled']) {
    expect(receivedOf(wire, method)).toEqual([])
  }
})

requirement('fault:F094:no-way-back-after-the-handler', async ({ connect }) => {
  let late: () => Promise<unknown> = async () => undefined
  const server = serverWith(({ session }) => {
    late = () => session.sendRequest('vendor/late')
    return DONE
  })
  await using client = await connect(server)
  await client.callTool('run')
  await expect(late()).rejects.toBeInstanceOf(NoBackChannelError)
})

requirement('era:modern:client-is-asked-nothing', async (setting) => {
  let asked = 0
  await using scripted = await connectScripted(setting, () => {}, {
    onListRoots: () => {
      asked += 1
      return { roots: [] }
    },
  })
  void scripted.server.request('roots/list', {})
  await scripted.log.until('invalid-message')
  expect(asked).toBe(0)
})

requirement('era:modern:changes-only-by-subscription', async ({ connect, wire }) => {
  const heard: string[] = []
  const server = serverWith(async ({ session }) => {
    await session.sendToolListChanged()
    await session.sendPromptListChanged()
    await session.sendResourceListChanged()
    await session.sendResourceUpdated('file:///x')
    return DONE
  })
  await using client = await connect(server, { onMessage: ({ method }) => void heard.push(method) })
  await client.callTool('run')
  await settle()

  expect(heard).toEqual([])
  expect(wire.received.filter((message) => 'method' in message)).toEqual([])
})

requirement('era:modern:log-messages-are-asked-for', async ({ connect }) => {
  const heard: unknown[] = []
  const server = serverWith(async ({ session }) => {
    await session.sendLogMessage('error', 'careful')
    await session.sendLogMessage('debug', 'chatter')
    return DONE
  })
  // Not `onLog`, which asks for messages by itself.
  await using client = await connect(server, { onMessage: ({ params }) => void heard.push({ ...params }) })

  await client.callTool('run')
  expect(heard).toEqual([])
  await client.callTool('run', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } })
  expect(heard).toEqual([expect.objectContaining({ level: 'error', data: 'careful' })])
})

requirement('era:session:no-crossing', async (setting) => {
  await using scripted = await connectScripted(setting)
  const { session } = scripted.client
  const crossing = setting.isModern ? session.initialize() : session.discover()
  await expect(crossing).rejects.toThrow(/Create a new session for another era/)
  expect(session.protocolVersion).toBe(setting.version)
})
