// Calls of a server's own handlers without any client, for unit tests: no wire, no middleware, no stamps on the result.
import { InboundContext } from '../dispatcher/context.ts'
import { forgetAbort, listenForAbort } from '../primitives/abort.ts'
import { Connection } from '../server/connection.ts'
import { ServerRequestContext } from '../server/context.ts'
import { NO_BACK_CHANNEL } from '../server/outbound.ts'
import type { Server } from '../server/server.ts'
import type { AuthInfo } from '../types/auth.ts'
import type { MetaObject } from '../types/meta.ts'
import type { ClientRequestParamsByMethod, ClientRequestResultByMethod } from '../types/method-maps.ts'
import { LATEST_MODERN_VERSION } from '../types/versions.ts'

export interface DirectCallOptions {
  signal?: AbortSignal
  /** Who the caller is taken for. */
  auth?: AuthInfo
  meta?: MetaObject
}

/**
 * Answers as to a client of the newest revision that can do nothing but call: a handler that asks gets
 * `MissingClientCapabilityError`. What a handler throws comes out as it would go to the client.
 */
export async function callDirectly<Method extends keyof ClientRequestParamsByMethod>(
  server: Server,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  { signal, auth, meta }: DirectCallOptions = {},
): Promise<ClientRequestResultByMethod[Method]> {
  const handler = server.requestHandler(method)
  if (handler === undefined) throw new Error(`Nothing is registered that answers '${method}'`)
  const given = { ...params, ...(meta !== undefined && { _meta: meta }) }
  const transport = { kind: 'direct', canSendRequest: false, ...(auth !== undefined && { auth }) }
  const dispatch = new InboundContext(NO_BACK_CHANNEL, transport, 'direct', given)
  const connection = Connection.fromEnvelope({ protocolVersion: LATEST_MODERN_VERSION, clientCapabilities: {} })
  const abort = () => dispatch.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  else if (signal !== undefined) listenForAbort(signal, abort)
  const lease = await server.start()
  try {
    const request = new ServerRequestContext(server, connection, dispatch, method, given)
    return (await handler(request, given)) as ClientRequestResultByMethod[Method]
  } finally {
    if (signal !== undefined) forgetAbort(signal, abort)
    await connection.close()
    await lease.release()
  }
}
