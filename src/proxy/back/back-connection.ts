// One connection to a source: calls go out as they are, and what a source keeps for its callers is asked for again.
import type { OpenClient } from '../../client/opening/create-open-client.ts'
import {
  type ClientMiddleware,
  createNotificationChain,
  createRequestChain,
  NOT_MINE,
  type NotificationChain,
  type RequestChain,
  type SessionTap,
} from '../../client/session/middleware.ts'
import type { RawRequestOptions } from '../../client/session/request-options.ts'
import { PROGRESS } from '../../dispatcher/context.ts'
import { decodeKeepingText } from '../../dispatcher/keep-text.ts'
import { correlationKey } from '../../dispatcher/request-id.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { CHANGE_NOTIFICATIONS, requestFacts } from '../../wire/method-rows.ts'
import type { Era } from '../base/caller.ts'
import type { Forwarding } from '../base/options.ts'
import type { SourceTaskIds } from '../gateway/task-ids.ts'
import { AskedToKeep } from './asked-to-keep.ts'
import type { BackCall, BackCallOptions, FrontLink } from './back-call.ts'
import { FromSource, withFrontId } from './from-source.ts'
import { OpenCalls } from './open-calls.ts'
import type { Outbox } from './outbox.ts'
import type { OwnHeaders } from './own-headers.ts'
import { Wishes } from './wishes.ts'

export interface BackHost {
  readonly forward: Forwarding
  /** Where ids of tasks may be others at the front. */
  readonly taskIds: SourceTaskIds | undefined
  /** A list of the source has changed, or one of its resources. */
  changed(method: string, params: JSONObject | undefined): void
  /** Something could not be passed on. Reported once for each text. */
  dropped(message: string, method: string): void
  /** Callers of the other era don't get this. Reported once. */
  lost(what: string): void
  /** Whether this caller asked for the log message, where it is known what callers asked for. */
  hears(request: ServerRequestContext, params: JSONObject | undefined): boolean
  /** Around what goes to the source. */
  readonly middleware: readonly ClientMiddleware[]
  /** Whether this caller asked for log messages, where it hears none once it has its result. */
  wantsLogs(request: ServerRequestContext): boolean
  /** Whether several clients may use the connection. */
  readonly isShared: boolean
}

const WISH_MS = 10_000
/** How long a result waits for log messages that come by another stream, and the end of a connection for a cancellation. */
const HEARD_MS = 250

export class BackConnection {
  readonly tap: SessionTap
  readonly fronts = new Set<FrontLink>()
  /** What a legacy source knows that it can ask. */
  declared: ClientCapabilities = {}
  /** Whether it was told that nobody is there to ask. */
  asksNobody = false
  /** Whether it was closed on this side while calls used it: nobody is to open another one for them. */
  isCutOff = false
  /** Where headers of callers are repeated. */
  ownHeaders: OwnHeaders | undefined
  /** What a legacy source keeps for its callers. */
  readonly kept = new AskedToKeep()
  /** What callers want to hear of a legacy source. */
  readonly wishes: Wishes
  readonly #host: BackHost
  readonly #requests: RequestChain | undefined
  readonly #notifications: NotificationChain | undefined
  readonly #calls = new OpenCalls()
  readonly #fromSource: FromSource
  /** Settles when the source has heard of a call that was cancelled. */
  leaving: Promise<void> | undefined
  /** Whether a legacy source has a stream beside those of the calls, as over HTTP. */
  hasSideStream = false
  #client: OpenClient | undefined
  #era: Era = 'legacy'

  constructor(host: BackHost) {
    this.#host = host
    this.#fromSource = new FromSource(this, host, this.#calls)
    this.#requests = createRequestChain(host.middleware)
    this.#notifications = createNotificationChain(host.middleware)
    this.wishes = new Wishes((method, params) => this.#wish(method, params))
    this.tap = {
      decode: decodeKeepingText,
      onRequest: async (context, method, params) => {
        const { taskIds } = host
        const answer = await this.#fromSource.asked(context, method, taskIds?.show(params) ?? params)
        return answer === NOT_MINE ? answer : (taskIds?.unshow(answer) ?? answer)
      },
      onNotify: (context, method, params) =>
        this.#fromSource.heard(context, method, host.taskIds?.show(params) ?? params),
    }
  }

  opened(client: OpenClient, era: Era): void {
    this.#client = client
    this.#era = era
  }

  get client(): OpenClient {
    return this.#client as OpenClient
  }

  get era(): Era {
    return this.#era
  }

  get isShared(): boolean {
    return this.#host.isShared
  }

  /** Resolves to what the source answers, whatever it is. Rejects with its error, or with what became of the connection. */
  async call(call: BackCall, method: string, params: JSONObject, options: BackCallOptions): Promise<JSONObject> {
    const isLong = requestFacts(method)?.longRunning === true
    const { headers, forwarded, timeoutMs, signal, until, envelope, annotations, nameParam } = options
    const own = forwarded === undefined ? undefined : this.ownHeaders?.of(forwarded)
    const hints = own === undefined ? headers && { headers } : { ...own, headers: { ...own.headers, ...headers } }
    let key: RequestId | undefined
    try {
      // Member by member: V8 takes twenty times as long to add members to an object that was spread.
      const result = await this.#send(method, params, {
        timeoutMs,
        signal,
        until,
        envelope,
        annotations,
        nameParam,
        hints,
        // A token of our own: several callers may share the connection, and each knows only its own tokens.
        wantsProgress: call.token !== undefined || isLong,
        onRequestId: (id) => {
          key = correlationKey(id)
          this.#calls.add(key, call)
          options.onRequestId?.(id)
        },
      })
      if (this.#era === 'legacy') this.kept.note(method, params)
      if (method === 'tools/call' && this.#logsBeside(call)) await this.#whenHeard()
      if (key !== undefined && result['task'] !== undefined) this.#calls.keepToken(key, call)
      return withFrontId(call, key, result)
    } catch (error) {
      const isLeft = () => (signal ?? until?.signal)?.aborted === true
      if (this.hasSideStream && this.#era === 'legacy' && isLeft()) this.leaving = this.#whenHeard()
      throw error
    } finally {
      if (key !== undefined) this.#calls.delete(key)
      call.outbox.flush()
      this.#countDropped(call.outbox)
    }
  }

  #logsBeside({ request }: BackCall): boolean {
    if (this.#era !== 'legacy' || !this.hasSideStream) return false
    const { serverCapabilities } = this.client.session
    return serverCapabilities?.logging !== undefined && this.#host.wantsLogs(request)
  }

  /** What was sent before, by other streams in either direction, is there by the time that the source has answered once more. */
  async #whenHeard(): Promise<void> {
    await this.client.session.sendRaw('ping', {}, { timeoutMs: HEARD_MS }).catch(() => {})
    // What has come with the answer is still to be read.
    await new Promise((resolve) => {
      setTimeout(resolve, 0)
    })
  }

  notify(method: string, params: JSONObject | undefined): Promise<void> {
    const { session } = this.client
    const send = (given: JSONObject | undefined) => session.sendRawNotification(method, given)
    return this.#notifications === undefined
      ? send(params)
      : this.#notifications({ session, method, params }, (ctx) => send(ctx.params))
  }

  #send(method: string, params: JSONObject, options: RawRequestOptions): Promise<JSONObject> {
    const { session } = this.client
    if (this.#requests === undefined) return session.sendRaw(method, params, options)
    const { timeoutMs, until, signal = until?.signal } = options
    const given = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal !== undefined && { signal }) }
    return this.#requests({ session, method, params, options: given }, (ctx) =>
      session.sendRaw(method, ctx.params, {
        ...options,
        timeoutMs: ctx.options.timeoutMs ?? timeoutMs,
        signal: ctx.options.signal ?? signal,
      } as RawRequestOptions),
    )
  }

  /** Asks the source for what another session kept, and tells those in front of what they may have missed. */
  restore({ level, uris }: AskedToKeep): void {
    this.#tellChanged()
    if (this.#era === 'modern') return
    if (level !== undefined) this.#wish('logging/setLevel', level).catch(() => this.#notRestored('logging/setLevel'))
    for (const uri of [...uris]) {
      const { method } = CHANGE_NOTIFICATIONS.resourceUpdated
      this.#wish('resources/subscribe', { uri }).then(
        () => {
          for (const front of this.fronts) void front.notify(method, { uri })
        },
        () => this.#notRestored('resources/subscribe'),
      )
    }
  }

  async #wish(method: string, params: JSONObject): Promise<JSONObject> {
    const result = await this.client.session.sendRaw(method, params, { timeoutMs: WISH_MS })
    this.kept.note(method, params)
    return result
  }

  #notRestored(method: string): void {
    this.#host.dropped(`The source took up '${method}' of an earlier session no more`, method)
  }

  #tellChanged(): void {
    const { tools, prompts, resources } = this.client.session.serverCapabilities ?? {}
    const { toolsListChanged, promptsListChanged, resourcesListChanged } = CHANGE_NOTIFICATIONS
    const changes = [
      ...(tools?.listChanged === true ? [toolsListChanged] : []),
      ...(prompts?.listChanged === true ? [promptsListChanged] : []),
      ...(resources?.listChanged === true ? [resourcesListChanged] : []),
    ]
    for (const { method } of changes) for (const front of this.fronts) void front.notify(method, undefined)
  }

  /** The source has closed the stream of this call, and resumes it later: so does the front, where it can. */
  streamClosed(id: RequestId): void {
    this.#calls.get(correlationKey(id))?.request.dispatch.transport.closeStream?.()
  }

  #countDropped({ dropped }: Outbox): void {
    if (dropped > 0) this.#host.dropped(`${dropped} messages of a call were dropped: the caller reads slowly`, PROGRESS)
  }

  /** Progress of the task of this call goes to its caller, until the function in return is called. */
  follow(call: BackCall): () => void {
    return this.#calls.follow(call)
  }
}
