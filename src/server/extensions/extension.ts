// Protocol extensions on the server side: what they declare, the requests and notifications they handle, and their results.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolRequestParams, CallToolResult } from '../../types/features/tools.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { ServerRequestContext } from '../context.ts'
import type { Middleware, NotificationHandler, RequestHandler, RequestHandlers } from '../handlers.ts'
import type { Server } from '../server.ts'
import type { ChangeNotification } from '../subscriptions/subscriptions.ts'

/** A result of `tools/call` whose `resultType` belongs to an extension. */
export interface ExtensionResult extends JSONObject {
  /** The type that the extension has declared in `resultTypes`. */
  resultType: string
}

/** The possible results of a tool call. */
export type ToolCallOutcome = CallToolResult | InputRequiredResult | ExtensionResult

/**
 * Runs around every `tools/call`, inside all middleware, the first extension outermost. Its params are valid at the revision;
 * in an `MCPServer` the caller may use the tool and the arguments fit its schema, and a call that fails these checks reaches no
 * interceptor. Its result is checked and stamped like any other. With `next(params)` the tool gets these params, with their
 * `inputResponses`, `requestState` and `_meta`, once they have passed the same checks.
 */
export type ToolCallInterceptor = (
  ctx: ServerRequestContext,
  params: CallToolRequestParams,
  next: (params?: CallToolRequestParams) => Promise<ToolCallOutcome>,
) => MaybePromise<ToolCallOutcome>

/** A request that an extension adds. */
export interface ExtensionRequest {
  /** Answers the request, after its params are checked. */
  readonly handle: RequestHandler
  /** The revisions that have it (default: those of the extension). None of them may have the method in its specification. */
  readonly protocolVersions?: readonly ProtocolVersion[]
  /** Also answers clients that did not declare the extension. Otherwise they get -32021. */
  readonly isOpenToAll?: boolean
  /** The param that the HTTP header `Mcp-Name` repeats, and by which `limitRate()` tells requests apart. */
  readonly nameParam?: string
  /** Runs a handler of the server's author for one caller: `limitRate()` counts it by default (default: `false`). */
  readonly isCounted?: boolean
  /** The result goes to a model: `limitResponseSize()` measures it by default (default: `false`). */
  readonly isContent?: boolean
  /** Meant to stay open: `limitTime()` sets no limit unless one is given for the method (default: `false`). */
  readonly isUntimed?: boolean
}

/** A notification that an extension listens for. */
export interface ExtensionNotification {
  /** Called for each notification, after its params are checked. */
  readonly handle: NotificationHandler
  /** The revisions that have it (default: those of the extension). */
  readonly protocolVersions?: readonly ProtocolVersion[]
}

/** A member of the filter of `subscriptions/listen`, as `taskIds`: a list of keys that clients can watch. Modern era only. */
export interface ExtensionWatch {
  /** Those of the keys that this client may watch. */
  grant(ctx: ServerRequestContext, keys: readonly string[]): MaybePromise<readonly string[]>
  /**
   * The notification for a key whose change was announced, with `{ type: 'extensionChanged', filter, key }`. Asked for when it
   * is sent, so that a slow client gets the latest; `undefined` sends nothing. `ctx` is that of the subscription, which may be hours
   * old: check again what its client may see. Not asked once the token of the client has expired.
   */
  describe(key: string, ctx: ServerRequestContext): MaybePromise<ChangeNotification | undefined>
  /**
   * Those of the granted keys whose last change the client may have missed, asked for once the subscription is open. Each is
   * announced to this client, once (default: none).
   */
  findMissed?(keys: readonly string[]): MaybePromise<readonly string[]>
}

/** What an extension that has started keeps open. */
export interface StartedExtension {
  /** Called when the server stops, before its lifespan ends. */
  close(): MaybePromise<void>
}

/** What an extension adds to a server. */
export interface ServerExtensionParts {
  /** The settings in the capability. */
  readonly settings?: JSONObject
  /** Whether the extension is declared at present, to clients of a revision (default: always). Its methods are answered anyway. */
  readonly isDeclared?: (version: ProtocolVersion) => boolean
  /**
   * Capabilities of the specification that a revision has for it, as this caller sees them. With `initialize` the revision is that of
   * the answer, not yet that of `ctx`. The `capabilities` option of the server goes over them.
   */
  readonly capabilities?: (version: ProtocolVersion, ctx: ServerRequestContext) => ServerCapabilities
  /** By method. */
  readonly requests?: Readonly<Record<string, ExtensionRequest>>
  /** Handlers of methods of the specification. Those that the author sets go before them. */
  readonly handlers?: RequestHandlers
  /** By method. */
  readonly notifications?: Readonly<Record<string, ExtensionNotification>>
  /** By the name of the member of the filter. */
  readonly watches?: Readonly<Record<string, ExtensionWatch>>
  /** Types of results of `tools/call`, sent to clients that declared the extension. Modern era only. */
  readonly resultTypes?: readonly string[]
  /** Runs around every `tools/call` and may answer it with a result of the extension, such as a task. */
  readonly interceptToolCall?: ToolCallInterceptor
  /** Runs inside the middleware of the server's author. */
  readonly middleware?: readonly Middleware[]
  /**
   * Called when the server starts, after its lifespan and before its first message, to load what the extension needs. A server
   * whose extension fails to start does not start.
   */
  readonly start?: () => MaybePromise<StartedExtension | undefined>
}

/** The server side of an extension. It is read once for each server, when that is created. */
export interface ServerExtension extends ServerExtensionParts {
  /** As in `com.example/search`. */
  readonly identifier: string
  /** The revisions that have the extension (default: all). In others it is not declared and does nothing. */
  readonly protocolVersions?: readonly ProtocolVersion[]
  /**
   * Called once for each server, while that is created: what it returns belongs to this server alone, and goes in the place of
   * the members above. The server can be kept, and used from `start` on.
   */
  readonly forServer?: (server: Server) => ServerExtensionParts
}
