// What a server says it can do, and what becomes of methods that it, or the revision, does not have.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { Server } from '../../../src/server/server.ts'
import type { ServerCapabilities } from '../../../src/types/protocol/capabilities.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { noteMethods, refusalOf, tool, toolServer } from '../kit/support-features.ts'

async function capabilitiesOf({ connect }: Setting, server: Server): Promise<ServerCapabilities> {
  await using client = await connect(server)
  return client.serverCapabilities
}

/** A server that serves everything, and announces changes or not. */
function fullServer(subscriptions: boolean): Server {
  return new Server('full', {
    subscriptions,
    logging: true,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'resources/list': () => ({ resources: [] }),
      'resources/read': () => ({ contents: [] }),
      'prompts/list': () => ({ prompts: [] }),
      'completion/complete': () => ({ completion: { values: [] } }),
    },
  })
}

requirement('capabilities:none', async (setting) => {
  expect(await capabilitiesOf(setting, new Server('empty'))).toEqual({})
})

requirement('capabilities:derived', async (setting) => {
  const completions = isVersionAtLeast(setting.version, '2025-03-26') ? { completions: {} } : {}
  expect(await capabilitiesOf(setting, fullServer(false))).toEqual({
    tools: {},
    resources: {},
    prompts: {},
    logging: {},
    ...completions,
  })
})

requirement('capabilities:derived-one-by-one', async (setting) => {
  const templates = new Server('templates', {
    handlers: { 'resources/templates/list': () => ({ resourceTemplates: [] }) },
  })
  const read = new Server('read', { handlers: { 'resources/read': () => ({ contents: [] }) } })
  const prompts = new Server('prompts', { handlers: { 'prompts/list': () => ({ prompts: [] }) } })

  expect(await capabilitiesOf(setting, templates)).toEqual({ resources: {} })
  expect(await capabilitiesOf(setting, read)).toEqual({ resources: {} })
  expect(await capabilitiesOf(setting, prompts)).toEqual({ prompts: {} })
  expect(await capabilitiesOf(setting, toolServer([]))).toEqual({ tools: {} })
})

requirement('capabilities:changes', async (setting) => {
  const { tools, resources, prompts } = await capabilitiesOf(setting, fullServer(true))

  expect(tools).toEqual({ listChanged: true })
  expect(prompts).toEqual({ listChanged: true })
  expect(resources).toEqual({ listChanged: true, subscribe: true })
})

requirement('capabilities:changes-by-era', async (setting) => {
  const server = fullServer(false)
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))

  const { resources } = await capabilitiesOf(setting, server)

  // What is of the legacy era means nothing in the modern one.
  expect(resources).toEqual(setting.isModern ? {} : { subscribe: true })
})

requirement('capabilities:listen-handler', async (setting) => {
  const server = fullServer(false)
  server.setRequestHandler('subscriptions/listen', () => ({}) as never)

  const { tools, resources } = await capabilitiesOf(setting, server)

  expect(tools).toEqual(setting.isModern ? { listChanged: true } : {})
  expect(resources).toEqual(setting.isModern ? { listChanged: true, subscribe: true } : {})
})

requirement('capabilities:late-handler', async (setting) => {
  const server = new Server('late')
  expect(await capabilitiesOf(setting, server)).toEqual({})
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  expect(await capabilitiesOf(setting, server)).toEqual({ prompts: {} })
})

requirement('capabilities:declared', async (setting) => {
  const server = toolServer([], undefined, {
    capabilities: { tools: { listChanged: true }, experimental: { 'example.com/x': { level: 3 } } },
  })
  expect(await capabilitiesOf(setting, server)).toEqual({
    tools: { listChanged: true },
    experimental: { 'example.com/x': { level: 3 } },
  })
})

const VERBS: Record<string, (client: Client) => Promise<unknown>> = {
  'tools/list': (client) => client.listTools(),
  'tools/call': (client) => client.callTool('x'),
  'resources/list': (client) => client.listResources(),
  'resources/templates/list': (client) => client.listResourceTemplates(),
  'resources/read': (client) => client.readResource('x:1'),
  'prompts/list': (client) => client.listPrompts(),
  'prompts/get': (client) => client.getPrompt('x'),
  'completion/complete': (client) => client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' }),
}

requirement('capabilities:unadvertised', async ({ connect }) => {
  await using client = await connect(new Server('empty'))

  for (const [method, call] of Object.entries(VERBS)) {
    expect(await refusalOf(call(client)), method).toEqual({ code: -32601, local: false })
  }
})

requirement('capabilities:malformed-before-unknown', async ({ connect }) => {
  await using client = await connect(new Server('empty'))
  const params = { name: 5 } as unknown as { name: string }

  expect(await refusalOf(client.session.sendRequest('tools/call', params))).toEqual({ code: -32602, local: false })
})

requirement('capabilities:vendor-method', async ({ connect }) => {
  const server = new Server('vendor')
  server.setRequestHandler('example.com/sum', (_ctx, params) => ({ sum: Number(params['a']) + Number(params['b']) }))
  await using client = await connect(server)

  expect(await client.session.sendRequest('example.com/sum', { a: 1, b: 2 })).toMatchObject({ sum: 3 })
  expect(await refusalOf(client.session.sendRequest('example.com/other'))).toEqual({ code: -32601, local: false })
})

const DEPRECATED: Record<string, (client: Client) => Promise<unknown>> = {
  sendPing: (client) => client.sendPing(),
  setLoggingLevel: (client) => client.setLoggingLevel('info'),
  subscribeResource: (client) => client.session.subscribeResource('x:1'),
  unsubscribeResource: (client) => client.session.unsubscribeResource('x:1'),
}

requirement('deprecated:requests-work', async ({ connect }) => {
  const server = fullServer(true)
  const seen = noteMethods(server)
  await using client = await connect(server)
  for (const [verb, call] of Object.entries(DEPRECATED)) expect(await call(client), verb).toEqual({})

  expect(seen.all.filter((method) => !/initialize/.test(method))).toEqual([
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
  ])
})

requirement('deprecated:notifications-work', async ({ connect }) => {
  const server = new Server('hears')
  const heard: unknown[] = []
  server.setNotificationHandler('notifications/progress', (_ctx, params) => void heard.push(params))
  server.setNotificationHandler('notifications/roots/list_changed', () => void heard.push('roots'))
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })
  await client.sendProgressNotification('token', 1, 2)
  await client.sendRootsListChanged()
  await client.sendPing()

  expect(heard).toEqual([{ progressToken: 'token', progress: 1, total: 2 }, 'roots'])
})

requirement('deprecated:requests-are-gone', async ({ connect }) => {
  const server = fullServer(true)
  const seen = noteMethods(server)
  await using client = await connect(server)
  const before = [...seen.all]
  for (const [verb, call] of Object.entries(DEPRECATED)) {
    expect(await refusalOf(call(client)), verb).toEqual({ code: -32601, local: true })
  }
  await client.listTools()

  expect(seen.all).toEqual([...before, 'tools/list'])
})

requirement('deprecated:notifications-are-gone', async ({ connect, wire }) => {
  const server = fullServer(true)
  const seen = noteMethods(server)
  await using client = await connect(server)
  expect(await refusalOf(client.sendProgressNotification('token', 1))).toEqual({ code: -32601, local: true })
  expect(await refusalOf(client.sendRootsListChanged())).toEqual({ code: -32601, local: true })
  await client.listTools()

  expect(seen.all.filter((method) => method.startsWith('notifications/'))).toEqual([])
  expect(wire.sent.every((message) => 'id' in message)).toBe(true)
})

requirement('deprecated:not-in-this-revision', async ({ connect, version, isModern }) => {
  const server = toolServer([tool('a')])
  const seen = noteMethods(server)
  await using client = await connect(server)
  const before = [...seen.all]
  if (!isModern) {
    expect(await refusalOf(client.session.sendRequest('server/discover', {}))).toEqual({ code: -32601, local: true })
  }
  const getTask = client.session.sendRequest('tasks/get', { taskId: 'x' })
  expect(await refusalOf(getTask)).toEqual({ code: -32601, local: version !== '2025-11-25' })

  expect(seen.all).toEqual(version === '2025-11-25' ? [...before, 'tasks/get'] : before)
})
