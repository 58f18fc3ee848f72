// What happens on 404 in a session. The server no longer knows the session and has not executed the request. The client repeats
// `initialize`, once for all requests that got the 404, and each of them is then sent again in the new session. This serves
// requests (http-call.ts), notifications and responses (streamable-channel.ts) and the standalone stream (standalone-stream.ts).
// A request that gets a second 404 fails; if `initialize` fails, so do the requests, and the next request tries again.
import type { Receiver } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosedError } from '../../dispatcher/error-policy.ts'
import { forgetAbort, limitTotalTime, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { JSONRPC_VERSION, type JSONRPCRequest } from '../../types/protocol/jsonrpc.ts'
import type { EraRules } from './era-rules.ts'
import { HttpCall } from './http-call.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { postOneWay } from './one-way-post.ts'

const INITIALIZE_TIMEOUT_MS = 60_000
const INITIALIZED = encodeMessage({ jsonrpc: JSONRPC_VERSION, method: 'notifications/initialized' })

/** Spec, Streamable HTTP: 404 is the response to a request in a session that has ended. Without a session it means what it says. */
export function isExpiredStatus(status: number | undefined, sessionId: string | undefined): boolean {
  return status === 404 && sessionId !== undefined
}

/** The connection that sessions are opened on. */
export interface SessionHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  /** Aborted when the channel closes. */
  readonly signal: AbortSignal
  /** Ends the connection. */
  fail(reason: Error): void
}

/** The session that may expire. */
export interface RenewableSession {
  state(): {
    readonly id: string | undefined
    readonly protocolVersion: string | undefined
    /** The request that opened the session; absent where it was adopted without one. */
    readonly initializeRequest: JSONRPCRequest | undefined
  }
  /** Takes the new id from the response to `initialize`. */
  readonly initializeRules: EraRules
  postHeaders(): RequestHeaders
  /** Goes back to the expired session. */
  restoreId(id: string | undefined): void
  /** The server knows that the client is ready. */
  opened(): void
}

export class SessionRenewal {
  readonly #host: SessionHost
  readonly #session: RenewableSession
  #running: Promise<void> | undefined

  constructor(host: SessionHost, session: RenewableSession) {
    this.#host = host
    this.#session = session
  }

  /** Settles with the renewal that is under way. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** `expiredId` is the session that the rejected request was sent in. */
  async renew(expiredId: string | undefined, reason: Error): Promise<void> {
    // The response to another request has already started the renewal, or completed it.
    if (expiredId === this.#session.state().id) {
      this.#running ??= this.#reinitialize(reason).finally(() => {
        this.#running = undefined
      })
    }
    await this.#running
  }

  async #reinitialize(reason: Error): Promise<void> {
    const { link, signal } = this.#host
    const { id, initializeRequest } = this.#session.state()
    if (initializeRequest === undefined) throw reason
    link.health.sessionExpired(reason)
    try {
      const result = await sendInitialize(this.#host, this.#session.initializeRules, initializeRequest)
      this.#assertSameRevision(result)
      const headers = this.#session.postHeaders()
      await postOneWay(link, { body: INITIALIZED, headers, what: "'notifications/initialized'", signal })
    } catch (error) {
      this.#session.restoreId(id)
      link.health.renewalFailed()
      throw error
    }
    link.health.sessionRenewed()
    this.#session.opened()
  }

  #assertSameRevision(result: JSONObject): void {
    const { protocolVersion } = this.#session.state()
    const found = result['protocolVersion']
    if (found === protocolVersion) return
    const error = new TransportError(
      `The server's new session has protocol revision ${String(found).slice(0, 32)} instead of ${protocolVersion}. Connect again.`,
    )
    this.#host.fail(error)
    throw error
  }
}

/** Resolves to the result. Retries while the server cannot be reached, as other requests that are safe to repeat. */
async function sendInitialize(host: SessionHost, rules: EraRules, message: JSONRPCRequest): Promise<JSONObject> {
  const result = createDeferred<JSONObject>()
  const overdue = () => new TransportError(`'initialize' got no response within ${INITIALIZE_TIMEOUT_MS} ms`)
  const { signal = host.signal, clear } = limitTotalTime(INITIALIZE_TIMEOUT_MS, host.signal, overdue)
  const receiver = interceptResult(host.receiver, result)
  const call = new HttpCall({ link: host.link, receiver, answered: () => {}, ended: () => {} }, rules, {
    message,
    body: encodeMessage(message),
    headers: {},
    hints: { isRepeatable: true },
  })
  const abort = () => {
    call.abort()
    result.reject(signal.reason instanceof TransportError ? signal.reason : connectionClosedError())
  }
  try {
    if (signal.aborted) throw connectionClosedError()
    listenForAbort(signal, abort)
    call.start()
    return await result.promise
  } finally {
    forgetAbort(signal, abort)
    clear()
  }
}

/** The response settles `result`; everything else goes to the receiver. */
function interceptResult(receiver: Receiver, { resolve, reject }: Deferred<JSONObject>): Receiver {
  return {
    message: (received, hints) => {
      if (!isPlainObject(received) || received['method'] !== undefined) return receiver.message(received, hints)
      if (isPlainObject(received['result'])) resolve(received['result'])
      else
        reject(new TransportError("The session has expired and the server rejected a new 'initialize'. Connect again."))
      return undefined
    },
    lost: (_id, reason) => reject(reason),
    fault: (fault) => receiver.fault(fault),
    closed: (reason) => receiver.closed(reason),
  }
}
