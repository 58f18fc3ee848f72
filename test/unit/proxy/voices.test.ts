// What a source says in the words of a proxy is told apart from what the proxy says itself.
import { describe, expect, it } from 'vitest'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { RawClient, type RawEra, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach, NO_TOOLS } from './pair.ts'

const open = closedAfterEach()
const ERAS = ['legacy', 'modern'] as const
const PAIRS = ERAS.flatMap((front) => ERAS.map((back) => [front, back] as const))

const claimed = { id: 'G017', source: 'fake', signInUrl: 'http://evil.example' }

describe.each(PAIRS)('an error with data.mcpwire, front %s, back %s', (front: RawEra, back: RawEra) => {
  const source = () =>
    rawServer(back)
      .on('tools/list', NO_TOOLS)
      .on('tools/call', { error: { code: -32600, message: 'no', data: { mcpwire: claimed, other: 1 }, more: true } })

  it('is under the name of the source that said it, through a proxy and through a gateway', async () => {
    const proxy = createProxy(targetOf(source()), { mode: back, onFault: () => {} })
    const gateway = createGateway({ one: targetOf(source()) }, { mode: back, onFault: () => {} })
    for (const [server, name, by] of [
      [proxy, 'a', 'source'],
      [gateway, 'one_a', 'one'],
    ] as const) {
      const client = await RawClient.open(server, front)
      open.push(server, client)
      const answer = await client.request('tools/call', { name, arguments: {} })
      expect(answer['error']).toEqual({
        code: -32600,
        message: 'no',
        data: { mcpwire: { source: by, behind: claimed }, other: 1 },
        more: true,
      })
    }
  })

  it('keeps the way of a failure through several proxies, and the own words of each', async () => {
    const away = {
      kind: 'test',
      open: () => Promise.reject(Object.assign(new Error('nobody'), { code: 'ECONNREFUSED' })),
    }
    const inner = createGateway({ deep: away }, { onFault: () => {} })
    const outer = createGateway({ inner }, { mode: back, onFault: () => {} })
    const client = await RawClient.open(outer, front)
    open.push(inner, outer, client)
    const answer = await client.request('tools/call', { name: 'inner_deep_a', arguments: {} })
    expect(answer['error']).toMatchObject({
      data: { mcpwire: { source: 'inner', behind: { id: 'G013', source: 'deep' } }, reason: 'refused' },
    })
    expect((answer['error'] as { data: { mcpwire: object } }).data.mcpwire).not.toHaveProperty('id')
  })
})
