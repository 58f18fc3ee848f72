// What a proxy keeps of connections that are closed, and of requests that are answered: nothing.
import { describe, expect, it } from 'vitest'
import { memoryTokenStore } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { createProxy, perUser } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { heapUsed, MIB } from '../../support/heap.ts'
import { MODES, open, protectedSource } from './sign-in-support.ts'

it('compose X39 closed connections leave nothing behind', async () => {
  const server = new MCPServer('source', { supportedVersions: ['2025-11-25'] })
  server.tool('one', () => '1')
  await using proxy = createProxy(server, { sessions: 'call' })
  await using client = await Client.connect(proxy, { mode: 'modern' })
  const call = async (times: number) => {
    for (let one = 0; one < times; one += 1) await client.callTool('one')
  }
  await call(100)
  const before = await heapUsed()
  await call(600)
  expect((await heapUsed()) - before).toBeLessThan(MIB)
})

it('compose X39 the first request of a client is not kept as long as its connection', async () => {
  const server = new MCPServer('source', { supportedVersions: ['2025-11-25'] })
  server.tool('one', () => '1')
  const proxy = createProxy(server)
  const seen: WeakRef<object>[] = []
  proxy.use((ctx, next) => {
    seen.push(new WeakRef(ctx.dispatch))
    return next()
  })
  const client = await Client.connect(proxy, { mode: 'legacy' })
  await client.callTool('one')
  await heapUsed()
  await heapUsed()
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.filter((ref) => ref.deref() !== undefined)).toEqual([])
  await client.close()
  await proxy.close()
})

describe.each(MODES)('a %s caller who is asked to sign in again and again', (mode) => {
  it('compose X39 is kept once, and none of its requests', async () => {
    const source = await protectedSource('modern')
    const signIn = perUser({ store: () => memoryTokenStore(), callbackUrl: 'http://127.0.0.1:1/connect' })
    const proxy = createProxy(source.url, { credentials: signIn })
    const client = await Client.connect(proxy, { mode, cache: false })
    open.push(proxy, client)
    const seen: WeakRef<object>[] = []
    proxy.use((ctx, next) => {
      seen.push(new WeakRef(ctx.dispatch))
      return next()
    })
    const list = async (times: number) => {
      for (let one = 0; one < times; one += 1)
        expect(await client.session.sendRequest('tools/list')).toMatchObject({ tools: [{ name: 'connect_account' }] })
    }
    await list(20)
    const before = await heapUsed()
    await list(100)
    expect((await heapUsed()) - before).toBeLessThan(MIB)
    expect(seen.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(5)
  })
})

it('compose X39 a client that subscribes again and again leaves nothing for its end', async () => {
  const server = new MCPServer('source', { supportedVersions: ['2025-11-25'] })
  server.resource('note://1', () => '1')
  const proxy = createProxy(server, { sessions: 'shared' })
  const client = await Client.connect(proxy, { mode: 'legacy' })
  open.push(proxy, client)
  const subscribe = async (times: number) => {
    for (let one = 0; one < times; one += 1) {
      await client.session.sendRequest('resources/subscribe', { uri: 'note://1' })
      await client.session.sendRequest('resources/unsubscribe', { uri: 'note://1' })
    }
  }
  await subscribe(100)
  const before = await heapUsed()
  await subscribe(5_000)
  expect((await heapUsed()) - before).toBeLessThan(MIB)
})

it.each(['2025-11-25', '2026-07-28'] as const)(
  'compose X39 a client of a %s source watches no more than at any server',
  async (version) => {
    const server = new MCPServer('source', { supportedVersions: [version] })
    server.resource('note://{id}', ({ id }) => id)
    const proxy = createProxy(server, { sessions: 'shared' })
    const client = await Client.connect(proxy, { mode: 'legacy' })
    open.push(proxy, client)
    const subscribe = (id: number) => client.session.sendRequest('resources/subscribe', { uri: `note://${id}` })
    const outcomes = await Promise.allSettled(Array.from({ length: 1_100 }, (_, id) => subscribe(id)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1_024)
  },
)
