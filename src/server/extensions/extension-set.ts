// The extensions of a server, merged for the kernel. Extensions that conflict with each other are rejected.

import { CleanupStack } from '../../primitives/async/cleanup.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { CORE_RESULT_TYPES } from '../../types/protocol/base.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import { assertExtensionIdentifier, assertExtensionObject } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { isSpecMethod, notificationRow, requestRow } from '../../wire/method-rows.ts'
import type { ServerRequestContext } from '../context.ts'
import type { Middleware, NotificationHandler, RequestHandler, RequestHandlers } from '../handlers.ts'
import { running } from '../late/running.ts'
import type { Server } from '../server.ts'
import { clientExtension } from './declared-extension.ts'
import type { ExtensionNotification, ExtensionRequest, ServerExtension, ServerExtensionParts } from './extension.ts'
import { ExtensionWatches } from './extension-watches.ts'

const CORE_TYPES: ReadonlySet<string> = new Set(CORE_RESULT_TYPES)

/** A handler, a watch or a result type, with the extension that it belongs to. */
interface Owned<Binding> {
  readonly identifier: string
  readonly binding: Binding
}

/** A `ToolCallInterceptor` as the kernel sees it, which knows params and results as JSON. */
type Interceptor = (
  ctx: ServerRequestContext,
  params: JSONObject,
  next: (params?: JSONObject) => Promise<JSONObject>,
) => MaybePromise<JSONObject>

interface InterceptorLayer {
  readonly intercept: Interceptor
  readonly protocolVersions: readonly ProtocolVersion[] | undefined
}

/** The context of the same message with other params. */
export type DeriveContext = (ctx: ServerRequestContext, params: JSONObject) => ServerRequestContext

export class ExtensionSet {
  readonly middleware: readonly Middleware[]
  readonly watches = new ExtensionWatches()
  readonly #requests = new Map<string, Owned<ExtensionRequest>>()
  readonly #notifications = new Map<string, Owned<ExtensionNotification>>()
  readonly #resultTypes = new Map<string, Owned<string>>()
  /** Each with the parts that it has for this server. */
  readonly all: readonly ServerExtension[]
  /** The outermost first. */
  readonly #interceptors: readonly InterceptorLayer[]

  /** Reads each extension once. Throws `TypeError` for one that cannot work, alone or beside the others. */
  constructor(extensions: readonly ServerExtension[], server: Server) {
    if (!Array.isArray(extensions)) {
      throw typeError('bad-extension', "extensions must be an array, as in [{ identifier: 'com.example/search' }]")
    }
    this.all = (extensions as readonly ServerExtension[]).map((one, index) => {
      assertExtensionObject(one, index)
      return attach(one, server)
    })
    const identifiers = new Set<string>()
    for (const extension of this.all) {
      const { identifier } = extension
      assertExtensionIdentifier(identifier)
      if (identifiers.has(identifier))
        throw typeError('bad-extension', `The extension '${identifier}' is given twice. Remove one.`)
      identifiers.add(identifier)
      this.#take(extension)
    }
    this.#interceptors = this.all.flatMap(({ interceptToolCall, protocolVersions }) =>
      interceptToolCall === undefined
        ? []
        : [{ intercept: interceptToolCall as unknown as Interceptor, protocolVersions }],
    )
    this.middleware = this.all.flatMap(({ middleware = [] }) => middleware)
  }

  /** The settings of each that a revision has, by identifier, as the capability says them; `undefined` where it has none. */
  settingsAt(version: ProtocolVersion): Record<string, JSONObject> | undefined {
    const declared = this.all.filter(
      ({ protocolVersions, isDeclared }) => hasRevision(protocolVersions, version) && isDeclared?.(version) !== false,
    )
    if (declared.length === 0) return undefined
    return Object.fromEntries(declared.map(({ identifier, settings = {} }) => [identifier, settings]))
  }

  /** What each adds to the capabilities of the specification, at a revision. */
  capabilitiesAt(version: ProtocolVersion, ctx: ServerRequestContext): ServerCapabilities[] {
    return this.all.flatMap(({ protocolVersions, capabilities }) =>
      capabilities !== undefined && hasRevision(protocolVersions, version) ? [capabilities(version, ctx)] : [],
    )
  }

  /** The extension of this server with an identifier. */
  find(identifier: string): ServerExtensionParts | undefined {
    return this.all.find((one) => one.identifier === identifier)
  }

  /** Handlers of methods of the specification. */
  get handlers(): RequestHandlers {
    return Object.assign({}, ...this.all.map(({ handlers }) => handlers)) as RequestHandlers
  }

  /** Starts all of them, in order. Where one fails, those before it are closed again. */
  async start(): Promise<() => Promise<void>> {
    const started = new CleanupStack()
    try {
      for (const { start } of this.all) {
        const one = await start?.()
        if (one !== undefined) started.defer(() => one.close())
      }
    } catch (error) {
      await started.close()
      throw error
    }
    return () => started.close()
  }

  get resultTypes(): Iterable<string> {
    return this.#resultTypes.keys()
  }

  /** Whether a method is an extension's at any revision. */
  has(method: string): boolean {
    return this.#requests.has(method) || this.#notifications.has(method)
  }

  /** The extension that results of this type belong to. */
  ownerOf(resultType: unknown): string | undefined {
    return this.#resultTypes.get(resultType as string)?.identifier
  }

  requestHandler(method: string, version: ProtocolVersion): RequestHandler | undefined {
    return findAt(this.#requests, method, version)?.handle
  }

  notificationHandler(method: string, version: ProtocolVersion): NotificationHandler | undefined {
    return findAt(this.#notifications, method, version)?.handle
  }

  /** What an extension says of its method; `undefined` where none has the method at this revision. */
  request(method: string, version: ProtocolVersion): ExtensionRequest | undefined {
    return findAt(this.#requests, method, version)
  }

  /** Whether the method belongs to an extension that the client did not declare, so that it gets -32021. */
  isClosedTo({ method, protocolVersion, clientCapabilities }: ServerRequestContext): boolean {
    const owned = this.#requests.get(method)
    if (owned === undefined || owned.binding.isOpenToAll === true) return false
    if (!hasRevision(owned.binding.protocolVersions, protocolVersion)) return false
    return clientExtension({ clientCapabilities, protocolVersion }, owned.identifier) === undefined
  }

  /** Whether any extension intercepts the calls of tools. */
  get interceptsToolCalls(): boolean {
    return this.#interceptors.length > 0
  }

  /**
   * Calls a tool with all interceptors around it. `run` gets the context and the params that the innermost one passes on:
   * those of the call, or others, with a context that `derive` made of them.
   */
  interceptToolCall(
    ctx: ServerRequestContext,
    params: JSONObject,
    run: RequestHandler,
    derive: DeriveContext,
  ): MaybePromise<JSONObject> {
    const callFrom = (index: number, given: ServerRequestContext, values: JSONObject): MaybePromise<JSONObject> => {
      const layer = this.#interceptors[index]
      if (layer === undefined) return run(given, values)
      if (!hasRevision(layer.protocolVersions, given.protocolVersion)) return callFrom(index + 1, given, values)
      return layer.intercept(given, values, async (other) => {
        return callFrom(index + 1, other === undefined ? given : derive(given, other), other ?? values)
      })
    }
    return callFrom(0, ctx, params)
  }

  #take(extension: ServerExtension): void {
    const {
      identifier,
      protocolVersions,
      requests = {},
      notifications = {},
      watches = {},
      resultTypes = [],
    } = extension
    assertVersions(`The extension '${identifier}'`, protocolVersions)
    const own = protocolVersions === undefined ? {} : { protocolVersions }
    for (const [method, given] of Object.entries(requests)) {
      const request = { ...own, ...given }
      assertBinding(identifier, method, request, (version) => requestRow(method, version, 'client') !== undefined)
      claimFor(this.#requests, method, { identifier, binding: guard(identifier, request) }, 'answer')
    }
    for (const [method, given] of Object.entries(notifications)) {
      const notification = { ...own, ...given }
      assertBinding(identifier, method, notification, (version) => isSpecNotification(method, version))
      claimFor(this.#notifications, method, { identifier, binding: notification }, 'listen for')
    }
    for (const [filter, watch] of Object.entries(watches)) this.watches.add(identifier, filter, watch)
    for (const resultType of resultTypes) {
      assertResultType(resultType)
      claimFor(this.#resultTypes, resultType, { identifier, binding: resultType }, 'claim the resultType')
    }
  }
}

/** The extension with the parts that it has for this server. */
function attach(extension: ServerExtension, server: Server): ServerExtension {
  const parts = isPlainObject(extension) ? extension.forServer?.(server) : undefined
  return parts === undefined ? extension : { ...extension, ...parts }
}

function findAt<Binding extends { readonly protocolVersions?: readonly ProtocolVersion[] }>(
  bindings: ReadonlyMap<string, Owned<Binding>>,
  method: string,
  version: ProtocolVersion,
): Binding | undefined {
  const binding = bindings.get(method)?.binding
  return hasRevision(binding?.protocolVersions, version) ? binding : undefined
}

/** Spec, Extensions: what a client did not declare is not offered to it. */
function guard(identifier: string, request: ExtensionRequest): ExtensionRequest {
  const { handle, isOpenToAll = false } = request
  if (isOpenToAll) return request
  return {
    ...request,
    handle: (ctx, params) => {
      running.loaded.requireClientExtension(ctx, identifier)
      return handle(ctx, params)
    },
  }
}

function assertBinding(
  identifier: string,
  method: string,
  { handle, protocolVersions = PROTOCOL_VERSIONS }: ExtensionRequest | ExtensionNotification,
  isOfTheSpecification: (version: ProtocolVersion) => boolean,
): void {
  const what = `'${method}' of the extension '${identifier}'`
  if (method === '') throw typeError('bad-extension', `The extension '${identifier}' has a method without a name`)
  if (typeof handle !== 'function') throw typeError('bad-extension', `${what} has no handle function`)
  assertVersions(what, protocolVersions)
  const taken = protocolVersions.find(isOfTheSpecification)
  if (taken !== undefined) throw typeError('bad-extension', `${what} belongs to the specification at revision ${taken}`)
}

function assertVersions(what: string, versions: readonly ProtocolVersion[] = PROTOCOL_VERSIONS): void {
  const isKnown = Array.isArray(versions) && versions.every((version) => PROTOCOL_VERSIONS.includes(version))
  if (!isKnown || versions.length === 0)
    throw typeError('bad-extension', `${what} must name protocol versions, at least one`)
}

function hasRevision(versions: readonly ProtocolVersion[] | undefined, version: ProtocolVersion): boolean {
  return versions?.includes(version) !== false
}

function isSpecNotification(method: string, version: ProtocolVersion): boolean {
  return notificationRow(method, version, 'client') !== undefined
}

function assertResultType(resultType: unknown): void {
  if (typeof resultType !== 'string' || resultType === '')
    throw typeError('bad-extension', 'A resultType must be a string')
  if (!CORE_TYPES.has(resultType)) return
  throw typeError('bad-extension', `The resultType '${resultType}' belongs to the specification and cannot be claimed`)
}

function claimFor<Binding>(all: Map<string, Owned<Binding>>, what: string, owned: Owned<Binding>, verb: string): void {
  const owner = all.get(what)?.identifier
  if (owner !== undefined)
    throw typeError('bad-extension', `Both '${owner}' and '${owned.identifier}' ${verb} '${what}'`)
  all.set(what, owned)
}

/** Throws for a method that the author of a server cannot handle. One of the specification in some revisions can be an extension's in the others. */
export function assertOwn(extensions: ExtensionSet | undefined, method: string): void {
  // The handshake decides how every later message is read; another handler would leave that undone.
  if (method === 'initialize') {
    throw typeError(
      'bad-extension',
      "The server answers 'initialize' itself. Set instructions, capabilities or supportedVersions, or use a middleware.",
    )
  }
  if (extensions?.has(method) !== true || isSpecMethod(method)) return
  throw typeError('bad-extension', `'${method}' belongs to an extension of this server already`)
}
