// What a proxy does with the messages by which clients and servers meet, in each pair of eras: rows of the table of methods.
import { describe, expect, it } from 'vitest'
import { MCPServer } from '../../../src/exports/server.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import {
  ALL_CAPABILITIES,
  ERA_PAIRS,
  META,
  RAW_INFO,
  RawClient,
  type RawEra,
  type RawMessage,
  rawServer,
  targetOf,
} from '../../support/raw-peers.ts'
import type { ScriptedServer } from '../../support/scripted-server.ts'
import { closedAfterEach, connectThrough } from './pair.ts'

const open = closedAfterEach()

const through = connectThrough(open)
const connect = (front: RawEra, server: ScriptedServer, back: RawEra, options: ProxyOptions = {}) =>
  through(front, back, options, server)

describe('compose X34 initialize', () => {
  it('legacy to legacy: with the version and capabilities of the caller; the result as it is', async () => {
    const server = rawServer('legacy', {
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'scripted', version: '1', odd: { of: 'it' } },
      capabilities: { tools: {}, experimental: { 'x/y': { a: 1 } }, unheardOf: { b: [null] } },
      instructions: 'use it',
      further: [1, 'two'],
    })
    const proxy = createProxy(targetOf(server), { mode: 'legacy' })
    const client = await RawClient.open(proxy, 'legacy', {
      version: '2025-06-18',
      capabilities: { sampling: { context: {} }, experimental: { mine: {} } },
      clientInfo: { name: 'own', version: '3', title: 'Own' },
    })
    open.push(proxy, client)
    expect(server.paramsOf('initialize')).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { sampling: { context: {} }, experimental: { mine: {} } },
      clientInfo: { name: 'own', version: '3', title: 'Own' },
    })
    expect(client.received[0]?.['result']).toEqual({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'scripted', version: '1', odd: { of: 'it' } },
      capabilities: { tools: {}, experimental: { 'x/y': { a: 1 } }, unheardOf: { b: [null] } },
      instructions: 'use it',
      further: [1, 'two'],
    })
  })

  it('legacy to legacy: an older version than was asked for is that of both sides', async () => {
    const server = rawServer('legacy', { protocolVersion: '2025-03-26' })
    const { client } = await connect('legacy', server, 'legacy')
    expect(client.received[0]).toMatchObject({ result: { protocolVersion: '2025-03-26' } })
  })

  it('modern to modern: refused as by any server, and the source hears nothing', async () => {
    const server = rawServer('modern')
    const { client } = await connect('modern', server, 'modern')
    const direct = await RawClient.open(new MCPServer('direct'), 'modern')
    open.push(direct)
    const params = { protocolVersion: '2026-07-28', capabilities: {}, clientInfo: RAW_INFO }
    expect(await client.error('initialize', params)).toEqual(await direct.error('initialize', params))
    expect(server.received('initialize')).toEqual([])
  })

  it('legacy to modern: answered from server/discover, with the newest version that the client can have', async () => {
    const server = rawServer('modern', { instructions: 'use it' })
    const { client } = await connect('legacy', server, 'modern')
    expect(server.received('initialize')).toEqual([])
    expect(client.received[0]?.['result']).toEqual({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'scripted', version: '1' },
      instructions: 'use it',
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
    })
  })
})

describe('compose X34 notifications/initialized', () => {
  it.each([
    ['legacy', 'legacy', 1],
    ['legacy', 'modern', 0],
    ['modern', 'legacy', 1],
    ['modern', 'modern', 0],
  ] as const)('%s to %s: the source gets %i', async (front, back, count) => {
    const server = rawServer(back).on('tools/list', {
      tools: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
    const { client } = await connect(front, server, back)
    await client.result('tools/list')
    expect(server.received('notifications/initialized')).toHaveLength(count)
  })
})

describe('compose X34 server/discover', () => {
  it('modern to modern: raw', async () => {
    const server = rawServer('modern', {
      ttlMs: 5_000,
      cacheScope: 'public',
      instructions: 'use it',
      capabilities: { tools: {}, unheardOf: { a: 1 }, extensions: { 'com.example/x': { level: 2 } } },
      further: { any: 1 },
    })
    const { client } = await connect('modern', server, 'modern')
    expect(await client.result('server/discover')).toEqual({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      ttlMs: 5_000,
      cacheScope: 'public',
      instructions: 'use it',
      capabilities: { tools: {}, unheardOf: { a: 1 }, extensions: { 'com.example/x': { level: 2 } } },
      further: { any: 1 },
      _meta: { [META.server]: { name: 'scripted', version: '1' } },
    })
  })

  it('compose P18 modern to legacy: made from the result of initialize; the revisions are ours', async () => {
    const server = rawServer('legacy', { instructions: 'use it', protocolVersion: '2025-06-18' })
    const { client } = await connect('modern', server, 'legacy')
    const result = await client.result('server/discover')
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28', '2025-11-25', '2024-11-05']),
      instructions: 'use it',
      _meta: { [META.server]: { name: 'scripted', version: '1' } },
    })
    expect(result['capabilities']).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
    expect(result['protocolVersion']).toBeUndefined()
  })
})

describe('compose X34 ping', () => {
  it.each([
    ['legacy', 'legacy'],
    ['legacy', 'modern'],
  ] as const)('%s to %s: answered by the front', async (front, back) => {
    const server = rawServer(back)
    const { client } = await connect(front, server, back)
    expect(await client.result('ping')).toEqual({})
    expect(server.received('ping')).toEqual([])
  })

  it('that of the source is answered by the proxy', async () => {
    const server = rawServer('legacy')
    const { client } = await connect('legacy', server, 'legacy')
    expect(await server.request('ping')).toMatchObject({ result: {} })
    expect(client.told('ping')).toEqual([])
  })
})

describe('compose P05 the envelope', () => {
  it.each(ERA_PAIRS)(
    '%s to %s: clientInfo and capabilities are those of the caller, less what may not cross',
    async (front, back) => {
      const server = rawServer(back).on('tools/list', {
        tools: [],
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      })
      const { client } = await connect(front, server, back, { forward: { sampling: false, roots: false } })
      await client.result('tools/list')
      const { sampling: _s, roots: _r, ...left } = ALL_CAPABILITIES
      if (back === 'legacy') {
        expect(server.paramsOf('initialize')).toMatchObject({ capabilities: left, clientInfo: RAW_INFO })
        expect(server.paramsOf('initialize')['capabilities']).toEqual(left)
        expect(server.paramsOf('tools/list')?.['_meta']).toBeUndefined()
        return
      }
      expect(server.paramsOf('tools/list')['_meta']).toMatchObject({
        [META.version]: '2026-07-28',
        [META.info]: RAW_INFO,
        [META.capabilities]: left,
      })
      expect((server.paramsOf('tools/list')['_meta'] as RawMessage)[META.capabilities]).toEqual(left)
    },
  )

  it('the option clientInfo takes the place of that of the caller', async () => {
    for (const back of ['legacy', 'modern'] as const) {
      const server = rawServer(back).on('tools/list', {
        tools: [],
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      })
      const info = { name: 'front desk', version: '2' }
      const { client } = await connect('modern', server, back, { client: { clientInfo: info } })
      await client.result('tools/list')
      if (back === 'legacy') expect(server.paramsOf('initialize')['clientInfo']).toEqual(info)
      else expect((server.paramsOf('tools/list')['_meta'] as RawMessage)[META.info]).toEqual(info)
    }
  })

  it('modern to modern: each request has its own capabilities and level on the same connection', async () => {
    const server = rawServer('modern').on('tools/list', {
      tools: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
    const target = targetOf(server)
    const proxy = createProxy(target, { mode: 'modern' })
    const client = await RawClient.open(proxy, 'modern')
    open.push(proxy, client)
    for (const [capabilities, level] of [
      [{ roots: {} }, 'debug'],
      [{ sampling: {} }, undefined],
    ] as const) {
      const meta = { [META.capabilities]: capabilities, ...(level !== undefined && { [META.level]: level }) }
      await client.result('tools/list', { _meta: meta })
    }
    const [first, second] = [0, 1].map((index) => server.paramsOf('tools/list', index)['_meta'] as RawMessage)
    expect(first).toMatchObject({ [META.capabilities]: { roots: {} }, [META.level]: 'debug' })
    expect(second?.[META.capabilities]).toEqual({ sampling: {} })
    expect(second?.[META.level]).toBeUndefined()
    expect(target.opened).toBe(1)
  })

  it('a legacy session that all share declares nothing that a client could be asked', async () => {
    for (const front of ['legacy', 'modern'] as const) {
      const server = rawServer('legacy').on('tools/list', { tools: [] })
      const { client } = await connect(front, server, 'legacy', { sessions: 'shared' })
      await client.result('tools/list')
      expect(server.paramsOf('initialize')['capabilities']).toEqual({})
    }
  })
})
