// A connection that knows its era from the start: the dispatcher, the connection and the driver of a legacy client.
import type { Channel, SendHints } from '../../../dispatcher/channel.ts'
import type { CallOptions, Outbound } from '../../../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../../dispatcher/jsonrpc-dispatcher.ts'
import { NoBackChannelError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { hasBatches } from '../../../wire/revision-facts.ts'
import { Connection } from '../../connection.ts'
import type { BackChannel } from '../../outbound.ts'
import { createHandshakeDriver, createServed, endAfter, type ServedConnection } from '../../serve.ts'
import type { Server } from '../../server.ts'

/** Whether a request that belongs to none of the client's could be read at all. */
interface Reach {
  readonly canReachClient: boolean
}

class StandaloneBackChannel implements BackChannel {
  readonly #outbound: Outbound
  readonly #reach: Reach

  constructor(outbound: Outbound, reach: Reach) {
    this.#outbound = outbound
    this.#reach = reach
  }

  get canSendRequest(): boolean {
    return this.#reach.canReachClient
  }

  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject> {
    // At once, rather than when the request has timed out with nobody listening.
    if (!this.canSendRequest) return Promise.reject(new NoBackChannelError(method))
    return this.#outbound.sendRawRequest(method, params, options)
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#outbound.notify(method, params, hints)
  }
}

export interface ServedHandshake {
  readonly connection: Connection
  readonly served: ServedConnection
}

export function serveHandshake(server: Server, channel: Channel, reach: Reach): ServedHandshake {
  const dispatcher = new JSONRPCDispatcher(channel, {
    inlineMethods: ['initialize'],
    urgentMethods: ['ping'],
    onFault: (fault) => server.faults.report(fault),
  })
  const connection = Connection.awaitingHandshake({
    backChannel: new StandaloneBackChannel(dispatcher, reach),
    channel,
    onCleanupError: (error) =>
      server.faults.report({ kind: 'handler-failed', message: 'A cleanup of a connection failed', error }),
  })
  connection.onEstablished((version) => {
    dispatcher.acceptsBatches = hasBatches(version)
  })
  const driver = createHandshakeDriver(server, connection)
  const ended = endAfter(dispatcher.run(driver.onRequest, driver.onNotify), () => driver.close())
  return { connection, served: createServed(dispatcher, ended) }
}
