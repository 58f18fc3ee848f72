// Backends on a test NATS, and a faulty network before it.
import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Backend } from '../../../src/backend/backend.ts'
import { FaultyProxy } from '../faulty-proxy.ts'

/** Far above what anything takes on a busy machine. */
export const PATIENT = { timeoutMs: 20_000 }

/** NATS takes 1 MiB with everything that belongs to a message. */
export const MAX_VALUE_BYTES = 1_000_000

export function freshNamespace(): string {
  return randomBytes(8).toString('hex')
}

export interface NatsProxy extends FaultyProxy {
  readonly tcpUrl: string
  /** Where new connections go, after a restart of NATS. */
  leadTo(url: string): void
}

/** The library of NATS knows no unix sockets, so that a TCP port leads to that of the proxy. */
export async function startNatsProxy(url: string): Promise<NatsProxy> {
  const target = { host: '127.0.0.1', port: Number(new URL(url).port) }
  const proxy = await new FaultyProxy(target).start()
  const sockets = new Set<Socket>()
  const front = createServer((client) => {
    const inner = connect(proxy.path)
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const close = proxy.close.bind(proxy)
  return Object.assign(proxy, {
    tcpUrl: `nats://127.0.0.1:${(front.address() as AddressInfo).port}`,
    leadTo: (next: string) => {
      target.port = Number(new URL(next).port)
    },
    close: async () => {
      const ended = new Promise((resolve) => front.close(resolve))
      for (const socket of sockets) socket.destroy()
      await close()
      await ended
    },
  })
}

export type BackendWithTasks = Backend & { readonly tasks: NonNullable<Backend['tasks']> }

export function withTasks(backend: Backend): BackendWithTasks {
  return backend as BackendWithTasks
}
