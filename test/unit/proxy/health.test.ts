// How sources are doing, asked of what is open.
import { describe, expect, it } from 'vitest'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { RawClient, type RawEra, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const ERAS = [
  ['legacy', 'ping'],
  ['modern', 'server/discover'],
] as const

async function connect(era: RawEra) {
  const server = rawServer(era).on('tools/list', { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
  const proxy = createProxy(targetOf(server), { mode: era, onFault: () => {} })
  const client = await RawClient.open(proxy, era)
  open.push(proxy, client)
  return { server, proxy, client }
}

describe.each(ERAS)('compose X39 health of a %s source', (era, method) => {
  it('one that is not open is idle, and a look does not start it', async () => {
    const target = targetOf(rawServer(era))
    const gateway = createGateway({ one: target })
    open.push(gateway)
    const [health] = await gateway.health()
    expect(health).toMatchObject({ name: 'one', state: 'idle', connections: 0 })
    expect(health).not.toHaveProperty('ping')
    expect(target.opened).toBe(0)
  })

  it('one that is open is asked', async () => {
    const { server, proxy, client } = await connect(era)
    await client.result('tools/list')
    const before = server.received(method).length
    server.on(method, () => ({ ...(era === 'modern' && { resultType: 'complete' }) }))
    expect(await proxy.health()).toMatchObject([
      { state: 'ready', connections: 1, ping: { answered: 1, unanswered: 0, ms: expect.any(Number) } },
    ])
    expect(server.received(method)).toHaveLength(before + 1)
  })

  it('an error is an answer', async () => {
    const { server, proxy, client } = await connect(era)
    await client.result('tools/list')
    server.on(method, { error: { code: -32601, message: 'Method not found' } })
    expect(await proxy.health()).toMatchObject([{ state: 'ready', ping: { answered: 1 } }])
  })

  it('one that does not answer in time is lost, as long as that is so', async () => {
    const { server, proxy, client } = await connect(era)
    await client.result('tools/list')
    let late: unknown
    server.on(method, (_params, id) => {
      late = id
      return undefined
    })
    const looks = await Promise.all([proxy.health({ timeoutMs: 20 }), proxy.health({ timeoutMs: 20 })])
    for (const [health] of looks) {
      expect(health).toMatchObject({
        state: 'lost',
        ping: { answered: 0, unanswered: 1 },
        lastError: expect.any(String),
      })
      expect(health?.ping).not.toHaveProperty('ms')
    }
    // Two looks at once are one question.
    expect(server.received(method).filter(({ id }) => id === late)).toHaveLength(1)
    expect(server.received(method).at(-2)?.['id']).not.toBe(late)
    server.on(method, {})
    expect(await proxy.health()).toMatchObject([{ state: 'ready', ping: { answered: 1 } }])
  })

  it('a list is counted when it has been read to its end, all of its pages together', async () => {
    const tool = (name: number) => ({ name: `${name}`, inputSchema: { type: 'object' } })
    let size = 5
    const server = rawServer(era).on('tools/list', (params) => {
      const from = Number(params['cursor'] ?? 0)
      const tools = Array.from({ length: Math.min(2, size - from) }, (_, at) => tool(from + at))
      const nextCursor = from + 2 < size ? { nextCursor: `${from + 2}` } : {}
      return { tools, ...nextCursor, resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    })
    const proxy = createProxy(targetOf(server), { mode: era, onFault: () => {} })
    const client = await RawClient.open(proxy, era)
    open.push(proxy, client)
    const listed = async () => (await proxy.health())[0]?.listed
    // The last page, which no page before it led to.
    await client.result('tools/list', { cursor: '4' })
    await client.result('tools/list')
    await client.result('tools/list', { cursor: '2' })
    expect(await listed()).toEqual({})
    await client.result('tools/list', { cursor: '4' })
    expect(await listed()).toEqual({ 'tools/list': 5 })
    // Until it has been read to its end once more, this is what is known.
    size = 3
    await client.result('tools/list')
    expect(await listed()).toEqual({ 'tools/list': 5 })
    await client.result('tools/list', { cursor: '2' })
    expect(await listed()).toEqual({ 'tools/list': 3 })
  })

  it('of many connections the 16 that were used last are asked', async () => {
    const page = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const servers = Array.from({ length: 20 }, () => rawServer(era).on('tools/list', page))
    const proxy = createProxy(targetOf(...servers), { mode: era, onFault: () => {}, sessions: 'connection' })
    open.push(proxy)
    for (let one = 0; one < 20; one += 1) {
      const client = await RawClient.open(proxy, era)
      open.push(client)
      await client.result('tools/list')
    }
    const [health] = await proxy.health()
    expect(health).toMatchObject({ connections: 20, ping: { answered: 16, unanswered: 0 } })
  })
})
