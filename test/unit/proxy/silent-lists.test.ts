// Sources that are there and give no list: what the clients of a gateway wait for them.
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createGateway } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { RawClient, type RawEra, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach, NO_TOOLS } from './pair.ts'

const open = closedAfterEach()
const ERAS = ['legacy', 'modern'] as const

/** Clocks that stand still are those of the breaker; timers run. */
const holdClock = () => vi.useFakeTimers({ toFake: ['performance'], now: performance.now() })

async function connect(era: RawEra, method: string) {
  const server = rawServer(era).on('tools/list', NO_TOOLS)
  server.on(method, () => undefined)
  const ok = new MCPServer('ok')
  ok.tool('x', () => 'x')
  const faults: Fault[] = []
  const gateway = createGateway(
    { slow: targetOf(server) },
    { mode: era, listTimeoutMs: 20, onFault: (fault) => void faults.push(fault), cache: false },
  )
  // In this process, so that it is in time however busy the machine is.
  gateway.mount(ok, { as: 'ok' })
  open.push(gateway)
  return { server, gateway, faults, client: await RawClient.open(gateway, era) }
}

const namesOf = async (client: RawClient) =>
  ((await client.result('tools/list'))['tools'] as { name: string }[]).map(({ name }) => name)

describe.each(ERAS)('a %s source that gives no list', (era) => {
  it('is not asked for it after three times in a row, health() shows it, and calls go on', async () => {
    const { server, gateway, client, faults } = await connect(era, 'tools/list')
    open.push(client)
    holdClock()
    for (let time = 0; time < 3; time += 1) expect(await namesOf(client)).toEqual(['ok_x'])
    const asked = server.received('tools/list').length
    expect(asked).toBe(3)
    expect(faults.at(-1)).toMatchObject({ message: expect.stringContaining("'slow' can't be listed") })
    expect(await namesOf(client)).toEqual(['ok_x'])
    expect(server.received('tools/list')).toHaveLength(asked)
    const health = async () => (await gateway.health({ timeoutMs: 20 })).find(({ name }) => name === 'slow')
    expect(await health()).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('no list within 20 ms'),
    })

    vi.advanceTimersByTime(1_000)
    expect(await health()).not.toMatchObject({ state: 'failed' })
    server.on('tools/list', { ...NO_TOOLS, tools: [{ name: 'late', inputSchema: { type: 'object' } }] })
    expect(await namesOf(client)).toEqual(['slow_late', 'ok_x'])
    expect(server.received('tools/list')).toHaveLength(asked + 1)
  })

  it('is not waited for when its handshake hangs either', async () => {
    const { client, server, faults } = await connect(era, era === 'legacy' ? 'initialize' : 'server/discover')
    open.push(client)
    holdClock()
    for (let time = 0; time < 3; time += 1) expect(await namesOf(client)).toEqual(['ok_x'])
    const idOfLast = () => (faults.at(-1)?.error as { data?: { mcpwire?: unknown } } | undefined)?.data?.mcpwire
    expect(idOfLast()).toMatchObject({ id: 'G010' })
    expect(await namesOf(client)).toEqual(['ok_x'])
    expect(idOfLast()).toMatchObject({ id: 'G011', source: 'slow' })
    expect(server.received('tools/list')).toHaveLength(0)
  })
})
