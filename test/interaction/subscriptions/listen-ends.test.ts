// Subscriptions of the modern era: the ways in which they end, and those in which they never begin.

import { expect, vi } from 'vitest'
import { ClientSessionGroup } from '../../../src/client/group/session-group.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { SubscriptionLost } from '../../../src/types/errors/failures.ts'
import { requirement } from '../kit/requirement.ts'
import { failureOf, Inbox, refusalOf, tool } from '../kit/support-features.ts'
import {
  ACKNOWLEDGED,
  changingServer,
  LISTS,
  PROMPTS_CHANGED,
  readOut,
  scriptedServer,
  TOOLS,
  TOOLS_CHANGED,
  untilAborted,
} from '../kit/support-listen.ts'

requirement('listen:ends-in-good-order', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  const subscription = await client.listen(LISTS)
  await server.announce({ type: 'toolsListChanged' })
  await server.announce({ type: 'promptsListChanged' })
  void coreOf(server).subscriptions?.close()

  expect(await readOut(subscription)).toEqual({
    events: [{ type: 'toolsListChanged' }, { type: 'promptsListChanged' }],
  })
  expect(subscription.isClosed).toBe(true)
})

requirement('listen:ends-when-the-server-closes', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  const subscription = await client.listen(LISTS)
  await server.announce({ type: 'toolsListChanged' })
  await server.close({ drainMs: 5_000 })

  expect(await readOut(subscription)).toEqual({ events: [{ type: 'toolsListChanged' }] })
})

requirement('listen:ends-when-the-server-closes-at-once', async ({ connect }) => {
  const server = changingServer()
  await using client = await connect(server)
  const subscription = await client.listen(LISTS)
  await server.announce({ type: 'toolsListChanged' })
  await server.close()

  expect(await readOut(subscription)).toEqual({ events: [{ type: 'toolsListChanged' }] })
})

requirement('listen:events-before-the-result', async ({ connect }) => {
  const server = scriptedServer((tell) => {
    // None of them is waited for: only the order on the way counts.
    void tell(ACKNOWLEDGED, { notifications: LISTS })
    void tell(TOOLS_CHANGED)
    void tell(PROMPTS_CHANGED)
  })
  await using client = await connect(server)
  const subscription = await client.listen(LISTS)

  expect(await readOut(subscription)).toEqual({
    events: [{ type: 'toolsListChanged' }, { type: 'promptsListChanged' }],
  })
})

requirement('listen:lost', async ({ connect }) => {
  const server = scriptedServer(async (tell) => {
    await tell(ACKNOWLEDGED, { notifications: TOOLS })
    await tell(TOOLS_CHANGED)
    throw new MCPError(-32603, 'Out of memory')
  })
  await using client = await connect(server)

  const { events, error } = await readOut(await client.listen(TOOLS))

  expect(events).toEqual([{ type: 'toolsListChanged' }])
  expect(error).toBeInstanceOf(SubscriptionLost)
  expect((error as Error).cause).toMatchObject({ code: -32603 })
})

requirement('listen:lost-by-cancellation', async ({ connect }) => {
  const server = scriptedServer(async (tell, ctx) => {
    await tell(ACKNOWLEDGED, { notifications: TOOLS })
    await tell('notifications/cancelled', { requestId: ctx.requestId as string })
    throw new MCPError(-32603, 'Gone')
  })
  await using client = await connect(server)

  expect((await readOut(await client.listen(TOOLS))).error).toBeInstanceOf(SubscriptionLost)
})

requirement('listen:cancelled-in-good-order', async ({ connect }) => {
  const server = scriptedServer(async (tell, ctx) => {
    await tell(ACKNOWLEDGED, { notifications: TOOLS })
    await tell(TOOLS_CHANGED)
    await tell('notifications/cancelled', { requestId: ctx.requestId as string })
  })
  await using client = await connect(server)

  expect(await readOut(await client.listen(TOOLS))).toEqual({ events: [{ type: 'toolsListChanged' }] })
})

requirement('listen:ends-with-the-client', async ({ connect }) => {
  const client = await connect(changingServer())
  const subscription = await client.listen(TOOLS)
  const reading = readOut(subscription)
  await client.close()

  expect(await reading).toEqual({ events: [] })
})

requirement('listen:ended-before-it-began', async ({ connect }) => {
  await using client = await connect(scriptedServer(() => {}))
  const subscription = await client.listen(TOOLS)

  expect(subscription.honored).toEqual({})
  expect(subscription.refused).toEqual(TOOLS)
  expect(await readOut(subscription)).toEqual({ events: [] })
})

requirement('listen:closed-by-the-reader', async ({ connect }) => {
  const ended = createDeferred<unknown>()
  const server = scriptedServer(async (tell, ctx) => {
    await tell(ACKNOWLEDGED, { notifications: TOOLS })
    await tell(TOOLS_CHANGED)
    await untilAborted(ctx).catch(ended.resolve)
    throw new Error('nobody hears this')
  })
  await using client = await connect(server)
  for await (const event of await client.listen(TOOLS)) {
    expect(event).toEqual({ type: 'toolsListChanged' })
    break
  }

  await ended.promise
  expect((await client.listTools()).tools).toEqual([])
})

requirement('listen:signal', async ({ connect }) => {
  const controller = new AbortController()
  await using client = await connect(changingServer())
  const subscription = await client.listen(TOOLS, { signal: controller.signal })
  const reading = readOut(subscription)
  controller.abort(new Error('seen enough'))

  expect((await reading).error).toMatchObject({ message: 'seen enough' })
})

requirement('fault:F103:refused', async ({ connect }) => {
  const server = scriptedServer(() => {
    throw new MCPError(-32603, 'Subscription limit reached')
  })
  await using client = await connect(server)

  expect(await refusalOf(client.listen(TOOLS))).toEqual({ code: -32603, local: false })
})

requirement('fault:F103:connection-ends', async ({ connect }) => {
  const called = createDeferred<void>()
  const server = scriptedServer(async (_tell, ctx) => {
    called.resolve()
    await untilAborted(ctx)
  })
  const client = await connect(server)
  const failure = failureOf(client.listen(TOOLS))
  await called.promise
  await client.close()

  expect(await failure).toBeInstanceOf(Error)
})

requirement('fault:F103:not-acknowledged-in-time', async ({ connect }) => {
  vi.useFakeTimers()
  try {
    const called = createDeferred<AbortSignal>()
    const server = scriptedServer(async (_tell, ctx) => {
      called.resolve(ctx.signal)
      await untilAborted(ctx)
    })
    const client = await connect(server)
    const refusal = refusalOf(client.listen(TOOLS, { timeoutMs: 5_000 }))
    const signal = await called.promise
    await vi.advanceTimersByTimeAsync(5_000)

    expect(await refusal).toEqual({ code: -32001, local: true })
    // Over a socket the server learns of it a turn later.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    await client.close()
  } finally {
    vi.useRealTimers()
  }
})

requirement('fault:F103:listened-again', async ({ connect }) => {
  vi.useFakeTimers()
  try {
    const listened = new Inbox<number>()
    const server = scriptedServer(async (tell, ctx) => {
      await tell(ACKNOWLEDGED, { notifications: TOOLS })
      listened.push(Date.now())
      if (listened.items.length > 2) await untilAborted(ctx)
      throw new MCPError(-32603, 'Lost')
    })
    server.setRequestHandler('tools/list', () => ({ tools: [tool(`after-${listened.items.length}`)] }))
    const client = await connect(server)
    const group = new ClientSessionGroup()
    await group.connectWithSession({ name: 'g', version: '1' }, client.session)
    await vi.advanceTimersByTimeAsync(10_000)

    const [first = 0, second = 0, third = 0] = listened.items
    expect(second - first).toBeGreaterThanOrEqual(500)
    expect(third - second).toBeGreaterThanOrEqual(1_000)
    expect([...group.tools.keys()]).toEqual(['after-3'])
    await group.close()
    await client.close()
  } finally {
    vi.useRealTimers()
  }
})
