// What a handler and a middleware see of one inbound message, and what only the modules of this package see of it.

import type { AbortableSignal } from '../dispatcher/abortable-signal.ts'
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
import type { Connection, ConnectionCore } from './connection.ts'
import type { ServerCore } from './core.ts'
import { running } from './late/running.ts'
import { type ForwardingLayer, RequestExtras } from './request-extras.ts'
import type { PlainResult } from './results/respond.ts'
import type { Server } from './server.ts'
import type { SendingLayer, ServerSession } from './session.ts'
import type { TaskContext } from './task-run.ts'
import type { Through, Ways } from './ways.ts'

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
  readonly #inside: RequestInside
  #session: ServerSession | undefined

  /**
   * For the functions below the class. Not a static block: a bundler keeps a class that has one, even in programs that use no
   * server.
   */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: the functions below the class use it.
  private static readonly access = {
    create: (inside: RequestInside, method: string, params: JSONObject | undefined) => new this(inside, method, params),
    inside: (ctx: ServerRequestContext) => ctx.#inside,
    forgetSession: (ctx: ServerRequestContext) => {
      ctx.#session = undefined
    },
  }

  private constructor(inside: RequestInside, method: string, params: JSONObject | undefined) {
    this.#inside = inside
    this.method = method
    this.params = params
  }

  /** The server that handles the request. */
  get server(): Server {
    return this.#inside.server.face
  }

  /** The message as the transport delivered it, and its own way back to the client; in a task, there is no way back. */
  get dispatch(): DispatchContext {
    return this.#inside.dispatch
  }

  /** The connection of the client. Since 2026-07-28 each request has its own. */
  get connection(): Connection {
    return this.#inside.connection.face
  }

  /** `undefined` for a notification. */
  get requestId(): RequestId | undefined {
    return this.#inside.dispatch.requestId
  }

  /** Aborted when the client cancels the request or goes away, or when a middleware stops it. */
  get signal(): AbortSignal {
    return (this.#inside.extras?.abortable ?? this.#inside.dispatch).signal
  }

  /** Called once when `signal` aborts, at once where it has. Cheaper than the signal, for requests that stay open for long. */
  onAbort(listener: AbortListener): void {
    const watched = this.#inside.extras?.abortable ?? this.#inside.dispatch
    watched.onAbort(listener)
  }

  /** The typed view of the client, for this message. */
  get session(): ServerSession {
    this.#session ??= running.loaded.createSession(this.#inside.connection, this.#inside.dispatch, extrasOf(this))
    return this.#session
  }

  /** The `_meta` of the request. Empty if the client sent none. */
  get meta(): RequestMetaObject {
    return (this.params?.['_meta'] as RequestMetaObject | undefined) ?? NO_META
  }

  /** The revision that the client speaks. */
  get protocolVersion(): ProtocolVersion {
    return this.#inside.connection.protocolVersion
  }

  /** Self-reported: for display and logs, never to decide anything. */
  get clientInfo(): Implementation | undefined {
    return this.#inside.connection.clientInfo
  }

  /** What the client declares. Empty before the handshake. */
  get clientCapabilities(): ClientCapabilities {
    return this.#inside.capabilities ?? this.#inside.connection.clientCapabilities
  }

  /** Who is calling, where something has verified that. */
  get auth(): AuthInfo | undefined {
    return this.#inside.dispatch.transport.auth
  }

  /** The task that this run belongs to; `undefined` in a request. Middleware runs around both: see it to tell them apart. */
  get task(): TaskContext | undefined {
    return this.#inside.extras?.run?.task
  }

  /** What the server's `lifespan` returned. */
  get lifespan(): unknown {
    return this.#inside.server.lifespan
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

  /** Runs around each request that a proxy passes on to a server elsewhere for this message; gets what does so already. */
  aroundForwarding(layer: (outer: ForwardingLayer | undefined) => ForwardingLayer): void {
    const extras = extrasOf(this)
    extras.forwarding = layer(extras.forwarding)
  }

  /** Tells the caller how far the work is; nothing happens unless it asked for that. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.#inside.dispatch.reportProgress(progress, total, message)
  }
}

// What the modules of this package do with a context beyond its public members.

/** What they see of one message. Whoever needs several of these looks inside once. */
export interface RequestInside {
  readonly server: ServerCore
  readonly connection: ConnectionCore
  dispatch: DispatchContext
  /** What the result of the handler is made of, as the handler declares it: it needs no further check then. */
  plain: PlainResult | undefined
  /** `undefined` where nothing has needed them yet. */
  extras: RequestExtras | undefined
  /** The message as it came in, where a middleware or an extension has changed its params. */
  origin: ServerRequestContext | undefined
  /** The request of the server that this request's server is mounted in; `undefined` for a request of a client. */
  readonly outer: ServerRequestContext | undefined
  /** For a request that a layer makes for its caller: what it goes through. */
  through: Through | undefined
  /** The ways that it has taken where several sources stand beside each other. */
  ways: Ways | undefined
  /** What the client declares, where a mounted server must not see all of it. */
  capabilities: ClientCapabilities | undefined
  /** Which versions of components transforms leave; all of these ranges count. */
  versions: readonly VersionRange[]
}

/** The function of the class itself: a call of it within another one would be two for each use. */
export const insideOf: (ctx: ServerRequestContext) => RequestInside = /* @__PURE__ */ (() =>
  ServerRequestContext['access'].inside)()

export function createContext(
  server: ServerCore,
  connection: ConnectionCore,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
): ServerRequestContext {
  const inside: RequestInside = {
    server,
    connection,
    dispatch,
    plain: undefined,
    extras: undefined,
    origin: undefined,
    outer: undefined,
    through: undefined,
    ways: undefined,
    capabilities: undefined,
    versions: ANY_VERSION,
  }
  return ServerRequestContext['access'].create(inside, method, params)
}

/** The same message with other params, for a middleware that rewrites. */
export function withParams(ctx: ServerRequestContext, params: JSONObject): ServerRequestContext {
  return derive(ctx, params, extrasOf(ctx))
}

function derive(
  ctx: ServerRequestContext,
  params: JSONObject | undefined,
  extras: RequestExtras,
): ServerRequestContext {
  const inside = { ...insideOf(ctx), extras, origin: originOf(ctx), plain: undefined }
  return ServerRequestContext['access'].create(inside, ctx.method, params)
}

/** The same message for a handler that may go on without it: with a signal of its own. */
export function forkContext(ctx: ServerRequestContext, signal: AbortableSignal): ServerRequestContext {
  const { dispatch, extras } = insideOf(ctx)
  return derive(ctx, ctx.params, new RequestExtras(dispatch, signal, extras))
}

/** The same message for work that may be stopped before it, and all else of it. */
export function withSignal(ctx: ServerRequestContext, signal: AbortableSignal): ServerRequestContext {
  return derive(ctx, ctx.params, extrasOf(ctx).stoppedBy(signal))
}

/** From here on the message stops with the other one. */
export function stopWith(ctx: ServerRequestContext, other: ServerRequestContext): void {
  const abortable = findExtras(other)?.abortable
  if (abortable === undefined || abortable === findExtras(ctx)?.abortable) return
  insideOf(ctx).extras = extrasOf(ctx).stoppedBy(abortable)
}

/** A request to a server that is mounted in the one that got `ctx`: its own server, method and params, and all else of `ctx`. */
export function nestContext(
  ctx: ServerRequestContext,
  server: ServerCore,
  method: string,
  params: JSONObject | undefined,
): ServerRequestContext {
  const { connection, dispatch, through, ways, capabilities, versions } = insideOf(ctx)
  // Member by member: V8 takes several times as long for an object that is spread into another one.
  const inside: RequestInside = {
    server,
    connection,
    dispatch,
    plain: undefined,
    extras: extrasOf(ctx),
    origin: undefined,
    outer: ctx,
    through,
    ways,
    capabilities,
    versions,
  }
  return ServerRequestContext['access'].create(inside, method, params)
}

export function outerRequestOf(ctx: ServerRequestContext): ServerRequestContext | undefined {
  return insideOf(ctx).outer
}

/** The request of the client itself: that of the outermost server. */
export function outermostOf(ctx: ServerRequestContext): ServerRequestContext {
  let outermost = ctx
  for (let at = outerRequestOf(ctx); at !== undefined; at = outerRequestOf(at)) outermost = at
  return outermost
}

/** From here on the client has declared this. */
export function declareInstead(ctx: ServerRequestContext, capabilities: ClientCapabilities): void {
  insideOf(ctx).capabilities = capabilities
}

export function versionsOf(ctx: ServerRequestContext): readonly VersionRange[] {
  return insideOf(ctx).versions
}

/** The same message where only versions of this range count, beside the ranges that count already. */
export function withVersions(ctx: ServerRequestContext, range: VersionRange): ServerRequestContext {
  const limited = derive(ctx, ctx.params, extrasOf(ctx))
  const inside = insideOf(limited)
  inside.versions = [...inside.versions, range]
  return limited
}

/** From here on the context belongs to no request. */
export function detachContext(ctx: ServerRequestContext, dispatch: DispatchContext): void {
  const inside = insideOf(ctx)
  inside.dispatch = dispatch
  inside.origin = undefined
  ServerRequestContext['access'].forgetSession(ctx)
}

/** The message with the params that it came with. */
export function originOf(ctx: ServerRequestContext): ServerRequestContext {
  return insideOf(ctx).origin ?? ctx
}

export function serverOfRequest(ctx: ServerRequestContext): ServerCore {
  return insideOf(ctx).server
}

export function connectionOfRequest(ctx: ServerRequestContext): ConnectionCore {
  return insideOf(ctx).connection
}

export function extrasOf(ctx: ServerRequestContext): RequestExtras {
  const inside = insideOf(ctx)
  inside.extras ??= new RequestExtras(inside.dispatch)
  return inside.extras
}

export function findExtras(ctx: ServerRequestContext): RequestExtras | undefined {
  return insideOf(ctx).extras
}
