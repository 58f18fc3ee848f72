// Nodes that cannot read what the others store: known when they start, and not by sessions that get lost.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { BackendError } from '../../src/backend/backend-error.ts'
import { memory } from '../../src/backend/memory/memory.ts'
import { sealed } from '../../src/backend/sealed/sealed.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../src/server/http/handler.ts'

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)]

/** A shared engine, and nodes on it with these secrets. */
function engine() {
  const shared = memory({ clock: { now: () => performance.now() } })
  const closers: (() => Promise<void>)[] = []
  const faults: Fault[] = []
  async function startNode(...secrets: string[]): Promise<{ close(): Promise<void> }> {
    const backend: Backend = secrets.length === 0 ? shared : sealed(shared, secrets)
    const server = new MCPServer('sealed', { backend, onFault: (fault) => void faults.push(fault) })
    const handler = createHandler(server)
    const close = () => handler.close({ drainMs: 0 })
    closers.push(close)
    await handler.start()
    return { close }
  }
  return {
    shared,
    faults,
    startNode,
    [Symbol.asyncDispose]: async () => void (await Promise.all(closers.map((c) => c()))),
  }
}

const SAME = 'Give all nodes the same `seal`. If those nodes have ended, start again after 15 seconds.'
const OTHERS_ENCRYPT = `Other nodes in this namespace encrypt what they store, and this node has no \`seal\`. ${SAME}`
const UNREADABLE = `Other nodes in this namespace have other secrets in \`seal\`, or none: no node can read what another one stores. ${SAME}`

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([
  ['other secrets', [OLD], [NEW], UNREADABLE],
  ['no secrets where the others have some', [OLD], [], OTHERS_ENCRYPT],
  ['secrets where the others have none', [], [OLD], UNREADABLE],
])(
  'D051: a node with %s does not start, and the error says why and names no secret',
  async (_, first, second, text) => {
    await using host = engine()
    await host.startNode(...first)
    const error = await host.startNode(...second).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BackendError)
    expect((error as Error).message).toBe(text)
    expect(JSON.stringify([error, (error as Error).stack])).not.toMatch(/ooooo|nnnnn/)
  },
)

test('a secret is replaced node by node: added last, then first, then alone', async () => {
  await using host = engine()
  const steps = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]
  let nodes = [await host.startNode(OLD), await host.startNode(OLD)]
  for (const secrets of steps) {
    const next: typeof nodes = []
    for (const node of nodes) {
      await node.close()
      next.push(await host.startNode(...secrets))
      await vi.advanceTimersByTimeAsync(6_000)
    }
    nodes = next
  }
  expect(host.faults.filter(({ kind }) => kind === 'configuration-warning')).toEqual([])
  await expect(host.startNode(OLD)).rejects.toThrow(UNREADABLE)
})

test('once all nodes have ended the next ones may have any secrets', async () => {
  await using host = engine()
  const node = await host.startNode(OLD)
  await vi.advanceTimersByTimeAsync(60_000)
  await expect(host.startNode(NEW)).rejects.toThrow(UNREADABLE)
  await node.close()
  await vi.advanceTimersByTimeAsync(16_000)
  await host.startNode(NEW)
})

test('nodes that run already say it once where another one got in while the engine was away', async () => {
  await using host = engine()
  await host.startNode(OLD)
  await host.shared.records.put('c.seal', 's1.of-another-secret', { ttlMs: 60_000 })
  await vi.advanceTimersByTimeAsync(30_000)
  const warnings = host.faults.filter(({ message }) => message.startsWith('Other nodes in this namespace'))
  expect(warnings.map(({ kind }) => kind)).toEqual(['configuration-warning'])
})
