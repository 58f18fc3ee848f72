// What a handler and a middleware see of one inbound message, and what only the modules of this package see of it.
import type { AbortListener, DispatchContext } from '../dispatcher/dispatcher.ts'
import type { InputResponses } from '../types/features/input-required.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import type { RequestMetaObject } from '../types/protocol/meta.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import type { VersionRange } from '../wire/component-versions.ts'
import { AbortableSignal } from './abortable-signal.ts'
import type { Connection, ConnectionCore } from './connection.ts'
import type { ServerCore } from './core.ts'
import type { DetachableCall } from './detachable-call.ts'
import type { PlainResult } from './results/respond.ts'
import type { Server } from './server.ts'
import { createSession, type SendingLayer, type ServerSession } from './session.ts'
import type { Source } from './source.ts'
import type { TaskContext, TaskRun } from './task-run.ts'

const NO_META: RequestMetaObject = Object.freeze({})
const ANY_VERSION: readonly VersionRange[] = Object.freeze([])

/**
 * One inbound message, and the way back to whoever sent it.
 *
 * @example
 * ```ts
 * server.use((ctx, next) => {
 *   console.error(ctx.method, ctx.clientInfo?.name)
 *   return next()
 * })
 * ```
 */
export class ServerRequestContext {
  /** The method of the request, such as `tools/call`. */
  readonly method: string
  /** The params of the request. `undefined` if it has none. */
  readonly params: JSONObject | undefined
  readonly #server: ServerCore
  readonly #connection: ConnectionCore
  #dispatch: DispatchContext
  #plain: PlainResult | undefined
  #extras: RequestExtras | undefined
  #session: ServerSession | undefined
  /** The message as it came in, where a middleware or an extension has changed its params. */
  #origin: ServerRequestContext | undefined
  /** The request of the server that this one is mounted in. */
  #outer: ServerRequestContext | undefined
  /** The source that answers it, where that is not the outermost one of its server. */
  #entry: Source | undefined
  /** What the client declares, where a mounted server must not see all of it. */
  #capabilities: ClientCapabilities | undefined
  /** Which versions of components transforms leave; all of these ranges count. */
  #versions: readonly VersionRange[] = ANY_VERSION

  /**
   * For the functions below the class. Not a static block: a bundler keeps a class that has one, even in programs that use no
   * server.
   */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: the functions below the class use it.
  private static readonly access = {
    create: (
      server: ServerCore,
      connection: ConnectionCore,
      dispatch: DispatchContext,
      method: string,
      params: JSONObject | undefined,
    ) => new this(server, connection, dispatch, method, params),
    derive: (ctx: ServerRequestContext, params: JSONObject | undefined) => {
      const derived = new this(ctx.#server, ctx.#connection, ctx.#dispatch, ctx.method, params)
      derived.#extras = extrasOf(ctx)
      derived.#origin = originOf(ctx)
      derived.#outer = ctx.#outer
      derived.#entry = ctx.#entry
      derived.#capabilities = ctx.#capabilities
      derived.#versions = ctx.#versions
      return derived
    },
    fork: (ctx: ServerRequestContext, signal: AbortableSignal) => {
      const fork = new this(ctx.#server, ctx.#connection, ctx.#dispatch, ctx.method, ctx.params)
      fork.#extras = new RequestExtras(ctx.#dispatch, signal, ctx.#extras)
      fork.#origin = originOf(ctx)
      fork.#outer = ctx.#outer
      fork.#entry = ctx.#entry
      fork.#capabilities = ctx.#capabilities
      fork.#versions = ctx.#versions
      return fork
    },
    nest: (ctx: ServerRequestContext, server: ServerCore, method: string, params: JSONObject | undefined) => {
      const nested = new this(server, ctx.#connection, ctx.#dispatch, method, params)
      nested.#extras = extrasOf(ctx)
      nested.#outer = ctx
      nested.#capabilities = ctx.#capabilities
      nested.#versions = ctx.#versions
      return nested
    },
    entry: (ctx: ServerRequestContext) => ctx.#entry,
    enter: (ctx: ServerRequestContext, entry: Source) => {
      ctx.#entry = entry
    },
    declare: (ctx: ServerRequestContext, capabilities: ClientCapabilities) => {
      ctx.#capabilities = capabilities
    },
    versions: (ctx: ServerRequestContext) => ctx.#versions,
    limit: (ctx: ServerRequestContext, range: VersionRange) => {
      ctx.#versions = [...ctx.#versions, range]
    },
    outer: (ctx: ServerRequestContext) => ctx.#outer,
    detach: (ctx: ServerRequestContext, dispatch: DispatchContext) => {
      ctx.#dispatch = dispatch
      ctx.#session = undefined
      ctx.#origin = undefined
    },
    server: (ctx: ServerRequestContext) => ctx.#server,
    connection: (ctx: ServerRequestContext) => ctx.#connection,
    extras: (ctx: ServerRequestContext) => {
      ctx.#extras ??= new RequestExtras(ctx.#dispatch)
      return ctx.#extras
    },
    existingExtras: (ctx: ServerRequestContext) => ctx.#extras,
    plain: (ctx: ServerRequestContext) => ctx.#plain,
    origin: (ctx: ServerRequestContext) => ctx.#origin ?? ctx,
    setPlain: (ctx: ServerRequestContext, plain: PlainResult) => {
      ctx.#plain = plain
    },
  }

  private constructor(
    server: ServerCore,
    connection: ConnectionCore,
    dispatch: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ) {
    this.#server = server
    this.#connection = connection
    this.#dispatch = dispatch
    this.method = method
    this.params = params
  }

  /** The server that handles the request. */
  get server(): Server {
    return this.#server.face
  }

  /** The message as the transport delivered it, and its own way back to the client; in a task, there is no way back. */
  get dispatch(): DispatchContext {
    return this.#dispatch
  }

  /** The connection of the client. Since 2026-07-28 each request has its own. */
  get connection(): Connection {
    return this.#connection.face
  }

  /** `undefined` for a notification. */
  get requestId(): RequestId | undefined {
    return this.#dispatch.requestId
  }

  /** Aborted when the client cancels the request or goes away, or when a middleware stops it. */
  get signal(): AbortSignal {
    return (this.#extras?.abortable ?? this.#dispatch).signal
  }

  /** Called once when `signal` aborts, at once where it has. Cheaper than the signal, for requests that stay open for long. */
  onAbort(listener: AbortListener): void {
    const watched = this.#extras?.abortable ?? this.#dispatch
    watched.onAbort(listener)
  }

  /** The typed view of the client, for this message. */
  get session(): ServerSession {
    this.#session ??= createSession(this.#connection, this.#dispatch, extrasOf(this))
    return this.#session
  }

  /** The `_meta` of the request. Empty if the client sent none. */
  get meta(): RequestMetaObject {
    return (this.params?.['_meta'] as RequestMetaObject | undefined) ?? NO_META
  }

  /** The revision that the client speaks. */
  get protocolVersion(): ProtocolVersion {
    return this.#connection.protocolVersion
  }

  /** Self-reported: for display and logs, never to decide anything. */
  get clientInfo(): Implementation | undefined {
    return this.#connection.clientInfo
  }

  /** What the client declares. Empty before the handshake. */
  get clientCapabilities(): ClientCapabilities {
    return this.#capabilities ?? this.#connection.clientCapabilities
  }

  /** Who is calling, where something has verified that. */
  get auth(): AuthInfo | undefined {
    return this.#dispatch.transport.auth
  }

  /** The task that this run belongs to; `undefined` in a request. Middleware runs around both: see it to tell them apart. */
  get task(): TaskContext | undefined {
    return this.#extras?.run?.task
  }

  /** What the server's `lifespan` returned. */
  get lifespan(): unknown {
    return this.#server.lifespan
  }

  /** The answers to an earlier `InputRequiredResult` of this call. */
  get inputResponses(): InputResponses | undefined {
    return this.params?.['inputResponses'] as InputResponses | undefined
  }

  /** The state that an earlier `InputRequiredResult` of this call carried. */
  get requestState(): string | undefined {
    return this.params?.['requestState'] as string | undefined
  }

  /** For a middleware: `layer` runs around each request that `session` sends from here on, inside the layers that are there. */
  aroundSending(layer: SendingLayer): void {
    extrasOf(this).aroundSending(layer)
  }

  /** Tells the caller how far the work is; nothing happens unless it asked for that. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.#dispatch.reportProgress(progress, total, message)
  }
}

// What the modules of this package do with a context beyond its public members.

export function createContext(
  server: ServerCore,
  connection: ConnectionCore,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
): ServerRequestContext {
  return ServerRequestContext['access'].create(server, connection, dispatch, method, params)
}

/** The same message with other params, for a middleware that rewrites. */
export function withParams(ctx: ServerRequestContext, params: JSONObject): ServerRequestContext {
  return ServerRequestContext['access'].derive(ctx, params)
}

/** The same message for a handler that may go on without it: with a signal of its own. */
export function forkContext(ctx: ServerRequestContext, signal: AbortableSignal): ServerRequestContext {
  return ServerRequestContext['access'].fork(ctx, signal)
}

/** A request to a server that is mounted in the one that got `ctx`: its own server, method and params, and all else of `ctx`. */
export function nestContext(
  ctx: ServerRequestContext,
  server: ServerCore,
  method: string,
  params: JSONObject | undefined,
): ServerRequestContext {
  return ServerRequestContext['access'].nest(ctx, server, method, params)
}

/** The request of the server that this request's server is mounted in; `undefined` for a request of a client. */
export function outerRequestOf(ctx: ServerRequestContext): ServerRequestContext | undefined {
  return ServerRequestContext['access'].outer(ctx)
}

/** The source that answers a request, where that is not the outermost one of its server. */
export function entryOf(ctx: ServerRequestContext): Source | undefined {
  return ServerRequestContext['access'].entry(ctx)
}

/** From here on this source answers the request, inside all middleware. */
export function enterAt(ctx: ServerRequestContext, entry: Source): void {
  ServerRequestContext['access'].enter(ctx, entry)
}

/** From here on the client has declared this. */
export function declareInstead(ctx: ServerRequestContext, capabilities: ClientCapabilities): void {
  ServerRequestContext['access'].declare(ctx, capabilities)
}

/** Which versions of components count for this request: those of all these ranges. */
export function versionsOf(ctx: ServerRequestContext): readonly VersionRange[] {
  return ServerRequestContext['access'].versions(ctx)
}

/** The same message where only versions of this range count, beside the ranges that count already. */
export function withVersions(ctx: ServerRequestContext, range: VersionRange): ServerRequestContext {
  const limited = ServerRequestContext['access'].derive(ctx, ctx.params)
  ServerRequestContext['access'].limit(limited, range)
  return limited
}

/** From here on the context belongs to no request. */
export function detachContext(ctx: ServerRequestContext, dispatch: DispatchContext): void {
  ServerRequestContext['access'].detach(ctx, dispatch)
}

/** The message with the params that it came with. */
export function originOf(ctx: ServerRequestContext): ServerRequestContext {
  return ServerRequestContext['access'].origin(ctx)
}

export function serverOfRequest(ctx: ServerRequestContext): ServerCore {
  return ServerRequestContext['access'].server(ctx)
}

export function connectionOfRequest(ctx: ServerRequestContext): ConnectionCore {
  return ServerRequestContext['access'].connection(ctx)
}

export function extrasOf(ctx: ServerRequestContext): RequestExtras {
  return ServerRequestContext['access'].extras(ctx)
}

/** `undefined` where nothing has needed them yet. */
export function findExtras(ctx: ServerRequestContext): RequestExtras | undefined {
  return ServerRequestContext['access'].existingExtras(ctx)
}

/** What the result of the handler is made of, as the handler declares it. */
export function plainResultOf(ctx: ServerRequestContext): PlainResult | undefined {
  return ServerRequestContext['access'].plain(ctx)
}

/** For a handler that built its result of text and JSON alone: the result needs no further check. */
export function setPlainResult(ctx: ServerRequestContext, plain: PlainResult): void {
  ServerRequestContext['access'].setPlain(ctx, plain)
}

/** Called with the final result once every middleware has let it pass. */
export type OnSuccess = (result: JSONObject) => void

/** What few messages need. All contexts of one message share it; it is created on first use. */
export class RequestExtras {
  /** What must happen only if the whole chain, middleware included, succeeds. */
  onSuccess: OnSuccess | undefined
  /** The sealed state that this round of a call goes on from, once it has been verified; `undefined` for a first round. */
  resumedFrom: string | undefined
  /** Whether that state is accepted once only, over all nodes. */
  isResumedOnce: boolean | undefined
  /** The run of a task that handles the message, without a request or no longer in one. */
  run: TaskRun | undefined
  /** A result that is as it is to be sent: that of a mounted server, or one that crosses unchanged from elsewhere. */
  finished: JSONObject | undefined
  /** Where the handler may go on without its request. */
  detachable: DetachableCall | undefined
  readonly #dispatch: DispatchContext
  #abortable: AbortableSignal | undefined
  #sending: SendingLayer | undefined

  constructor(dispatch: DispatchContext, signal?: AbortableSignal, source?: RequestExtras) {
    this.#dispatch = dispatch
    this.#abortable = signal
    this.#sending = source?.sending
    this.resumedFrom = source?.resumedFrom
    this.isResumedOnce = source?.isResumedOnce
  }

  get abortable(): AbortableSignal | undefined {
    return this.#abortable
  }

  /** For a middleware that may stop the message: calling the function it returns aborts `ctx.signal` too. */
  makeAbortable(): (reason: unknown) => void {
    const abortable = new AbortableSignal(this.#abortable ?? this.#dispatch)
    this.#abortable = abortable
    return (reason) => abortable.abort(reason)
  }

  /** What runs around each request that the server sends while it handles this message. */
  get sending(): SendingLayer | undefined {
    return this.#sending
  }

  aroundSending(layer: SendingLayer): void {
    const outer = this.#sending
    this.#sending = outer === undefined ? layer : nest(outer, layer)
  }

  /** As `aroundSending`, outside of all other layers: it continues after them when the answer has come. */
  outsideSending(layer: SendingLayer): void {
    const inner = this.#sending
    this.#sending = inner === undefined ? layer : nest(layer, inner)
  }
}

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
