// How long the caller of a tool waits: said to the server, and passed on to calls within other work.
import { expect } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { asks, ROOTS, text, textOf, toolServer } from '../kit/support-interaction.ts'

const KEY = 'mcpwire/patienceMs'

/** A server that keeps the patience of each call of its tool. */
function patientServer() {
  const seen: unknown[] = []
  const server = toolServer(({ meta }) => {
    seen.push(meta[KEY])
    return text('')
  })
  return { server, seen }
}

requirement('call:patience', async ({ connect }) => {
  const { server, seen } = patientServer()
  const listed: unknown[] = []
  server.use((ctx, next) => {
    if (ctx.method !== 'tools/call') listed.push(ctx.meta[KEY])
    return next()
  })
  await using client = await connect(server)
  await using hurried = await connect(server, { timeoutMs: 9_000 })

  await client.callTool('tool')
  await client.callTool('tool', {}, { timeoutMs: 70_000.5 })
  await client.callTool('tool', {}, { timeoutMs: 70_000, maxTotalMs: 80_000 })
  await client.callTool('tool', {}, { meta: { 'com.example/own': 1 }, timeoutMs: 60_000 })
  await client.callTool('tool', {}, { meta: { [KEY]: 5 } })
  await client.callTool('tool', {}, { timeoutMs: Infinity })
  await client.callTool('tool')
  await hurried.callTool('tool')
  await client.session.callTool('tool', {}, { maxTotalMs: 50_000 })
  await client.listTools({ cacheMode: 'bypass' })

  expect(seen).toEqual([300_000, 70_000, 80_000, 60_000, 5, undefined, 300_000, 9_000, 50_000])
  expect(listed.every((value) => value === undefined)).toBe(true)
})

requirement('call:patience:rounds', async ({ connect }) => {
  const seen: unknown[] = []
  const server = toolServer(({ meta, inputResponses }) => {
    seen.push(meta[KEY])
    return inputResponses === undefined ? asks({ a: ROOTS }) : text('')
  })
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })

  await client.callTool('tool', {}, { maxTotalMs: 60_000, meta: { 'com.example/own': 1 } })
  await client.callTool('tool')

  const [first, second, ...unlimited] = seen as [number, number]
  expect(first).toBe(60_000)
  expect(second).toBeGreaterThan(0)
  expect(second).toBeLessThanOrEqual(60_000)
  expect(Number.isInteger(second)).toBe(true)
  expect(unlimited).toEqual([300_000, 300_000])
})

requirement('call:within', async ({ connect }) => {
  const { server, seen } = patientServer()
  await using client = await connect(server)
  const outer = new AbortController()
  const { signal } = outer
  const own = new AbortController()

  await client.callTool('tool', {}, { within: { signal, remainingMs: 20_000 } })
  await client.callTool('tool', {}, { within: { signal, remainingMs: 20_000 }, maxTotalMs: 10_000 })
  await client.callTool('tool', {}, { within: { signal, remainingMs: undefined }, timeoutMs: 30_000 })
  await client.callTool('tool', {}, { within: { signal }, signal: own.signal })
  expect(seen).toEqual([20_000, 10_000, 30_000, 300_000])

  const late = client.callTool('tool', {}, { within: { signal, remainingMs: 0 } })
  await expect(late).rejects.toMatchObject({ code: -32001, local: true })
  own.abort(new Error('own end'))
  await expect(client.callTool('tool', {}, { within: { signal }, signal: own.signal })).rejects.toThrow('own end')
  outer.abort(new Error('outer end'))
  await expect(client.callTool('tool', {}, { within: { signal } })).rejects.toThrow('outer end')
  expect(seen).toHaveLength(4)
})

requirement('call:within:handler', async ({ connect }) => {
  const started = createDeferred<JSONObject>()
  const cancelled = createDeferred<void>()
  const inner = toolServer(async ({ meta, signal }, { name }) => {
    if (name === 'fast') return text(String(meta[KEY]))
    signal.addEventListener('abort', () => cancelled.resolve())
    started.resolve(meta as JSONObject)
    await cancelled.promise
    return text('stopped')
  })
  await using archive = await connect(inner)
  const front = new MCPServer('front')
  front.tool('search', { input: { type: 'object' } }, async (args, ctx) => {
    const name = String((args as JSONObject)['name'])
    return textOf(await archive.callTool(name, {}, { within: ctx }))
  })
  await using client = await connect(front)

  const left = Number(textOf(await client.callTool('search', { name: 'fast' }, { maxTotalMs: 40_000 })))
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(40_000)

  const controller = new AbortController()
  const calling = client.callTool('search', { name: 'slow' }, { signal: controller.signal })
  await started.promise
  controller.abort(new Error('enough'))
  await expect(calling).rejects.toThrow('enough')
  await cancelled.promise
})
