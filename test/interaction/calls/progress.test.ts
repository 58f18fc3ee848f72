// How far a call has come.
import { expect } from 'vitest'
import type { Progress } from '../../../src/dispatcher/dispatcher.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { settle } from '../../support/peers.ts'
import { volume } from '../../support/volume.ts'
import { requirement } from '../kit/requirement.ts'
import {
  connectScripted,
  DONE,
  FaultLog,
  type Message,
  RawClient,
  receivedOf,
  serverWith,
} from '../kit/support-lifecycle.ts'

const reporting = (...steps: [number, number?, string?][]) =>
  serverWith(async (ctx) => {
    for (const step of steps) await ctx.reportProgress(...step)
    return DONE
  })

requirement('progress:client:in-order', async ({ connect }) => {
  const seen: Progress[] = []
  await using client = await connect(reporting([1, 4, 'one'], [2.5, 4], [4, 4, 'done']))
  await client.callTool('run', {}, { onProgress: (progress) => seen.push(progress) })
  expect(seen).toEqual([
    { progress: 1, total: 4, message: 'one' },
    { progress: 2.5, total: 4 },
    { progress: 4, total: 4, message: 'done' },
  ])
})

requirement('fault:F083:progress-before-result', async ({ connect }) => {
  const order: unknown[] = []
  await using client = await connect(
    serverWith((ctx) => {
      void ctx.reportProgress(1)
      void ctx.reportProgress(2)
      return DONE
    }),
  )
  await client
    .callTool('run', {}, { onProgress: ({ progress }) => order.push(progress) })
    .then(() => order.push('result'))
  expect(order).toEqual([1, 2, 'result'])
})

requirement('progress:client:token-with-every-tool-call', async ({ connect }) => {
  const tokens: unknown[] = []
  const server = serverWith(({ meta, requestId }) => {
    tokens.push(meta.progressToken === requestId)
    return DONE
  })
  await using client = await connect(server)
  await client.callTool('run')
  await client.callTool('run', {}, { onProgress: () => {} })
  expect(tokens).toEqual([true, true])
})

requirement('progress:client:token-where-asked-for', async ({ connect }) => {
  const tokens: unknown[] = []
  const server = serverWith(() => DONE, {
    handlers: {
      'prompts/get': ({ meta }) => {
        tokens.push(meta.progressToken)
        return { messages: [] }
      },
    },
  })
  await using client = await connect(server)
  await client.getPrompt('x')
  await client.getPrompt('x', {}, { onProgress: () => {}, requestId: 'p' })
  expect(tokens).toEqual([undefined, 'p'])
})

requirement('progress:client:token-of-its-own', async ({ connect }) => {
  const seen: string[] = []
  const gate = createDeferred()
  let running = 0
  const server = serverWith(async (ctx, { arguments: args }) => {
    running += 1
    if (running === 2) gate.resolve()
    await gate.promise
    await ctx.reportProgress(args?.['n'] as number)
    return DONE
  })
  await using client = await connect(server)
  await Promise.all(
    [10, 20].map((n) =>
      client.callTool('run', { n }, { onProgress: ({ progress }) => seen.push(`${n}: ${progress}`) }),
    ),
  )
  expect(seen.sort()).toEqual(['10: 10', '20: 20'])
})

requirement('fault:F082:progress-that-means-nothing', async (setting) => {
  const seen: unknown[] = []
  let token: unknown
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, id) => {
      token = id
      const tell = (params: Message) => server.notify('notifications/progress', { progressToken: id, ...params })
      queueMicrotask(() => {
        for (const progress of [1, 1, 0.5, '7', null, true, 2]) tell({ progress })
        tell({ progressToken: 'unknown', progress: 50 })
        tell({ progressToken: true, progress: 51 })
        tell({ progress: 3, total: 'many', message: 7 })
        server.respond(id, { content: [] })
        tell({ progress: 4 })
      })
      return undefined
    })
  })
  await scripted.client.callTool('run', {}, { onProgress: (progress) => seen.push(progress) })
  scripted.server.notify('notifications/progress', { progressToken: token, progress: 5 })
  await settle()
  expect(seen).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }])
})

requirement('fault:F082:progress-in-masses', async ({ connect }) => {
  const reports = volume(20_000, 100_000)
  let calls = 0
  let last = 0
  const server = serverWith(async (ctx) => {
    for (let n = 1; n <= reports; n++) await ctx.reportProgress(n)
    return DONE
  })
  await using client = await connect(server)
  const onProgress = ({ progress }: Progress) => {
    calls += 1
    last = progress
  }
  await client.callTool('run', {}, { onProgress })
  expect([calls, last]).toEqual([reports, reports])
})

requirement('progress:server:only-where-asked-for', async (setting) => {
  await using raw = await RawClient.connect(reporting([1], [2]), setting)
  expect(await raw.ask('tools/call', { name: 'run' }, 'bare')).toHaveProperty('id', 'bare')

  raw.request('tools/call', { name: 'run', _meta: { progressToken: 'tok' } }, 'asking')
  expect(await raw.next()).toMatchObject({
    method: 'notifications/progress',
    params: { progressToken: 'tok', progress: 1 },
  })
  expect(await raw.next()).toMatchObject({ params: { progressToken: 'tok', progress: 2 } })
  expect(await raw.next()).toHaveProperty('id', 'asking')
})

requirement('progress:server:tokens-as-they-came', async (setting) => {
  await using raw = await RawClient.connect(reporting([1]), setting)
  for (const progressToken of ['7', 7, '', 0]) {
    const told = await raw.ask('tools/call', { name: 'run', _meta: { progressToken } })
    expect(told).toHaveProperty('params.progressToken', progressToken)
    await raw.next()
  }
})

requirement('progress:server:grows', async ({ connect, wire }) => {
  const seen: number[] = []
  await using client = await connect(reporting([1], [1], [0.5], [Number.NaN], [2]))
  await client.callTool('run', {}, { onProgress: ({ progress }) => seen.push(progress) })
  expect(seen).toEqual([1, 2])
  const told = receivedOf(wire, 'notifications/progress').map(({ params }) => (params as Progress).progress)
  expect([[], [1, 2]]).toContainEqual(told)
})

requirement('progress:server:ends-with-the-request', async ({ connect, wire }) => {
  let late: () => Promise<void> = async () => {}
  const server = serverWith(async (ctx) => {
    late = () => ctx.reportProgress(9)
    return DONE
  })
  const seen: unknown[] = []
  await using client = await connect(server)
  await client.callTool('run', {}, { onProgress: (progress) => seen.push(progress) })
  await late()
  await client.listTools()
  expect(seen).toEqual([])
  expect(receivedOf(wire, 'notifications/progress')).toEqual([])
})

requirement('progress:client:callback-fails', async ({ connect }) => {
  const log = new FaultLog()
  await using client = await connect(reporting([1], [2]), { onFault: log.onFault })
  let calls = 0
  const result = await client.callTool(
    'run',
    {},
    {
      onProgress: () => {
        calls += 1
        throw new Error('hunter2')
      },
    },
  )
  expect(result).toMatchObject(DONE)
  expect(calls).toBe(2)
  expect(log.kinds).toEqual(['callback-failed', 'callback-failed'])
})

requirement('progress:client:messages-too', async ({ connect }) => {
  const heard: unknown[] = []
  await using client = await connect(reporting([1, 2, 'half']), { onMessage: (message) => void heard.push(message) })
  await client.callTool('run', {}, { requestId: 'p' })
  expect(heard).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
  ])
})

requirement('progress:client:reports-to-the-server', async ({ connect }) => {
  const seen: unknown[] = []
  const server = serverWith(async ({ session }) => {
    await session.listRoots({ onProgress: (progress) => seen.push(progress) })
    return DONE
  })
  await using client = await connect(server, {
    onListRoots: async (_params, { session, meta }) => {
      await session.sendProgressNotification(meta['progressToken'] as string, 1, 2, 'half')
      return { roots: [] }
    },
  })
  await client.callTool('run')
  expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }])
})

requirement('progress:client:reports-nothing-in-the-modern-era', async ({ connect, wire }) => {
  await using client = await connect(serverWith(() => DONE))
  await expect(client.sendProgressNotification('x', 1)).rejects.toMatchObject({ code: -32601, local: true })
  expect((wire.sent as unknown as Message[]).filter(({ id }) => id === undefined)).toEqual([])
})
