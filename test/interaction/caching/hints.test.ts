// What a server says about how long its results stay good.
import { expect } from 'vitest'
import { Server } from '../../../src/server/server.ts'
import type { InputRequiredResult } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import { numberingServer } from '../kit/support-caching.ts'
import { refusalOf, tool, toolServer } from '../kit/support-features.ts'

requirement('cache:hints:default', async ({ connect }) => {
  await using client = await connect(numberingServer({ cacheHints: {} }))
  const results = [
    client.session.discoverResult,
    await client.listTools(),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
    await client.readResource('x:1'),
  ]

  for (const result of results) expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
})

requirement('cache:hints:by-method', async ({ connect }) => {
  const server = numberingServer({
    cacheHints: {
      'tools/list': { ttlMs: 5, scope: 'public' },
      'resources/read': { ttlMs: 7 },
      'server/discover': { ttlMs: 9, scope: 'public' },
    },
  })
  await using client = await connect(server)

  expect(await client.listTools()).toMatchObject({ ttlMs: 5, cacheScope: 'public' })
  expect(await client.readResource('x:1')).toMatchObject({ ttlMs: 7, cacheScope: 'private' })
  expect(await client.listPrompts()).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  expect(client.session.discoverResult).toMatchObject({ ttlMs: 9, cacheScope: 'public' })
})

requirement('cache:hints:handler-wins', async ({ connect }) => {
  const server = toolServer([], undefined, {
    cacheHints: { 'tools/list': { ttlMs: 5, scope: 'public' } },
    handlers: { 'tools/list': () => ({ tools: [], ttlMs: 0 }) },
  })
  await using client = await connect(server)

  expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: 'public' })
})

requirement('cache:hints:whole-and-not-negative', async ({ connect }) => {
  let ttlMs = -1
  const server = toolServer([], undefined, { handlers: { 'tools/list': () => ({ tools: [], ttlMs }) } })
  await using client = await connect(server)
  const told: unknown[] = []
  for (ttlMs of [-1, 1.9, Number.NaN, 1e300]) told.push((await client.listTools({ cacheMode: 'bypass' })).ttlMs)

  expect(told).toEqual([0, 1, 0, Number.MAX_SAFE_INTEGER])
})

requirement('cache:hints:unknown-scope', async ({ connect }) => {
  const server = toolServer([], undefined, {
    handlers: { 'tools/list': () => ({ tools: [], cacheScope: 'everyone' as 'public' }) },
  })
  await using client = await connect(server)

  expect(await refusalOf(client.listTools())).toEqual({ code: -32603, local: false })
})

requirement('cache:hints:not-for-other-methods', async ({ connect }) => {
  await using client = await connect(toolServer([tool('a')]))

  const result = await client.callTool('a')

  expect(Object.keys(result)).not.toContain('ttlMs')
  expect(Object.keys(result)).not.toContain('cacheScope')
})

requirement('cache:hints:not-on-questions', async ({ connect }) => {
  const question: InputRequiredResult = { resultType: 'input_required', requestState: 'later' }
  const server = numberingServer({ handlers: { 'resources/read': () => question } })
  await using client = await connect(server)

  const result = await client.session.readResource('x:1', { allowInputRequired: true })

  expect(result).toMatchObject(question)
  expect(Object.keys(result)).not.toContain('ttlMs')
})

requirement('cache:hints:not-in-the-legacy-era', async ({ connect }) => {
  const server = toolServer([], undefined, {
    cacheHints: { 'tools/list': { ttlMs: 5, scope: 'public' } },
    handlers: { 'tools/list': () => ({ tools: [], ttlMs: 5, cacheScope: 'public' }) },
  })
  await using client = await connect(server)

  expect(await client.listTools()).toEqual({ tools: [] })
})

requirement('cache:hints:checked-at-construction', () => {
  const withHints = (cacheHints: object) => () => new Server('hints', { cacheHints })

  expect(withHints({ 'tools/call': { ttlMs: 1 } })).toThrow(RangeError)
  expect(withHints({ 'tools/list': { ttlMs: -1 } })).toThrow(RangeError)
  expect(withHints({ 'tools/list': { ttlMs: 0.5 } })).toThrow(RangeError)
  expect(withHints({ 'tools/list': { ttlMs: 1, scope: 'shared' } })).toThrow(RangeError)
  expect(withHints({ 'tools/list': 5 })).toThrow(TypeError)
})
