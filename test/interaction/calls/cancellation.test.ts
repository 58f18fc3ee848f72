// Giving up a call, and what the other side makes of it.
import { getEventListeners } from 'node:events'
import { expect } from 'vitest'
import type { Channel, SendHints } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { JSONRPCMessage } from '../../../src/types/protocol/jsonrpc.ts'
import { RawPeer, settle } from '../../support/peers.ts'
import { volume } from '../../support/volume.ts'
import { requirement } from '../kit/requirement.ts'
import {
  connectScripted,
  DONE,
  type Message,
  RawClient,
  sentOf,
  serverWith,
  text,
  waitingTool,
} from '../kit/support-lifecycle.ts'

requirement('cancel:client:signal-aborts-handler', async ({ connect }) => {
  const { handler, entered, aborted } = waitingTool()
  await using client = await connect(serverWith(handler))
  const controller = new AbortController()

  const call = client.callTool('run', {}, { signal: controller.signal })
  call.catch(() => {})
  await entered
  controller.abort()

  expect(await aborted).toMatchObject({ name: 'AbortError' })
})

requirement('cancel:client:rejects-with-the-reason', async ({ connect }) => {
  const { handler, entered } = waitingTool()
  await using client = await connect(serverWith(handler))
  const controller = new AbortController()
  const reason = { any: 'thing' }

  const call = client.callTool('run', {}, { signal: controller.signal })
  await entered
  controller.abort(reason)

  await expect(call).rejects.toBe(reason)
})

requirement('cancel:client:tells-the-server', async ({ connect, wire }) => {
  const { handler, entered, aborted } = waitingTool()
  await using client = await connect(serverWith(handler))
  const controller = new AbortController()

  const call = client.callTool('run', {}, { signal: controller.signal, requestId: 'slow' })
  await entered
  controller.abort(new Error('hunter2'))
  await expect(call).rejects.toThrow('hunter2')
  await aborted

  const [notice, ...others] = sentOf(wire, 'notifications/cancelled')
  expect(others).toEqual([])
  expect(notice).toMatchObject({ params: { requestId: 'slow', reason: expect.any(String) } })
  expect(notice).not.toHaveProperty('id')
  expect(JSON.stringify(notice)).not.toContain('hunter2')
})

requirement('fault:F095:signal-aborted-already', async ({ connect }) => {
  let ran = 0
  const server = serverWith(() => {
    ran += 1
    return DONE
  })
  await using client = await connect(server)
  await expect(client.callTool('run', {}, { signal: AbortSignal.abort('before') })).rejects.toBe('before')
  expect(await client.callTool('run')).toMatchObject(DONE)
  expect(ran).toBe(1)
})

requirement('fault:F078:cancellation-of-nothing', async (setting) => {
  const { handler, entered, release } = waitingTool()
  await using raw = await RawClient.connect(serverWith(handler), setting)
  raw.request('tools/call', { name: 'run' }, 'mine')
  const signal = await entered

  for (const params of [{ requestId: 'other' }, { requestId: 99 }, { requestId: null }, { requestId: ['mine'] }, {}]) {
    raw.send({ method: 'notifications/cancelled', params })
  }
  raw.send({ method: 'notifications/cancelled' })
  await settle()
  expect(signal.aborted).toBe(false)

  release()
  expect(await raw.next()).toMatchObject({ id: 'mine', result: DONE })
  raw.send({ method: 'notifications/cancelled', params: { requestId: 'mine' } })
  expect(await raw.ask('tools/list')).toHaveProperty('result.tools')
})

requirement('fault:F078:cancellation-by-another-client', async (setting) => {
  const { handler, entered, release } = waitingTool()
  const server = serverWith(handler)
  await using owner = await RawClient.connect(server, setting)
  await using stranger = await RawClient.connect(server, setting)
  owner.request('tools/call', { name: 'run' }, 1)
  const signal = await entered

  stranger.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
  await stranger.ask('tools/list')

  expect(signal.aborted).toBe(false)
  release()
  expect(await owner.next()).toMatchObject({ id: 1, result: DONE })
})

requirement('cancel:client:costs-only-itself', async ({ connect }) => {
  const { handler, entered, release } = waitingTool()
  await using client = await connect(serverWith(handler))
  const controller = new AbortController()
  const other = client.callTool('run')
  const call = client.callTool('run', {}, { signal: controller.signal })
  await entered
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')
  release()
  expect(await other).toMatchObject(DONE)
})

requirement('cancel:client:nothing-after-the-answer', async ({ connect, wire }) => {
  await using client = await connect(serverWith(() => DONE))
  const controller = new AbortController()
  await client.callTool('run', {}, { signal: controller.signal })
  controller.abort()
  await client.listTools()
  expect(sentOf(wire, 'notifications/cancelled')).toEqual([])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

requirement('cancel:server:takes-its-question-back', async ({ connect, wire }) => {
  const asked = createDeferred()
  const withdrawn = createDeferred<unknown>()
  const server = serverWith(async ({ session }) => {
    const controller = new AbortController()
    const answer = session.listRoots({ signal: controller.signal })
    await asked.promise
    controller.abort('never mind')
    await expect(answer).rejects.toBe('never mind')
    await withdrawn.promise
    return DONE
  })
  await using client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          withdrawn.resolve(signal.reason)
          reject(signal.reason)
        })
      })
    },
  })
  expect(await client.callTool('run')).toMatchObject(DONE)
  const question = (wire.received as unknown as Message[]).find(({ method }) => method === 'roots/list')
  expect((wire.sent as unknown as Message[]).filter(({ id, method }) => id === question?.['id'] && !method)).toEqual([])
})

requirement('cancel:server:related-to-its-request', async (setting) => {
  const hints: [unknown, SendHints | undefined][] = []
  const [here, there] = createMemoryChannelPair()
  const spied: Channel = {
    start: (receiver) => there.start(receiver),
    close: () => there.close(),
    send: (message, given) => {
      hints.push([(message as JSONRPCMessage & Message)['method'], given])
      return there.send(message, given)
    },
  }
  const server = serverWith(async ({ session }) => {
    const controller = new AbortController()
    const answer = session.sendRequest('vendor/ask', {}, { signal: controller.signal })
    controller.abort('never mind')
    await expect(answer).rejects.toBe('never mind')
    return DONE
  })
  await server.connect(spied)
  await using raw = new RawClient(new RawPeer(here), false)
  await raw.initialize(setting.version)
  raw.request('tools/call', { name: 'run' }, 'call')
  while ((await raw.next())['id'] !== 'call');

  expect(hints).toContainEqual(['vendor/ask', { relatedRequestId: 'call' }])
  expect(hints).toContainEqual(['notifications/cancelled', { relatedRequestId: 'call' }])
})

requirement('cancel:server:middleware-sees-it', async ({ connect }) => {
  const { handler, entered } = waitingTool()
  const seen = createDeferred<unknown>()
  const server = serverWith(handler, {
    middleware: [
      (ctx, next) => {
        if (ctx.method === 'notifications/cancelled') seen.resolve(ctx.params?.['requestId'])
        return next()
      },
    ],
  })
  await using client = await connect(server)
  const controller = new AbortController()
  client.callTool('run', {}, { signal: controller.signal, requestId: 'slow' }).catch(() => {})
  await entered
  controller.abort()
  expect(await seen.promise).toBe('slow')
})

requirement('cancel:client:callbacks-do-not-see-it', async (setting) => {
  const heard: string[] = []
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', { content: [] }), {
    onMessage: ({ method }) => void heard.push(method),
  })
  scripted.server.notify('notifications/cancelled', { requestId: 'unknown', reason: 'why not' })
  scripted.server.notify('notifications/progress', { progressToken: 'x', progress: 1 })
  await scripted.client.callTool('run')
  expect(heard).toEqual(['notifications/progress'])
})

requirement('cancel:client:own-calls-are-not-the-servers', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, id) => {
      queueMicrotask(() => {
        server.notify('notifications/cancelled', { requestId: id })
        server.respond(id, text('all the same'))
      })
      return undefined
    })
  })
  expect(await scripted.client.callTool('run')).toMatchObject(text('all the same'))
})

requirement('fault:F096:many-calls-on-one-signal', async ({ connect }) => {
  await using client = await connect(serverWith(() => DONE))
  const { signal } = new AbortController()
  const rounds = volume(10, 100)
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 100 }, () => client.callTool('run', {}, { signal })))
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
