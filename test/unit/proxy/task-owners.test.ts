// Tasks and states of a source that knows the proxy alone: each belongs to the caller who started the call.

import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { META, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const TASKS = 'io.modelcontextprotocol/tasks'
const [ADA, BOB] = ['token-of-ada-0123456789', 'token-of-bob-0123456789']
const verifier = verifyStaticTokens({
  [ADA]: { clientId: 'c', subject: 'ada', scopes: [] },
  [BOB]: { clientId: 'c', subject: 'bob', scopes: [] },
})

/** A connection to a source whose calls become the tasks that they name, and which shows all of them to everybody. */
function source(era: RawEra, names: Set<string>) {
  const task = (taskId: unknown) => ({
    taskId,
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    ttl: null,
    ttlMs: null,
    lastUpdatedAt: '2026-01-01T00:00:00Z',
  })
  const capabilities =
    era === 'legacy'
      ? { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
      : { tools: {}, extensions: { [TASKS]: {} } }
  const byId = ({ taskId }: RawMessage) => ({ ...task(taskId), resultType: 'complete' })
  return rawServer(era, { capabilities })
    .on('tools/list', {
      tools: [{ name: 'run', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
    .on('tools/call', (params) => {
      const { id: given, state } = params['arguments'] as RawMessage
      if (params['requestState'] !== undefined) return { resultType: 'complete', content: [] }
      if (state !== undefined) return { resultType: 'input_required', inputRequests: {}, requestState: state }
      const id = String(given)
      names.add(id)
      return era === 'legacy' ? { task: task(id) } : { resultType: 'task', ...task(id) }
    })
    .on('tasks/get', byId)
    .on('tasks/cancel', byId)
    .on('tasks/update', byId)
    .on('tasks/result', { content: [{ type: 'text', text: 'private' }] })
    .on('tasks/list', () => ({ tasks: [...names].map(task) }))
    .on('subscriptions/listen', { resultType: 'complete', _meta: { [META.subscription]: 1 } })
}

async function connect(era: RawEra, isGateway: boolean) {
  const names = new Set<string>()
  const servers = [source(era, names), source(era, names), source(era, names)]
  const faults: Fault[] = []
  const options = { mode: era, onFault: (fault: Fault) => void faults.push(fault) }
  const target = targetOf(...servers)
  const front = isGateway ? createGateway({ s: target }, options) : createProxy(target, options)
  const auth = (handler: Parameters<typeof requireBearer>[0]) =>
    requireBearer(handler, { resource: 'http://127.0.0.1/mcp', issuer: false, verifier })
  const serving = await serveHttp(front.server, { port: 0, auth })
  open.push(front, serving)
  const of = async (token: string) => {
    if (era === 'modern') return (method: string, params: RawMessage) => post(serving.url, token, method, params)
    const client = (await Client.connect(serving.url, { auth: token, mode: era })) as Client
    open.push(client)
    return (method: string, params: RawMessage): Promise<RawMessage> =>
      client.session.sendRaw(method, params as never, {}) as unknown as Promise<RawMessage>
  }
  const name = isGateway ? 's_run' : 'run'
  const start = { name, ...(era === 'legacy' && { task: {} }) }
  const requests = (method: string) => servers.flatMap((server) => server.received(method))
  const received = (method: string) => requests(method).length
  return { requests, received, faults, start, ada: await of(ADA), bob: await of(BOB) }
}

/** As a client does that knows the extension. */
async function post(url: string, token: string, method: string, params: RawMessage): Promise<RawMessage> {
  const envelope = {
    [META.version]: '2026-07-28',
    [META.info]: { name: 'raw', version: '1' },
    [META.capabilities]: { extensions: { [TASKS]: {} } },
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId']),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
  })
  const text = await response.text()
  const json = text.split('\n').find((line) => line.startsWith('data:') && line.includes('"id":1'))
  const message = JSON.parse(json?.slice('data:'.length) ?? text) as { result?: RawMessage; error?: RawMessage }
  if (message.result === undefined) throw Object.assign(new Error('refused'), message.error)
  return message.result
}

const METHODS = {
  legacy: ['tasks/get', 'tasks/result', 'tasks/cancel'],
  modern: ['tasks/get', 'tasks/update', 'tasks/cancel'],
} as const

describe.each([
  ['legacy', false],
  ['legacy', true],
  ['modern', false],
  ['modern', true],
] as const)('%s, a gateway: %s', (era, isGateway) => {
  it('compose X48 compose P11 the task of another caller is unknown, whoever has its id', async () => {
    const { received, start, ada, bob } = await connect(era, isGateway)
    await ada('tools/call', { ...start, arguments: { id: 'of-ada' } })
    for (const method of METHODS[era]) {
      const before = received(method)
      await expect(bob(method, { taskId: 'of-ada' })).rejects.toMatchObject({ code: -32602 })
      expect(received(method)).toBe(before)
      await expect(ada(method, { taskId: 'of-ada' })).resolves.toBeDefined()
    }
  })

  it('compose X48 an id that a source gives twice belongs to who had it first', async () => {
    const { start, ada, bob } = await connect(era, isGateway)
    await ada('tools/call', { ...start, arguments: { id: 'twice' } })
    await bob('tools/call', { ...start, arguments: { id: 'twice' } })
    await expect(bob('tasks/get', { taskId: 'twice' })).rejects.toMatchObject({ code: -32602 })
    await expect(ada('tasks/get', { taskId: 'twice' })).resolves.toMatchObject({ taskId: 'twice' })
  })
})

it.each([false, true])('compose G023 the state of another caller is none, a gateway: %s', async (isGateway) => {
  const { received, faults, start, ada, bob } = await connect('modern', isGateway)
  const sealed = 'x'.repeat(10_000)
  const ask = (state: string) => ({ ...start, arguments: { state } })
  const retry = (requestState: string) => ({ ...start, arguments: {}, requestState, inputResponses: {} })
  await ada('tools/call', ask(`${sealed}a`))
  await bob('tools/call', ask(`${sealed}b`))
  const before = received('tools/call')
  await expect(bob('tools/call', retry(`${sealed}a`))).rejects.toMatchObject({
    code: -32602,
    data: { reason: 'invalid_request_state' },
  })
  expect(received('tools/call')).toBe(before)
  expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'tools/call' }])
  expect(faults[0]?.message).toContain('belongs to another call or to another caller')
  await expect(ada('tools/call', retry(`${sealed}a`))).resolves.toMatchObject({ content: [] })
  await expect(bob('tools/call', retry(`${sealed}b`))).resolves.toMatchObject({ content: [] })
  // A source may have one state for all.
  for (const caller of [ada, bob]) await caller('tools/call', ask('step 1'))
  for (const caller of [ada, bob]) {
    await expect(caller('tools/call', retry('step 1'))).resolves.toMatchObject({ content: [] })
  }
})

it('compose X48 a list of tasks has no task of another caller', async () => {
  const { start, ada, bob } = await connect('legacy', false)
  await ada('tools/call', { ...start, arguments: { id: 'of-ada' } })
  await bob('tools/call', { ...start, arguments: { id: 'of-bob' } })
  const listed = async (of: typeof ada) =>
    ((await of('tasks/list', {}))['tasks'] as RawMessage[]).map(({ taskId }) => taskId)
  expect(await listed(ada)).toEqual(['of-ada'])
  expect(await listed(bob)).toEqual(['of-bob'])
})

it('compose X48 news of the tasks of another caller are not subscribed to', async () => {
  const { requests, start, ada, bob } = await connect('modern', false)
  await ada('tools/call', { ...start, arguments: { id: 'of-ada' } })
  await bob('tools/call', { ...start, arguments: { id: 'of-bob' } })
  await bob('subscriptions/listen', { notifications: { taskIds: ['of-ada', 'of-bob'], toolsListChanged: true } })
  expect(requests('subscriptions/listen')).toMatchObject([
    { params: { notifications: { taskIds: ['of-bob'], toolsListChanged: true } } },
  ])
})
