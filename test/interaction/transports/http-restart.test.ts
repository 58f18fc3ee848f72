// A server that is restarted under load: what only looks is never lost, what does something is never done twice.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ServerEvent } from '../../../src/client/subscriptions/server-events.ts'
import type { Subscription } from '../../../src/client/subscriptions/subscription.ts'
import { streamableHttp } from '../../../src/client/transports/streamable-http.ts'
import type { ConnectionEvent } from '../../../src/dispatcher/channel.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../src/node/http/to-node-handler.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../src/server/http/handler.ts'

const RESTARTS = 50
const LOOKERS = 6
const DOERS = 3

/** A server that loses everything when it stops: connections, sessions, and whatever was being worked on. */
class Restartable {
  /** How often each order was carried out, over all lives of the server. */
  readonly executed = new Map<string, number>()
  #port = 0
  #stop: () => Promise<void> = async () => {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`
  }

  async start(): Promise<void> {
    const handler = createHandler(this.#define())
    const http = createServer(toNodeHandler(handler))
    await new Promise<void>((resolve) => http.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (http.address() as AddressInfo).port
    this.#stop = async () => {
      const closed = createDeferred()
      http.close(() => closed.resolve())
      http.closeAllConnections()
      await closed.promise
      await handler.close({ drainMs: 0 })
    }
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  #define(): MCPServer {
    const server = new MCPServer('restartable')
    const input = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } as const
    server.tool('carry-out', { input }, async ({ order }) => {
      this.executed.set(order, (this.executed.get(order) ?? 0) + 1)
      await new Promise((resolve) => setImmediate(resolve))
      return order
    })
    server.resource('note://today', () => 'a note')
    return server
  }
}

/** Events as they come, for whoever waits for the next one of a kind. */
class EventLog {
  readonly seen: ConnectionEvent['type'][] = []
  readonly #waiting: { type: string; resolve(): void }[] = []

  readonly add = ({ type }: ConnectionEvent): void => {
    this.seen.push(type)
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.type === type) waiting.resolve()
      else this.#waiting.push(waiting)
    }
  }

  next(type: ConnectionEvent['type']): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ type, resolve }))
  }
}

it.each(['auto', 'legacy'] as const)(
  'R50 F157 a server restarted 50 times under load, mode %s',
  async (mode) => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const server = new Restartable()
    await server.start()
    onTestFinished(() => server.stop())
    const log = new EventLog()
    const reconnect = { initialDelayMs: 2, maxDelayMs: 20, deadlineMs: 60_000 }
    const client = await Client.connect(streamableHttp(server.url, { reconnect }), {
      mode,
      cache: false,
      onConnection: log.add,
    })
    onTestFinished(() => client.close())
    const watching =
      mode === 'auto' ? watch(await client.listen({ resourceSubscriptions: ['note://today'] })) : undefined

    let isOver = false
    let looks = 0
    let enough: { looks: number; resolve(): void } | undefined
    const untilLooked = (times: number) =>
      new Promise<void>((resolve) => {
        enough = { looks: looks + times, resolve }
      })
    const look = async (): Promise<void> => {
      while (!isOver) {
        await Promise.all([client.listTools(), client.readResource('note://today')])
        looks += 2
        if (enough !== undefined && looks >= enough.looks) enough.resolve()
      }
    }
    const orders = new Map<string, 'done' | 'failed'>()
    const order = async (doer: number): Promise<void> => {
      for (let n = 0; !isOver; n += 1) {
        const name = `${doer}-${n}`
        const outcome = await client.callTool('carry-out', { order: name }).then(
          () => 'done' as const,
          () => 'failed' as const,
        )
        orders.set(name, outcome)
        // A call that is refused fails at once, and the next one with it.
        if (outcome === 'failed') await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const load = [...Array.from({ length: LOOKERS }, look), ...Array.from({ length: DOERS }, (_, doer) => order(doer))]
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const degraded = log.next('degraded')
      await server.stop()
      await degraded
      const recovered = log.next('recovered')
      await server.start()
      await recovered
      await untilLooked(2 * LOOKERS)
    }
    isOver = true
    await Promise.all(load)

    // Nobody who only looked has noticed anything: a failure would have rejected `load`.
    expect(looks).toBeGreaterThanOrEqual(RESTARTS * 2 * LOOKERS)
    for (const [name, outcome] of orders) {
      const times = server.executed.get(name) ?? 0
      expect(times, `${name} ${outcome}`).toBeLessThanOrEqual(1)
      if (outcome === 'done') expect(times, name).toBe(1)
    }
    expect([...orders.values()]).toContain('done')
    expect(log.seen.filter((type) => type === 'degraded').length).toBeGreaterThanOrEqual(RESTARTS)
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
    if (watching !== undefined) {
      expect(watching.subscription.isClosed).toBe(false)
      expect(await watching.first).toMatchObject({ type: 'resourceUpdated', isPresumed: true })
    }
  },
  120_000,
)

/** Reads a subscription for as long as it lasts. */
function watch(subscription: Subscription): { subscription: Subscription; first: Promise<ServerEvent> } {
  const first = createDeferred<ServerEvent>()
  void (async () => {
    for await (const event of subscription) first.resolve(event)
  })().catch(first.reject)
  first.promise.catch(() => {})
  return { subscription, first: first.promise }
}
