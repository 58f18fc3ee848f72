// A connection that knows its era from the start: the dispatcher, the connection and the driver of a legacy client.
import type { Channel } from '../../dispatcher/channel.ts'
import { JSONRPCDispatcher } from '../../dispatcher/jsonrpc-dispatcher.ts'
import { hasBatches } from '../../wire/batches.ts'
import { Connection } from '../connection.ts'
import { createHandshakeDriver, createServed, endAfter, type ServedConnection } from '../serve.ts'
import type { Server } from '../server.ts'
import { type Reach, StandaloneBackChannel } from './standalone-back-channel.ts'

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
