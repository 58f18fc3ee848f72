// A client in the same process: the modern era calls the kernel directly, the handshake era runs the whole JSON-RPC loop.
import type { Channel, ConnectOptions, ReceiveHints, TransportContext } from '../dispatcher/channel.ts'
import { createDirectDispatcherPair } from '../dispatcher/direct-dispatcher.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../dispatcher/memory-channel.ts'
import { isPlainObject } from '../primitives/objects.ts'
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

async function connectByChannel(
  server: Server,
  { raiseExceptions = false, onFault }: ConnectOptions,
): Promise<Dispatcher> {
  const [here, there] = createMemoryChannelPair()
  const causes = new Map<unknown, unknown>()
  await server.connect(there, (fault) => {
    if (raiseExceptions && fault.kind === 'handler-failed') causes.set(fault.requestId, fault.error)
    server.faults.report(fault)
  })
  return new JSONRPCDispatcher(raiseExceptions ? withCauses(here, causes) : here, {
    holdTimeoutsWhileAnswering: true,
    ...(onFault !== undefined && { onFault }),
  })
}

/** A channel whose errors bring along what the handler threw, which no JSON could. */
function withCauses(channel: Channel, causes: Map<unknown, unknown>): Channel {
  const enrich = (message: unknown, hints: ReceiveHints | undefined): ReceiveHints | undefined => {
    const id = isPlainObject(message) ? message['id'] : undefined
    const cause = causes.get(id)
    return causes.delete(id) ? { ...hints, cause } : hints
  }
  return {
    start: (receiver) =>
      channel.start({
        message: (message, hints) => receiver.message(message, enrich(message, hints)),
        fault: (fault) => receiver.fault(fault),
        lost: (id, reason) => receiver.lost(id, reason),
        closed: (reason) => receiver.closed(reason),
      }),
    send: (message, hints) => channel.send(message, hints),
    close: () => channel.close(),
  }
}
