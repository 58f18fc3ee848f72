// What is left of sessions and streams that nobody wants any more.
import { describe, expect, it, vi } from 'vitest'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import { heapUsed, MIB } from '../../../../support/heap.ts'
import { LegacyClient, request } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'
import { volume } from '../../../../support/volume.ts'

await loadParts()

const COUNT = volume(1_000, 10_000)

function createEndpoint() {
  const server = new Server('memory', {
    subscriptions: true,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': async (ctx) => {
        await ctx.session.sendLogMessage('info', 'x'.repeat(200))
        return { content: [] }
      },
    },
  })
  return createLegacyEndpoint(coreOf(server), { sessions: { idleMs: 1_000 } })
}

describe('memory', () => {
  it('F139 R20 is given back by thousands of abandoned sessions, each with a stream that was lost', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const endpoint = createEndpoint()
    const abandon = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const client = await LegacyClient.open(endpoint)
        const listening = client.get()
        const call = client.tool('speak')
        await call.sink?.ended.promise
        listening.leave()
      }
    }
    const expire = () => vi.advanceTimersByTimeAsync(5_000)
    await abandon(100)
    await expire()
    const before = await heapUsed()

    await abandon(COUNT)
    expect(endpoint.sessionCount).toBe(COUNT)
    const during = await heapUsed()
    await expire()
    expect(endpoint.sessionCount).toBe(0)
    const after = await heapUsed()

    expect(during - before).toBeGreaterThan(2 * MIB)
    expect(after - before).toBeLessThan(MIB)
    vi.useRealTimers()
    await endpoint.close()
  })

  it('R21 is not taken by first requests that are rejected', async () => {
    const endpoint = createEndpoint()
    const client = new LegacyClient(endpoint)
    const bodies = [request(1, 'tools/list'), request(1, 'initialize', { protocolVersion: 7 }), { jsonrpc: '2.0' }, 7]
    const refuse = async (count: number) => {
      for (let i = 0; i < count; i++) await client.post(bodies[i % bodies.length]).answered
    }
    await refuse(400)
    const before = await heapUsed()
    await refuse(COUNT)
    expect(endpoint.sessionCount).toBe(0)
    expect((await heapUsed()) - before).toBeLessThan(MIB)
    await endpoint.close()
  })
})
