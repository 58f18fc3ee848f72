// What docs/from-the-python-sdk.md says about the older engine, done as it says.
import { describe, expect, it } from 'vitest'
import { createMemoryChannelPair, type Fault } from '../../src/exports/dispatcher.ts'
import { MCPError } from '../../src/exports/index.ts'
import { type RequestHandler, Server } from '../../src/exports/server.ts'
import { RawPeer, settle } from '../support/peers.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** A server with one method of a vendor, and a client after the handshake, in the hands of the test. */
async function serve(handler: RequestHandler) {
  const faults: Fault[] = []
  const server = new Server('test', { onFault: (fault) => faults.push(fault) })
  server.setRequestHandler('vendor/work', handler)
  const [here, there] = createMemoryChannelPair()
  const served = await server.connect(there)
  const peer = new RawPeer(here)
  peer.send(INITIALIZE)
  await peer.next()
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const call = (id: string | number) => peer.send({ jsonrpc: '2.0', id, method: 'vendor/work' })
  return { peer, faults, call, [Symbol.asyncDispose]: () => served.close() }
}

describe('what a responder did', () => {
  it('is to return, which answers once', async () => {
    await using connected = await serve(() => ({ done: true }))
    connected.call(0)
    expect(await connected.peer.next()).toEqual({ jsonrpc: '2.0', id: 0, result: { done: true } })
    await settle()
    expect(connected.peer.unread).toBe(0)
  })

  it('is to throw, which answers once as well', async () => {
    await using connected = await serve(() => {
      throw new MCPError(-32099, 'not today', { until: 'tomorrow' })
    })
    connected.call(0)
    const error = { code: -32099, message: 'not today', data: { until: 'tomorrow' } }
    expect(await connected.peer.next()).toEqual({ jsonrpc: '2.0', id: 0, error })
    await settle()
    expect(connected.peer.unread).toBe(0)
  })

  it('is to look at the signal: a request that was cancelled gets no answer', async () => {
    let isAborted = false
    await using connected = await serve(({ signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          isAborted = true
          resolve({ late: true })
        })
      })
    })
    connected.call(0)
    await settle()
    connected.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    await settle()
    expect(isAborted).toBe(true)
    expect(connected.peer.unread).toBe(0)
  })
})

describe('what a response router did', () => {
  it.each([
    ['task-7-question', 'task-7-question'],
    [7, '7'],
  ])('is to send under an id of one’s own: the answer to %j comes back as %j', async (requestId, echoed) => {
    await using connected = await serve(async ({ dispatch }) => {
      const answer = await dispatch.sendRawRequest('vendor/question', { about: 'it' }, { requestId })
      return { answer }
    })
    connected.call(0)
    const question = { jsonrpc: '2.0', id: requestId, method: 'vendor/question', params: { about: 'it' } }
    expect(await connected.peer.next()).toMatchObject(question)
    connected.peer.send({ jsonrpc: '2.0', id: echoed, result: { yes: true } })
    expect(await connected.peer.next()).toEqual({ jsonrpc: '2.0', id: 0, result: { answer: { yes: true } } })
    expect(connected.faults).toEqual([])
  })

  it('is to catch, where the answer is an error', async () => {
    await using connected = await serve(async ({ dispatch }) => {
      const asking = dispatch.sendRawRequest('vendor/question', {}, { requestId: 'mine' })
      return asking.catch((error: MCPError) => ({ refused: error.code }))
    })
    connected.call(0)
    await connected.peer.next()
    connected.peer.send({ jsonrpc: '2.0', id: 'mine', error: { code: -32099, message: 'no' } })
    expect(await connected.peer.next()).toMatchObject({ id: 0, result: { refused: -32099 } })
  })
})

describe('raw messages and unknown answers', () => {
  it('are sent as they are, and what comes back to them is seen', async () => {
    const raw = { jsonrpc: '2.0', id: 'raw', method: 'vendor/raw', params: { as: 'it is' } } as const
    await using connected = await serve(async ({ connection }) => {
      await connection.sendRaw(raw)
      return {}
    })
    connected.call(0)
    expect(await connected.peer.next()).toEqual(raw)
    connected.peer.send({ jsonrpc: '2.0', id: 'raw', result: {} })
    connected.peer.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'unreadable' } })
    await settle()
    expect(connected.faults).toMatchObject([
      { kind: 'unmatched-response', requestId: 'raw' },
      { kind: 'peer-error', requestId: null },
    ])
  })
})
