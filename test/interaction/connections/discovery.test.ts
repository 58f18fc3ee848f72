// What a server says of itself, and what a client makes of it.
import { expect } from 'vitest'
import { Server } from '../../../src/server/server.ts'
import { PROTOCOL_VERSIONS } from '../../../src/types/protocol/versions.ts'
import { discoverResult, openSession } from '../../support/sessions.ts'
import { requirement } from '../kit/requirement.ts'
import { codeOf, connectScripted, DONE, RawClient, serverWith } from '../kit/support-lifecycle.ts'

const identity = { name: 'subject', version: '1.2.3' }

requirement('discover:server:what-it-offers', async ({ connect }) => {
  const server = serverWith(() => DONE, { instructions: 'be kind' })
  await using client = await connect(server)

  expect(client.session.discoverResult).toEqual({
    supportedVersions: [...PROTOCOL_VERSIONS],
    capabilities: { tools: {} },
    instructions: 'be kind',
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': identity },
  })
})

requirement('discover:server:capabilities-are-derived', async ({ connect }) => {
  const server = new Server('subject', {
    logging: true,
    handlers: {
      'prompts/list': () => ({ prompts: [] }),
      'resources/read': () => ({ contents: [] }),
      'completion/complete': () => ({ completion: { values: [] } }),
    },
  })
  await using client = await connect(server)

  expect(client.serverCapabilities).toEqual({ prompts: {}, resources: {}, completions: {}, logging: {} })
  await expect(client.listTools()).rejects.toMatchObject({ code: -32601, local: false })
})

requirement('discover:server:declared-capabilities-win', async ({ connect }) => {
  const server = serverWith(() => DONE, {
    capabilities: { tools: { listChanged: true }, extensions: { 'com.example/x': { level: 3 } } },
  })
  await using client = await connect(server)

  expect(client.serverCapabilities).toEqual({
    tools: { listChanged: true },
    extensions: { 'com.example/x': { level: 3 } },
  })
})

requirement('discover:server:late-handlers-count', async ({ connect }) => {
  const server = new Server('subject')
  {
    await using client = await connect(server)
    expect(client.serverCapabilities).toEqual({})
  }
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  await using client = await connect(server)
  expect(client.serverCapabilities).toEqual({ prompts: {} })
})

requirement('discover:server:change-bits-follow-listen', async ({ connect }) => {
  const handlers = { 'resources/list': () => ({ resources: [] }), 'resources/subscribe': () => ({}) }
  {
    await using client = await connect(new Server('subject', { handlers }))
    expect(client.serverCapabilities).toEqual({ resources: {} })
  }
  await using client = await connect(new Server('subject', { handlers, subscriptions: true }))
  expect(client.serverCapabilities).toEqual({ resources: { listChanged: true, subscribe: true } })
})

requirement('discover:server:handler-can-be-replaced', async ({ connect }) => {
  const server = serverWith(() => DONE, {
    handlers: { 'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 5000 }) },
  })
  await using client = await connect(server)

  expect(client.session.discoverResult).toMatchObject({ supportedVersions: ['2026-07-28'], ttlMs: 5000 })
  expect(client.serverInfo).toEqual(identity)
})

requirement('discover:server:cache-hints', async ({ connect }) => {
  const server = serverWith(() => DONE, { cacheHints: { 'server/discover': { ttlMs: 60_000, scope: 'public' } } })
  await using client = await connect(server)
  expect(client.session.discoverResult).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
})

requirement('discover:server:only-what-it-serves', async () => {
  const server = serverWith(() => DONE, { supportedVersions: ['2025-11-25', '2026-07-28'] })
  await using raw = await RawClient.open(server, true)

  const discovered = await raw.ask('server/discover')
  const refused = await raw.ask('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } })

  expect(discovered).toHaveProperty('result.supportedVersions', ['2025-11-25', '2026-07-28'])
  expect(refused).toHaveProperty('error.data.supported', ['2025-11-25', '2026-07-28'])
})

requirement('discover:server:unadvertised-is-unknown', async () => {
  await using raw = await RawClient.open(
    serverWith(() => DONE),
    true,
  )
  expect(codeOf(await raw.ask('prompts/list'))).toBe(-32601)
  expect(codeOf(await raw.ask('subscriptions/listen', { notifications: {} }))).toBe(-32601)
})

requirement('discover:server:full-identity', async ({ connect }) => {
  const icons = [{ src: 'https://example.com/i.png' }]
  const server = new Server('subject', {
    title: 'Subject',
    description: 'What is spoken of',
    websiteUrl: 'https://example.com',
    icons,
  })
  await using client = await connect(server)

  expect(client.serverInfo).toEqual({
    name: 'subject',
    version: '0.0.0',
    title: 'Subject',
    description: 'What is spoken of',
    websiteUrl: 'https://example.com',
    icons,
  })
})

requirement('discover:client:anonymous-server', async (setting) => {
  const { _meta, ...anonymous } = discoverResult()
  await using scripted = await connectScripted(setting, (server) => server.on('server/discover', anonymous))
  expect(scripted.client.protocolVersion).toBe('2026-07-28')
  expect(scripted.client.serverInfo).toBeUndefined()
})

requirement('discover:client:malformed-identity', async (setting) => {
  for (const stamp of ['me', 7, null, [], { name: 'x' }, { name: 1, version: 'x' }]) {
    const result = { ...discoverResult(), _meta: { 'io.modelcontextprotocol/serverInfo': stamp } }
    await using scripted = await connectScripted(setting, (server) => server.on('server/discover', result))
    expect(scripted.client.protocolVersion).toBe('2026-07-28')
    expect(scripted.client.serverInfo).toBeUndefined()
  }
})

requirement('discover:client:negative-ttl', async (setting) => {
  await using scripted = await connectScripted(setting, (server) =>
    server.on('server/discover', { ...discoverResult(), ttlMs: -5 }),
  )
  expect(scripted.client.protocolVersion).toBe('2026-07-28')
  expect(scripted.server.received('initialize')).toEqual([])
})

requirement('discover:client:once', async () => {
  await using open = await openSession()
  open.server.on('server/discover', discoverResult())

  const [first, second] = await Promise.all([open.session.discover(), open.session.discover()])
  const third = await open.session.discover()

  expect([second, third]).toEqual([first, first])
  expect(open.server.received('server/discover')).toHaveLength(1)
  expect(open.session.protocolVersion).toBe('2026-07-28')
})

requirement('discover:client:asking-adopts-nothing', async () => {
  await using open = await openSession()
  open.server.on('server/discover', discoverResult())

  expect(await open.session.sendDiscover('2026-07-28')).toEqual(discoverResult())

  expect(open.session.protocolVersion).toBeUndefined()
  expect(open.session.protocolVersion).toBeUndefined()
})

requirement('discover:client:adopting-costs-nothing', async () => {
  await using open = await openSession()
  open.session.adopt(discoverResult())

  expect(open.server.sent).toEqual([])
  expect(open.session.protocolVersion).toBe('2026-07-28')
  expect(open.session.serverInfo).toEqual({ name: 'scripted', version: '1' })
  expect(() => open.session.adopt(discoverResult(['2030-01-01']))).toThrow(/Unsupported protocol version/)
  expect(open.session.protocolVersion).toBe('2026-07-28')
})
