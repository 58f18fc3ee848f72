// Subscriptions on a legacy HTTP session whose standalone stream is lost.
import { expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ReconnectOptions } from '../../../../src/client/transports/retry.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { ConnectionEvent } from '../../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { SubscriptionLost } from '../../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  type Answer,
  accepted,
  ENDPOINT,
  EventBody,
  refused,
  result,
  ScriptedHttp,
  TEXT,
} from '../transports/scripted-http.ts'

const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

/** `openStream` answers the GET of the standalone stream, with the number of the session. */
async function connect(openStream: (session: number) => Answer, reconnect: ReconnectOptions | false = false) {
  let sessions = 0
  const subscribed: string[] = []
  const expired = new Set<string>()
  const http = new ScriptedHttp((request) => {
    const { method, params } = request.message as { method?: string; params?: { uri?: string } }
    if (request.method === 'GET') return openStream(sessions)
    if (request.method === 'DELETE') return new Response(null, { status: 200 })
    if (method === 'initialize') {
      sessions += 1
      const value = {
        protocolVersion: LATEST_LEGACY_VERSION,
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
        serverInfo: { name: 'scripted', version: '1' },
      }
      return result(request, value, { 'mcp-session-id': `session-${sessions}` })
    }
    if (expired.has(request.headers['mcp-session-id'] ?? '')) return new Response(null, { status: 404 })
    if (request.message['id'] === undefined) return accepted()
    if (method?.startsWith('resources/')) subscribed.push(`${method} ${params?.uri}`)
    return result(request, method === 'tools/call' ? TEXT : {})
  })
  const faults: Fault[] = []
  const events: ConnectionEvent[] = []
  const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch, reconnect }), {
    mode: 'legacy',
    onFault: (fault) => faults.push(fault),
    onConnection: (event) => events.push(event),
  })
  onTestFinished(() => client.close())
  return { client, faults, events, subscribed, expire: () => expired.add(`session-${sessions}`) }
}

it.each<[string, (stream: EventBody) => void]>([
  ['ends', (stream) => stream.end()],
  ['breaks off', (stream) => stream.cut()],
])('with reconnect: false a subscription throws SubscriptionLost when the standalone stream %s', async (_how, lose) => {
  const stream = new EventBody()
  const { client, faults, events, subscribed } = await connect(() => stream.response)
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['x:1'] })
  stream.send(LIST_CHANGED)
  expect(await subscription.next()).toMatchObject({ value: { type: 'toolsListChanged' } })
  const next = subscription.next()
  lose(stream)
  await expect(next).rejects.toThrow(SubscriptionLost)
  await expect(subscription.next()).rejects.toThrow(/Connect again to listen, or allow `reconnect`/)
  expect(faults.map(({ message }) => message)).toEqual([
    'The stream for messages that belong to no request was lost and is not reopened; requests still work',
  ])
  expect(events.map(({ type }) => type)).toEqual(['open', 'notifications-lost'])
  // The server need not keep a subscription that nobody reads, and calls go on.
  await vi.waitFor(() => expect(subscribed).toEqual(['resources/subscribe x:1', 'resources/unsubscribe x:1']))
  await client.callTool('x')
})

it('with reconnect: false a subscription that is opened after the standalone stream was lost throws SubscriptionLost', async () => {
  const { client, faults } = await connect(() => new EventBody().end().response)
  await vi.waitFor(() => expect(faults).toHaveLength(1))
  const subscription = await client.listen({ toolsListChanged: true })
  await expect(subscription.next()).rejects.toThrow(SubscriptionLost)
  expect(subscription.isClosed).toBe(true)
})

it('with reconnect: false a subscription throws SubscriptionLost when the standalone stream cannot be reached', async () => {
  const { client } = await connect(() => refused())
  const subscription = await client.listen({ toolsListChanged: true })
  await expect(subscription.next()).rejects.toThrow(SubscriptionLost)
})

it('a subscription throws SubscriptionLost when the server closes the standalone stream and then rejects it with 405', async () => {
  let opened = 0
  const { client } = await connect(
    () => (++opened === 1 ? new EventBody().end().response : new Response(null, { status: 405 })),
    { initialDelayMs: 1, maxDelayMs: 2 },
  )
  const subscription = await client.listen({ toolsListChanged: true })
  await expect(subscription.next()).rejects.toThrow(SubscriptionLost)
})

it('a subscription works again in a new session after the standalone stream of the old one was lost', async () => {
  const second = new EventBody()
  const { client, faults, expire } = await connect((session) =>
    session === 1 ? new EventBody().end().response : second.response,
  )
  await vi.waitFor(() => expect(faults).toHaveLength(1))
  expire()
  await client.callTool('x')
  const subscription = await client.listen({ toolsListChanged: true })
  second.send(LIST_CHANGED)
  expect(await subscription.next()).toMatchObject({ value: { type: 'toolsListChanged' } })
})

it.each([404, 405, 500])(
  'a subscription stays open on a server that never had a standalone stream: %i',
  async (status) => {
    const { client, events } = await connect(() => new Response(null, { status }))
    const subscription = await client.listen({ toolsListChanged: true })
    await client.callTool('x')
    expect(subscription.isClosed).toBe(false)
    expect(events.map(({ type }) => type)).toEqual(['open'])
  },
)
