// A modern client in front of a legacy source: a call whose source asks something is answered with the question, and stays open at
// the source until the client calls again with the answer.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { createRequestStateSeal, type RequestStateSeal } from '../../server/state/request-state.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Ask, BackCall } from '../back/back-connection.ts'
import { Outbox } from '../back/outbox.ts'
import { principalKeyOf } from '../base/caller.ts'
import { proxyFailure } from '../base/failures.ts'

const PARK_MS = 600_000
const MAX_PARKED = 1_000

export interface ParkingOptions {
  readonly parkMs?: number | undefined
  readonly maxParked?: number | undefined
  /** The name of the source. */
  readonly source: string
}

/** One question of the source that waits for the client. */
interface Question {
  readonly method: string
  readonly params: JSONObject | undefined
  readonly answer: Deferred<JSONObject>
}

/** Starts the call at the source. Aborting `signal` cancels it there. */
export type StartCall = (call: BackCall, signal: AbortSignal) => Promise<JSONObject>

export class ParkedCalls {
  readonly #options: ParkingOptions
  readonly #seal: RequestStateSeal
  readonly #process = crypto.randomUUID().slice(0, 8)
  readonly #calls = new Map<string, ParkedCall>()

  constructor(options: ParkingOptions) {
    this.#options = options
    this.#seal = createRequestStateSeal({ audience: `proxy ${options.source}` })
  }

  get size(): number {
    return this.#calls.size
  }

  /** Answers one round of a call: with the result, or with the questions of the source. */
  async answer(request: ServerRequestContext, params: JSONObject, start: StartCall): Promise<JSONObject> {
    const { requestState } = params
    if (requestState === undefined || requestState === null) return this.#begin(request, params, start)
    const call = await this.#find(request, params, String(requestState))
    call.resume(request, params['inputResponses'])
    return this.#wait(call, request, params)
  }

  /** Gives up all calls, or those of one caller. */
  close(owner?: string): void {
    for (const call of [...this.#calls.values()]) {
      if (owner !== undefined && call.owner !== owner) continue
      this.#calls.delete(call.id)
      call.giveUp()
    }
  }

  #begin(request: ServerRequestContext, params: JSONObject, start: StartCall): Promise<JSONObject> {
    const call = new ParkedCall(crypto.randomUUID(), request, start)
    return this.#wait(call, request, params)
  }

  async #wait(call: ParkedCall, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const unlisten = call.cancelWith(request)
    try {
      const result = await call.next()
      if (result !== undefined) {
        this.#calls.delete(call.id)
        return result
      }
    } catch (error) {
      this.#calls.delete(call.id)
      throw error
    } finally {
      unlisten()
    }
    return this.#park(call, request, params)
  }

  async #park(call: ParkedCall, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const { parkMs = PARK_MS, maxParked = MAX_PARKED, source } = this.#options
    if (!this.#calls.has(call.id) && this.#calls.size >= maxParked) {
      call.giveUp()
      throw proxyFailure('G012', source, `Too many calls of '${source}' wait for an answer. Try again later.`, {
        data: { limit: 'maxParked', max: maxParked },
      })
    }
    this.#calls.set(call.id, call)
    call.park(parkMs, () => {
      this.#calls.delete(call.id)
    })
    const state = JSON.stringify([call.id, call.nonce])
    const sealed = await this.#seal.seal({ method: request.method, params, principal: request.auth }, state)
    return {
      resultType: 'input_required',
      inputRequests: call.questions(),
      // In clear: so that a balancer can find the process that has the call.
      requestState: `${this.#process}.${sealed}`,
    }
  }

  async #find(request: ServerRequestContext, params: JSONObject, token: string): Promise<ParkedCall> {
    const prefix = `${this.#process}.`
    if (!token.startsWith(prefix)) throw this.#notHere()
    const sealed = token.slice(prefix.length)
    const state = await this.#seal.unseal({ method: request.method, params, principal: request.auth }, sealed)
    const [id, nonce] = JSON.parse(state) as [string, string]
    const call = this.#calls.get(id)
    if (call === undefined || call.nonce !== nonce || call.owner !== principalKeyOf(request)) throw this.#notHere()
    return call
  }

  #notHere(): MCPError {
    const { source } = this.#options
    return proxyFailure('G022', source, 'This call is no longer open. Call again without requestState.', {
      code: ErrorCode.InvalidParams,
      data: { reason: 'expired_state' },
    })
  }
}

class ParkedCall {
  readonly id: string
  readonly owner: string
  nonce = crypto.randomUUID()
  readonly #call: BackCall
  readonly #outcome: Promise<JSONObject>
  readonly #abort = new AbortController()
  readonly #open = new Map<string, Question>()
  #asked: Deferred<void> | undefined
  #lastKey = 0
  #timer: Timer | undefined

  constructor(id: string, request: ServerRequestContext, start: StartCall) {
    this.id = id
    this.owner = principalKeyOf(request)
    const meta = request.params?.['_meta']
    const token = isPlainObject(meta) ? meta['progressToken'] : undefined
    const outbox = new Outbox((method, params) => this.#call.request.dispatch.notify(method, params))
    this.#call = { request, token: token as BackCall['token'], ask: this.#ask, outbox }
    this.#outcome = start(this.#call, this.#abort.signal)
    this.#outcome.catch(() => {})
  }

  /** Until the request is over, cancelling it cancels the call. */
  cancelWith(request: ServerRequestContext): () => void {
    let isOver = false
    request.onAbort(() => {
      if (!isOver) this.giveUp()
    })
    return () => {
      isOver = true
    }
  }

  /** The result of the call, or `undefined` when the source has asked something first. */
  async next(): Promise<JSONObject | undefined> {
    if (this.#open.size > 0 && this.#asked === undefined) return undefined
    this.#asked ??= createDeferred()
    const asked = this.#asked.promise.then(() => undefined)
    return Promise.race([this.#outcome, asked])
  }

  questions(): JSONObject {
    const entries = [...this.#open].map(([key, { method, params }]) => [key, toModernQuestion(method, params)])
    return Object.fromEntries(entries)
  }

  /** Nobody is here until the client calls again. */
  park(ms: number, onExpired: () => void): void {
    this.nonce = crypto.randomUUID()
    this.#call.outbox.flush()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.giveUp()
      onExpired()
    }, ms)
    unref(this.#timer)
  }

  /** The client has called again. What it did not answer is asked once more. */
  resume(request: ServerRequestContext, answers: unknown): void {
    clearTimeout(this.#timer)
    this.#call.request = request
    const meta = request.params?.['_meta']
    const token = isPlainObject(meta) ? meta['progressToken'] : undefined
    this.#call.token = token as BackCall['token']
    this.#asked = undefined
    for (const [key, question] of [...this.#open]) {
      const answer = isPlainObject(answers) ? answers[key] : undefined
      if (!isPlainObject(answer)) continue
      this.#open.delete(key)
      question.answer.resolve(answer)
    }
    // All answered: wait for the source. Some not: they are asked again at once.
    if (this.#open.size === 0) this.#asked = createDeferred()
  }

  /** Open forms are cancelled, other questions fail, and so does the call at the source. */
  giveUp(): void {
    clearTimeout(this.#timer)
    for (const [key, { method, answer }] of [...this.#open]) {
      this.#open.delete(key)
      if (method === 'elicitation/create') answer.resolve({ action: 'cancel' })
      else answer.reject(new MCPError(ErrorCode.InternalError, 'The caller did not answer in time.'))
    }
    // A turn later, so that the answers leave first.
    setTimeout(() => this.#abort.abort(new DOMException('The caller has given up.', 'AbortError')), 0)
  }

  readonly #ask: Ask = (method, params, signal) => {
    const key = `q${++this.#lastKey}`
    const answer = createDeferred<JSONObject>()
    this.#open.set(key, { method, params, answer })
    const giveUp = () => {
      this.#open.delete(key)
      answer.reject(signal.reason)
    }
    if (signal.aborted) giveUp()
    else listenForAbort(signal, giveUp)
    // Questions that are asked together come together.
    setTimeout(() => {
      if (this.#open.size === 0) return
      this.#asked ??= createDeferred()
      this.#asked.resolve()
    }, 0)
    return answer.promise.finally(() => forgetAbort(signal, giveUp))
  }
}

/** Modern clients know no id of a sign-in page. */
function toModernQuestion(method: string, params: JSONObject | undefined): JSONObject {
  if (method !== 'elicitation/create' || params?.['elicitationId'] === undefined) {
    return params === undefined ? { method } : { method, params }
  }
  const { elicitationId: _id, ...rest } = params
  return { method, params: rest }
}
