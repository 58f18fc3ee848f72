// Cancellations that cross an answer, a write or another call on their way.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Channel } from '../../../src/dispatcher/channel.ts'
import { createDeferred, type Deferred } from '../../../src/primitives/async/promises.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { settle } from '../../support/peers.ts'
import { requirement } from '../kit/requirement.ts'
import {
  answersOf,
  connectScripted,
  DONE,
  FaultLog,
  type Message,
  serverWith,
  text,
  waitingTool,
} from '../kit/support-lifecycle.ts'

requirement('fault:F074:handler-returns-after-all', async ({ connect, wire }) => {
  const { handler, entered, aborted, release } = waitingTool()
  const log = new FaultLog()
  await using client = await connect(serverWith(handler, { onFault: log.onFault }), { onFault: log.onFault })
  const controller = new AbortController()
  const call = client.callTool('run', {}, { signal: controller.signal, requestId: 'slow' })
  await entered
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')
  await aborted

  release()
  await settle()

  expect(answersOf(wire).filter(({ id }) => id === 'slow')).toEqual([])
  expect(log.faults).toEqual([])
})

requirement('fault:F075:handler-rejects-after-cancellation', async ({ connect, wire }) => {
  const log = new FaultLog()
  const entered = createDeferred()
  const server = serverWith(
    ({ signal }) => {
      entered.resolve()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    { onFault: log.onFault },
  )
  await using client = await connect(server)
  const controller = new AbortController()
  const call = client.callTool('run', {}, { signal: controller.signal, requestId: 'slow' })
  await entered.promise
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')
  await settle()

  expect(answersOf(wire).filter(({ id }) => id === 'slow')).toEqual([])
  expect(log.faults).toEqual([])
})

requirement('fault:F076:answer-after-cancellation', async (setting) => {
  let id: unknown
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, given) => {
      id ??= given
      return id === given ? undefined : { content: [] }
    })
  })
  const controller = new AbortController()
  const call = scripted.client.callTool('run', {}, { signal: controller.signal })
  await settle()
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')

  scripted.server.respond(id, { content: [] })

  expect(await scripted.client.callTool('run')).toEqual(DONE)
  expect(scripted.log.faults).toEqual([])
})

requirement('fault:F079:cancelled-while-in-line', async ({ connect }) => {
  const started: unknown[] = []
  const gate = createDeferred()
  const full = createDeferred()
  const server = serverWith(async (_ctx, { arguments: args }) => {
    started.push(args?.['n'])
    if (started.length === 256) full.resolve()
    await gate.promise
    return DONE
  })
  await using client = await connect(server)
  const running = Array.from({ length: 256 }, (_, n) => client.callTool('run', { n }))
  await full.promise
  const controller = new AbortController()
  const waiting = client.callTool('run', { n: 'cancelled' }, { signal: controller.signal })
  const next = client.callTool('run', { n: 'next' })
  controller.abort('enough')
  await expect(waiting).rejects.toBe('enough')

  gate.resolve()
  await Promise.all([...running, next])

  expect(started).toHaveLength(257)
  expect(started.at(-1)).toBe('next')
})

requirement('cancel:client:during-the-write', async ({ isModern }) => {
  const begun = createDeferred()
  const writing = createDeferred()
  const sent: unknown[] = []
  const inner = memoryTransport(serverWith(() => new Promise(() => {})))
  const slow = (channel: Channel): Channel => ({
    start: (receiver) => channel.start(receiver),
    close: () => channel.close(),
    send: (message, hints) => {
      const { method } = message as unknown as Message
      sent.push(method)
      if (method !== 'tools/call') return channel.send(message, hints)
      begun.resolve()
      return writing.promise
    },
  })
  const transport = { kind: 'slow', open: async () => slow(await inner.open()) }
  await using client = await Client.connect(transport, { mode: isModern ? 'auto' : 'legacy' })
  const controller = new AbortController()
  const call = client.callTool('run', {}, { signal: controller.signal })
  await begun.promise
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')
  expect(sent.at(-1)).toBe('notifications/cancelled')
  writing.resolve()
})

requirement('cancel:client:id-used-again', async ({ connect }) => {
  const gates: Deferred<void>[] = []
  const entered: Deferred<void>[] = [createDeferred(), createDeferred()]
  const server = serverWith(async (_ctx, { arguments: args }) => {
    const gate = createDeferred()
    gates.push(gate)
    entered[gates.length - 1]?.resolve()
    await gate.promise
    return text(String(args?.['n']))
  })
  await using client = await connect(server)
  const controller = new AbortController()
  const first = client.callTool('run', { n: 1 }, { requestId: 'again', signal: controller.signal })
  await entered[0]!.promise
  controller.abort('enough')
  await expect(first).rejects.toBe('enough')

  const second = client.callTool('run', { n: 2 }, { requestId: 'again' })
  await entered[1]!.promise
  gates[0]!.resolve()
  await settle()
  gates[1]!.resolve()

  expect(await second).toMatchObject(text('2'))
})

requirement('fault:F077:answer-and-abort-together', async ({ connect }) => {
  const server = serverWith(async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    return DONE
  })
  await using client = await connect(server)
  const outcomes = new Set<string>()
  for (let turns = 0; turns < 40; turns++) {
    const controller = new AbortController()
    let settlements = 0
    const call = client.callTool('run', {}, { signal: controller.signal }).then(
      () => outcomes.add(`answered ${++settlements}`),
      () => outcomes.add(`aborted ${++settlements}`),
    )
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    controller.abort('enough')
    await call
  }
  await settle()
  expect([...outcomes].sort()).toEqual(['aborted 1', 'answered 1'])
})
