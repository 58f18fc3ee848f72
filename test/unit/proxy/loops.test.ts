// Proxies and gateways that lead to each other: a request that comes back is refused, over HTTP and in either era.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client, type ClientMiddleware, type ClientMode } from '../../../src/exports/client.ts'
import { createHandler, type NodeHandler, toNodeHandler } from '../../../src/exports/node.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import type { Server } from '../../../src/server/server.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()
const MODES: readonly ClientMode[] = ['auto', 'modern', 'legacy', '2026-07-28']

/** An address that is known before the server behind it is made. */
async function address() {
  let handler: NodeHandler | undefined
  const seen = { requests: 0 }
  const server = createServer((request, response) => {
    if (request.method === 'POST') seen.requests += 1
    handler?.(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  const serve = (front: { server: Server; close(): unknown }) => {
    open.push(front)
    handler = toNodeHandler(createHandler(front.server))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, serve }
}

const idOf = (error: unknown): unknown => {
  const { data, cause } = error as { data?: { mcpwire?: { id: unknown } }; cause?: unknown }
  return data?.mcpwire?.id ?? (cause === undefined ? undefined : idOf(cause))
}

async function twoProxies(options: ProxyOptions) {
  const faults: Fault[] = []
  const [a, b] = [await address(), await address()]
  a.serve(createProxy(b.url, { onFault: (fault) => faults.push(fault), ...options }))
  b.serve(createProxy(a.url, { onFault: (fault) => faults.push(fault), ...options }))
  return { url: a.url, faults, requests: () => a.seen.requests + b.seen.requests }
}

/** What a client reads that connects and asks for the tools. */
async function failureAt(url: string, mode: ClientMode): Promise<Error> {
  try {
    const client = await Client.connect(url, { mode })
    open.push(client)
    await client.listTools()
  } catch (error) {
    return error as Error
  }
  return expect.fail('it did not fail')
}

describe.each(MODES)('a loop of two proxies, the client in mode %s', (mode) => {
  it.each(['auto', 'legacy', '2026-07-28'] as const)(
    'compose G031 is told at once: sources in mode %s',
    async (back) => {
      const { url, faults, requests } = await twoProxies({ mode: back })
      const error = await failureAt(url, mode)
      expect(idOf(error)).toBe('G031')
      expect(error.message).toMatch(/proxies form a loop/)
      // No hop takes the failure for a source of the other era, so that nothing is sent twice.
      expect(requests()).toBeLessThanOrEqual(6)
      // One of each proxy.
      expect(faults.map(({ kind, error: cause }) => [kind, idOf(cause)])).toEqual([
        ['configuration-warning', 'G031'],
        ['configuration-warning', 'G031'],
      ])
    },
  )

  it('compose G031 the number of hops is the limit where names of proxies get lost', async () => {
    const forget: ClientMiddleware = ({ params }, next) => {
      const { 'mcpwire/via': _via, ...meta } = (params?.['_meta'] ?? {}) as JSONObject
      return next({ ...params, _meta: meta })
    }
    for (const back of ['auto', '2026-07-28'] as const) {
      const { url, faults, requests } = await twoProxies({ mode: back, client: { middleware: [forget] } })
      expect(idOf(await failureAt(url, mode))).toBe('G031')
      expect(requests()).toBeGreaterThan(8)
      expect(requests()).toBeLessThanOrEqual(13)
      expect(faults).toHaveLength(2)
    }
  })
})

describe.each(MODES)('a loop of two gateways, the client in mode %s', (mode) => {
  async function twoGateways(onFailure?: 'fail') {
    const faults: Fault[] = []
    const onFault = (fault: Fault) => faults.push(fault)
    const [a, b] = [await address(), await address()]
    const own = new MCPServer('own', { cacheHints: { 'tools/list': { ttlMs: 60_000, scope: 'public' } } })
    own.tool('x', () => 'done')
    a.serve(createGateway({ b: b.url, own }, { onFault }))
    b.serve(createGateway({ a: a.url, own }, { onFault, ...(onFailure && { onFailure }) }))
    return { a, b, faults }
  }

  it('compose G031 leaves out the source that leads back, and says so once', async () => {
    const { a, faults } = await twoGateways()
    const client = await Client.connect(a.url, { mode })
    open.push(client)
    for (let i = 0; i < 2; i += 1) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['b_own_x', 'own_x'])
    }
    expect((await client.callTool('b_own_x')).content).toMatchObject([{ text: 'done' }])
    expect(faults.map(({ error }) => idOf(error))).toEqual(['G031'])
    expect(faults[0]?.message).toContain("'a'")
  })

  it.each(['one after the other', 'at once'])('compose G031 both are asked, %s', async (order) => {
    const { a, b } = await twoGateways()
    const names = { [a.url]: ['b_own_x', 'own_x'], [b.url]: ['a_own_x', 'own_x'] }
    const clients = await Promise.all(
      [a, b].map(async ({ url }) => ({ url, client: await Client.connect(url, { mode }) })),
    )
    open.push(...clients.map(({ client }) => client))
    const check = async ({ url, client }: (typeof clients)[number]) =>
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names[url])
    // A list that one has asked for itself, and keeps, is not what it shows to the other one.
    if (order === 'at once') await Promise.all(clients.map(check))
    else for (const one of clients) await check(one)
  })

  it('compose G031 where a gateway can do without no source', async () => {
    const { a, faults } = await twoGateways('fail')
    const client = await Client.connect(a.url, { mode })
    open.push(client)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['own_x'])
    expect(faults.map(({ error }) => idOf(error))).toEqual(['G031', 'G031'])
  })
})

describe('a loop through a server that a proxy is mounted in', () => {
  it.each(MODES)('compose G031 leaves out what the proxy offers: %s', async (mode) => {
    const faults: Fault[] = []
    const [main, other] = [await address(), await address()]
    const server = new MCPServer('main', { onFault: (fault) => faults.push(fault) })
    server.tool('x', () => 1)
    server.mount(createProxy(other.url, { onFault: (fault) => faults.push(fault) }), { as: 'far' })
    main.serve(server)
    other.serve(createProxy(main.url, { onFault: (fault) => faults.push(fault) }))
    const client = await Client.connect(main.url, { mode })
    open.push(client)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['x', 'far_x'])
    expect(new Set(faults.map(({ error }) => idOf(error)))).toEqual(new Set(['G031']))
    expect(faults.length).toBeLessThanOrEqual(2)
  })
})

describe('proxies that are no loop', () => {
  it('a proxy that stands behind two others, both of which ask at once', async () => {
    const [left, right, last] = [await address(), await address(), await address()]
    const own = new MCPServer('own')
    own.tool('x', () => 'done')
    const faults: Fault[] = []
    const onFault = (fault: Fault) => faults.push(fault)
    last.serve(createProxy(own, { onFault }))
    right.serve(createProxy(last.url, { onFault }))
    left.serve(createGateway({ long: right.url, short: last.url }, { onFault }))
    const client = await Client.connect(left.url)
    open.push(client)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['long_x', 'short_x'])
    expect((await client.callTool('long_x')).content).toMatchObject([{ text: 'done' }])
    expect(faults).toEqual([])
  })
})
