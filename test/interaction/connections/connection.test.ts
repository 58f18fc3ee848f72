// A connection as the server has it: its state, its cleanups, and the ways on which messages go back.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Channel, SendHints } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Server } from '../../../src/server/server.ts'
import type { JSONRPCMessage } from '../../../src/types/protocol/jsonrpc.ts'
import { requirement } from '../kit/requirement.ts'
import { text, textOf, toolServer } from '../kit/support-interaction.ts'

/** A tool that counts in the state of its connection. */
function createCounter() {
  return toolServer(({ connection: { state } }) => {
    const count = ((state.get('count') as number | undefined) ?? 0) + 1
    state.set('count', count)
    return text(`${count}`)
  })
}

requirement('connection:state:lives-with-the-connection', async ({ connect }) => {
  const server = createCounter()
  await using one = await connect(server)
  await using two = await connect(server)

  const counts = [await one.callTool('tool'), await one.callTool('tool'), await two.callTool('tool')]

  expect(counts.map(textOf)).toEqual(['1', '2', '1'])
})

requirement('connection:state:modern-request-by-request', async ({ connect }) => {
  await using client = await connect(createCounter())

  const counts = [await client.callTool('tool'), await client.callTool('tool')]

  expect(counts.map(textOf)).toEqual(['1', '1'])
})

requirement('connection:defer:last-come-first', async ({ connect, isModern }) => {
  const done: number[] = []
  const over = createDeferred<void>()
  const server = toolServer(({ connection }) => {
    connection.defer(over.resolve)
    connection.defer(() => done.push(1))
    connection.defer(async () => done.push(2))
    connection.defer(() => done.push(3))
    return text(`${done.length}`)
  })
  const client = await connect(server)

  expect(textOf(await client.callTool('tool'))).toBe('0')
  // A modern request is a connection of its own, which is over with its answer.
  expect(done).toHaveLength(isModern ? 3 : 0)
  await client.close()
  await over.promise

  expect(done).toEqual([3, 2, 1])
})

requirement('connection:defer:failure-contained', async ({ connect }) => {
  const over = createDeferred<void>()
  const server = toolServer(({ connection }) => {
    connection.defer(over.resolve)
    connection.defer(() => {
      throw new Error('sync')
    })
    connection.defer(() => Promise.reject(new Error('async')))
    return text('fine')
  })
  const client = await connect(server)

  expect(textOf(await client.callTool('tool'))).toBe('fine')
  await client.close()

  await over.promise
})

requirement('connection:defer:failure-reported', async ({ connect }) => {
  const reported = createDeferred<unknown>()
  const bug = new Error('a cleanup failed')
  const server = toolServer(
    ({ connection }) => {
      connection.defer(() => {
        throw bug
      })
      return text('')
    },
    { onFault: (fault) => reported.resolve(fault) },
  )
  const client = await connect(server)
  await client.callTool('tool')
  await client.close()

  expect(await reported.promise).toMatchObject({ kind: 'handler-failed', error: bug })
})

requirement('connection:close:server-side-ends-too', async ({ connect }) => {
  const released = createDeferred<void>()
  const server = toolServer(() => text(''), {
    lifespan: () => ({ close: () => released.resolve() }),
  })
  const client = await connect(server)
  await client.callTool('tool')
  await client.close()

  await released.promise
})

const onListRoots = () => ({ roots: [] })

/** A server's end of a memory channel that keeps what was sent, with the hints. */
function connectHinted(server: Server, options: ConstructorParameters<typeof Client>[1]) {
  const sent: { method: string | undefined; hints: SendHints | undefined }[] = []
  const [here, there] = createMemoryChannelPair()
  const kept: Channel = {
    start: (receiver) => there.start(receiver),
    close: () => there.close(),
    send: (message, hints) => {
      sent.push({ method: (message as { method?: string }).method, hints })
      return there.send(message, hints)
    },
  }
  const transport = {
    kind: 'memory',
    open: async () => {
      await server.connect(kept)
      return here
    },
  }
  return { sent, client: Client.connect(transport, { mode: 'legacy', ...options }) }
}

requirement('session:way:related-or-standalone', async () => {
  const server = toolServer(
    async ({ session }) => {
      await session.listRoots()
      await session.listRoots({ related: false })
      await session.sendLogMessage('error', 'x')
      await session.sendLogMessage('error', 'x', undefined, { related: false })
      await session.sendToolListChanged()
      await session.sendResourceUpdated('a:b')
      return text('')
    },
    { logging: true, handlers: { 'resources/list': () => ({ resources: [] }) } },
  )
  const { sent, client: connecting } = connectHinted(server, { onListRoots })
  await using client = await connecting
  await client.callTool('tool', {}, { requestId: 'the call' })

  const ways = sent.flatMap(({ method, hints }) => (method === undefined ? [] : [[method, hints?.relatedRequestId]]))
  expect(ways).toEqual([
    ['roots/list', 'the call'],
    ['roots/list', undefined],
    ['notifications/message', 'the call'],
    ['notifications/message', undefined],
    ['notifications/tools/list_changed', undefined],
    ['notifications/resources/updated', undefined],
  ])
})

requirement('session:way:cancel-goes-the-same', async () => {
  const controller = new AbortController()
  const server = toolServer(async ({ session }) => {
    await session.listRoots({ signal: controller.signal }).catch(() => {})
    return text('')
  })
  const { sent, client: connecting } = connectHinted(server, {
    onListRoots: () => {
      controller.abort(new Error('never mind'))
      return new Promise(() => {})
    },
  })
  await using client = await connecting
  await client.callTool('tool', {}, { requestId: 'the call' })

  const cancel = sent.find(({ method }) => method === 'notifications/cancelled')
  expect(cancel?.hints).toEqual({ relatedRequestId: 'the call' })
})

requirement('connection:raw:answer-reaches-onfault', async ({ connect }) => {
  const unmatched = createDeferred<unknown>()
  const raw: JSONRPCMessage = { jsonrpc: '2.0', id: 'out of band', method: 'roots/list', params: {} }
  const server = toolServer(
    async ({ connection }) => {
      await connection.sendRaw(raw)
      return text('')
    },
    { onFault: (fault) => unmatched.resolve(fault) },
  )
  const roots = vi.fn(onListRoots)
  await using client = await connect(server, { onListRoots: roots })
  await client.callTool('tool')

  expect(await unmatched.promise).toMatchObject({ kind: 'unmatched-response', requestId: 'out of band' })
  expect(roots).toHaveBeenCalledOnce()
})
