// What a running server does for clients that listen for changes: answers their requests, and tells legacy ones.
import type { MaybePromise } from '../primitives/async/promises.ts'
import { LatePart } from '../primitives/late-part.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import { CHANGE_NOTIFICATIONS, type ListChange } from '../wire/method-rows.ts'
import type { Change } from '../wire/methods.ts'
import { missingResourceCode } from '../wire/revision-facts.ts'
import type { ConnectionCore } from './connection.ts'
import { connectionOfRequest, type ServerRequestContext } from './context.ts'
import type { ServerCore } from './core.ts'
import type { RequestHandlers } from './handlers.ts'
import { NO_BACK_CHANNEL } from './outbound.ts'
import type { GrantedWatches, SupportedChanges } from './subscriptions/filter.ts'
import { uriBytes } from './subscriptions/kept-bytes.ts'
import { createLegacySubscriptions, type LegacySubscriptions } from './subscriptions/legacy.ts'
import type { ListenContext, ListenHandler } from './subscriptions/listen.ts'
import type { Watching } from './subscriptions/node-bus.ts'
import type { ChangeNotification, ExtensionChange, KeyedBus, SubscriptionEvent } from './subscriptions/subscriptions.ts'

/** Loaded with the first request for it: many clients never listen. From then on a subscription opens in the turn of its request. */
const listenParts = new LatePart<typeof import('./subscriptions/listen.ts')>()

export interface ServingSubscriptions {
  /** The handlers that a server with a bus has. */
  readonly handlers: Required<
    Pick<RequestHandlers, 'subscriptions/listen' | 'resources/subscribe' | 'resources/unsubscribe'>
  >
  /** Announces changes to a legacy client, until the returned function is called. */
  attach(connection: ConnectionCore): () => void
  /** A legacy client watches these uris and no others, as another node has kept them. */
  restore(connection: ConnectionCore, uris: readonly string[]): void
  /** A legacy client hears once of everything that may have changed while no node announced it. */
  catchUp(connection: ConnectionCore): void
  /** Ends all subscriptions in good order, or those of one connection, known by what its requests share. */
  close(peer?: object): Promise<unknown> | undefined
}

export interface ServingOptions {
  readonly maxSubscriptions: number | undefined
  /** Hears what clients of this node watch; `undefined` where no other node needs to know. */
  readonly watch: ((changes: readonly SubscriptionEvent[]) => Watching | undefined) | undefined
}

const NO_SESSION = 'Method not found: resources/subscribe. Updates need a session, and this endpoint has none.'

export function serveSubscriptions(
  server: ServerCore,
  bus: KeyedBus,
  { maxSubscriptions, watch: tell }: ServingOptions,
): ServingSubscriptions {
  const whatIsWatched = tell !== undefined && { watch: tell }
  const watches = new WeakMap<ConnectionCore, LegacySubscriptions>()
  const changes = new ServedChanges(server)
  let listening: ListenHandler | undefined
  const startListening = () => {
    listening ??= listenParts.loaded.createListenHandler(bus, {
      supported: () => changes,
      kept: server.kept,
      ...whatIsWatched,
      ...(maxSubscriptions !== undefined && { maxSubscriptions }),
    })
    return listening
  }

  return {
    handlers: {
      'subscriptions/listen': (ctx, params) => {
        const listen = () => startListening()(listenContext(server, ctx), params)
        const open = () => listenParts.load(() => import('./subscriptions/listen.ts'))?.then(listen) ?? listen()
        const held = server.source?.hold?.(ctx)
        return held === undefined ? open() : holding(held, open)
      },
      'resources/subscribe': async (ctx, { uri }) => {
        uriBytes('resources/subscribe', uri)
        if (connectionOfRequest(ctx).backChannel === NO_BACK_CHANNEL)
          throw new MCPError(ErrorCode.MethodNotFound, NO_SESSION)
        // A hidden resource can be watched like one that does not exist: nothing is announced.
        if (!(await mayWatch(server, ctx, uri))) return {}
        const connection = connectionOfRequest(ctx)
        const watch = watches.get(connection)
        watch?.subscribe(uri)
        await watch?.whenReady(uri)
        await connection.keeper?.keep({ watch: uri })
        return {}
      },
      'resources/unsubscribe': async (ctx, { uri }) => {
        const connection = connectionOfRequest(ctx)
        watches.get(connection)?.unsubscribe(uri)
        await connection.keeper?.keep({ unwatch: uri })
        return {}
      },
    },
    attach(connection) {
      const watch = createLegacySubscriptions(bus, {
        announces: (change) => declares(connection, change),
        onFault: (fault) => server.faults.report(fault),
        kept: server.kept,
        ...whatIsWatched,
        isAnnouncer: (isFromElsewhere) => connection.keeper?.isAnnouncer(isFromElsewhere) ?? true,
        // Spec, Lifecycle: before the client is ready a server sends nothing but pings and log messages.
        notify: (method, params) =>
          connection.isInitialized ? connection.backChannel.notify(method, params) : Promise.resolve(),
      })
      watches.set(connection, watch)
      return () => watch.close()
    },
    restore(connection, uris) {
      watches.get(connection)?.replace(uris)
    },
    catchUp(connection) {
      watches.get(connection)?.catchUp()
    },
    close: (peer) => listening?.close(peer),
  }
}

async function holding<T>(held: MaybePromise<(() => void) | undefined>, open: () => MaybePromise<T>): Promise<T> {
  const release = await held
  try {
    return await open()
  } finally {
    release?.()
  }
}

function listenContext(server: ServerCore, ctx: ServerRequestContext): ListenContext {
  const { requestId, dispatch } = ctx
  const connection = connectionOfRequest(ctx)
  const { peer } = connection
  const { extensions, source } = server
  const watches = extensions?.watches
  return {
    requestId,
    onAbort: (listener) => ctx.onAbort(listener),
    outbound: dispatch,
    // A connection with this one request needs no count.
    connection: peer === connection ? undefined : peer,
    isStreamShared: connection.isStreamShared,
    isLeaving: () => server.isLeaving(peer),
    mayWatch: source && ((uri) => mayWatch(server, ctx, uri)),
    grantWatches: watches?.isEmpty === false ? (filter) => watches.grant(ctx, filter) : undefined,
    findMissed: watches?.isEmpty === false ? (granted) => findMissed(server, granted) : undefined,
    describe: watches?.isEmpty === false ? (change) => describeChange(server, ctx, change) : undefined,
  }
}

/** Whether the caller hears of changes to a resource: not of one that it must not know of. Rejects with what it lacks. */
async function mayWatch({ source }: ServerCore, ctx: ServerRequestContext, uri: string): Promise<boolean> {
  try {
    await source?.handle(ctx, 'resources/subscribe', { uri })
    return true
  } catch (error) {
    if (error instanceof MCPError && error.code === missingResourceCode(ctx.protocolVersion)) return false
    throw error
  }
}

/** What its extension fails to find out counts as nothing missed. */
async function findMissed(server: ServerCore, granted: GrantedWatches): Promise<readonly ExtensionChange[]> {
  try {
    return (await server.extensions?.watches.findMissed(granted)) ?? []
  } catch (error) {
    const message = 'An extension failed to find changes that came before a subscription'
    server.faults.report({ kind: 'notification-failed', message, error })
    return []
  }
}

/** A change that its extension fails to describe is not announced. */
async function describeChange(
  server: ServerCore,
  ctx: ServerRequestContext,
  change: ExtensionChange,
): Promise<ChangeNotification | undefined> {
  // A subscription outlives the token that it was opened with.
  const expiresAt = ctx.auth?.expiresAt
  if (expiresAt !== undefined && expiresAt * 1000 <= server.clock.now()) return undefined
  try {
    return await server.extensions?.watches.describe(change, ctx)
  } catch (error) {
    const message = `An extension failed to describe a change of '${change.filter}'`
    server.faults.report({ kind: 'notification-failed', message, error })
    return undefined
  }
}

/** Spec, Lifecycle: only negotiated capabilities are used, though the server may offer more since then. */
function declares({ serverCapabilities = {} }: ConnectionCore, change: ListChange): boolean {
  return serverCapabilities[CHANGE_NOTIFICATIONS[change].capability]?.listChanged === true
}

/** Only what a server serves can change. Looked up one by one, because thousands of connections ask for each change. */
class ServedChanges implements SupportedChanges {
  readonly #server: ServerCore

  constructor(server: ServerCore) {
    this.#server = server
  }

  get toolsListChanged(): boolean {
    return this.#serves('toolsListChanged')
  }

  get promptsListChanged(): boolean {
    return this.#serves('promptsListChanged')
  }

  get resourcesListChanged(): boolean {
    return this.#serves('resourcesListChanged')
  }

  get resourceSubscriptions(): boolean {
    return this.#serves('resourceUpdated')
  }

  #serves(change: Change): boolean {
    const { invalidates } = CHANGE_NOTIFICATIONS[change]
    if (this.#server.answersElsewhere) return true
    return invalidates.some((method) => this.#server.requestHandler(method) !== undefined)
  }
}
