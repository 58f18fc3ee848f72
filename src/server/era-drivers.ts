// How the messages of a connection reach the kernel: one driver for each era.
import type { Channel } from '../dispatcher/channel.ts'
import type { DispatchContext, OnNotify, OnRequest } from '../dispatcher/dispatcher.ts'
import type { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { PROTOCOL_VERSION_META_KEY } from '../types/protocol/meta.ts'
import { isModernVersion } from '../types/protocol/versions.ts'
import { type Envelope, metaOf } from '../wire/envelope.ts'
import { classifyModernRequest, hasModernEnvelope } from '../wire/inbound-era.ts'
import { hasBatches } from '../wire/revision-facts.ts'
import { ConnectionCore, type ConnectionOptions } from './connection.ts'
import { connectionOfRequest, createContext, type ServerRequestContext } from './context.ts'
import type { ServerCore } from './core.ts'
import { type Reach, StandaloneChannel, toNotifyOnly } from './outbound.ts'
import { handleNotification, handleRequest, runRequest } from './runner.ts'

/** How a connection's messages are handled, once its era is known. */
export interface Driver {
  readonly onRequest: OnRequest
  readonly onNotify: OnNotify
  close(): Promise<void>
}

/** The context of one modern request, with a connection of its own. */
export function openRequest(
  server: ServerCore,
  envelope: Envelope,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
  options?: ConnectionOptions,
): ServerRequestContext {
  return createContext(server, ConnectionCore.fromEnvelope(envelope, options), dispatch, method, params)
}

/** Handles one modern request, and ends its connection. */
export function serveRequest(
  request: ServerRequestContext,
  connection = connectionOfRequest(request),
): MaybePromise<JSONObject> {
  try {
    const outcome = runRequest(request)
    if (!(outcome instanceof Promise) && !connection.hasCleanups) return outcome
    return finishAfter(outcome, connection)
  } catch (error) {
    if (!connection.hasCleanups) throw error
    return finishAfter(Promise.reject(error), connection)
  }
}

/** Runs what handlers deferred to the end of the connection before the response is sent. */
function finishAfter(outcome: MaybePromise<JSONObject>, connection: ConnectionCore): Promise<JSONObject> {
  return Promise.resolve(outcome).then(
    (result) => (connection.hasCleanups ? connection.close().then(() => result) : result),
    (error: unknown) => {
      if (!connection.hasCleanups) throw error
      return connection.close().then(() => Promise.reject(error))
    },
  )
}

/** Serves modern requests: each stands for itself, with a connection of its own. */
export function createModernDriver(server: ServerCore, options: ConnectionOptions = {}): Driver {
  const { supportedVersions } = server
  const shared: ConnectionOptions = { peer: {}, onCleanupError: cleanupReporter(server), ...options }
  /** The revision of the latest request, for notifications that name none. */
  let spoken: string = supportedVersions.filter(isModernVersion).at(-1) ?? ''
  return {
    onRequest: (dispatch, method, params) => {
      // A legacy client learns which revisions the server has, so that it can show them to its user.
      if (method === 'initialize' && !hasModernEnvelope(params)) throw handshakeNotSupported(server, params)
      const classified = classifyModernRequest({ method, params }, { supportedVersions })
      if (!classified.ok) throw classified.error
      spoken = classified.route.protocolVersion
      const context = toNotifyOnly(dispatch)
      const connection = ConnectionCore.fromEnvelope(classified.route, shared)
      return serveRequest(createContext(server, connection, context, method, params), connection)
    },
    onNotify: (dispatch, method, params) => {
      const named = metaOf(params)?.[PROTOCOL_VERSION_META_KEY]
      const isServed = isModernVersion(named) && supportedVersions.includes(named)
      const envelope = { protocolVersion: isServed ? named : spoken, clientCapabilities: {} }
      const connection = ConnectionCore.fromEnvelope(envelope, shared)
      return handleNotification(server, connection, toNotifyOnly(dispatch), method, params)
    },
    close: async () => {},
  }
}

export interface LegacyDriver extends Driver {
  readonly connection: ConnectionCore
}

/** Where a legacy client is: the channel to it, and the dispatcher that reads and writes there. */
export interface LegacyWire {
  readonly channel: Channel
  readonly dispatcher: JSONRPCDispatcher
  /** Whether the client can be asked something that belongs to none of its requests (default: always). */
  readonly reach?: Reach
}

/** Serves one client of the legacy era, on every transport. Closing the driver closes the connection. */
export function createLegacyDriver(server: ServerCore, { channel, dispatcher, reach }: LegacyWire): LegacyDriver {
  const connection = ConnectionCore.awaitingHandshake({
    backChannel: new StandaloneChannel(dispatcher, reach),
    channel,
    onCleanupError: cleanupReporter(server),
  })
  connection.onEstablished((version) => {
    dispatcher.acceptsBatches = hasBatches(version)
  })
  const detach = server.subscriptions?.attach(connection)
  return {
    connection,
    onRequest: (dispatch, method, params) => {
      if (hasModernEnvelope(params) && method !== 'initialize') throw modernNotSupported(server, method, params)
      return handleRequest(server, connection, dispatch, method, params)
    },
    onNotify: (dispatch, method, params) => handleNotification(server, connection, dispatch, method, params),
    close: async () => {
      detach?.()
      await connection.close()
    },
  }
}

/** Whether there is any modern revision that this server speaks. */
export function servesModern(server: ServerCore): boolean {
  return server.supportedVersions.some(isModernVersion)
}

/** Reports a cleanup that a handler deferred and that failed. */
export function cleanupReporter(server: ServerCore): (error: unknown) => void {
  return (error) => server.faults.report({ kind: 'handler-failed', message: 'A cleanup of a connection failed', error })
}

function handshakeNotSupported(server: ServerCore, params: JSONObject | undefined): MCPError {
  const supportedVersions: readonly string[] = server.supportedVersions
  const requested = String(params?.['protocolVersion'] ?? '')
  const isTooLate = supportedVersions.includes(requested)
  const reason = 'Unsupported protocol version: this connection was opened with a modern request; it takes no handshake'
  return new UnsupportedProtocolVersionError(supportedVersions, requested, isTooLate ? reason : undefined)
}

/** A server without any modern revision names those it has, so that the client can go on with the handshake. */
function modernNotSupported(server: ServerCore, method: string, params: JSONObject | undefined): MCPError {
  const classified = classifyModernRequest({ method, params }, { supportedVersions: server.supportedVersions })
  if (!classified.ok && !servesModern(server)) return classified.error
  return new MCPError(
    ErrorCode.InvalidRequest,
    'This connection was opened with the handshake; it takes no modern requests',
  )
}
