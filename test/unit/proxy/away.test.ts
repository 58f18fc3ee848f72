// What clients see of a source that is away: its last lists, and an error at once for all else.
import { describe, expect, it, vi } from 'vitest'
import type { Channel, Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { createMemoryChannelPair } from '../../../src/exports/dispatcher.ts'
import { createGateway, createProxy, type GatewayOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import type { MCPError } from '../../../src/types/errors/errors.ts'
import { RawClient, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

type Mode = 'modern' | 'legacy'
const VERSIONS = { modern: '2026-07-28', legacy: '2025-11-25' } as const
const PAIRS = [
  ['modern', 'modern'],
  ['modern', 'legacy'],
  ['legacy', 'modern'],
  ['legacy', 'legacy'],
] as const

/** A source that can be taken away and brought back. */
function breakable(mode: Mode, ttlMs = 8_000) {
  const server = new MCPServer('source', {
    supportedVersions: [VERSIONS[mode]],
    cacheHints: { 'tools/list': { ttlMs, scope: 'public' } },
  })
  server.tool('one', () => '1')
  let channels: Channel[] = []
  let isAway = false
  const transport: Transport = {
    kind: 'test',
    open: async () => {
      if (isAway) throw Object.assign(new Error('nobody is here'), { code: 'ECONNREFUSED' })
      const [here, there] = createMemoryChannelPair()
      channels.push(there)
      await server.connect(there)
      return here
    },
  }
  const leave = async () => {
    isAway = true
    for (const channel of channels) await channel.close()
    channels = []
  }
  const comeBack = () => {
    isAway = false
  }
  return { server, transport, leave, comeBack }
}

async function connect(mode: Mode, sourceMode: Mode, options: GatewayOptions = {}, ttlMs?: number) {
  const source = breakable(sourceMode, ttlMs)
  const faults: Fault[] = []
  const cache = sourceMode === 'legacy' && ttlMs !== 0 ? { cache: { listMs: 8_000 } } : {}
  const onFault = (fault: Fault) => void faults.push(fault)
  const proxy = createGateway({ one: { target: source.transport, as: '' } }, { onFault, ...cache, ...options })
  const client = await Client.connect(proxy, { mode, cache: false })
  open.push(source.server, proxy, client)
  const list = async () => (await client.listTools()) as unknown as { tools: { name: string }[]; ttlMs?: number }
  const names = async () => (await list()).tools.map(({ name }) => name)
  return { ...source, proxy, client, faults, list, names }
}

const isAboutLists = ({ message }: Fault) => message.includes('is away')

describe.each(PAIRS)('a %s client, and a %s source that is away', (mode, sourceMode) => {
  it('compose P16 sees the last list, which nobody may keep, and hears of changes when it is back', async () => {
    const { server, client, leave, comeBack, faults, list, names, proxy } = await connect(mode, sourceMode)
    expect(await names()).toEqual(['one'])
    await leave()
    await vi.waitFor(async () => expect((await proxy.health())[0]?.state).not.toBe('ready'))
    vi.useFakeTimers({ toFake: ['performance'], now: performance.now() })
    vi.advanceTimersByTime(100_000)
    const page = await list()
    expect(page.tools.map(({ name }) => name)).toEqual(['one'])
    if (mode === 'modern') expect(page.ttlMs).toBe(0)
    await list()
    expect(faults.filter(isAboutLists)).toHaveLength(1)
    await expect(client.callTool('one')).rejects.toMatchObject({ data: { mcpwire: { id: 'G013' } } })
    // It comes back as another one.
    server.tool('two', () => '2')
    comeBack()
    vi.advanceTimersByTime(100_000)
    expect(await names()).toEqual(['one', 'two'])
  })

  it('compose P16 has no list of it that the source did not let be kept', async () => {
    const { leave, names, proxy, faults } = await connect(mode, sourceMode, { onFailure: 'fail' }, 0)
    expect(await names()).toEqual(['one'])
    await leave()
    await vi.waitFor(async () => expect((await proxy.health())[0]?.state).not.toBe('ready'))
    await expect(names()).rejects.toMatchObject({ data: { mcpwire: { id: 'G010' } } })
    expect(faults.filter(isAboutLists)).toEqual([])
  })
})

it.each(['legacy', 'modern'] as const)(
  'compose G010 a %s client of a gateway hears of changes when a source is there that was not',
  async (mode) => {
    const { transport, leave, comeBack, server } = breakable('legacy')
    const other = new MCPServer('other')
    other.tool('some', () => '')
    const gateway = createGateway({ one: transport, other }, { onFault: () => {} })
    const client = await Client.connect(gateway, { mode, cache: false })
    open.push(server, other, gateway, client)
    await leave()
    const count = async () => (await client.listTools()).tools.length
    expect(await count()).toBe(1)
    const changes = await client.listen({ toolsListChanged: true })
    const changed = changes[Symbol.asyncIterator]().next()
    comeBack()
    await vi.waitFor(async () => expect(await count()).toBe(2))
    expect(await changed).toMatchObject({ value: { type: 'toolsListChanged' } })
    await changes.close()
  },
)

it('compose P16 a legacy client whose connection to its source was lost hears that lists may be others', async () => {
  const { transport, leave, comeBack, server } = breakable('legacy')
  const proxy = createProxy(transport, { onFault: () => {} })
  const client = await Client.connect(proxy, { mode: 'legacy', cache: false })
  open.push(server, proxy, client)
  await client.listTools()
  const changes = await client.listen({ toolsListChanged: true })
  const changed = changes[Symbol.asyncIterator]().next()
  await leave()
  await vi.waitFor(async () => expect((await proxy.health())[0]?.state).toBe('lost'))
  comeBack()
  await client.callTool('one')
  expect(await changed).toMatchObject({ value: { type: 'toolsListChanged' } })
  await changes.close()
})

it('compose G013 compose G011 a request over HTTP that got nowhere was not executed, and counts', async () => {
  const server = new MCPServer('source')
  server.tool('one', () => '1')
  const serving = await server.run({ transport: 'http', port: 0, handleSignals: false, announce: false })
  const proxy = createProxy(serving.url, { onFault: () => {} })
  const client = await Client.connect(proxy, { mode: 'modern', cache: false })
  open.push(server, proxy, client)
  expect(await client.callTool('one')).toMatchObject({ content: [{ text: '1' }] })
  await serving.close()
  const failures: unknown[] = []
  for (let round = 0; round < 5; round += 1) {
    failures.push(await client.callTool('one').catch(({ data }: MCPError) => data))
  }
  // The first may have been on its way over the old connection.
  expect(failures.filter((data) => (data as { reason?: string }).reason === 'refused')).toHaveLength(3)
  expect(failures.at(-1)).toMatchObject({ mcpwire: { id: 'G011' } })
  expect((await proxy.health())[0]).toMatchObject({ state: 'failed' })
})

it.each([
  ['a source that goes away', undefined],
  ['a connection that nobody used for a while', 20],
])('compose X39 %s: the next session is asked for what the one before kept', async (_what, idleMs) => {
  const [first, second] = [rawServer('legacy'), rawServer('legacy')]
  for (const one of [first, second]) {
    for (const method of ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) one.on(method, {})
    one.on('tools/list', { tools: [] })
  }
  const proxy = createProxy(targetOf(first, second), {
    onFault: () => {},
    mode: 'legacy',
    ...(idleMs !== undefined && { idleMs }),
  })
  const client = await RawClient.open(proxy, 'legacy')
  open.push(proxy, client)
  await client.result('logging/setLevel', { level: 'info' })
  await client.result('resources/subscribe', { uri: 'x:1' })
  await client.result('resources/subscribe', { uri: 'x:2' })
  await client.result('resources/unsubscribe', { uri: 'x:2' })
  if (idleMs === undefined) first.hangUp()
  await vi.waitFor(async () => expect((await proxy.health())[0]?.connections).toBe(0))
  await client.result('tools/list')
  const [updated] = await client.untilTold('notifications/resources/updated')
  expect(updated).toMatchObject({ params: { uri: 'x:1' } })
  expect(second.received('logging/setLevel')).toMatchObject([{ params: { level: 'info' } }])
  expect(second.received('resources/subscribe')).toMatchObject([{ params: { uri: 'x:1' } }])
  expect(client.told('notifications/tools/list_changed')).toHaveLength(1)
})

it('compose X39 a legacy client goes on to hear of a modern source whose connection was lost', async () => {
  const { transport, leave, comeBack, server } = breakable('modern')
  const proxy = createProxy(transport, { onFault: () => {} })
  const client = await Client.connect(proxy, { mode: 'legacy', cache: false })
  open.push(server, proxy, client)
  await client.listTools()
  const changes = await client.listen({ toolsListChanged: true })
  const events = changes[Symbol.asyncIterator]()
  const first = events.next()
  await leave()
  await vi.waitFor(async () => expect((await proxy.health())[0]?.state).toBe('lost'))
  comeBack()
  await client.callTool('one')
  expect(await first).toMatchObject({ value: { type: 'toolsListChanged' } })
  let heard = 0
  const more = events.next().then(() => {
    heard += 1
  })
  // Its subscription at the source is made in the background.
  await vi.waitFor(() => {
    server.tool('two', () => '2').remove()
    expect(heard).toBe(1)
  })
  await more
  await changes.close()
})
