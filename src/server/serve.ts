// Serves a client over a channel: in the legacy era, or in the era that its first request settles.

import type { Channel } from '../dispatcher/channel.ts'
import type { CloseOptions, Dispatcher, OnNotify, OnRequest } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
import { isThenable } from '../primitives/async/promises.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import { classifyModernRequest, eraOf } from '../wire/inbound-era.ts'
import { requestsWith } from '../wire/method-rows.ts'
import type { ConnectionCore } from './connection.ts'
import type { ServerCore } from './core.ts'
import { createLegacyDriver, createModernDriver, type Driver, type LegacyDriver, servesModern } from './era-drivers.ts'
import type { Lease } from './lifespan/lifespan.ts'
import type { Reach } from './outbound.ts'

/** A connection being served. */
export interface ServedConnection extends AsyncDisposable {
  /** Resolves when the connection has ended and its handlers are done. */
  readonly ended: Promise<void>
  /** Ends the connection, after the requests that are being answered. Safe to call twice. */
  close(options?: CloseOptions): Promise<void>
}

/**
 * Serves one client whose first accepted request settles the era. Requests of the other era are rejected from then on. `onBegun`
 * is called as soon as the client may be answered.
 */
export async function serveChannel(
  server: ServerCore,
  channel: Channel,
  onFault?: OnFault,
  onBegun?: (served: ServedConnection) => void,
): Promise<ServedConnection> {
  const lease = await server.start()
  const dispatcher = createServerDispatcher(server, channel, onFault)
  const client = new UnsettledClient(server, channel, dispatcher)
  const running = dispatcher.run(
    (dispatch, method, params) => client.onRequest(dispatch, method, params),
    (dispatch, method, params) => client.onNotify(dispatch, method, params),
  )
  const ended = endAfter(running, async () => {
    await client.close()
    await giveBack(server, lease)
  })
  // Open subscriptions would last until the drain time is over, and clients kill a process that takes too long to end.
  const served = createServed(dispatcher, ended, () => server.endOpen(client.peer))
  // From here on a client is answered, so whoever closes the server closes this connection too.
  onBegun?.(served)
  const failure = await failureAtStart(running)
  if (failure === undefined) return served
  await ended.catch(() => {})
  throw failure.error
}

/** How many turns of the microtask queue an `async start()` of a channel takes to reject, with room to spare. */
const STARTING_TURNS = 16

/**
 * What the channel threw at its start, as one does that is in use. Nobody waits for a start that takes its time: some read until
 * the end of the connection in it.
 */
async function failureAtStart(running: Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  let failure: { readonly error: unknown } | undefined
  running.catch((error: unknown) => {
    failure = { error }
  })
  for (let turn = 0; turn < STARTING_TURNS && failure === undefined; turn += 1) await undefined
  return failure
}

export interface ServedLegacyClient {
  readonly connection: ConnectionCore
  readonly served: ServedConnection
  /** Whether a request of the server waits for the answer of the client. */
  readonly isAsking: boolean
}

/** Serves one client that is known to be of the legacy era. The caller keeps the server running meanwhile. */
export function serveLegacy(
  server: ServerCore,
  channel: Channel,
  reach?: Reach,
  mintId?: () => RequestId,
): ServedLegacyClient {
  const dispatcher = createServerDispatcher(server, channel, undefined, mintId)
  const driver = createLegacyDriver(server, { channel, dispatcher, ...(reach !== undefined && { reach }) })
  const ended = endAfter(dispatcher.run(driver.onRequest, driver.onNotify), () => driver.close())
  return {
    connection: driver.connection,
    served: createServed(dispatcher, ended),
    get isAsking() {
      return dispatcher.pendingCount > 0
    },
  }
}

const INLINE_METHODS = requestsWith('inline')
const URGENT_METHODS = requestsWith('urgent')

function createServerDispatcher(
  server: ServerCore,
  channel: Channel,
  onFault?: OnFault,
  mintId?: () => RequestId,
): JSONRPCDispatcher {
  return new JSONRPCDispatcher(channel, {
    ...(mintId !== undefined && { mintId }),
    inlineMethods: INLINE_METHODS,
    urgentMethods: URGENT_METHODS,
    onFault: onFault ?? ((fault) => server.faults.report(fault)),
  })
}

/** How many notifications are kept until the era is settled. */
const MAX_EARLY = 8

/** A client whose first accepted request chooses the era. */
class UnsettledClient {
  /** What the modern requests of this client share. */
  readonly peer = {}
  readonly #server: ServerCore
  readonly #channel: Channel
  readonly #dispatcher: JSONRPCDispatcher
  readonly #early: ((driver: Driver) => void)[] = []
  /** The driver of the settled era. */
  #settled: Driver | undefined
  #legacy: LegacyDriver | undefined
  #modern: Driver | undefined
  /** Nothing but `server/discover` has come. A client that did not wait for its answer may still start the handshake. */
  #isProbed = false

  constructor(server: ServerCore, channel: Channel, dispatcher: JSONRPCDispatcher) {
    this.#server = server
    this.#channel = channel
    this.#dispatcher = dispatcher
  }

  onRequest(...[dispatch, method, params]: Parameters<OnRequest>): ReturnType<OnRequest> {
    if (this.#isProbed) this.#goOnAfterDiscovery(method, params)
    const handle = this.#settled?.onRequest ?? this.#settleEra
    return handle(dispatch, method, params)
  }

  onNotify(...[dispatch, method, params]: Parameters<OnNotify>): ReturnType<OnNotify> {
    if (this.#settled !== undefined) return this.#settled.onNotify(dispatch, method, params)
    if (this.#early.length >= MAX_EARLY) return undefined
    return new Promise((resolve) => {
      this.#early.push(({ onNotify }) => resolve(onNotify(dispatch, method, params)))
    })
  }

  async close(): Promise<void> {
    await this.#legacy?.close()
  }

  #goOnAfterDiscovery(method: string, params: JSONObject | undefined): void {
    this.#isProbed = method === 'server/discover'
    if (method === 'initialize' && eraOf({ method, params }) === 'legacy') this.#settled = undefined
  }

  /** A rejected request settles nothing: the client may try the other era. */
  readonly #settleEra: OnRequest = (dispatch, method, params) => {
    const isModern = eraOf({ method, params }) === 'modern' && servesModern(this.#server)
    return isModern ? this.#tryModern(dispatch, method, params) : this.#tryLegacy(dispatch, method, params)
  }

  #tryModern(...[dispatch, method, params]: Parameters<OnRequest>): ReturnType<OnRequest> {
    this.#modern ??= createModernDriver(this.#server, { isStreamShared: true, peer: this.peer })
    // The envelope settles the era: the request itself may fail, or stay open as a subscription does.
    const { ok } = classifyModernRequest({ method, params }, { supportedVersions: this.#server.supportedVersions })
    if (ok) {
      this.#deliverEarly(this.#modern)
      this.#settled = this.#modern
    }
    this.#isProbed = ok && method === 'server/discover'
    return this.#modern.onRequest(dispatch, method, params)
  }

  #tryLegacy(...[dispatch, method, params]: Parameters<OnRequest>): ReturnType<OnRequest> {
    this.#legacy ??= createLegacyDriver(this.#server, { channel: this.#channel, dispatcher: this.#dispatcher })
    const driver = this.#legacy
    this.#deliverEarly(driver)
    const outcome = driver.onRequest(dispatch, method, params)
    if (!isThenable(outcome)) {
      this.#settled ??= driver
      return outcome
    }
    return outcome.then((result) => {
      this.#settled ??= driver
      return result
    })
  }

  #deliverEarly(driver: Driver): void {
    for (const deliver of this.#early.splice(0)) deliver(driver)
  }
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

/** Ends a lease. A lifespan that then fails to end is reported as a fault. */
export async function giveBack(server: ServerCore, lease: Lease): Promise<void> {
  try {
    await lease.release()
  } catch (error) {
    server.faults.report({ kind: 'handler-failed', message: 'The lifespan of the server failed to end', error })
  }
}

/** Cleans up when the connection has ended, however it did. */
export async function endAfter(running: Promise<void>, cleanUp: () => Promise<void>): Promise<void> {
  try {
    await running
  } finally {
    await cleanUp()
  }
}

/** Responses that are ready are sent by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
