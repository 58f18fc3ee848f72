// Streamable HTTP up to 2025-11-25: a session that the server names, remembers, and may forget.
import type { Receiver, TransportContext } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import type { PostResponse } from '../../http/poster.ts'
import { forgetAbort, limitTotalTime, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { JSONRPC_VERSION, type JSONRPCRequest } from '../../types/protocol/jsonrpc.ts'
import { PROTOCOL_VERSION_HEADER, SESSION_ID_HEADER } from '../../wire/headers/headers.ts'
import type { Departure, EraRules } from './era-rules.ts'
import { HttpCall } from './http-call.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { postNotice } from './one-way-post.ts'
import { Backoff } from './retry.ts'
import { StandaloneStream } from './standalone-stream.ts'

const TIMEOUT_MS = 60_000

interface InnerCallHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly signal: AbortSignal
}

/** Sends the message and resolves to its result. Repeats it while the server cannot be reached, within the usual time. */
async function callOnce(host: InnerCallHost, rules: EraRules, message: JSONRPCRequest): Promise<JSONObject> {
  const answer = createDeferred<JSONObject>()
  const overdue = () => new TransportError(`'${message.method}' was not answered within ${TIMEOUT_MS} ms`)
  const { signal = host.signal, clear } = limitTotalTime(TIMEOUT_MS, host.signal, overdue)
  const call = new HttpCall(
    { link: host.link, receiver: intercept(host.receiver, answer), answered: () => {}, ended: () => {} },
    rules,
    { message, body: encodeMessage(message), headers: {}, hints: { isRepeatable: true } },
  )
  const giveUp = () => {
    call.abort()
    answer.reject(signal.reason instanceof TransportError ? signal.reason : connectionClosed())
  }
  try {
    if (signal.aborted) throw connectionClosed()
    listenForAbort(signal, giveUp)
    call.start()
    return await answer.promise
  } finally {
    forgetAbort(signal, giveUp)
    clear()
  }

  function intercept(receiver: Receiver, { resolve, reject }: typeof answer): Receiver {
    return {
      message: (received, hints) => {
        if (!isPlainObject(received) || received['method'] !== undefined) return receiver.message(received, hints)
        if (isPlainObject(received['result'])) resolve(received['result'])
        else reject(new TransportError(`The server refused '${message.method}' when it was sent again`))
        return undefined
      },
      lost: (_id, reason) => reject(reason),
      fault: (fault) => receiver.fault(fault),
      closed: (reason) => receiver.closed(reason),
    }
  }
}

const SESSION_ID = SESSION_ID_HEADER.toLowerCase()
const PROTOCOL_VERSION = PROTOCOL_VERSION_HEADER.toLowerCase()

/** Spec, Streamable HTTP: visible ASCII only. A header longer than this is no id. */
const VALID_SESSION_ID = /^[\x21-\x7e]{1,1024}$/

const NO_HEADERS: RequestHeaders = Object.freeze({})
const INITIALIZED = encodeMessage({ jsonrpc: JSONRPC_VERSION, method: 'notifications/initialized' })

/** One sending of a message, with the session that it was sent in. */
interface SessionDeparture extends Departure {
  readonly sessionId: string | undefined
}

export interface HandshakeHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  /** Aborted when the channel closes. */
  readonly signal: AbortSignal
  /** The connection cannot go on. */
  fail(reason: Error): void
}

export class HandshakeSession implements EraRules {
  readonly canResume = true
  readonly cancelsByClosing = false
  /** The rules of `initialize` itself, which belongs to no session and names the next one. */
  readonly opening: EraRules
  readonly #host: HandshakeHost
  readonly #backoff: Backoff
  #id: string | undefined
  #version: string | undefined
  #transport: TransportContext = { kind: 'streamable-http', canSendRequest: true }
  #initialize: JSONRPCRequest | undefined
  #standalone: StandaloneStream | undefined
  #renewing: Promise<void> | undefined
  /** Most messages leave with the same headers as the one before. */
  #lastDeparture: (SessionDeparture & { readonly mirrored: RequestHeaders }) | undefined

  constructor(host: HandshakeHost) {
    this.#host = host
    this.#backoff = new Backoff(host.link.policy)
    this.opening = this.#createOpening()
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Whether a handshake has been completed, or was taken for granted. */
  get isAgreed(): boolean {
    return this.#version !== undefined
  }

  get transport(): TransportContext {
    return this.#transport
  }

  /** A handshake begins; should the server forget us, it is repeated with the same words. */
  begin(initialize: JSONRPCRequest): void {
    this.#initialize = initialize
    this.#version = undefined
    this.#setId(undefined)
    this.#standalone?.stop()
  }

  /** The revision that a message of ours says was agreed on. */
  agreed(version: string): void {
    if (this.#version === version) return
    this.#version = version
    this.#lastDeparture = undefined
  }

  /** The server has heard that we are ready: from now on it may speak first. */
  opened(): void {
    this.#standalone?.stop()
    // Without a session there is nothing that such a stream could belong to.
    if (this.#id === undefined || this.#host.signal.aborted) return
    const { link, receiver } = this.#host
    const departure = this.depart(NO_HEADERS)
    this.#standalone = new StandaloneStream({
      link,
      receiver,
      transport: this.#transport,
      headers: this.rejoin(),
      backoff: this.#backoff,
      onForgotten: (reason) => this.renew(departure, reason),
    })
    this.#standalone.start()
  }

  ready(): Promise<void> | undefined {
    return this.#renewing
  }

  depart(mirrored: RequestHeaders): SessionDeparture {
    if (this.#lastDeparture?.mirrored !== mirrored) {
      const headers = { ...this.#host.link.postHeaders, ...this.#headers(), ...mirrored }
      this.#lastDeparture = { mirrored, sessionId: this.#id, headers }
    }
    return this.#lastDeparture
  }

  rejoin(): RequestHeaders {
    return { ...this.#host.link.streamHeaders, ...this.#headers() }
  }

  arrived(): void {}

  objection(): undefined {}

  /** Spec, Streamable HTTP: 404 is the answer to a session that has ended, and nothing was done. */
  isForgotten(status: number, departure: Departure): boolean {
    return status === 404 && (departure as SessionDeparture).sessionId !== undefined
  }

  renew(departure: Departure, reason: Error): Promise<void> {
    // Somebody else was refused before and has seen to it.
    if ((departure as SessionDeparture).sessionId !== this.#id) return this.#renewing ?? Promise.resolve()
    this.#renewing ??= this.#shakeHandsAgain(reason).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Ends what goes on in the background. The id is left for whoever tells the server. */
  stop(): void {
    this.#standalone?.stop()
  }

  async #shakeHandsAgain(reason: Error): Promise<void> {
    const { link, signal } = this.#host
    if (this.#initialize === undefined) throw reason
    link.health.sessionLost(reason)
    const before = this.#id
    try {
      const result = await callOnce(this.#host, this.opening, this.#initialize)
      this.#assertSameRevision(result)
      const { headers } = this.depart(NO_HEADERS)
      await postNotice(link, { body: INITIALIZED, headers, what: "'notifications/initialized'", signal })
    } catch (error) {
      // The next call is then refused as this one was, and the handshake is tried again.
      this.#setId(before)
      link.health.renewalFailed()
      throw error
    }
    link.health.sessionRenewed()
    this.opened()
  }

  #assertSameRevision(result: JSONObject): void {
    if (result['protocolVersion'] === this.#version) return
    const error = new TransportError(
      'The server came back with another protocol revision than the one agreed on; connect again',
    )
    this.#host.fail(error)
    throw error
  }

  #adopt(response: PostResponse): void {
    const id = response.header(SESSION_ID)
    if (id !== undefined && !VALID_SESSION_ID.test(id)) {
      throw new TransportError('The server named a session by an id that is too long or not visible ASCII', {
        status: response.status,
      })
    }
    this.#setId(id)
  }

  #setId(id: string | undefined): void {
    this.#id = id
    this.#lastDeparture = undefined
    const headers = id === undefined ? undefined : { [SESSION_ID]: id }
    this.#transport = { kind: 'streamable-http', canSendRequest: true, ...(headers && { headers }) }
  }

  #headers(): RequestHeaders {
    return {
      ...(this.#version !== undefined && { [PROTOCOL_VERSION]: this.#version }),
      ...(this.#id !== undefined && { [SESSION_ID]: this.#id }),
    }
  }

  #createOpening(): EraRules {
    const { link } = this.#host
    return {
      transport: this.#transport,
      canResume: true,
      cancelsByClosing: false,
      ready: () => undefined,
      depart: (mirrored) => ({ headers: { ...link.postHeaders, ...mirrored } }),
      rejoin: () => this.rejoin(),
      arrived: (response) => this.#adopt(response),
      objection: () => undefined,
      isForgotten: () => false,
      renew: () => Promise.reject(new Error('A handshake belongs to no session')),
    }
  }
}
