// One request over HTTP: sent, answered on its own HTTP response, and sent again where retry.ts and session-expired.ts allow it.
import type { Receiver, SendHints } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosedError } from '../../dispatcher/error-policy.ts'
import { isRequestId } from '../../dispatcher/request-id.ts'
import { Canceller, type PostResponse } from '../../http/poster.ts'
import { readRetryAfter } from '../../http/retry-after.ts'
import { pause } from '../../primitives/async/abort.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONRPCRequest, RequestId } from '../../types/protocol/jsonrpc.ts'
import type { EraRules, PendingRequest, SentRequest } from './era-rules.ts'
import { errorFromResponse } from './http-errors.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { ResponseReader } from './response-reader.ts'
import { EventCursor } from './resume.ts'
import { isBusy, isSafeMethod, isTransient, nextRequestDelay, type RetryableFailure } from './retry.ts'

const TOO_LARGE = 413
const ABORTED = new Error('The caller no longer waits for this request')

export interface CallHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  /** The JSON-RPC response has arrived; its stream may stay open for a moment. */
  answered(call: HttpCall): void
  /** Nothing is open any more. */
  ended(call: HttpCall): void
}

export interface CallRequest {
  readonly message: JSONRPCRequest
  readonly body: string
  /** Those that mirror the message. */
  readonly headers: RequestHeaders
  readonly hints: SendHints | undefined
  /** Settles when earlier notifications have arrived, which have to arrive first. Never rejects. */
  readonly after?: Promise<unknown> | undefined
}

export class HttpCall implements PendingRequest {
  readonly id: RequestId
  readonly rules: EraRules
  wireId: RequestId
  readonly #host: CallHost
  readonly #request: CallRequest
  readonly #reader: ResponseReader
  readonly #canceller = new Canceller()
  readonly #startedAt = monotonicNow()
  #controller: AbortController | undefined
  #body: string
  #wasSessionRenewed = false
  #retries = 0

  constructor(host: CallHost, rules: EraRules, request: CallRequest) {
    this.#host = host
    this.rules = rules
    this.#request = request
    this.#body = request.body
    this.id = request.message.id
    this.wireId = this.id
    this.#reader = new ResponseReader({
      link: host.link,
      receiver: host.receiver,
      rules,
      request: this,
      hints: request.hints,
      signal: () => this.#signal,
      onAnswered: () => host.answered(this),
      onLinger: () => this.abort(),
    })
  }

  get method(): string {
    return this.#request.message.method
  }

  get progressToken(): RequestId | undefined {
    const meta = this.#request.message.params?.['_meta']
    const token = isPlainObject(meta) ? meta['progressToken'] : undefined
    return isRequestId(token) ? token : undefined
  }

  start(): void {
    void this.#run()
  }

  /** The caller no longer waits: closes what is open and retries nothing. */
  abort(): void {
    this.#canceller.cancel(ABORTED)
    this.#controller?.abort(ABORTED)
  }

  /** For what a canceller cannot stop. Created on first use, because most calls never need it. */
  get #signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#canceller.isCancelled) this.#controller.abort(ABORTED)
    return this.#controller.signal
  }

  /** The call's timeout pauses while the user logs in. */
  readonly #hold = (): (() => void) => this.#host.receiver.hold?.(this.id) ?? (() => {})

  async #run(): Promise<void> {
    const { after, hints } = this.#request
    const token = this.rules.canResume ? hints?.resumptionToken : undefined
    try {
      if (after !== undefined) await after
      let failure = token === undefined ? await this.#attempt() : await this.#reader.resume(new EventCursor(token))
      while (failure !== undefined) {
        await this.#prepareRetry(failure)
        failure = await this.#attempt()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#reader.stop()
      this.#host.ended(this)
    }
  }

  async #attempt(): Promise<RetryableFailure | undefined> {
    const { link } = this.#host
    const ready = this.rules.whenReady()
    const notReady = ready === undefined ? undefined : await rejectionOf(ready)
    if (notReady !== undefined) return { error: notReady }
    const sent = this.rules.prepareSend(this.#request.headers)
    let response: PostResponse
    try {
      response = await link.poster({
        method: 'POST',
        url: link.url,
        headers: withoutNamed(sent.headers, this.#request.hints?.withoutHeaders),
        body: this.#body,
        canceller: this.#canceller,
        hold: this.#hold,
      })
    } catch (error) {
      if (!isConnectionFailure(error)) throw error
      return { error }
    }
    if (response.status < 200 || response.status > 299) return this.#rejected(response, sent)
    this.#assertAcceptable(response)
    return this.#reader.read(response)
  }

  /** The failure behind an error status, if the request may be sent again; throws every other one. */
  async #rejected(response: PostResponse, sent: SentRequest): Promise<RetryableFailure> {
    const { status } = response
    const retryAfterMs = readRetryAfter(response.header('retry-after'))
    const error = await errorFromResponse(response, `The server rejected '${this.method}'`, this.wireId)
    if (status === TOO_LARGE) this.#host.link.bodyLimit.note(error)
    if (this.rules.isSessionExpired(status, sent)) {
      return { error, renewSession: () => this.rules.renewSession(sent, error) }
    }
    if (isBusy(status)) return { error, retryAfterMs }
    this.#host.link.health.responded()
    throw error
  }

  #assertAcceptable(response: PostResponse): void {
    try {
      this.rules.onResponse(response)
    } catch (error) {
      response.cancel()
      throw error
    }
  }

  /** Resolves when the request may be sent again; throws the error for the caller where it must not be. */
  async #prepareRetry({ error, renewSession, retryAfterMs }: RetryableFailure): Promise<void> {
    // A second 404 in a row: another session would not help.
    if (renewSession !== undefined && this.#wasSessionRenewed) throw error
    this.#wasSessionRenewed ||= renewSession !== undefined
    const failure = renewSession === undefined ? error : await rejectionOf(renewSession())
    if (failure === undefined) return
    const { health, policy } = this.#host.link
    if (!isTransient(failure)) throw failure
    health.failed(failure)
    const attempts = { isRepeatable: this.#isRepeatable, retries: this.#retries, startedAt: this.#startedAt }
    const delayMs = health.hasResponded ? nextRequestDelay(attempts, policy, retryAfterMs) : undefined
    if (delayMs === undefined) throw failure
    await pause(delayMs, { signal: this.#signal })
    this.#assignNewId()
  }

  get #isRepeatable(): boolean {
    return this.#request.hints?.isRepeatable ?? isSafeMethod(this.method)
  }

  /** Spec, Streamable HTTP: a lost request is sent again as a new request, with a new id. */
  #assignNewId(): void {
    this.#retries += 1
    this.wireId = `${this.id}-again-${this.#retries}`
    this.#wasSessionRenewed = false
    this.#body = encodeMessage({ ...this.#request.message, id: this.wireId })
  }

  #fail(error: unknown): void {
    if (this.#reader.isAnswered || this.#canceller.isCancelled) return
    this.#host.receiver.lost(this.id, error instanceof Error ? error : connectionClosedError())
  }
}

/** The error that a promise was rejected with; `undefined` where it was fulfilled. */
async function rejectionOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return error instanceof Error ? error : connectionClosedError()
  }
}

function withoutNamed(headers: RequestHeaders, names: readonly string[] = []): RequestHeaders {
  if (names.length === 0) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}
