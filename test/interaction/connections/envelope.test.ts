// What requests and results say of themselves.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Server } from '../../../src/server/server.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import { PATIENCE_META_KEY } from '../../../src/types/protocol/meta.ts'
import { PACKAGE_VERSION } from '../../../src/types/protocol/package-version.ts'
import { requirement } from '../kit/requirement.ts'
import {
  connectScripted,
  DONE,
  envelope,
  type Message,
  RawClient,
  sentOf,
  serverWith,
} from '../kit/support-lifecycle.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const INFO = 'io.modelcontextprotocol/clientInfo'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/** A server that keeps the `_meta` of every request. */
function observed(): { server: Server; metas: Message[] } {
  const metas: Message[] = []
  const server = serverWith(() => DONE, {
    handlers: { 'prompts/list': () => ({ prompts: [] }) },
    middleware: [
      (ctx, next) => {
        metas.push(ctx.meta)
        return next()
      },
    ],
  })
  server.setRequestHandler('vendor/do', () => ({}))
  return { server, metas }
}

async function exercise(client: Client): Promise<void> {
  await client.listTools()
  await client.callTool('run')
  await client.listPrompts()
  await client.session.sendRequest('vendor/do', { x: 1 })
}

requirement('envelope:client:on-every-request', async ({ connect }) => {
  const { server, metas } = observed()
  const clientInfo = { name: 'me', version: '7' }
  await using client = await connect(server, { clientInfo })
  await exercise(client)

  expect(metas).toHaveLength(5)
  for (const meta of metas)
    expect(meta).toMatchObject({ [VERSION]: '2026-07-28', [INFO]: clientInfo, [CAPABILITIES]: {} })
})

requirement('envelope:client:names-itself', async ({ connect }) => {
  const seen: unknown[] = []
  const server = serverWith(({ clientInfo }) => {
    seen.push(clientInfo)
    return DONE
  })
  await using client = await connect(server)
  await client.callTool('run')
  expect(seen).toEqual([{ name: 'mcpwire', version: PACKAGE_VERSION }])
})

requirement('envelope:client:declares-its-callbacks', async ({ connect }) => {
  const { server, metas } = observed()
  await using client = await connect(server, {
    onSampling: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }),
    onElicitation: () => ({ action: 'decline' }),
    elicitationCapabilities: { url: {} },
    onListRoots: () => ({ roots: [] }),
  })
  await exercise(client)

  for (const meta of metas) expect(meta[CAPABILITIES]).toEqual({ sampling: {}, elicitation: { url: {} }, roots: {} })
})

requirement('envelope:client:caller-meta-survives', async ({ connect }) => {
  const { server, metas } = observed()
  await using client = await connect(server)
  const meta = { 'com.example/trace': { deep: [1, null] }, traceparent: '00-0af7-b7ad-01', plain: true }
  await client.callTool('run', {}, { meta })
  expect(metas).toContainEqual(expect.objectContaining(meta))
})

requirement('envelope:client:reserved-keys-win', async ({ connect }) => {
  const { server, metas } = observed()
  await using client = await connect(server)
  await client.callTool(
    'run',
    {},
    {
      meta: { [VERSION]: '1999-12-31', [INFO]: { name: 'liar', version: '0' }, [CAPABILITIES]: { sampling: {} } },
    },
  )
  expect(metas.at(-1)).toMatchObject({ [VERSION]: '2026-07-28', [INFO]: { name: 'mcpwire' }, [CAPABILITIES]: {} })
})

requirement('envelope:client:log-level', async ({ connect }) => {
  const { server, metas } = observed()
  await using client = await connect(server, { logLevel: 'warning' })

  await client.callTool('run')
  await client.callTool('run', {}, { meta: { [LOG_LEVEL]: 'debug' } })
  expect(metas.slice(-2).map((meta) => meta[LOG_LEVEL])).toEqual(['warning', 'debug'])

  await using quiet = await connect(server)
  await quiet.callTool('run')
  expect(metas.at(-1)).not.toHaveProperty([LOG_LEVEL])
})

requirement('envelope:client:none-in-the-legacy-era', async ({ connect }) => {
  const { server, metas } = observed()
  await using client = await connect(server, { logLevel: 'warning' })
  await exercise(client)
  // The patience of the caller is no part of the envelope, and goes along in both eras.
  const own = ['progressToken', PATIENCE_META_KEY]
  const keys = metas.flatMap((meta) => Object.keys(meta)).filter((key) => !own.includes(key))
  expect(keys).toEqual([])
})

requirement('envelope:request:always-has-meta', async ({ connect, wire }) => {
  const { server } = observed()
  await using client = await connect(server)
  await exercise(client)
  await client.session.sendNotification('vendor/bare')

  for (const message of wire.sent as unknown as Message[]) {
    if (message['id'] !== undefined) expect(message).toHaveProperty('params._meta')
    expect(message['params']).not.toBeNull()
  }
})

requirement('envelope:server:missing-keys', async () => {
  await using raw = await RawClient.open(serverWith(() => DONE))
  const lacking = (key: string) => {
    const { [key]: _left, ...rest } = envelope()
    return raw.ask('tools/list', { _meta: rest })
  }

  expect(await lacking(VERSION)).toHaveProperty('error.code', -32602)
  expect(await lacking(CAPABILITIES)).toHaveProperty('error.code', -32602)
  expect(await lacking(INFO)).toHaveProperty('result.tools')
  expect(await raw.ask('tools/list', { _meta: {} })).toHaveProperty('error.code', -32602)
})

requirement('envelope:server:malformed-keys', async () => {
  await using raw = await RawClient.open(
    serverWith(() => DONE),
    true,
  )
  for (const wrong of [
    { [VERSION]: 20260728 },
    { [VERSION]: null },
    { [VERSION]: ['2026-07-28'] },
    { [CAPABILITIES]: [] },
    { [CAPABILITIES]: 'all' },
    { [LOG_LEVEL]: 'loud' },
  ]) {
    expect(await raw.ask('tools/list', { _meta: wrong }), JSON.stringify(wrong)).toHaveProperty('error.code', -32602)
  }
})

requirement('envelope:server:useless-client-info', async () => {
  const seen: unknown[] = []
  const server = serverWith(() => DONE)
  server.setRequestHandler('vendor/who', ({ clientInfo }) => {
    seen.push(clientInfo)
    return {}
  })
  await using raw = await RawClient.open(server, true)
  for (const info of ['me', 7, null, {}, { name: 'x' }]) {
    expect(await raw.ask('vendor/who', { _meta: { [INFO]: info } })).toHaveProperty('result')
  }
  expect(seen).toEqual([undefined, undefined, undefined, undefined, undefined])
})

requirement('fault:F091:unknown-version', async () => {
  let ran = 0
  const server = serverWith(() => {
    ran += 1
    return DONE
  })
  await using raw = await RawClient.open(server, true)
  for (const requested of ['1999-12-31', '2025-11-25', '2030-01-01', '']) {
    const { error } = await raw.ask('tools/call', { name: 'run', _meta: { [VERSION]: requested } })
    expect(error).toMatchObject({ code: -32022, data: { supported: [...server.supportedVersions], requested } })
    expect((error as Error).message).toContain('Unsupported protocol version')
  }
  expect(ran).toBe(0)
})

requirement('envelope:result:says-its-type', async ({ connect }) => {
  const { server } = observed()
  await using client = await connect(server)
  const results = [
    client.session.discoverResult,
    await client.listTools(),
    await client.callTool('run'),
    await client.session.sendRequest('vendor/do'),
  ]
  for (const result of results) expect(result).toHaveProperty('resultType', 'complete')
})

requirement('envelope:result:names-its-server', async ({ connect }) => {
  const { server } = observed()
  await using client = await connect(server)
  const results = [
    await client.listTools(),
    await client.callTool('run'),
    await client.session.sendRequest('vendor/do'),
  ]
  for (const result of results) {
    expect(result).toHaveProperty(['_meta', SERVER_INFO], { name: 'subject', version: '1.2.3' })
  }
})

requirement('envelope:result:handler-stamps-stay', async ({ connect }) => {
  const stamp = { name: 'behind the proxy', version: '9' }
  const server = serverWith(() => ({ ...DONE, _meta: { [SERVER_INFO]: stamp, 'com.example/own': 1 } }))
  await using client = await connect(server)
  expect((await client.callTool('run'))._meta).toEqual({ [SERVER_INFO]: stamp, 'com.example/own': 1 })
})

requirement('envelope:result:meta-comes-through', async ({ connect }) => {
  const server = serverWith((_ctx, { arguments: args }) => ({ ...DONE, _meta: { 'com.example/own': args } }))
  await using client = await connect(server)
  const args = { deep: [{ er: null }] }
  expect((await client.callTool('run', args))._meta).toMatchObject({ 'com.example/own': args })
})

requirement('envelope:result:absent-type-is-complete', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', { content: [] }))
  expect(await scripted.client.callTool('run')).toEqual({ content: [] })
})

requirement('envelope:result:unknown-type-is-refused', async (setting) => {
  for (const resultType of ['task', 'partial', '', 'COMPLETE']) {
    await using scripted = await connectScripted(setting, (server) =>
      server.on('tools/call', { resultType, content: [] }),
    )
    const error = await scripted.client.callTool('run').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InvalidResultError)
    expect(error).toHaveProperty('path', 'resultType')
  }
})

requirement('envelope:result:only-announced-types-are-sent', async ({ connect }) => {
  const partial = () => ({ ...DONE, resultType: 'com.example/partial' }) as never
  await using client = await connect(serverWith(partial))
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32603, local: false })

  await using announced = await connect(serverWith(partial, { resultTypes: ['com.example/partial'] }))
  await expect(announced.callTool('run')).rejects.toBeInstanceOf(InvalidResultError)
})

requirement('envelope:transport:custom-ones-carry-it', async () => {
  const { server, metas } = observed()
  const inner = memoryTransport(server)
  const transport = { kind: 'pigeon', open: () => inner.open() }
  await using client = await Client.connect(transport)
  await exercise(client)
  for (const meta of metas) expect(meta).toHaveProperty([VERSION], '2026-07-28')
})

requirement('envelope:client:on-notifications-too', async ({ connect, wire }) => {
  await using client = await connect(serverWith(() => DONE))
  await client.session.sendNotification('vendor/told', { x: 1 })
  await client.listTools()
  expect(sentOf(wire, 'vendor/told')).toMatchObject([{ params: { x: 1, _meta: { [VERSION]: '2026-07-28' } } }])
})
