// Legacy clients in front of a modern source: what a connection keeps for them that modern requests say each time.
import type { Subscription } from '../../client/subscriptions/subscription.ts'
import type { ConnectionCore } from '../../server/connection.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { checkWatched } from '../../server/subscriptions/kept-bytes.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { isWanted, type Wishes } from '../back/wishes.ts'

const MAX_URIS = 1_024

interface Front {
  level: LoggingLevel | undefined
  readonly uris: Set<string>
  /** Of sessions that it shares: those that are told when it has ended. */
  readonly forgets: WeakSet<object>
  subscription: Subscription | undefined
  /** The connection of a filter that waits for its turn. */
  next: BackConnection | undefined
  /** Ends when the filter has changed; then the next one is opened. */
  turn: Promise<void>
}

export class LegacyFronts {
  readonly #fronts = new WeakMap<object, Front>()

  levelOf(request: ServerRequestContext): LoggingLevel | undefined {
    const connection = connectionOfRequest(request)
    return this.#fronts.get(connection)?.level ?? connection.logLevel
  }

  /** From here on the source tells of changes of its lists, whoever asks: those who hear of them stand before it. */
  listenFor(connection: BackConnection): void {
    this.#reopen(this.#frontOf(connection), connection)
  }

  /** The same for one resource. Resolves when the source has agreed. */
  async watchFor(connection: BackConnection, uri: string): Promise<JSONObject> {
    const front = this.#frontOf(connection)
    if (!front.uris.has(uri) && front.uris.size < MAX_URIS) {
      front.uris.add(uri)
      this.#reopen(front, connection)
    }
    await front.turn
    return {}
  }

  /** Answers what the modern era has no request for; `undefined` for all else. */
  answer(
    request: ServerRequestContext,
    connection: BackConnection,
    method: string,
    params: JSONObject,
  ): Promise<JSONObject> | undefined {
    const front = this.#frontOf(connectionOfRequest(request))
    if (method === 'logging/setLevel') {
      const { level } = params
      if (!isLevel(level)) throw new MCPError(ErrorCode.InvalidParams, 'Invalid params: level is not a log level')
      front.level = level
      return Promise.resolve({})
    }
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return undefined
    const uri = String(params['uri'])
    if (method === 'resources/subscribe') addUri(front, uri)
    else front.uris.delete(uri)
    this.#reopen(front, connection)
    return front.turn.then(() => ({}))
  }

  /** The same for clients that share a session of a legacy source: it knows one level, and each resource once. */
  answerShared(
    request: ServerRequestContext,
    { wishes }: BackConnection,
    method: string,
    params: JSONObject,
  ): Promise<JSONObject> | undefined {
    const core = connectionOfRequest(request)
    const front = this.#frontOf(core)
    if (method === 'logging/setLevel' && isLevel(params['level'])) {
      front.level = params['level']
      return wishes.hear(front.level)
    }
    const { uri } = params
    if (typeof uri !== 'string') return undefined
    if (method === 'resources/subscribe' && !front.uris.has(uri)) return this.#watchShared(core, front, wishes, uri)
    if (method === 'resources/unsubscribe' && front.uris.delete(uri)) return wishes.unwatch(uri)
    return method.endsWith('subscribe') ? Promise.resolve({}) : undefined
  }

  async #watchShared(core: ConnectionCore, front: Front, wishes: Wishes, uri: string): Promise<JSONObject> {
    addUri(front, uri)
    // Once for the client, however often it subscribes and unsubscribes.
    if (!front.forgets.has(wishes)) {
      front.forgets.add(wishes)
      core.defer(() => {
        for (const one of front.uris) wishes.unwatch(one).catch(() => {})
        front.uris.clear()
      })
    }
    return wishes.watch(uri)
  }

  /** Whether a client that shares a session gets this message, which belongs to no call. */
  wants(client: ConnectionCore, method: string, params: JSONObject | undefined): boolean {
    const front = this.#frontOf(client)
    if (method === 'notifications/message') return front.level === undefined || isWanted(front.level, params)
    return method !== 'notifications/resources/updated' || front.uris.has(String(params?.['uri']))
  }

  /** From here on the client hears of changes of lists. */
  listen(request: ServerRequestContext, connection: BackConnection): void {
    this.#reopen(this.#frontOf(connectionOfRequest(request)), connection)
  }

  /** A client that listened by an earlier connection listens by this one. */
  resume(client: ConnectionCore, connection: BackConnection): void {
    const front = this.#fronts.get(client)
    if (front?.subscription !== undefined && connection.era === 'modern') this.#reopen(front, connection)
  }

  #reopen(front: Front, connection: BackConnection): void {
    const isQueued = front.next !== undefined
    front.next = connection
    // One that has not begun asks for all that is wanted when it does.
    if (!isQueued) front.turn = front.turn.then(() => this.#open(front)).catch(() => {})
  }

  async #open(front: Front): Promise<void> {
    const { client } = front.next as BackConnection
    front.next = undefined
    const { tools, prompts, resources } = client.session.serverCapabilities ?? {}
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true as const }),
      ...(prompts?.listChanged === true && { promptsListChanged: true as const }),
      ...(resources?.listChanged === true && { resourcesListChanged: true as const }),
      ...(front.uris.size > 0 && { resourceSubscriptions: [...front.uris] }),
    }
    const before = front.subscription
    if (Object.keys(filter).length > 0) {
      front.subscription = await client.listen(filter, {})
      void drain(front.subscription)
    }
    await before?.close()
  }

  #frontOf(key: object): Front {
    let front = this.#fronts.get(key)
    if (front === undefined) {
      front = {
        level: undefined,
        uris: new Set(),
        forgets: new WeakSet(),
        subscription: undefined,
        next: undefined,
        turn: Promise.resolve(),
      }
      this.#fronts.set(key, front)
    }
    return front
  }
}

/** Throws `MCPError` for a client that would watch more than a server of ours keeps for one. */
function addUri({ uris }: Front, uri: string): void {
  if (!uris.has(uri)) checkWatched([...uris, uri])
  uris.add(uri)
}

function isLevel(level: unknown): level is LoggingLevel {
  return (LOGGING_LEVELS as readonly unknown[]).includes(level)
}

/** The messages themselves are passed on where they arrive. */
async function drain(subscription: Subscription): Promise<void> {
  try {
    for await (const _event of subscription);
  } catch {
    // Lost with its connection.
  }
}
