// Identical calls at the same time: one request for all of them.
import { expect } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { caching, numberingServer } from '../kit/support-caching.ts'
import { failureOf, Inbox, refusalOf } from '../kit/support-features.ts'

requirement('cache:coalesced', async ({ connect }) => {
  const gate = createDeferred<void>()
  const entered = new Inbox<string>()
  const server = numberingServer()
  server.use(async (ctx, next) => {
    if (ctx.method !== 'tools/list') return next()
    entered.push(ctx.method)
    await gate.promise
    return next()
  })
  await using client = await connect(server, caching())
  const calls = [client.listTools(), client.listTools(), client.listTools()]
  await entered.first(1)
  calls.push(client.listTools())
  gate.resolve()
  const results = await Promise.all(calls)

  expect(results.map(({ tools }) => tools[0]?.name)).toEqual(['v1', 'v1', 'v1', 'v1'])
  expect(new Set(results.map(({ tools }) => tools)).size).toBe(4)
  expect(entered.items).toHaveLength(1)
})

requirement('cache:coalesced-failure', async ({ connect }) => {
  const gate = createDeferred<void>()
  let calls = 0
  const server = numberingServer({
    handlers: {
      'prompts/list': async () => {
        calls += 1
        await gate.promise
        throw new MCPError(-31000, 'Broken')
      },
    },
  })
  await using client = await connect(server, caching())
  const failures = [refusalOf(client.listPrompts()), refusalOf(client.listPrompts())]
  gate.resolve()

  expect(await Promise.all(failures)).toEqual([
    { code: -31000, local: false },
    { code: -31000, local: false },
  ])
  expect(calls).toBe(1)
  await refusalOf(client.listPrompts())
  expect(calls).toBe(2)
})

requirement('cache:coalesced-and-left', async ({ connect }) => {
  const gate = createDeferred<void>()
  const entered = new Inbox<AbortSignal>()
  const server = numberingServer({
    handlers: {
      'prompts/list': async ({ signal }) => {
        entered.push(signal)
        await gate.promise
        return { prompts: [{ name: 'done' }] }
      },
    },
  })
  await using client = await connect(server, caching())
  const controller = new AbortController()
  const leaves = failureOf(client.listPrompts({ signal: controller.signal }))
  const stays = client.listPrompts()
  const [signal] = await entered.first(1)
  controller.abort(new Error('no longer interested'))
  expect(await leaves).toMatchObject({ message: 'no longer interested' })
  gate.resolve()

  expect((await stays).prompts).toEqual([{ name: 'done' }])
  expect(signal?.aborted).toBe(false)
  expect(entered.items).toHaveLength(1)
})

requirement('cache:special-calls-are-not-shared', async ({ connect }) => {
  const gate = createDeferred<void>()
  const entered = new Inbox<string>()
  const server = numberingServer({
    handlers: {
      'prompts/list': async () => {
        entered.push('prompts/list')
        await gate.promise
        return { prompts: [] }
      },
    },
  })
  await using client = await connect(server, caching())
  const calls = [
    client.listPrompts(),
    client.listPrompts({ meta: {} }),
    client.listPrompts({ timeoutMs: 50_000 }),
    client.listPrompts({ cacheMode: 'refresh' }),
    client.listPrompts({ cacheMode: 'bypass' }),
  ]
  await entered.first(5)
  gate.resolve()

  await Promise.all(calls)
})
