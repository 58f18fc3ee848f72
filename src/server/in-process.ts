// A client in the same process: the modern era calls the kernel directly, the legacy era runs the whole JSON-RPC loop.

import type { ConnectOptions, TransportContext } from '../dispatcher/channel.ts'
import { createDirectDispatcherPair } from '../dispatcher/direct-dispatcher.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../dispatcher/memory-channel.ts'
import { requestsWith } from '../wire/method-rows.ts'
import type { ServerCore } from './core.ts'
import { createModernDriver, servesModern } from './era-drivers.ts'
import { createServed, endAfter, giveBack, type ServedConnection, serveChannel } from './serve.ts'

const MODERN_IN_PROCESS: TransportContext = Object.freeze({ kind: 'in-process', canSendRequest: false })
const RAISING_IN_PROCESS: TransportContext = Object.freeze({ ...MODERN_IN_PROCESS, raisesExceptions: true })

/** A connection within the process: the client's end of it, and what the server knows of it. */
export interface InProcessConnection {
  readonly caller: Dispatcher
  readonly served: ServedConnection
}

/** Direct calls are modern. A server with legacy revisions only is connected by a channel. */
export function connectInProcess(server: ServerCore, options: ConnectOptions = {}): Promise<InProcessConnection> {
  const isDirect = options.legacy !== true && servesModern(server)
  return isDirect ? connectDirectly(server, options) : connectByChannel(server, options)
}

async function connectDirectly(
  server: ServerCore,
  { raiseExceptions = false, onFault }: ConnectOptions,
): Promise<InProcessConnection> {
  const lease = await server.start()
  const [caller, callee] = createDirectDispatcherPair(onFault === undefined ? {} : { onFault }, {
    transport: raiseExceptions ? RAISING_IN_PROCESS : MODERN_IN_PROCESS,
    raiseExceptions,
    onFault: (fault) => server.faults.report(fault),
  })
  const driver = createModernDriver(server)
  const ended = endAfter(callee.run(driver.onRequest, driver.onNotify), () => giveBack(server, lease))
  return { caller, served: createServed(callee, ended) }
}

async function connectByChannel(
  server: ServerCore,
  { raiseExceptions = false, onFault }: ConnectOptions,
): Promise<InProcessConnection> {
  const [here, there] = createMemoryChannelPair({ raiseExceptions })
  const served = await serveChannel(server, there)
  const caller = new JSONRPCDispatcher(here, {
    holdTimeoutsWhileAnswering: true,
    urgentMethods: requestsWith('urgent'),
    ...(onFault !== undefined && { onFault }),
  })
  return { caller, served }
}
