// The drivers: how messages of a connection reach the kernel, in one era or the other.
import type { Channel } from '../dispatcher/channel.ts'
import type { CloseOptions, DispatchContext, Dispatcher, OnNotify, OnRequest } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import { isThenable } from '../primitives/async/thenable.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { isModernVersion, LATEST_MODERN_VERSION } from '../types/protocol/versions.ts'
import type { Envelope } from '../wire/envelope.ts'
import { classifyModernRequest, eraOf, hasModernEnvelope } from '../wire/inbound.ts'
import { hasBatches } from '../wire/revision-facts.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { MaybePromise } from './handlers.ts'
import type { Lease } from './lifespan.ts'
import { NotifyOnlyContext, standaloneChannel } from './outbound.ts'
import { handleNotification, handleRequest } from './runner.ts'
import type { Server } from './server.ts'

/** How a connection's messages are handled, once its era is known. */
export interface Driver {
  readonly onRequest: OnRequest
  readonly onNotify: OnNotify
  close(): Promise<void>
}

/** One modern request, from its envelope to its result. For custom hosts, HTTP and in process. */
export function serveOne(
  server: Server,
  envelope: Envelope,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
  options?: ConnectionOptions,
): MaybePromise<JSONObject> {
  const connection = Connection.fromEnvelope(envelope, options)
  try {
    const outcome = handleRequest(server, connection, dispatch, method, params)
    if (!(outcome instanceof Promise) && !connection.hasCleanups) return outcome
    return finishAfter(outcome, connection)
  } catch (error) {
    if (!connection.hasCleanups) throw error
    return finishAfter(Promise.reject(error), connection)
  }
}

/** What a handler deferred to the end of its connection happens before the answer leaves. */
function finishAfter(outcome: MaybePromise<JSONObject>, connection: Connection): Promise<JSONObject> {
  return Promise.resolve(outcome).then(
    (result) => (connection.hasCleanups ? connection.close().then(() => result) : result),
    (error: unknown) => {
      if (!connection.hasCleanups) throw error
      return connection.close().then(() => Promise.reject(error))
    },
  )
}

/** Serves modern requests: each stands for itself, with a connection of its own. */
export function createModernDriver(server: Server, options: ConnectionOptions = {}): Driver {
  const supported = { supportedVersions: server.supportedVersions }
  const shared: ConnectionOptions = { peer: {}, onCleanupError: cleanupReporter(server), ...options }
  return {
    onRequest: (dispatch, method, params) => {
      // A client of the other era must learn what we speak: it has no other way to tell its user.
      if (method === 'initialize' && !hasModernEnvelope(params)) throw refuseHandshake(server, params)
      const classified = classifyModernRequest({ method, params }, supported)
      if (!classified.ok) throw classified.error
      return serveOne(server, classified.route, new NotifyOnlyContext(dispatch), method, params, shared)
    },
    onNotify: (dispatch, method, params) => {
      const envelope = { protocolVersion: LATEST_MODERN_VERSION, clientCapabilities: {} }
      const connection = Connection.fromEnvelope(envelope, shared)
      return handleNotification(server, connection, new NotifyOnlyContext(dispatch), method, params)
    },
    close: async () => {},
  }
}

/** Serves one client of the legacy era. */
export function createHandshakeDriver(server: Server, connection: Connection): Driver {
  const detach = server.subscriptions?.attach(connection)
  return {
    onRequest: (dispatch, method, params) => {
      if (hasModernEnvelope(params) && method !== 'initialize') throw refuseModern(server, method, params)
      return handleRequest(server, connection, dispatch, method, params)
    },
    onNotify: (dispatch, method, params) => handleNotification(server, connection, dispatch, method, params),
    close: async () => {
      detach?.()
      await connection.close()
    },
  }
}

/** A connection being served. */
export interface ServedConnection extends AsyncDisposable {
  readonly ended: Promise<void>
  close(options?: CloseOptions): Promise<void>
}

/** How many notifications are kept until the era is settled. */
const MAX_EARLY = 8

/** Serves one client whose era is settled by the first request that is accepted; crossing over later is refused. */
export async function serveChannel(
  server: Server,
  channel: Channel,
  onFault: OnFault = (fault) => server.faults.report(fault),
): Promise<ServedConnection> {
  const lease = await server.start()
  const dispatcher = new JSONRPCDispatcher(channel, {
    inlineMethods: ['initialize'],
    urgentMethods: ['ping'],
    onFault,
  })
  const early: ((driver: Driver) => void)[] = []
  let driver: Driver | undefined
  const peer = {}

  let legacy: Driver | undefined
  let modern: Driver | undefined
  /** Discovery is all that came. A client that waited for its answer in vain goes on with the handshake: both have come. */
  let isProbed = false

  const hand = (candidate: Driver): Driver => {
    for (const deliver of early.splice(0)) deliver(candidate)
    return candidate
  }
  /** A request that was refused has opened nothing: whoever probes in the wrong era may go on in the other. */
  const probe: OnRequest = (dispatch, method, params) => {
    if (eraOf({ method, params }) === 'modern' && servesModern(server)) {
      modern ??= createModernDriver(server, { isStreamShared: true, peer })
      // It is the envelope that is accepted: what the request asks for may fail, or take as long as a subscription.
      const { ok } = classifyModernRequest({ method, params }, { supportedVersions: server.supportedVersions })
      if (ok) driver = hand(modern)
      isProbed = ok && method === 'server/discover'
      return modern.onRequest(dispatch, method, params)
    }
    legacy ??= createLegacyDriver()
    const candidate = hand(legacy)
    const outcome = candidate.onRequest(dispatch, method, params)
    if (!isThenable(outcome)) {
      driver ??= candidate
      return outcome
    }
    return outcome.then((result) => {
      driver ??= candidate
      return result
    })
  }
  const createLegacyDriver = (): Driver => {
    const connection = Connection.awaitingHandshake({
      backChannel: standaloneChannel(dispatcher),
      channel,
      onCleanupError: cleanupReporter(server),
    })
    connection.onEstablished((version) => {
      dispatcher.acceptsBatches = hasBatches(version)
    })
    return createHandshakeDriver(server, connection)
  }

  const takeAfterDiscovery: OnRequest = (dispatch, method, params) => {
    isProbed = method === 'server/discover'
    if (method === 'initialize' && eraOf({ method, params }) === 'legacy') driver = undefined
    return (driver?.onRequest ?? probe)(dispatch, method, params)
  }

  const running = dispatcher.run(
    (dispatch, method, params) =>
      (isProbed ? takeAfterDiscovery : (driver?.onRequest ?? probe))(dispatch, method, params),
    (dispatch, method, params) => {
      if (driver !== undefined) return driver.onNotify(dispatch, method, params)
      if (early.length >= MAX_EARLY) return undefined
      return new Promise((resolve) => {
        early.push(({ onNotify }) => resolve(onNotify(dispatch, method, params)))
      })
    },
  )
  const ended = endAfter(running, async () => {
    await legacy?.close()
    await giveBack(server, lease)
  })
  // They would stay open until the time to drain is over, and a client that waits for the end would end the process by force.
  return createServed(dispatcher, ended, () => server.subscriptions?.close(peer))
}

/** A connection whose messages come through this dispatcher. */
export function createServed(
  dispatcher: Dispatcher,
  ended: Promise<void>,
  endSubscriptions?: () => Promise<unknown> | undefined,
): ServedConnection {
  ended.catch(() => {})
  const close = async (options?: CloseOptions) => {
    if ((options?.drainMs ?? 0) > 0) void endSubscriptions?.()
    await dispatcher.close(options)
    await ended.catch(() => {})
  }
  return { ended, close, [Symbol.asyncDispose]: () => close() }
}

/** Ends a lease. When the lifespan then fails to end, nobody waits for it but the author. */
export async function giveBack(server: Server, lease: Lease): Promise<void> {
  try {
    await lease.release()
  } catch (error) {
    server.faults.report({ kind: 'handler-failed', message: 'The lifespan of the server failed to end', error })
  }
}

/** Whether there is any modern revision that this server speaks. */
export function servesModern(server: Server): boolean {
  return server.supportedVersions.some(isModernVersion)
}

/** Cleans up when the connection has ended, however it did. */
export async function endAfter(running: Promise<void>, cleanUp: () => Promise<void>): Promise<void> {
  try {
    await running
  } finally {
    await cleanUp()
  }
}

function cleanupReporter(server: Server): (error: unknown) => void {
  return (error) => server.faults.report({ kind: 'handler-failed', message: 'A cleanup of a connection failed', error })
}

function refuseHandshake(server: Server, params: JSONObject | undefined): MCPError {
  const requested = params?.['protocolVersion']
  return new UnsupportedProtocolVersionError(server.supportedVersions, typeof requested === 'string' ? requested : '')
}

/** A server without any modern revision names those it has, so that the client can go on with the handshake. */
function refuseModern(server: Server, method: string, params: JSONObject | undefined): MCPError {
  const classified = classifyModernRequest({ method, params }, { supportedVersions: server.supportedVersions })
  if (!classified.ok && !servesModern(server)) return classified.error
  return new MCPError(
    ErrorCode.InvalidRequest,
    'This connection was opened with the handshake; it takes no modern requests',
  )
}
