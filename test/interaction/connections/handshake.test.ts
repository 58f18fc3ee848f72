// The handshake, from both sides.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { UnsupportedProtocolVersionError } from '../../../src/types/errors/errors.ts'
import { isVersionAtLeast, LATEST_LEGACY_VERSION } from '../../../src/types/protocol/versions.ts'
import { settle } from '../../support/peers.ts'
import { ScriptedServer } from '../../support/scripted-server.ts'
import { initializeResult, openSession } from '../../support/sessions.ts'
import { requirement } from '../kit/requirement.ts'
import {
  codeOf,
  connectScripted,
  DONE,
  envelope,
  type Message,
  RawClient,
  serverWith,
  transportTo,
} from '../kit/support-lifecycle.ts'

const simple = () => serverWith(() => DONE, { instructions: 'be kind' })

requirement('handshake:client:opens-with-initialize', async ({ connect, wire }) => {
  await using _client = await connect(simple(), { mode: 'legacy', clientInfo: { name: 'me', version: '7' } })

  expect(wire.sent[0]).toMatchObject({
    jsonrpc: '2.0',
    method: 'initialize',
    params: {
      protocolVersion: LATEST_LEGACY_VERSION,
      capabilities: {},
      clientInfo: { name: 'me', version: '7' },
    },
  })
})

requirement('handshake:client:sends-initialized', async ({ connect, wire }) => {
  await using _client = await connect(simple())

  const [, answer, initialized] = wire.entries
  expect(answer!.direction).toBe('received')
  expect(initialized).toEqual({
    direction: 'sent',
    message: { jsonrpc: '2.0', method: 'notifications/initialized' },
  })
})

requirement('handshake:client:declares-its-callbacks', async ({ connect }) => {
  const seen: unknown[] = []
  const server = serverWith(({ clientCapabilities }) => {
    seen.push(clientCapabilities)
    return DONE
  })
  {
    await using client = await connect(server, {
      onSampling: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }),
      samplingCapabilities: { tools: {} },
      onElicitation: () => ({ action: 'decline' }),
      onListRoots: () => ({ roots: [] }),
    })
    await client.callTool('run')
  }
  await using bare = await connect(server)
  await bare.callTool('run')

  expect(seen).toEqual([
    { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    {},
  ])
})

requirement('handshake:server:answers-with-identity', async ({ connect, version }) => {
  await using client = await connect(simple())

  expect(client.session.initializeResult).toEqual({
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: 'subject', version: '1.2.3' },
    instructions: 'be kind',
  })
  expect(client.serverInfo).toEqual({ name: 'subject', version: '1.2.3' })
  expect(client.serverCapabilities).toEqual({ tools: {} })
  expect(client.instructions).toBe('be kind')
})

requirement('handshake:server:echoes-the-version', async ({ version }) => {
  await using raw = await RawClient.open(simple())
  const answer = await raw.initialize(version)
  expect(answer['result']).toMatchObject({ protocolVersion: version })
})

requirement('handshake:server:offers-its-newest', async () => {
  for (const requested of ['1999-12-31', '2026-07-28', '', 'latest']) {
    await using raw = await RawClient.open(simple())
    const answer = await raw.initialize(requested)
    expect(answer['result']).toMatchObject({ protocolVersion: LATEST_LEGACY_VERSION })
  }
})

requirement('handshake:server:fits-the-revision', async ({ version }) => {
  const server = serverWith(() => DONE, { title: 'Subject', websiteUrl: 'https://example.com' })
  await using raw = await RawClient.open(server)
  const { serverInfo } = (await raw.initialize(version))['result'] as { serverInfo: Message }

  expect('title' in serverInfo).toBe(isVersionAtLeast(version, '2025-06-18'))
  expect('websiteUrl' in serverInfo).toBe(isVersionAtLeast(version, '2025-11-25'))
})

requirement('fault:F089:request-before-initialize', async ({ version }) => {
  await using raw = await RawClient.open(simple())

  expect(codeOf(await raw.ask('tools/list'))).toBe(-32600)
  expect(await raw.ask('ping', {}, 1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  expect((await raw.initialize(version))['result']).toMatchObject({ protocolVersion: version })
  expect(await raw.ask('tools/list')).toHaveProperty('result.tools')
})

requirement('fault:F089:initialize-twice', async (setting) => {
  const server = serverWith(({ protocolVersion, clientInfo }) => ({
    content: [{ type: 'text', text: `${clientInfo?.name} ${protocolVersion}` }],
  }))
  await using raw = await RawClient.connect(server, setting)
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'thief', version: '1' } }

  expect(codeOf(await raw.ask('initialize', params))).toBe(-32600)
  const answer = await raw.ask('tools/call', { name: 'run' })
  expect(answer).toHaveProperty('result.content.0.text', `raw ${setting.version}`)
})

requirement('handshake:server:bounds-what-it-keeps', async ({ connect }) => {
  const server = simple()
  const refusal = { cause: { code: -32602, data: { limit: 'bytes of clientInfo and capabilities', max: 65_536 } } }
  const longName = { name: 'y'.repeat(65_536), version: '1' }
  await expect(connect(server, { clientInfo: longName })).rejects.toMatchObject(refusal)
  const manyIcons = Array.from({ length: 3_000 }, (_, index) => ({ src: `https://icons.example/${index}` }))
  const clientInfo = { name: 'y', version: '1', icons: manyIcons }
  await expect(connect(server, { clientInfo })).rejects.toMatchObject(refusal)

  await using client = await connect(server, { clientInfo: { name: 'y'.repeat(60_000), version: '1' } })
  expect(await client.callTool('any')).toMatchObject(DONE)
})

requirement('handshake:server:unknown-method-before-initialize', async () => {
  await using raw = await RawClient.open(simple())
  expect(codeOf(await raw.ask('vendor/unknown'))).toBe(-32601)
  expect(codeOf(await raw.ask('server/discover'))).toBe(-32601)
})

requirement('handshake:server:pipelined-requests', async ({ version }) => {
  await using raw = await RawClient.open(simple())
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'hasty', version: '1' } }

  raw.request('initialize', params, 1)
  raw.request('tools/list', {}, 2)
  raw.send({ method: 'notifications/initialized' })
  const answers = [await raw.next(), await raw.next()]

  expect(answers.map(({ id }) => id)).toEqual([1, 2])
  expect(answers[1]).toHaveProperty('result.tools')
})

requirement('handshake:server:bare-initialized-opens', async () => {
  await using raw = await RawClient.open(simple())
  raw.send({ method: 'notifications/initialized' })
  expect(await raw.ask('tools/list')).toHaveProperty('result.tools')
})

requirement('handshake:client:unsupported-answer', async () => {
  for (const version of ['1999-12-31', '2026-07-28']) {
    const server = new ScriptedServer().on('initialize', initializeResult(version))
    const connecting = Client.connect(transportTo(server), { mode: 'legacy' })
    await expect(connecting).rejects.toThrow(`Unsupported protocol version from the server: ${version}`)
    expect(server.received('notifications/initialized')).toEqual([])
    expect(server.isClosed).toBe(true)
  }
})

requirement('handshake:client:once', async (setting) => {
  await using scripted = await connectScripted(setting)
  const { session } = scripted.client

  const [first, second] = await Promise.all([session.initialize(), session.initialize()])

  expect(first).toBe(second)
  expect(scripted.server.received('initialize')).toHaveLength(1)
  expect(scripted.server.received('notifications/initialized')).toHaveLength(1)
})

requirement('handshake:client:waits-for-the-answer', async () => {
  await using open = await openSession()
  await expect(open.session.listTools()).rejects.toThrow(/Call initialize\(\), discover\(\) or adopt\(\) first/)
  expect(open.server.sent).toEqual([])

  open.server.on('ping', {})
  expect(await open.session.sendPing()).toEqual({})
})

requirement('handshake:client:never-cancels-initialize', async () => {
  await using open = await openSession()
  open.server.on('initialize', () => undefined)
  const controller = new AbortController()

  const initializing = open.session.initialize({ signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(initializing).rejects.toThrow('enough')
  await settle()

  expect(open.server.received('notifications/cancelled')).toEqual([])
})

requirement('handshake:ping:to-the-server', async ({ connect, wire }) => {
  await using client = await connect(simple())
  expect(await client.sendPing()).toEqual({})
  expect(wire.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
})

requirement('handshake:ping:to-the-client', async ({ connect, wire }) => {
  const server = serverWith(async ({ session }) => {
    expect(await session.sendPing()).toEqual({})
    return DONE
  })
  await using client = await connect(server)
  expect(await client.callTool('run')).toEqual(DONE)
  expect(wire.sent).toContainEqual(expect.objectContaining({ result: {} }))
})

requirement('handshake:server:refuses-modern-requests', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  expect(codeOf(await raw.ask('tools/list', { _meta: envelope() }))).toBe(-32600)
  expect(await raw.ask('tools/list')).toHaveProperty('result.tools')
})

requirement('handshake:result:has-no-modern-stamps', async ({ connect, wire }) => {
  await using client = await connect(simple())
  await client.listTools()
  expect(Object.keys((wire.received.at(-1) as { result: Message }).result)).toEqual(['tools'])
})

requirement('handshake:server:modern-only-says-so', async ({ version }) => {
  const server = serverWith(() => DONE, { supportedVersions: ['2026-07-28'] })
  await using raw = await RawClient.open(server)
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } }

  const { error } = await raw.ask('initialize', params)

  expect(error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: version } })
})

requirement('handshake:client:modern-only-server', async () => {
  const server = serverWith(() => DONE, { supportedVersions: ['2026-07-28'] })
  const error = await Client.connect(memoryTransport(server), { mode: 'legacy' }).catch((reason: Error) => reason.cause)
  expect(error).toBeInstanceOf(UnsupportedProtocolVersionError)
  expect((error as UnsupportedProtocolVersionError).supported).toEqual(['2026-07-28'])
})

requirement('handshake:server:one-connection-each', async () => {
  const server = serverWith(({ protocolVersion }) => ({ content: [{ type: 'text', text: protocolVersion }] }))
  const open = async (version: string) => {
    const raw = await RawClient.open(server)
    await raw.initialize(version)
    return raw
  }
  await using older = await open('2024-11-05')
  await using newer = await open('2025-11-25')

  expect(await older.ask('tools/call', { name: 'run' })).toHaveProperty('result.content.0.text', '2024-11-05')
  expect(await newer.ask('tools/call', { name: 'run' })).toHaveProperty('result.content.0.text', '2025-11-25')
})
