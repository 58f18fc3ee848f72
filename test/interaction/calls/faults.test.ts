// What can go wrong between two sides that are both ours, or with a server that is not: it stays where it happened.
import { getEventListeners } from 'node:events'
import { expect, vi } from 'vitest'
import { InMemoryResponseCacheStore } from '../../../src/client/cache/response-store.ts'
import { Client } from '../../../src/client/client.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { settle } from '../../support/peers.ts'
import { volume } from '../../support/volume.ts'
import { requirement } from '../kit/requirement.ts'
import { asks, connectScripted, ROOTS, text, textOf, toolServer } from '../kit/support-interaction.ts'

requirement('fault:F084:client-closes-while-handlers-run', async ({ connect }) => {
  const running = createDeferred<AbortSignal>()
  const told = createDeferred<void>()
  const server = toolServer(({ signal }) => {
    running.resolve(signal)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        told.resolve()
        resolve(text('too late'))
      })
    })
  })
  const client = await connect(server)

  const calling = client.callTool('tool').catch((error: unknown) => error)
  await running.promise
  await client.close()

  await told.promise
  expect(await calling).toMatchObject({ code: ErrorCode.ConnectionClosed, local: true })
})

requirement('fault:F084:server-vanishes-between-rounds', async (setting) => {
  const asked = createDeferred<AbortSignal>()
  await using peer = await connectScripted(setting, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })
  peer.server.on('tools/call', asks({ a: ROOTS }))

  const calling = peer.client.callTool('tool').catch((error: unknown) => error)
  const signal = await asked.promise
  peer.server.hangUp()

  expect(await calling).toMatchObject({ code: ErrorCode.ConnectionClosed, local: true })
  expect(signal.aborted).toBe(true)
})

requirement('fault:F085:notification-flood', async (setting) => {
  const stuck = vi.fn(() => new Promise<void>(() => {}))
  const faults: string[] = []
  await using peer = await connectScripted(setting, {
    onMessage: stuck,
    onFault: ({ kind }) => faults.push(kind),
  })
  peer.server.on('tools/call', text('done'))

  // Listeners that never return, and far more messages than anyone can hold.
  const flood = volume(20_000, 1_000_000)
  for (let n = 0; n < flood; n += 1) peer.server.notify('notifications/tools/list_changed')

  expect(textOf(await peer.client.callTool('tool'))).toBe('done')
  expect(stuck.mock.calls.length).toBeLessThan(20_000)
  expect(faults).toContain('overflow')
})

requirement('fault:F088:closing-and-connecting-from-a-callback', async ({ connect }) => {
  const server = toolServer(() => text('done'))
  const reconnected = createDeferred<string | undefined>()
  const client = await connect(server, { onListRoots: () => ({ roots: [] }) })
  const closing = client.callTool('tool').then(async () => {
    await client.close()
    await using next = await connect(server)
    reconnected.resolve(textOf(await next.callTool('tool')))
  })

  expect(await reconnected.promise).toBe('done')
  await closing
})

requirement('fault:F088:many-reconnects', async ({ connect, transport }) => {
  const server = toolServer(() => text('done'))
  const rounds = volume(transport === 'http' || transport === 'fetch' ? 50 : 200, 10_000)
  for (let n = 0; n < rounds; n += 1) {
    await using client = await connect(server)
    expect(textOf(await client.callTool('tool'))).toBe('done')
  }
  await server.close()
})

requirement('fault:F092:before-open-and-after-close', async ({ connect, transport }) => {
  const server = toolServer(() => text('done'))
  const early = new Client(transport === 'direct' ? server : memoryTransport(server))
  await expect(early.callTool('tool')).rejects.toThrow(/not open/)
  await early.close()

  const client = await connect(server)
  const { session } = client
  await client.close()

  await expect(client.callTool('tool')).rejects.toThrow(/closed/)
  await expect(session.callTool('tool')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed, local: true })
  await expect(session.sendNotification('com.example/told', {})).resolves.toBeUndefined()
})

requirement('fault:F096:one-signal-for-many-calls', async ({ connect }) => {
  const server = toolServer((ctx) =>
    ctx.params?.['name'] === 'asking' && ctx.inputResponses === undefined && !ctx.session.canSendRequest
      ? asks({ a: ROOTS })
      : text('done'),
  )
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })
  const { signal } = new AbortController()

  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.callTool(n % 2 === 0 ? 'plain' : 'asking', {}, { signal })),
    )
  }

  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

requirement('fault:F097:blocked-loop', async ({ connect }) => {
  let overAt = Infinity
  const server = toolServer(() => {
    while (performance.now() < overAt);
    return text('done')
  })
  await using client = await connect(server)

  // The answer is there when the loop wakes up, although the time for it is over.
  const timeoutMs = 500
  overAt = performance.now() + timeoutMs + 100
  expect(textOf(await client.callTool('tool', {}, { timeoutMs }))).toBe('done')
})

requirement('regression:R50:tool-runs-once', async ({ connect }) => {
  const runs: string[] = []
  const started = createDeferred<void>()
  const server = toolServer((_ctx, { name }) => {
    runs.push(name)
    if (name === 'refused') throw new MCPError(-32603, 'broken')
    if (name === 'lost') started.resolve()
    return new Promise<never>(() => {})
  })
  const client = await connect(server)

  await expect(client.callTool('refused')).rejects.toMatchObject({ code: -32603 })
  expect(runs).toEqual(['refused'])
  await expect(client.callTool('slow', {}, { timeoutMs: 20 })).rejects.toMatchObject({
    code: ErrorCode.RequestTimeout,
  })
  const calling = client.callTool('lost').catch((error: unknown) => error)
  await started.promise
  await client.close()
  expect(await calling).toMatchObject({ code: ErrorCode.ConnectionClosed })
  await settle()

  // On a busy machine the time of the slow call can be over before it arrives, and then it never runs.
  expect(runs.filter((name) => name !== 'slow')).toEqual(['refused', 'lost'])
  expect(runs.filter((name) => name === 'slow').length).toBeLessThanOrEqual(1)
})

requirement('regression:R50:one-repeat-after-header-mismatch', async ({ connect }) => {
  let runs = 0
  const server = toolServer(() => {
    runs += 1
    throw new MCPError(ErrorCode.HeaderMismatch, 'Header mismatch')
  })
  await using client = await connect(server)

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: ErrorCode.HeaderMismatch })
  expect(runs).toBe(2)
})

requirement('hostile:message:garbage', async (setting) => {
  await using peer = await connectScripted(setting)
  peer.server.on('tools/call', text('done'))

  for (const garbage of [null, 7, 'x', true, [], {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', method: 7 }, [[]]]) {
    peer.server.deliver(garbage)
  }

  expect(textOf(await peer.client.callTool('tool'))).toBe('done')
  expect(peer.faults.length).toBeGreaterThan(0)
  expect(new Set(peer.faults.map(({ kind }) => kind))).toEqual(new Set(['invalid-message']))
})

requirement('hostile:channel:wedged', async (setting) => {
  await using peer = await connectScripted(setting)
  // From here on nothing that is written ever arrives.
  const { channel } = peer.server
  channel.send = () => new Promise(() => {})
  const reason = new Error('enough')
  const controller = new AbortController()

  const calling = peer.client.callTool('tool', {}, { signal: controller.signal }).catch((error: unknown) => error)
  controller.abort(reason)

  expect(await calling).toBe(reason)
  await peer.client.close()
})

requirement('hostile:transport:aborted-while-opening', async ({ isModern }) => {
  const opened = createDeferred<void>()
  const closed = createDeferred<void>()
  const [here] = createMemoryChannelPair()
  const transport: Transport = {
    kind: 'slow',
    open: async () => {
      await opened.promise
      return { start: () => {}, send: () => undefined, close: () => closed.resolve(here.close() as undefined) }
    },
  }
  const client = new Client(transport, { mode: isModern ? 'auto' : 'legacy' })

  const opening = client.open().catch((error: unknown) => error)
  await client.close()
  expect(await opening).toBeInstanceOf(Error)
  opened.resolve()

  // What opens after all is closed again.
  await closed.promise
})

requirement('listen:event:survives-a-failed-eviction', async ({ connect }) => {
  const server = toolServer(() => text(''), { subscriptions: true })
  const evicting = createDeferred<void>()
  const store = new InMemoryResponseCacheStore()
  const remove = vi.spyOn(store, 'delete').mockImplementation(() => evicting.promise)
  await using client = await connect(server, { cache: { store, partition: 'ada', targetId: 'here' } })
  await using subscription = await client.listen({ toolsListChanged: true })

  const reading = subscription.next()
  await expect(subscription.next()).rejects.toThrow(/one loop per subscription/)
  await server.announce({ type: 'toolsListChanged' })
  await vi.waitFor(() => expect(remove).toHaveBeenCalled())
  // The reader gets the event although what had to come before it failed.
  evicting.reject(new Error('the store is down'))

  expect(await reading).toEqual({ done: false, value: { type: 'toolsListChanged' } })
})
