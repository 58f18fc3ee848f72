// The state of a call that asks, on several nodes: each state is accepted once, large ones are in the backend, keys are shared.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { memory } from '../../src/backend/memory/memory.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { RequestStateSettings } from '../../src/mcpserver/options.ts'
import { limitRate } from '../../src/server/middleware/limit-rate.ts'
import { createRequestStateSeal } from '../../src/server/state/request-state.ts'
import { sharedKeys } from '../../src/server/state/shared-keys.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { modernBody, modernHeaders } from '../support/modern-messages.ts'
import { ENDPOINT, type NodeParts, startCluster, type TestCluster } from './cluster.ts'

const KEY = 'k'.repeat(32)

function createServer(settings: RequestStateSettings = { keys: [KEY] }) {
  return ({ backend, onFault }: NodeParts): MCPServer => {
    const server = new MCPServer('asking', {
      backend,
      onFault,
      requestState: settings,
      middleware: [limitRate({ perSecond: 0.001, burst: 1, key: () => 'all', store: false })],
    })
    server.tool('ask', { input: z.object({ size: z.number() }) }, async ({ size }, ctx) => {
      const text = await ctx.step('text', () => 'x'.repeat(size))
      const answer = await ctx.elicit('Go on?', z.object({ yes: z.boolean() }))
      return `${text.length} ${answer.action}`
    })
    return server
  }
}

async function call({ nodes }: TestCluster, node: number, params: JSONObject): Promise<JSONObject> {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const body = JSON.stringify(modernBody({ params, meta }))
  const request = new Request(ENDPOINT, { method: 'POST', headers: modernHeaders({ params }), body })
  const response = await nodes[node]!.fetch(request)
  return (await response.json()) as JSONObject
}

/** The first round: what the second one needs. */
async function ask(cluster: TestCluster, node: number, size = 3): Promise<JSONObject> {
  const given = { name: 'ask', arguments: { size } }
  const { result } = (await call(cluster, node, given)) as { result: JSONObject }
  expect(result['resultType']).toBe('input_required')
  const [key = ''] = Object.keys(result['inputRequests'] as JSONObject)
  const inputResponses = { [key]: { action: 'accept', content: { yes: true } } }
  return { ...given, requestState: result['requestState'], inputResponses } as JSONObject
}

test('D044: one sealed state sent to all nodes at once is accepted once', async () => {
  const cluster = await startCluster(createServer())
  const second = await ask(cluster, 0)
  const answers = await Promise.all([0, 1, 2, 0, 1, 2].map((node) => call(cluster, node, second)))
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1)
  for (const { error } of answers) if (error !== undefined) expect(error).toMatchObject({ code: -32602 })
})

test('a further round on another node does not count as a call', async () => {
  const cluster = await startCluster(createServer())
  const second = await ask(cluster, 0)
  // The bucket of each node holds one call.
  await ask(cluster, 1)
  expect(await call(cluster, 1, second)).toMatchObject({ result: { content: [{ text: '3 accept' }] } })
})

test('nodes without requestState.keys say which option is missing, on the node that asks and on the one that rejects the answer', async () => {
  const cluster = await startCluster(createServer({}))
  const second = await ask(cluster, 0)
  expect(cluster.faults).toMatchObject([
    { kind: 'configuration-warning', message: expect.stringContaining('Set requestState.keys to the same secrets') },
  ])
  expect(await call(cluster, 1, second)).toMatchObject({ error: { code: -32602 } })
  expect(cluster.faults.slice(1)).toMatchObject([
    {
      message: 'A requestState was rejected: unknown-key',
      remedy: expect.stringContaining('set requestState.keys to the same secrets on all nodes'),
    },
  ])
})

test('while the engine is away no state is accepted, and the error says that it may be later', async () => {
  const cluster = await startCluster(createServer())
  const second = await ask(cluster, 0)
  cluster.backend.failing = 'records.put'
  expect(await call(cluster, 1, second)).toMatchObject({ error: { code: -32603 } })
  cluster.backend.failing = undefined
  expect(await call(cluster, 1, second)).toMatchObject({ result: { content: [{ text: '3 accept' }] } })
})

test('a state above 16 KiB is in the backend, for the next round on another node, and goes with it', async () => {
  const cluster = await startCluster(createServer())
  const second = await ask(cluster, 0, 100_000)
  expect(String(second['requestState']).length).toBeLessThan(1_000)
  expect(cluster.backend.keys().filter((key) => key.startsWith('i.'))).toHaveLength(1)
  expect(await call(cluster, 2, second)).toMatchObject({ result: { content: [{ text: '100000 accept' }] } })
  await expect.poll(() => cluster.backend.keys().filter((key) => key.startsWith('i.'))).toEqual([])
})

test('a store and a redeem of the author are used instead, and the store hears when the state expires', async () => {
  const kept = new Map<string, string>()
  const expiries: number[] = []
  const store = {
    get: (id: string) => kept.get(id),
    set: (id: string, state: string, expiresAt: number) => {
      kept.set(id, state)
      expiries.push(expiresAt - Date.now())
    },
    delete: (id: string) => void kept.delete(id),
  }
  const redeemed: string[] = []
  const redeem = (id: string) => redeemed.push(id) > 0
  const cluster = await startCluster(createServer({ keys: [KEY], store, redeem, ttlMs: 120_000 }))
  const second = await ask(cluster, 0, 100_000)
  expect(kept.size).toBe(1)
  expect(expiries[0]).toBeGreaterThanOrEqual(120_000)
  expect(await call(cluster, 1, second)).toMatchObject({ result: {} })
  expect(redeemed).toHaveLength(1)
  expect(cluster.backend.keys().filter((key) => /^[iu]\./.test(key))).toEqual([])
})

test('keys of a function are asked for again after refreshMs, and at once for a state of a key that is not known', async () => {
  let keys = [KEY]
  let asked = 0
  const source = () => {
    asked += 1
    return keys
  }
  const context = { method: 'tools/call', params: { name: 'x' } }
  const audience = 'a'
  const seal = createRequestStateSeal({ keys: source, audience, refreshMs: 3_600_000 })
  const token = await seal.seal(context, 'state')
  expect(await seal.unseal(context, token)).toBe('state')
  expect(asked).toBe(1)
  const other = createRequestStateSeal({ keys: ['n'.repeat(32)], audience })
  const newer = await other.seal(context, 'newer')
  // A stranger cannot make it ask more often than once a second.
  await expect(seal.unseal(context, newer)).rejects.toThrow('requestState')
  await expect(seal.unseal(context, newer)).rejects.toThrow('requestState')
  expect(asked).toBe(1)
  const often = createRequestStateSeal({ keys: source, audience, refreshMs: 1e-9 })
  keys = ['n'.repeat(32), KEY]
  expect(await often.unseal(context, newer)).toBe('newer')
  expect(await often.unseal(context, token)).toBe('state')
  keys = []
  // A function that fails, or returns no keys, leaves those of before.
  expect(await often.unseal(context, token)).toBe('state')
})

test('D043: keys rotate while calls ask: no state is refused within its time, and no node seals with a key that another does not know', async () => {
  let now = 0
  const backend = memory({ clock: { now: () => now } })
  const times = { master: 'm'.repeat(32), rotateMs: 600_000, refreshMs: 60_000, ttlMs: 120_000 }
  // Three nodes, which look every minute, each at another time.
  const sources = [0, 1, 2].map(() => sharedKeys(backend, times))
  const known: (readonly unknown[])[] = [[], [], []]
  const sealed: { key: unknown; at: number }[] = []
  const used = new Set<unknown>()
  for (let step = 0; step < 300; step += 1) {
    now = step * 20_000
    const node = step % 3
    known[node] = await sources[node]!()
    if (step < 3) continue
    const [key] = known[node]!
    used.add(key)
    // Every node can open what this one seals.
    for (const keys of known) expect(keys).toContain(key)
    sealed.push({ key, at: now })
    for (const { key: old, at } of sealed)
      if (now - at <= times.ttlMs) for (const keys of known) expect(keys).toContain(old)
  }
  expect(used.size).toBeGreaterThan(7)
  // Old keys are gone.
  expect(known[0]!.length).toBeLessThanOrEqual(3)
})

test('D043: of nodes that look at the same time, one makes the keys', async () => {
  const backend = memory()
  const sources = Array.from({ length: 8 }, () => sharedKeys(backend, { master: 'm'.repeat(32) }))
  const rings = await Promise.all(sources.map((source) => source()))
  expect(new Set(rings.map(([key]) => key)).size).toBe(1)
})

test('D045: keys that another master has made are not replaced, and the error says what to do', async () => {
  const backend = memory()
  const [key] = await sharedKeys(backend, { master: 'm'.repeat(32) })()
  await expect(sharedKeys(backend, { master: 'o'.repeat(32) })()).rejects.toThrow('Give sharedKeys() the master')
  const both = sharedKeys(backend, { master: ['o'.repeat(32), 'm'.repeat(32)] })
  expect(await both()).toEqual([key])
  expect((await backend.records.get('request-state-keys'))?.value).not.toContain(String(key))
})
