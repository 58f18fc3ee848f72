// Messages without an answer: their order, and that they cost only themselves.
import { expect } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { settle } from '../../support/peers.ts'
import type { ScriptedServer } from '../../support/scripted-server.ts'
import { requirement } from '../kit/requirement.ts'
import { connectScripted, DONE, FaultLog, RawClient, receivedOf, serverWith } from '../kit/support-lifecycle.ts'

const LOGGING = { logLevel: 'debug' } as const
const chatty = (count: number) =>
  serverWith(async ({ session }) => {
    for (let n = 0; n < count; n++) await session.sendLogMessage('info', n)
    return DONE
  })

requirement('notify:client:in-order-before-the-answer', async ({ connect }) => {
  const order: unknown[] = []
  await using client = await connect(chatty(20), { ...LOGGING, onLog: ({ data }) => void order.push(data) })
  await client.callTool('run')
  order.push('answer')
  expect(order).toEqual([...Array.from({ length: 20 }, (_, n) => n), 'answer'])
})

requirement('notify:server:in-order-before-the-request', async ({ connect }) => {
  const order: unknown[] = []
  const server = serverWith(() => {
    order.push('request')
    return DONE
  })
  server.setNotificationHandler('vendor/told', (_ctx, { n }) => {
    order.push(n)
  })
  await using client = await connect(server)
  for (let n = 0; n < 20; n++) void client.session.sendNotification('vendor/told', { n })
  await client.callTool('run')
  expect(order).toEqual([...Array.from({ length: 20 }, (_, n) => n), 'request'])
})

requirement('notify:client:log-then-message', async ({ connect }) => {
  const order: string[] = []
  await using client = await connect(chatty(2), {
    ...LOGGING,
    onLog: ({ data }) => void order.push(`log ${data}`),
    onMessage: ({ method }) => void order.push(method),
  })
  await client.callTool('run')
  expect(order).toEqual(['log 0', 'notifications/message', 'log 1', 'notifications/message'])
})

requirement('fault:F086:client-callback-fails', async ({ connect }) => {
  const log = new FaultLog()
  const heard: unknown[] = []
  const failures = [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
    () => new Promise<void>(() => {}),
  ]
  await using client = await connect(chatty(4), {
    ...LOGGING,
    onFault: log.onFault,
    onLog: ({ data }) => {
      heard.push(data)
      return failures[data as number]?.()
    },
  })
  expect(await client.callTool('run')).toMatchObject(DONE)
  await settle()
  expect(heard).toEqual([0, 1, 2, 3])
  expect(log.kinds).toEqual(['notification-failed', 'notification-failed'])
})

requirement('notify:client:failed-log-still-a-message', async ({ connect }) => {
  const heard: string[] = []
  await using client = await connect(chatty(1), {
    ...LOGGING,
    onLog: () => {
      throw new Error('no')
    },
    onMessage: ({ method }) => void heard.push(method),
  })
  await client.callTool('run')
  expect(heard).toEqual(['notifications/message'])
})

requirement('fault:F086:server-handler-fails', async ({ connect }) => {
  const log = new FaultLog()
  const heard: unknown[] = []
  const server = serverWith(() => DONE, { onFault: log.onFault })
  server.setNotificationHandler('vendor/told', (_ctx, { n }) => {
    heard.push(n)
    if (n === 0) throw new Error('at once')
    return n === 1 ? Promise.reject(new Error('later')) : new Promise<void>(() => {})
  })
  await using client = await connect(server)
  for (let n = 0; n < 4; n++) await client.session.sendNotification('vendor/told', { n })
  expect(await client.callTool('run')).toMatchObject(DONE)
  await settle()
  expect(heard).toEqual([0, 1, 2, 3])
  expect(log.kinds).toEqual(['notification-failed', 'notification-failed'])
})

requirement('fault:F085:flood', async ({ connect }) => {
  const log = new FaultLog()
  let started = 0
  const server = serverWith(() => DONE, { onFault: log.onFault })
  const release = createDeferred()
  server.setNotificationHandler('vendor/flood', () => {
    started += 1
    return release.promise
  })
  await using client = await connect(server)
  for (let n = 0; n < 10_000; n++) void client.session.sendNotification('vendor/flood')
  await settle()
  expect(started).toBeLessThan(3_000)
  release.resolve()
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('notify:client:malformed-is-dropped', async (setting) => {
  const heard: unknown[] = []
  const answers = (server: ScriptedServer) => {
    server.on('logging/setLevel', {})
    server.on('tools/call', { content: [] })
  }
  await using scripted = await connectScripted(setting, answers, {
    onLog: ({ data }) => void heard.push(data),
    onMessage: ({ method }) => void heard.push(method),
  })
  scripted.server.notify('notifications/message', { level: 'loud', data: 'hunter2' })
  scripted.server.notify('notifications/resources/updated', { uri: 7 })
  scripted.server.deliver({ jsonrpc: '2.0', method: 'notifications/message', params: 'hunter2' })
  scripted.server.notify('notifications/message', { level: 'info', data: 'fine' })
  await scripted.client.callTool('run')

  expect(heard).toEqual(['fine', 'notifications/message'])
  expect(scripted.log.kinds).toEqual(['invalid-message', 'invalid-message', 'invalid-message'])
  expect(scripted.log.faults.map(({ message }) => message).join()).not.toContain('hunter2')
})

requirement('fault:F067:unknown-is-ignored', async (setting) => {
  const heard: unknown[] = []
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', { content: [] }), {
    onMessage: ({ method }) => void heard.push(method),
  })
  scripted.server.notify('vendor/unknown', { x: 1 })
  scripted.server.notify('notifications/initialized')
  scripted.server.notify('__proto__')
  expect(await scripted.client.callTool('run')).toEqual(DONE)
  expect(heard).toEqual([])
  expect(scripted.log.faults).toEqual([])
})

requirement('notify:server:malformed-is-dropped', async (setting) => {
  const heard: unknown[] = []
  const log = new FaultLog()
  const server = serverWith(() => DONE, {
    onFault: log.onFault,
    notifications: { 'notifications/roots/list_changed': () => void heard.push('roots') },
  })
  await using raw = await RawClient.connect(server, setting)
  raw.send({ method: 'notifications/roots/list_changed', params: { _meta: 7 } })
  await raw.ask('tools/list')
  expect(heard).toEqual([])
  raw.send({ method: 'notifications/roots/list_changed' })
  await raw.ask('tools/list')
  expect(heard).toEqual(setting.isModern ? [] : ['roots'])
  expect(log.kinds).toContain('notification-failed')
})

requirement('notify:server:dropped-before-the-handshake', async ({ version }) => {
  const heard: unknown[] = []
  const server = serverWith(() => DONE)
  server.setNotificationHandler('vendor/told', (_ctx, { n }) => {
    heard.push(n)
  })
  await using raw = await RawClient.open(server)
  await raw.ask('ping')
  raw.send({ method: 'vendor/told', params: { n: 'early' } })
  await raw.initialize(version)
  raw.send({ method: 'vendor/told', params: { n: 'in time' } })
  await raw.ask('tools/list')
  expect(heard).toEqual(['in time'])
})

requirement('notify:client:not-in-this-revision', async ({ connect, isModern }) => {
  await using client = await connect(serverWith(() => DONE))
  const sending = client.sendRootsListChanged()
  if (isModern) await expect(sending).rejects.toMatchObject({ code: -32601, local: true })
  else await expect(sending).resolves.toBeUndefined()
})

requirement('notify:server:not-in-this-revision', async ({ connect, version }) => {
  let outcome: unknown
  const server = serverWith(async ({ session }) => {
    outcome = await session.sendElicitComplete('1').catch((error: unknown) => error)
    return DONE
  })
  await using client = await connect(server)
  await client.callTool('run')
  if (version === '2025-11-25') expect(outcome).toBeUndefined()
  else expect(outcome).toMatchObject({ code: -32601 })
})

requirement('notify:server:after-the-handler', async ({ connect, wire, isModern }) => {
  let late: (related: boolean) => Promise<void> = async () => {}
  const server = serverWith(({ session }) => {
    late = (related) => session.sendLogMessage('error', related ? 'belated' : 'standalone', undefined, { related })
    return DONE
  })
  const heard: unknown[] = []
  await using client = await connect(server, { ...LOGGING, onLog: ({ data }) => void heard.push(data) })
  await client.callTool('run')
  await late(true)
  await late(false)
  await client.listTools()
  // On several nodes the stream is at one of them and the response at another: nothing orders the two.
  await expect.poll(() => heard).toEqual(isModern ? [] : ['standalone'])
  expect(receivedOf(wire, 'notifications/message')).toHaveLength(isModern ? 0 : 1)
})

requirement('notify:client:callbacks-may-call', async ({ connect }) => {
  const answers: unknown[] = []
  const done = createDeferred()
  await using client = await connect(chatty(1), {
    ...LOGGING,
    onLog: async (_params, { session }) => {
      answers.push((await session.listTools()).tools.length)
      done.resolve()
    },
  })
  await client.callTool('run')
  await done.promise
  expect(answers).toEqual([1])
})
