// What differs between the revisions, as a user sees it.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { Server } from '../../../src/server/server.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { ListenNotSupportedError } from '../../../src/types/errors/failures.ts'
import { isVersionAtLeast, PROTOCOL_VERSIONS } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { codeOf, connectScripted, DONE, type Message, RawClient, serverWith, text } from '../kit/support-lifecycle.ts'

requirement('versions:every:both-sides-agree', async ({ connect, version }) => {
  const server = serverWith(({ protocolVersion, session }) => text(`${protocolVersion} ${session.protocolVersion}`))
  await using client = await connect(server)
  expect(client.protocolVersion).toBe(version)
  expect(client.session.protocolVersion).toBe(version)
  expect(await client.callTool('run')).toMatchObject(text(`${version} ${version}`))
})

requirement('versions:order:of-publication', ({ version }) => {
  const index = PROTOCOL_VERSIONS.indexOf(version)
  for (const [other, minimum] of PROTOCOL_VERSIONS.entries()) {
    expect(isVersionAtLeast(version, minimum)).toBe(index >= other)
  }
  expect(isVersionAtLeast('9999-99-99', version)).toBe(false)
})

requirement('versions:server:subset', async () => {
  const server = serverWith(({ protocolVersion }) => text(protocolVersion), {
    supportedVersions: ['2024-11-05', '2025-06-18'],
  })
  await using client = await Client.connect(memoryTransport(server), { mode: 'legacy' })
  expect(client.protocolVersion).toBe('2025-06-18')
  await using older = await RawClient.open(server)
  expect((await older.initialize('2024-11-05'))['result']).toHaveProperty('protocolVersion', '2024-11-05')
  await using other = await RawClient.open(server)
  expect((await other.initialize('2025-03-26'))['result']).toHaveProperty('protocolVersion', '2025-06-18')
})

requirement('versions:client:verbs-that-are-gone', async ({ connect, wire, isModern }) => {
  const server = new Server('subject', {
    logging: true,
    subscriptions: true,
    handlers: { 'resources/list': () => ({ resources: [] }), 'resources/read': () => ({ contents: [] }) },
  })
  await using client = await connect(server)
  const before = wire.sent.length
  const verbs = [
    () => client.sendPing(),
    () => client.setLoggingLevel('info'),
    () => client.session.subscribeResource('file:///x'),
    () => client.session.unsubscribeResource('file:///x'),
    () => client.sendRootsListChanged(),
  ]
  for (const verb of verbs) {
    if (isModern) await expect(verb()).rejects.toMatchObject({ code: -32601, local: true })
    else await expect(verb()).resolves.not.toThrow()
  }
  if (isModern) expect(wire.sent.length).toBe(before)
})

requirement('versions:client:verbs-that-are-new', async ({ connect, wire }) => {
  await using client = await connect(serverWith(() => DONE))
  const before = wire.sent.length
  await expect(client.listen({ toolsListChanged: true })).rejects.toBeInstanceOf(ListenNotSupportedError)
  await expect(client.session.sendRequest('server/discover')).rejects.toMatchObject({ code: -32601, local: true })
  expect(wire.sent.length).toBe(before)
})

requirement('versions:server:methods-of-other-revisions', async (setting) => {
  const server = serverWith(() => DONE, { subscriptions: true })
  await using raw = await RawClient.connect(server, setting)
  const foreign = setting.isModern ? ['ping', 'initialize'] : ['server/discover', 'subscriptions/listen']
  for (const method of [...foreign, 'roots/list', 'sampling/createMessage', 'elicitation/create']) {
    expect(codeOf(await raw.ask(method)), method).toBe(-32601)
  }
})

requirement('versions:params:later-members-stay-here', async ({ connect, version }) => {
  let seen: Message = {}
  const server = new Server('subject', {
    handlers: {
      'completion/complete': (_ctx, params) => {
        seen = params as unknown as Message
        return { completion: { values: [] } }
      },
    },
  })
  await using client = await connect(server)
  await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: 'b' }, { c: 'd' })
  expect('context' in seen).toBe(isVersionAtLeast(version, '2025-06-18'))
})

requirement('versions:result:later-members-stay-there', async ({ connect, version }) => {
  const server = serverWith(() => DONE, {
    handlers: {
      'tools/list': () => ({
        tools: [
          {
            name: 'run',
            title: 'Run',
            inputSchema: { type: 'object' },
            outputSchema: { type: 'object' },
            annotations: { readOnlyHint: true },
            icons: [{ src: 'https://example.com/i.png' }],
          },
        ],
      }),
    },
  })
  await using client = await connect(server)
  const [tool] = (await client.listTools()).tools

  expect('annotations' in tool!).toBe(isVersionAtLeast(version, '2025-03-26'))
  expect('title' in tool!).toBe(isVersionAtLeast(version, '2025-06-18'))
  expect('outputSchema' in tool!).toBe(isVersionAtLeast(version, '2025-06-18'))
  expect('icons' in tool!).toBe(isVersionAtLeast(version, '2025-11-25'))
})

requirement('versions:result:later-members-do-no-harm', async (setting) => {
  const tool = { name: 'run', inputSchema: { type: 'object' }, ttlMs: 'soon', 'com.example/x': null }
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/list', { tools: [tool], resultType: 7, ttlMs: -1, cacheScope: 'everyone', inputRequests: 'none' })
  })
  expect((await scripted.client.listTools()).tools).toMatchObject([{ name: 'run' }])
})
