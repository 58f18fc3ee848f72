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
import { isModernVersion } from '../../types/protocol/versions.ts'
import { checkResult } from '../../wire/check.ts'
import type { Ask, BackCall } from '../back/back-call.ts'
import { Outbox } from '../back/outbox.ts'
import { principalKeyOf } from '../base/caller.ts'
import { proxyFailure } from '../base/failures.ts'

const PARK_MS = 600_000
/** Of `maxParked`, for one verified caller. */
const SHARE = 1 / 4

export interface ParkingOptions {
  readonly parkMs?: number | undefined
  readonly maxParked: number
  readonly maxParkedPerPrincipal?: number | undefined
  /** The name of the source. */
  readonly source: string
  /** Called for a state that does not belong to the call or to the caller that it comes with. */
  readonly onForeignState: (method: string) => void
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
    this.#seal = createRequestStateSeal({
      audience: `proxy ${options.source}`,
      // How long a call waits is kept with the call.
      ttlMs: 2 ** 52,
    })
  }

  get size(): number {
    return this.#calls.size
  }

  /** Whether a call of this process got the state. */
  isOwn(requestState: unknown): boolean {
    return typeof requestState === 'string' && requestState.startsWith(`${this.#process}.`)
  }

  /** Answers one round of a call: with the result, or with the questions of the source. */
  async answer(request: ServerRequestContext, params: JSONObject, start: StartCall): Promise<JSONObject> {
    const { requestState } = params
    if (requestState === undefined || requestState === null) return this.#begin(request, params, start)
    const [id, nonce] = await this.#read(request, params, String(requestState))
    // Without a turn in between: a state is good once, also where it comes twice at a time.
    const call = this.#calls.get(id)
    if (call === undefined || call.nonce !== nonce || call.owner !== principalKeyOf(request)) throw this.#notHere()
    call.resume(request, params['inputResponses'])
    return this.#wait(call, request, params)
  }

  /** Gives up all calls, or those of one caller. Settles when the source has been told: its connections may be closed then. */
  async close(owner?: string): Promise<void> {
    const theirs = [...this.#calls.values()].filter((call) => owner === undefined || call.owner === owner)
    await Promise.all(theirs.map((call) => this.#drop(call)))
  }

  #begin(request: ServerRequestContext, params: JSONObject, start: StartCall): Promise<JSONObject> {
    const call = new ParkedCall(crypto.randomUUID(), request, start)
    return this.#wait(call, request, params)
  }

  async #wait(call: ParkedCall, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    // Also while the state is sealed: a caller that is gone by then never comes back.
    const unlisten = call.cancelWith(request, () => void this.#drop(call))
    try {
      const result = await call.next()
      if (result === undefined) return await this.#park(call, request, params)
      void this.#drop(call)
      return result
    } catch (error) {
      void this.#drop(call)
      throw error
    } finally {
      unlisten()
    }
  }

  #drop(call: ParkedCall): Promise<void> | undefined {
    this.#calls.delete(call.id)
    return call.giveUp()
  }

  async #park(call: ParkedCall, request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const { parkMs = PARK_MS } = this.#options
    if (!this.#calls.has(call.id)) this.#checkRoom(call, request)
    this.#calls.set(call.id, call)
    call.park(parkMs, () => void this.#drop(call))
    const state = JSON.stringify([call.id, call.nonce])
    const sealed = await this.#seal.seal({ method: request.method, params, principal: request.auth }, state)
    return {
      resultType: 'input_required',
      inputRequests: call.questions(),
      // In clear: so that a balancer can find the process that has the call.
      requestState: `${this.#process}.${sealed}`,
    }
  }

  /** One caller must not take the places of all others. Callers whom nobody has verified may be one or many. */
  #checkRoom({ owner }: ParkedCall, { auth }: ServerRequestContext): void {
    const { maxParked, maxParkedPerPrincipal = Math.max(1, Math.floor(maxParked * SHARE)), source } = this.#options
    const fail = (limit: string, max: number): never => {
      throw proxyFailure('G012', source, `Too many calls of '${source}' wait for an answer. Try again later.`, {
        data: { limit, max },
      })
    }
    if (this.#calls.size >= maxParked) fail('maxParked', maxParked)
    if (auth === undefined || this.#calls.size < maxParkedPerPrincipal) return
    let own = 0
    for (const other of this.#calls.values()) if (other.owner === owner) own += 1
    if (own >= maxParkedPerPrincipal) fail('maxParkedPerPrincipal', maxParkedPerPrincipal)
  }

  /** The id of the call, and that of the round. */
  async #read(request: ServerRequestContext, params: JSONObject, token: string): Promise<[string, string]> {
    const prefix = `${this.#process}.`
    if (!token.startsWith(prefix)) throw this.#notHere()
    const sealed = token.slice(prefix.length)
    try {
      const state = await this.#seal.unseal({ method: request.method, params, principal: request.auth }, sealed)
      return JSON.parse(state) as [string, string]
    } catch (error) {
      this.#options.onForeignState(request.method)
      throw error
    }
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
  /** The source has answered, or nobody waits for it any more. */
  #isOver = false

  constructor(id: string, request: ServerRequestContext, start: StartCall) {
    this.id = id
    this.owner = principalKeyOf(request)
    const meta = request.params?.['_meta']
    const token = isPlainObject(meta) ? meta['progressToken'] : undefined
    const outbox = new Outbox((method, params) => this.#call.request.dispatch.notify(method, params))
    this.#call = { request, token: token as BackCall['token'], ask: this.#ask, outbox }
    this.#outcome = start(this.#call, this.#abort.signal)
    const end = () => this.#end(undefined)
    this.#outcome.then(end, end)
  }

  /** Until the request is over, cancelling it cancels the call. */
  cancelWith(request: ServerRequestContext, cancel: () => void): () => void {
    let isOver = false
    request.onAbort(() => {
      if (!isOver) cancel()
    })
    return () => {
      isOver = true
    }
  }

  /** The result of the call, or `undefined` when the source has asked something first. */
  async next(): Promise<JSONObject | undefined> {
    if (!this.#isOver && this.#open.size > 0 && this.#asked === undefined) return undefined
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
    this.#timer = setTimeout(onExpired, ms)
    unref(this.#timer)
  }

  /** The client has called again. What it did not answer is asked once more. */
  resume(request: ServerRequestContext, answers: unknown): void {
    clearTimeout(this.#timer)
    this.nonce = crypto.randomUUID()
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

  /** Open forms are cancelled, other questions fail, and so does the call at the source, unless it is over. */
  giveUp(): Promise<void> | undefined {
    clearTimeout(this.#timer)
    if (this.#isOver) return undefined
    this.#end({ action: 'cancel' })
    // A turn later, so that the answers leave first.
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#abort.abort(new DOMException('The caller has given up.', 'AbortError'))
        resolve()
      }, 0)
    })
  }

  /** Nobody is asked any more. */
  #end(form: JSONObject | undefined): void {
    this.#isOver = true
    for (const [key, { method, answer }] of [...this.#open]) {
      this.#open.delete(key)
      if (form !== undefined && method === 'elicitation/create') answer.resolve(form)
      else answer.reject(unanswered())
    }
  }

  readonly #ask: Ask = (method, params, signal) => {
    if (this.#isOver) return Promise.reject(unanswered())
    const refusal = misfitOf(method, params, this.#call.request)
    // One broken question would make the whole result one that the client must refuse.
    if (refusal !== undefined) return Promise.reject(refusal)
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

function unanswered(): MCPError {
  return new MCPError(ErrorCode.InternalError, 'The caller did not answer before the call was over.')
}

/** What the source reads of a question that a modern client could not read. */
function misfitOf(
  method: string,
  params: JSONObject | undefined,
  { protocolVersion }: ServerRequestContext,
): MCPError | undefined {
  // A legacy client has a task of ours here: it gets the question as it is.
  if (!isModernVersion(protocolVersion)) return undefined
  const inputRequests = { q: toModernQuestion(method, params) }
  try {
    // Every method that may ask does so in the same shape.
    checkResult('tools/call', protocolVersion, { resultType: 'input_required', inputRequests })
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*inputRequests\.q\.?/, '') : ''
    return new MCPError(ErrorCode.InvalidParams, `Invalid params of '${method}': ${reason}`)
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
