// Streamable HTTP up to 2025-11-25: a session with an id that the server chooses, sent along with every request.
import type { TransportContext } from '../../dispatcher/channel.ts'
import type { PostResponse } from '../../http/poster.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { JSONRPCRequest } from '../../types/protocol/jsonrpc.ts'
import { PROTOCOL_VERSION_HEADER, SESSION_ID_HEADER } from '../../wire/headers/headers.ts'
import type { EraRules, SentRequest } from './era-rules.ts'
import type { RequestHeaders } from './http-link.ts'
import { Backoff } from './retry.ts'
import { isExpiredStatus, type SessionHost, SessionRenewal } from './session-expired.ts'
import { StandaloneStream } from './standalone-stream.ts'

const SESSION_ID = SESSION_ID_HEADER.toLowerCase()
const PROTOCOL_VERSION = PROTOCOL_VERSION_HEADER.toLowerCase()

/** Spec, Streamable HTTP: visible ASCII only. A longer header is rejected. */
const VALID_SESSION_ID = /^[\x21-\x7e]{1,1024}$/

const NO_HEADERS: RequestHeaders = Object.freeze({})

/** A POST, with the session that it was sent in. */
interface SessionRequest extends SentRequest {
  readonly sessionId: string | undefined
}

export class LegacySession implements EraRules {
  readonly canResume = true
  readonly cancelsByClosing = false
  /** The rules of `initialize` itself, which is sent in no session and opens the next one. */
  readonly initializeRules: EraRules
  readonly #host: SessionHost
  readonly #backoff: Backoff
  readonly #renewal: SessionRenewal
  #id: string | undefined
  #protocolVersion: string | undefined
  #transport: TransportContext = { kind: 'streamable-http', canSendRequest: true }
  #initializeRequest: JSONRPCRequest | undefined
  #standalone: StandaloneStream | undefined
  /** Most messages are sent with the same headers as the previous one. */
  #lastSent: (SessionRequest & { readonly mirrored: RequestHeaders }) | undefined

  constructor(host: SessionHost) {
    this.#host = host
    this.#backoff = new Backoff(host.link.policy)
    this.initializeRules = this.#createInitializeRules()
    this.#renewal = this.#createRenewal()
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Whether a handshake was completed, or the session was adopted without one. */
  get isNegotiated(): boolean {
    return this.#protocolVersion !== undefined
  }

  get transport(): TransportContext {
    return this.#transport
  }

  /** `initialize` is about to be sent. It is sent once more should the session expire. */
  begin(initialize: JSONRPCRequest): void {
    this.#initializeRequest = initialize
    this.#protocolVersion = undefined
    this.#setId(undefined)
    this.#standalone?.stop()
  }

  /** The revision that was negotiated, as the headers of a message name it. */
  negotiated(version: string): void {
    if (this.#protocolVersion === version) return
    this.#protocolVersion = version
    this.#lastSent = undefined
  }

  /** The server knows that the client is ready: it may now send messages of its own, on a stream that is opened here. */
  opened(): void {
    this.#standalone?.stop()
    // Spec, Streamable HTTP: the stream belongs to a session.
    if (this.#id === undefined || this.#host.signal.aborted) return
    const { link, receiver } = this.#host
    const sessionId = this.#id
    this.#standalone = new StandaloneStream({
      link,
      receiver,
      transport: this.#transport,
      headers: this.streamHeaders(),
      backoff: this.#backoff,
      onSessionExpired: (reason) => this.#renewal.renew(sessionId, reason),
    })
    this.#standalone.start()
  }

  whenReady(): Promise<void> | undefined {
    return this.#renewal.running
  }

  prepareSend(mirrored: RequestHeaders): SessionRequest {
    if (this.#lastSent?.mirrored !== mirrored) {
      const headers = { ...this.#host.link.postHeaders, ...this.#sessionHeaders(), ...mirrored }
      this.#lastSent = { mirrored, sessionId: this.#id, headers }
    }
    return this.#lastSent
  }

  streamHeaders(): RequestHeaders {
    return { ...this.#host.link.streamHeaders, ...this.#sessionHeaders() }
  }

  onResponse(): void {}

  findViolation(): undefined {}

  isSessionExpired(status: number | undefined, sent: SentRequest): boolean {
    return isExpiredStatus(status, (sent as SessionRequest).sessionId)
  }

  renewSession(sent: SentRequest, reason: Error): Promise<void> {
    return this.#renewal.renew((sent as SessionRequest).sessionId, reason)
  }

  /** Ends what runs in the background. The id stays, for the DELETE that ends the session on the server. */
  stop(): void {
    this.#standalone?.stop()
  }

  #adoptId(response: PostResponse): void {
    const id = response.header(SESSION_ID)
    if (id !== undefined && !VALID_SESSION_ID.test(id)) {
      throw new TransportError('The server sent an Mcp-Session-Id that is too long or not visible ASCII', {
        status: response.status,
      })
    }
    this.#setId(id)
  }

  #setId(id: string | undefined): void {
    this.#id = id
    this.#lastSent = undefined
    const headers = id === undefined ? undefined : { [SESSION_ID]: id }
    this.#transport = { kind: 'streamable-http', canSendRequest: true, ...(headers && { headers }) }
  }

  #sessionHeaders(): RequestHeaders {
    return {
      ...(this.#protocolVersion !== undefined && { [PROTOCOL_VERSION]: this.#protocolVersion }),
      ...(this.#id !== undefined && { [SESSION_ID]: this.#id }),
    }
  }

  #createInitializeRules(): EraRules {
    const { link } = this.#host
    return {
      transport: this.#transport,
      canResume: true,
      cancelsByClosing: false,
      whenReady: () => undefined,
      prepareSend: (mirrored) => ({ headers: { ...link.postHeaders, ...mirrored } }),
      streamHeaders: () => this.streamHeaders(),
      onResponse: (response) => this.#adoptId(response),
      findViolation: () => undefined,
      isSessionExpired: () => false,
      renewSession: (_sent, reason) => Promise.reject(reason),
    }
  }

  #createRenewal(): SessionRenewal {
    return new SessionRenewal(this.#host, {
      state: () => ({
        id: this.#id,
        protocolVersion: this.#protocolVersion,
        initializeRequest: this.#initializeRequest,
      }),
      initializeRules: this.initializeRules,
      postHeaders: () => this.prepareSend(NO_HEADERS).headers,
      restoreId: (id) => this.#setId(id),
      opened: () => this.opened(),
    })
  }
}
