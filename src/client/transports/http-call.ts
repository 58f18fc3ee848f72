// One request under way: sent, answered on its own response, and repeated only where that cannot do harm.
import type { Receiver, SendHints } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import { isRequestId } from '../../dispatcher/request-id.ts'
import { Canceller, type PostResponse } from '../../http/poster.ts'
import { pause } from '../../primitives/async/pause.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONRPCRequest, RequestId } from '../../types/protocol/jsonrpc.ts'
import type { CallFacts, Departure, EraRules } from './era-rules.ts'
import { explainRefusal } from './http-errors.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { AnswerReader } from './response-reader.ts'
import { EventCursor } from './resume.ts'
import { delayAfter, isBusy, isSafeMethod, mayPass, readRetryAfter, reasonOf, type Setback } from './retry.ts'

const TOO_LARGE = 413
const GIVEN_UP = new Error('Nobody waits for this request any more')

export interface CallHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  /** The answer is there; its stream may stay open for a moment. */
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
  /** What was sent before and has to arrive before. Never rejects. */
  readonly after?: Promise<unknown> | undefined
}

export class HttpCall implements CallFacts {
  readonly id: RequestId
  readonly rules: EraRules
  wireId: RequestId
  readonly #host: CallHost
  readonly #request: CallRequest
  readonly #reader: AnswerReader
  readonly #canceller = new Canceller()
  readonly #startedAt = monotonicNow()
  #controller: AbortController | undefined
  #body: string
  #wasRenewed = false
  #repeats = 0

  constructor(host: CallHost, rules: EraRules, request: CallRequest) {
    this.#host = host
    this.rules = rules
    this.#request = request
    this.#body = request.body
    this.id = request.message.id
    this.wireId = this.id
    this.#reader = new AnswerReader({
      link: host.link,
      receiver: host.receiver,
      rules,
      call: this,
      hints: request.hints,
      signal: () => this.#signal,
      onAnswer: () => host.answered(this),
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

  /** Nobody waits for the answer any more: whatever is open is closed, and nothing is tried again. */
  abort(): void {
    this.#canceller.cancel(GIVEN_UP)
    this.#controller?.abort(GIVEN_UP)
  }

  /** For what a canceller cannot do. Made when it is needed, which most calls never come to. */
  get #signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#canceller.isCancelled) this.#controller.abort(GIVEN_UP)
    return this.#controller.signal
  }

  /** Nobody who logs in can be hurried. */
  readonly #hold = (): (() => void) => this.#host.receiver.hold?.(this.id) ?? (() => {})

  async #run(): Promise<void> {
    const { after, hints } = this.#request
    const token = this.rules.canResume ? hints?.resumptionToken : undefined
    try {
      if (after !== undefined) await after
      let setback = token === undefined ? await this.#attempt() : await this.#reader.resume(new EventCursor(token))
      while (setback !== undefined) {
        await this.#prepareRepeat(setback)
        setback = await this.#attempt()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#reader.stop()
      this.#host.ended(this)
    }
  }

  async #attempt(): Promise<Setback | undefined> {
    const { link } = this.#host
    const waiting = this.rules.ready()
    const notReady = waiting === undefined ? undefined : await reasonOf(waiting)
    if (notReady !== undefined) return { error: notReady }
    const departure = this.rules.depart(this.#request.headers)
    let response: PostResponse
    try {
      response = await link.poster({
        method: 'POST',
        url: link.url,
        headers: departure.headers,
        body: this.#body,
        canceller: this.#canceller,
        hold: this.#hold,
      })
    } catch (error) {
      if (!isConnectionFailure(error)) throw error
      return { error }
    }
    if (response.status < 200 || response.status > 299) return this.#refused(response, departure)
    this.#assertAcceptable(response)
    return this.#reader.read(response)
  }

  async #refused(response: PostResponse, departure: Departure): Promise<Setback> {
    const { status } = response
    const retryAfterMs = readRetryAfter(response.header('retry-after'))
    const error = await explainRefusal(response, `'${this.method}' was refused`, this.wireId)
    if (status === TOO_LARGE) this.#host.link.bodyLimit.note(error)
    if (this.rules.isForgotten(status, departure)) {
      return { error, renew: () => this.rules.renew(departure, error) }
    }
    if (isBusy(status)) return { error, retryAfterMs }
    this.#host.link.health.heard()
    throw error
  }

  #assertAcceptable(response: PostResponse): void {
    try {
      this.rules.arrived(response)
    } catch (error) {
      response.cancel()
      throw error
    }
  }

  /** Throws the error of the setback where the request must not, or need not, be sent again. */
  async #prepareRepeat(setback: Setback): Promise<void> {
    const { renew, retryAfterMs = 0 } = setback
    // Refused twice before anything was done: another handshake would not help.
    if (renew !== undefined && this.#wasRenewed) throw setback.error
    this.#wasRenewed ||= renew !== undefined
    const failure = renew === undefined ? setback.error : await reasonOf(renew())
    if (failure === undefined) return
    const { health, policy } = this.#host.link
    if (!mayPass(failure)) throw failure
    health.failed(failure)
    if (!this.#isRepeatable || !health.wasHeard) throw failure
    this.#repeats += 1
    const waitMs = Math.max(delayAfter(this.#repeats, policy), retryAfterMs)
    if (monotonicNow() - this.#startedAt + waitMs > policy.deadlineMs) throw failure
    await pause(waitMs, { signal: this.#signal })
    this.#rename()
  }

  get #isRepeatable(): boolean {
    return this.#request.hints?.isRepeatable ?? isSafeMethod(this.method)
  }

  /** Spec, Streamable HTTP: what was lost is sent again as a new request, and so by a new id. */
  #rename(): void {
    this.wireId = `${this.id}-again-${this.#repeats}`
    this.#wasRenewed = false
    this.#body = encodeMessage({ ...this.#request.message, id: this.wireId })
  }

  #fail(error: unknown): void {
    if (this.#reader.isAnswered || this.#canceller.isCancelled) return
    this.#host.receiver.lost(this.id, error instanceof Error ? error : connectionClosed())
  }
}
