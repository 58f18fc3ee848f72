// How a caller is told to sign in at a source: by a question with a page, by the error that older revisions have for it, or in words.

import { type SignIn, SignInRequired } from '../../auth/client/sign-in-required.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { hasClientCapability } from '../../server/asking/client-capabilities.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { createRequestStateSeal, type RequestStateSeal } from '../../server/state/request-state.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { type MCPError, UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import type { JSONObject, JSONValue } from '../../types/protocol/json.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { CHANGE_NOTIFICATIONS, LIST_CHANGES, requestFacts } from '../../wire/method-rows.ts'
import { isLocal } from '../base/caller.ts'
import { proxyFailure } from '../base/failures.ts'

/** A client that calls again early waits for its user this long; then it is asked once more. */
const WAIT_MS = 30_000
const MAX_KNOWN = 10_000
const KEY = 'sign_in'
const COMPLETE = 'notifications/elicitation/complete'

/** Sends the call to the source. */
export type SendCall = (params: JSONObject) => Promise<JSONObject>

/** What the state of a round holds: the sign-in, how many were done for this call, and what the source itself had asked. */
interface Round {
  readonly id: string
  readonly done: number
  readonly state?: unknown
  readonly answers?: unknown
}

export class SignInRounds {
  readonly #source: string
  readonly #seal: RequestStateSeal
  /** Proxies behind one another each know their own states. */
  readonly #prefix = `sign-in-${crypto.randomUUID().slice(0, 8)}.`
  readonly #signIns = new Map<string, SignIn>()
  /** What each connection was told of already. */
  readonly #heard = new WeakMap<object, Set<string>>()
  readonly #onConnected: () => void
  readonly #hearsLists: (request: ServerRequestContext) => boolean

  /**
   * `onConnected` is called when a caller has signed in: it may see more from then on. `hearsLists` says whether a legacy client hears of
   * changes of lists from here.
   */
  constructor(source: string, onConnected: () => void, hearsLists: (request: ServerRequestContext) => boolean) {
    this.#source = source
    this.#seal = createRequestStateSeal({ audience: `sign-in ${source}` })
    this.#onConnected = onConnected
    this.#hearsLists = hearsLists
  }

  /** Passes a call on, and asks for a sign-in where the source requires one: at most once for each call. */
  async answer(request: ServerRequestContext, params: JSONObject, send: SendCall): Promise<JSONObject> {
    const { requestState } = params
    const isOurs = typeof requestState === 'string' && requestState.startsWith(this.#prefix)
    const round = isOurs ? await this.#read(request, params, requestState) : undefined
    let done = 0
    let given = params
    if (round !== undefined) {
      const { requestState: _state, inputResponses: _answers, ...rest } = params
      const { state, answers } = round
      given = {
        ...rest,
        ...(state !== undefined && { requestState: state as JSONValue }),
        ...(answers !== undefined && { inputResponses: answers as JSONValue }),
      }
      const signIn = this.#signIns.get(round.id)
      if (signIn !== undefined) {
        this.#requireAccepted(params['inputResponses'])
        await untilEnded(request, signIn)
        if (signIn.outcome === undefined) return this.#ask(request, given, signIn, round.done)
        if (signIn.outcome !== 'connected') throw this.#refused(signIn.outcome)
        done = round.done + 1
      }
    }
    try {
      return await send(given)
    } catch (error) {
      const signIn = SignInRequired.find(error)
      if (signIn === undefined || done > 0) throw error
      return this.#ask(request, given, signIn, done)
    }
  }

  async #ask(request: ServerRequestContext, params: JSONObject, signIn: SignIn, done: number): Promise<JSONObject> {
    this.watch(request, signIn)
    const { method, protocolVersion } = request
    const canOpen = hasUrls(request)
    const question = { mode: 'url' as const, message: this.#message, url: signIn.url }
    if (!isModernVersion(protocolVersion)) {
      if (!canOpen) throw this.#inWords(request, signIn)
      throw new UrlElicitationRequiredError([{ ...question, elicitationId: signIn.id }], this.#message)
    }
    if (!canOpen || requestFacts(method)?.mayAskForInput !== true) throw this.#inWords(request, signIn)
    const { requestState, inputResponses } = params
    const round: Round = {
      id: signIn.id,
      done,
      ...(requestState !== undefined && { state: requestState }),
      ...(inputResponses !== undefined && { answers: inputResponses }),
    }
    const sealed = await this.#seal.seal({ method, params, principal: request.auth }, JSON.stringify(round))
    return {
      resultType: 'input_required',
      inputRequests: { [KEY]: { method: 'elicitation/create', params: question } },
      requestState: `${this.#prefix}${sealed}`,
    }
  }

  async #read(request: ServerRequestContext, params: JSONObject, token: string): Promise<Round> {
    const sealed = token.slice(this.#prefix.length)
    const context = { method: request.method, params, principal: request.auth }
    return JSON.parse(await this.#seal.unseal(context, sealed)) as Round
  }

  get #message(): string {
    return `Sign in at '${this.#source}' to connect it to your account.`
  }

  #requireAccepted(answers: unknown): void {
    const answer = ownMember(answers, KEY)
    const action = isPlainObject(answer) ? answer['action'] : undefined
    if (action === 'decline' || action === 'cancel') throw this.#refused('refused')
  }

  #refused(outcome: 'refused' | 'expired'): MCPError {
    const why = outcome === 'refused' ? 'The sign-in was refused or failed' : 'The time for the sign-in is over'
    return proxyFailure('G018', this.#source, `${why}: '${this.#source}' is not connected. Call again to try anew.`, {
      data: { reason: outcome },
    })
  }

  /** For clients that cannot open a page when asked. The page itself is a secret of the user: it does not go through a remote client. */
  #inWords(request: ServerRequestContext, signIn: SignIn): MCPError {
    const where =
      signIn.overview !== undefined
        ? 'Open the page of connections on the website of this server, sign in there, and call again'
        : 'Use a client that can open sign-in pages (elicitation by URL), sign in, and call again'
    const local = isLocal(request)
    const advice = local ? 'Open the page in data.signInUrl, sign in, and call again' : where
    return proxyFailure('G017', this.#source, `The source '${this.#source}' needs to be connected. ${advice}.`, {
      code: ErrorCode.InvalidRequest,
      ...(local && { data: { signInUrl: signIn.url } }),
    })
  }

  /**
   * A client hears when its user is done: of its page, where it knows that by an id, and of its lists. Nothing of the request is kept
   * until then: a caller may ask any number of times.
   */
  watch(request: ServerRequestContext, signIn: SignIn): void {
    const isNew = !this.#signIns.has(signIn.id)
    this.#signIns.set(signIn.id, signIn)
    const [oldest] = this.#signIns.keys()
    if (this.#signIns.size > MAX_KNOWN && oldest !== undefined) this.#signIns.delete(oldest)
    if (isNew) void this.#tell(signIn, this.#onConnected)
    if (isModernVersion(request.protocolVersion)) return
    const connection = connectionOfRequest(request)
    const heard = this.#heard.get(connection) ?? new Set()
    this.#heard.set(connection, heard)
    if (heard.has(signIn.id)) return
    heard.add(signIn.id)
    const knowsId = hasUrls(request)
    const hearsLists = this.#hearsLists(request)
    void this.#tell(signIn, () => {
      const { backChannel } = connection
      if (knowsId) void backChannel.notify(COMPLETE, { elicitationId: signIn.id })
      if (!hearsLists) return
      for (const change of LIST_CHANGES) void backChannel.notify(CHANGE_NOTIFICATIONS[change].method, undefined)
    })
  }

  async #tell({ ended }: SignIn, tell: () => void): Promise<void> {
    if ((await ended) === 'connected') tell()
  }
}

function hasUrls({ clientCapabilities, protocolVersion }: ServerRequestContext): boolean {
  return hasClientCapability(clientCapabilities, { elicitation: { url: {} } }, protocolVersion)
}

/** Resolves when the sign-in has ended, when the caller has gone, or when it has waited long enough. */
async function untilEnded(request: ServerRequestContext, signIn: SignIn): Promise<void> {
  const { signal } = request
  let timer: Timer | undefined
  let stop = () => {}
  const given = new Promise<void>((resolve, reject) => {
    timer = setTimeout(resolve, WAIT_MS)
    unref(timer)
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else listenForAbort(signal, stop)
  })
  try {
    await Promise.race([signIn.ended, given])
  } finally {
    clearTimeout(timer)
    forgetAbort(signal, stop)
  }
}
