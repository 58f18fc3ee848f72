// What a handler and a middleware see of one inbound message.
import type { AbortListener, DispatchContext } from '../dispatcher/dispatcher.ts'
import type { InputResponses } from '../types/features/input-required.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import type { RequestMetaObject } from '../types/protocol/meta.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { AbortableSignal } from './abortable-signal.ts'
import type { Connection } from './connection.ts'
import type { PlainResult } from './results/respond.ts'
import type { Server } from './server.ts'
import { type SendingLayer, ServerSession } from './session.ts'

const NO_META: RequestMetaObject = Object.freeze({})

function nest(outer: SendingLayer, inner: SendingLayer): SendingLayer {
  return (method, params, send) =>
    outer(method, params, (given, tellOuter) =>
      inner(method, given, (last, tellInner) =>
        send(last, (id) => {
          tellOuter?.(id)
          tellInner?.(id)
        }),
      ),
    )
}

/** Called with the final result once every middleware has let it pass. */
export type OnSuccess = (result: JSONObject) => void

export class ServerRequestContext {
  readonly server: Server
  readonly connection: Connection
  readonly method: string
  readonly params: JSONObject | undefined
  readonly dispatch: DispatchContext
  /** For a handler that knows what its result is made of: then nothing about it is left to check. */
  plain: PlainResult | undefined = undefined
  #session: ServerSession | undefined
  readonly #origin: ServerRequestContext
  #onSuccess: OnSuccess | undefined
  #abortable: AbortableSignal | undefined
  #resumedFrom: string | undefined
  #sending: SendingLayer | undefined

  constructor(
    server: Server,
    connection: Connection,
    dispatch: DispatchContext,
    method: string,
    params: JSONObject | undefined,
    origin?: ServerRequestContext,
  ) {
    this.server = server
    this.connection = connection
    this.dispatch = dispatch
    this.method = method
    this.params = params
    this.#origin = origin ?? this
  }

  /** The same message with other params, for a middleware that rewrites. */
  withParams(params: JSONObject): ServerRequestContext {
    return derive(this, params, this.#origin)
  }

  /** `undefined` for a notification. */
  get requestId(): RequestId | undefined {
    return this.dispatch.requestId
  }

  /** Aborted when the client cancels the request or goes away, or when a middleware gives it up. */
  get signal(): AbortSignal {
    return (this.#origin.#abortable ?? this.dispatch).signal
  }

  /** Called once when `signal` aborts, at once where it has. Cheaper than the signal, for requests that stay open for long. */
  onAbort(listener: AbortListener): void {
    const watched = this.#origin.#abortable ?? this.dispatch
    watched.onAbort(listener)
  }

  /** For a middleware that may give the message up: from here on, calling the function it returns aborts `signal` too. */
  makeAbortable(): (reason: unknown) => void {
    const abortable = new AbortableSignal(this.#origin.#abortable ?? this.dispatch)
    this.#origin.#abortable = abortable
    return (reason) => abortable.abort(reason)
  }

  /** The typed view of the client, for this message. */
  get session(): ServerSession {
    this.#session ??= new ServerSession(this.connection, this.dispatch, this.#origin)
    return this.#session
  }

  get meta(): RequestMetaObject {
    return (this.params?.['_meta'] as RequestMetaObject | undefined) ?? NO_META
  }

  get protocolVersion(): ProtocolVersion {
    return this.connection.protocolVersion
  }

  /** Self-reported: for display and logs, never to decide anything. */
  get clientInfo(): Implementation | undefined {
    return this.connection.clientInfo
  }

  get clientCapabilities(): ClientCapabilities {
    return this.connection.clientCapabilities
  }

  /** Who is calling, where something has verified that. */
  get auth(): AuthInfo | undefined {
    return this.dispatch.transport.auth
  }

  /** What the server's `lifespan` returned. */
  get lifespan(): unknown {
    return this.server.lifespan
  }

  /** The answers to an earlier `InputRequiredResult` of this call. */
  get inputResponses(): InputResponses | undefined {
    return this.params?.['inputResponses'] as InputResponses | undefined
  }

  /** The state that an earlier `InputRequiredResult` of this call carried. */
  get requestState(): string | undefined {
    return this.params?.['requestState'] as string | undefined
  }

  /** The sealed state that this round of a call goes on from, once it has been verified; `undefined` for a first round. */
  get resumedFrom(): string | undefined {
    return this.#origin.#resumedFrom
  }

  /** For whoever opens sealed states: the token has been verified for this very call. */
  markResumed(token: string): void {
    this.#origin.#resumedFrom = token
  }

  /** What stands around each request that the server sends while it handles this message. */
  get sending(): SendingLayer | undefined {
    return this.#origin.#sending
  }

  /** For a middleware: stands around the requests of `session` from here on, inside those that do so already. */
  aroundSending(layer: SendingLayer): void {
    const outer = this.#origin.#sending
    this.#origin.#sending = outer === undefined ? layer : nest(outer, layer)
  }

  /** As `aroundSending`, outside of all: what it does after the answer is done last, once the others have let go. */
  outsideSending(layer: SendingLayer): void {
    const inner = this.#origin.#sending
    this.#origin.#sending = inner === undefined ? layer : nest(layer, inner)
  }

  /** Tells the caller how far the work is; nothing happens unless it asked for that. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.dispatch.reportProgress(progress, total, message)
  }

  /** Registers what must happen only if the whole chain, middleware included, succeeds. */
  onSuccess(commit: OnSuccess): void {
    this.#origin.#onSuccess = commit
  }

  /** For the runner. */
  commit(result: JSONObject): void {
    this.#onSuccess?.(result)
  }
}

function derive(from: ServerRequestContext, params: JSONObject, origin: ServerRequestContext): ServerRequestContext {
  return new ServerRequestContext(from.server, from.connection, from.dispatch, from.method, params, origin)
}
