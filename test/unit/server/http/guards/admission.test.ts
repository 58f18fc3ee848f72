import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../../../src/server/http/handler.ts'
import { Server } from '../../../../../src/server/server.ts'
import { FakeExchange, type FakeRequest } from '../../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../../support/modern-messages.ts'

const MIB = 1024 * 1024
const VERSION = '2026-07-28'

/** A server with a tool that waits until it is let go, and the number of calls that have reached it. */
function waitingServer(count: number) {
  const release = createDeferred()
  const reached = createDeferred()
  let calls = 0
  const server = new MCPServer('busy')
  server.tool('wait', { input: { type: 'object' } }, async () => {
    calls += 1
    if (calls === count) reached.resolve()
    await release.promise
    return 'done'
  })
  server.tool('quick', {}, () => 'done')
  return { server, release, reached: reached.promise }
}

function callOf(name: string, more: FakeRequest & { arguments?: object } = {}): FakeExchange {
  const request = { params: { name, arguments: more.arguments ?? {} } }
  return new FakeExchange({
    body: modernBody(request),
    ...more,
    headers: { ...modernHeaders(request), ...more.headers },
  })
}

const user = (subject: string) => ({ clientId: 'app', scopes: [], subject })

describe('a body without Content-Length', () => {
  it('F222 weighs as much as it may while it arrives, and what it has once it is there', async () => {
    const { server, release, reached } = waitingServer(100)
    const handler = createHandler(server, { maxBytesInFlight: 8 * MIB, maxBytesInFlightPerPrincipal: 8 * MIB })
    await handler.start()
    const waiting = Array.from({ length: 100 }, (_, n) => callOf('wait', n % 2 === 0 ? {} : { auth: user('one') }))
    for (const exchange of waiting) await Promise.race([handler(exchange), Promise.resolve()])
    const arriving = [callOf('quick'), callOf('quick'), callOf('quick')]
    for (const exchange of arriving) exchange.bytes = () => new Promise(() => {})
    await reached
    for (const exchange of arriving) void handler(exchange)
    expect(arriving.map(({ status }) => status)).toEqual([undefined, undefined, 503])
    release.resolve()
    await Promise.all(waiting.map(({ answered }) => answered))
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([200]))
    await handler.close({ drainMs: 0 })
  })

  it('F222 holds its true size while its call runs, and frees all of it', async () => {
    const { server, release, reached } = waitingServer(1)
    const handler = createHandler(server, { maxBytesInFlight: 4 * MIB })
    const large = callOf('wait', { arguments: { text: 'x'.repeat(MIB) } })
    const working = handler(large)
    await reached
    const next = () => callOf('quick')
    const refused = next()
    await handler(refused)
    expect(refused.status).toBe(503)
    release.resolve()
    await working
    for (let n = 0; n < 3; n++) {
      const served = next()
      await handler(served)
      expect(served.status).toBe(200)
    }
  })

  it('F222 is measured where a framework has parsed it', async () => {
    const { server, release, reached } = waitingServer(3)
    const handler = createHandler(server, { maxBytesInFlight: 4 * MIB })
    for (let n = 0; n < 3; n++) {
      const exchange = callOf('wait')
      const parsed = modernBody({ params: { name: 'wait', arguments: {} } })
      Object.defineProperty(exchange, 'parsedBody', { value: parsed })
      void handler(exchange)
      await Promise.resolve()
    }
    await reached
    release.resolve()
    await handler.close()
  })
})

describe('handlers of modern notifications', () => {
  function floodedServer() {
    const faults: Fault[] = []
    const release = createDeferred()
    const signals: AbortSignal[] = []
    const server = new Server('flooded', { onFault: (fault) => faults.push(fault) })
    server.setNotificationHandler('vendor/flood', ({ signal }) => {
      signals.push(signal)
      return release.promise
    })
    return { server, release, faults, signals }
  }

  function notice(more: FakeRequest = {}): FakeExchange {
    return new FakeExchange({
      body: { jsonrpc: '2.0', method: 'vendor/flood' },
      ...more,
      headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'vendor/flood' },
    })
  }

  it('F085 are bounded in number, further ones are rejected and reported, and ended ones no longer count', async () => {
    const { server, release, faults, signals } = floodedServer()
    const handler = createHandler(server, { maxNotificationHandlers: 5 })
    const flood = Array.from({ length: 8 }, () => notice())
    for (const exchange of flood) await handler(exchange)
    expect(flood.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 503, 503, 503])
    expect(signals).toHaveLength(5)
    expect(faults.map(({ kind }) => kind)).toEqual(['overflow', 'overflow', 'overflow'])
    release.resolve()
    await new Promise(setImmediate)
    const later = notice()
    await handler(later)
    expect(later.status).toBe(202)
  })

  it('F085 of one principal leave room for the others', async () => {
    const { server } = floodedServer()
    const handler = createHandler(server, { maxNotificationHandlersPerPrincipal: 1 })
    const flood = ['greedy', 'greedy', 'other'].map((subject) => notice({ auth: user(subject) }))
    for (const exchange of flood) await handler(exchange)
    expect(flood.map(({ status }) => status)).toEqual([202, 503, 202])
  })

  it('are aborted when the handler closes', async () => {
    const { server, signals } = floodedServer()
    const handler = createHandler(server)
    await handler(notice())
    await handler.close({ drainMs: 0 })
    expect(signals[0]?.reason).toMatchObject({ name: 'AbortError' })
  })

  it('F085 of the legacy era without sessions are bounded, too', async () => {
    const { server, faults, signals } = floodedServer()
    const handler = createHandler(server, { sessions: false })
    for (let n = 0; n < 1_030; n++) {
      const exchange = new FakeExchange({ body: { jsonrpc: '2.0', method: 'vendor/flood' } })
      await handler(exchange)
      expect(exchange.status).toBe(202)
    }
    expect(signals).toHaveLength(1_024)
    expect(faults.map(({ kind }) => kind)).toEqual(Array(6).fill('overflow'))
  })
})
