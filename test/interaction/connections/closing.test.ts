// Ending connections, from anywhere and at any time.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { ClientSession } from '../../../src/client/session/session.ts'
import type { Channel } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { settle } from '../../support/peers.ts'
import { ScriptedServer } from '../../support/scripted-server.ts'
import { discoverResult } from '../../support/sessions.ts'
import { requirement } from '../kit/requirement.ts'
import {
  connectScripted,
  DONE,
  FaultLog,
  serverWith,
  text,
  transportTo,
  waitingTool,
} from '../kit/support-lifecycle.ts'

const CLOSED = { code: -32000, local: true }

requirement('close:client:any-number-of-times', async ({ connect }) => {
  const client = await connect(serverWith(() => DONE))
  await Promise.all([client.close(), client.close()])
  await client.close()
  await client[Symbol.asyncDispose]()
})

requirement('close:client:fails-what-waits', async ({ connect }) => {
  const { handler, entered } = waitingTool()
  const client = await connect(serverWith(handler))
  const calls = Promise.allSettled([client.callTool('run'), client.callTool('run')])
  await entered
  await client.close()
  for (const outcome of await calls) expect(outcome).toMatchObject({ status: 'rejected', reason: CLOSED })
})

requirement('fault:F084:handlers-are-told', async ({ connect }) => {
  const { handler, entered, aborted, release } = waitingTool()
  const log = new FaultLog()
  const client = await connect(serverWith(handler, { onFault: log.onFault }))
  const call = client.callTool('run')
  call.catch(() => {})
  await entered
  await client.close()
  expect(await aborted).toBeInstanceOf(Error)
  release()
  await settle()
  expect(log.faults).toEqual([])
})

requirement('close:client:from-a-callback', async ({ connect }) => {
  const server = serverWith(async (ctx) => {
    await ctx.reportProgress(1)
    return new Promise(() => {})
  })
  const client = await connect(server)
  const closing = createDeferred()
  const onProgress = () => closing.resolve(client.close())
  await expect(client.callTool('run', {}, { onProgress })).rejects.toMatchObject(CLOSED)
  await closing.promise
})

requirement('close:client:from-an-answer', async ({ connect }) => {
  let closing: Promise<void> | undefined
  const server = serverWith(async ({ session }) => {
    await session.listRoots()
    return DONE
  })
  const client: Client = await connect(server, {
    onListRoots: async () => {
      closing = client.close()
      await closing
      return { roots: [] }
    },
  })
  await expect(client.callTool('run')).rejects.toMatchObject(CLOSED)
  await closing
})

requirement('close:client:from-its-handler', async ({ connect }) => {
  let client: Client | undefined
  const server = serverWith(async () => {
    await client?.close()
    return DONE
  })
  client = await connect(server)
  await expect(client.callTool('run')).rejects.toMatchObject(CLOSED)
})

requirement('close:client:use-afterwards', async ({ connect }) => {
  const client = await connect(serverWith(() => DONE))
  await client.close()
  await expect(client.callTool('run')).rejects.toThrow(/not open because it was closed/)
  await expect(client.listTools()).rejects.toThrow(/not open/)
  expect(() => client.protocolVersion).toThrow(/not open/)
  await expect(client.open()).rejects.toThrow(/is closed\. Create a new client/)
})

requirement('close:client:use-before', async () => {
  let started = 0
  const server = serverWith(() => DONE, {
    lifespan: () => {
      started += 1
    },
  })
  const client = new Client(server)
  await expect(client.callTool('run')).rejects.toThrow(/Call open\(\) first/)
  expect(() => client.session).toThrow(/Call open\(\) first/)
  expect(started).toBe(0)
  await client.close()
})

requirement('close:client:while-opening', async () => {
  const server = new ScriptedServer().on('server/discover', () => undefined)
  const client = new Client(transportTo(server))
  const opening = client.open()
  opening.catch(() => {})
  await settle()
  await client.close()
  await expect(opening).rejects.toThrow(/closed while it was opening/)
  expect(server.isClosed).toBe(true)
})

requirement('close:client:while-the-transport-opens', async () => {
  const opened = createDeferred<Channel>()
  const server = new ScriptedServer()
  const client = new Client({ kind: 'slow', open: () => opened.promise })
  const opening = client.open()
  opening.catch(() => {})
  await client.close()
  await expect(opening).rejects.toThrow(/closed while it was opening/)

  opened.resolve(server.channel)
  await settle()
  expect(server.isClosed).toBe(true)
  expect(server.sent).toEqual([])
})

requirement('fault:F090:opened-twice', async () => {
  const client = new Client(serverWith(() => DONE))
  const [first, second] = await Promise.allSettled([client.open(), client.open()])
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
  await expect(client.open()).rejects.toThrow(/opened before/)
  expect(await client.callTool('run')).toMatchObject(DONE)
  await client.close()
})

requirement('fault:F090:channel-used-twice', async () => {
  const server = serverWith(() => DONE)
  const [here, there] = createMemoryChannelPair()
  await server.connect(there)
  await using first = await Client.connect(here)
  await expect(Client.connect(here)).rejects.toThrow(/in use/)
  expect(await first.callTool('run')).toMatchObject(DONE)
})

requirement('fault:F092:before-and-after', async () => {
  const server = new ScriptedServer().on('vendor/x', {})
  const session = new ClientSession(server.channel)
  await expect(session.sendRequest('vendor/x')).rejects.toThrow(/Call start\(\) first/)
  await session.sendNotification('vendor/early')
  await session.start()
  expect(await session.sendRequest('vendor/x')).toEqual({})
  await session.close()
  await expect(session.sendRequest('vendor/x')).rejects.toMatchObject(CLOSED)
  await session.sendNotification('vendor/late')
  expect(server.sent.map(({ message }) => message['method'])).toEqual(['vendor/early', 'vendor/x'])
})

requirement('fault:F088:connects-again-at-the-end', async ({ connect, transport }) => {
  const server = serverWith(() => DONE)
  const onFault = () => {}
  const rounds = transport === 'http' || transport === 'fetch' ? 50 : 200
  for (let round = 0; round < rounds; round++) {
    const client = await connect(server, { onFault })
    expect(await client.callTool('run')).toMatchObject(DONE)
    await Promise.all([client.close(), client.close()])
  }
  await server.close()
})

requirement('close:client:peer-goes-away', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', () => undefined))
  const call = scripted.client.callTool('run')
  call.catch(() => {})
  await settle()
  scripted.server.hangUp()
  await expect(call).rejects.toMatchObject(CLOSED)
  await expect(scripted.client.callTool('run')).rejects.toMatchObject(CLOSED)
})

requirement('close:client:wedged-channel', async () => {
  vi.useFakeTimers()
  try {
    const server = new ScriptedServer().on('server/discover', discoverResult())
    const wedged: Channel = { ...server.channel, close: () => new Promise(() => {}) }
    const client = await Client.connect(wedged)
    let isClosed = false
    const closing = client.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closing
  } finally {
    vi.useRealTimers()
  }
})

requirement('close:client:others-go-on', async ({ connect }) => {
  const server = serverWith(() => DONE)
  const first = await connect(server)
  await using second = await connect(server)
  await first.close()
  expect(await second.callTool('run')).toMatchObject(DONE)
})

requirement('close:server:ends-connections', async ({ connect, transport }) => {
  const { handler, entered, aborted } = waitingTool()
  const server = serverWith(handler)
  await using client = await connect(server)
  const call = client.callTool('run').catch((error: unknown) => error)
  await entered
  await server.close()
  expect(await aborted).toBeInstanceOf(Error)
  expect(await call).toHaveProperty('code')
  // Where there is no connection, the next request finds the server closed.
  const next = expect(client.callTool('run')).rejects
  await (isByRequest(transport) ? next.toThrow() : next.toMatchObject(CLOSED))
})

requirement('close:server:answers-before-it-leaves', async ({ connect }) => {
  const { handler, entered } = waitingTool()
  const server = serverWith(handler)
  await using client = await connect(server)
  const call = client.callTool('run').catch((error: unknown) => error)
  await entered
  await server.close()
  expect(await call).toMatchObject({ code: -32603, local: false })
})

requirement('close:server:drains', async ({ connect, transport }) => {
  const { handler, entered, release } = waitingTool()
  const server = serverWith(handler)
  await using client = await connect(server)
  const call = client.callTool('run')
  await entered
  const closing = server.close({ drainMs: 60_000 })
  // A listener lets go of its port at once.
  const next = expect(client.callTool('run')).rejects
  const hasPort = transport === 'http' || transport === 'sse'
  await (hasPort ? next.toThrow() : next.toMatchObject({ code: -32603 }))
  release()
  expect(await call).toMatchObject(DONE)
  await closing
})

requirement('close:server:while-a-connection-opens', async ({ connect, isModern }) => {
  const gate = createDeferred()
  const entered = createDeferred()
  const ended = vi.fn()
  const lifespan = async () => {
    entered.resolve()
    await gate.promise
    return { close: ended }
  }
  const server = serverWith(() => DONE, { lifespan })
  // A client that may choose would try again with the other era, and that is another connection.
  const mode = isModern ? 'modern' : 'legacy'
  const connecting = connect(server, { mode, onFault: () => {} }).catch((error: unknown) => error)
  await entered.promise
  const closing = server.close()
  gate.resolve()
  await closing
  expect(await connecting).toBeInstanceOf(Error)
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
})

/** Whether each request is for itself, as over HTTP. */
function isByRequest(transport: string): boolean {
  return transport === 'http' || transport === 'fetch'
}

requirement('close:server:can-be-connected-again', async ({ connect }) => {
  const server = serverWith(() => text('again'))
  const first = await connect(server)
  await server.close()
  await first.close()
  await using second = await connect(server)
  expect(await second.callTool('run')).toMatchObject(text('again'))
})

requirement('close:connection:cleans-up', async ({ connect, isModern }) => {
  const order: unknown[] = []
  const log = new FaultLog()
  const cleaned = createDeferred()
  const server = serverWith(
    ({ connection }) => {
      connection.defer(() => cleaned.resolve())
      connection.defer(() => {
        order.push('first come')
        throw new Error('a cleanup may fail')
      })
      connection.defer(() => order.push('last come'))
      return DONE
    },
    { onFault: log.onFault },
  )
  const client = await connect(server)
  await client.callTool('run')
  expect(order).toEqual(isModern ? ['last come', 'first come'] : [])
  await client.close()
  await cleaned.promise
  expect(order).toEqual(['last come', 'first come'])
})
