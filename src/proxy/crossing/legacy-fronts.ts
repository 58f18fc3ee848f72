// Legacy clients in front of a modern source: what a connection keeps for them that modern requests say each time.
import type { Subscription } from '../../client/subscriptions/subscription.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { BackConnection } from '../back/back-connection.ts'

const MAX_URIS = 1_024

interface Front {
  level: LoggingLevel | undefined
  readonly uris: Set<string>
  subscription: Subscription | undefined
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
      if (!(LOGGING_LEVELS as readonly unknown[]).includes(level)) {
        throw new MCPError(ErrorCode.InvalidParams, 'Invalid params: level is not a log level')
      }
      front.level = level as LoggingLevel
      return Promise.resolve({})
    }
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return undefined
    const uri = String(params['uri'])
    if (method === 'resources/subscribe') front.uris.add(uri)
    else front.uris.delete(uri)
    this.#reopen(front, connection)
    return front.turn.then(() => ({}))
  }

  /** From here on the client hears of changes of lists. */
  listen(request: ServerRequestContext, connection: BackConnection): void {
    this.#reopen(this.#frontOf(connectionOfRequest(request)), connection)
  }

  #reopen(front: Front, connection: BackConnection): void {
    front.turn = front.turn.then(() => this.#open(front, connection)).catch(() => {})
  }

  async #open(front: Front, { client }: BackConnection): Promise<void> {
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
      front = { level: undefined, uris: new Set(), subscription: undefined, turn: Promise.resolve() }
      this.#fronts.set(key, front)
    }
    return front
  }
}

/** The messages themselves are passed on where they arrive. */
async function drain(subscription: Subscription): Promise<void> {
  try {
    for await (const _event of subscription);
  } catch {
    // Lost with its connection.
  }
}
