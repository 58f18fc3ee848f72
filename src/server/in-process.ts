// A client in the same process: the modern era calls the kernel directly, the handshake era runs the whole JSON-RPC loop.
import type { ConnectOptions, TransportContext } from '../dispatcher/channel.ts'
import { createDirectDispatcherPair } from '../dispatcher/direct-dispatcher.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../dispatcher/memory-channel.ts'
import { createModernDriver, endAfter } from './serve.ts'
import type { Server } from './server.ts'

const MODERN_IN_PROCESS: TransportContext = Object.freeze({ kind: 'in-process', canSendRequest: false })

/** The client's end of a connection to this server. */
export function connectInProcess(server: Server, options: ConnectOptions = {}): Promise<Dispatcher> {
  return options.legacy === true ? connectByChannel(server, options) : connectDirectly(server, options)
}

async function connectDirectly(
  server: Server,
  { raiseExceptions = false, onFault }: ConnectOptions,
): Promise<Dispatcher> {
  const lease = await server.start()
  const [caller, callee] = createDirectDispatcherPair(onFault === undefined ? {} : { onFault }, {
    transport: MODERN_IN_PROCESS,
    raiseExceptions,
    onFault: (fault) => server.faults.report(fault),
  })
  const driver = createModernDriver(server)
  void endAfter(callee.run(driver.onRequest, driver.onNotify), () => lease.release())
  return caller
}

async function connectByChannel(server: Server, { onFault }: ConnectOptions): Promise<Dispatcher> {
  const [here, there] = createMemoryChannelPair()
  await server.connect(there)
  return new JSONRPCDispatcher(here, {
    holdTimeoutsWhileAnswering: true,
    ...(onFault !== undefined && { onFault }),
  })
}
