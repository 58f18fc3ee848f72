// Which log messages a caller wants: a modern one says so with each request, a legacy one once for its connection.
import { ownMember } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { LoggingLevel } from '../../types/features/logging.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { LOG_LEVEL_META_KEY } from '../../types/protocol/meta.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { isWanted } from '../back/wishes.ts'
import { type Era, frontClientOf } from '../base/caller.ts'
import type { LegacyFronts } from '../crossing/legacy-fronts.ts'

const LEVEL_MS = 5_000

export class Levels {
  readonly #fronts: LegacyFronts
  readonly #crosses: boolean

  constructor(fronts: LegacyFronts, crosses: boolean) {
    this.#fronts = fronts
    this.#crosses = crosses
  }

  of(request: ServerRequestContext): LoggingLevel | undefined {
    if (!this.#crosses) return undefined
    const own = ownMember(request.params?.['_meta'], LOG_LEVEL_META_KEY) as LoggingLevel | undefined
    return own ?? this.#fronts.levelOf(request)
  }

  /** Asks a legacy source for what this request wants. */
  async ask({ client, wishes }: BackConnection, request: ServerRequestContext): Promise<void> {
    const level = this.of(request)
    if (level === undefined || client.session.serverCapabilities?.logging === undefined) return
    await wishes.hear(level).catch(() => {})
  }

  /** Passes `logging/setLevel` on to a legacy source. */
  async pass(connection: BackConnection | undefined, params: JSONObject): Promise<void> {
    if (connection?.era !== 'legacy' || connection.client.session.serverCapabilities?.logging === undefined) return
    await connection.client.session.sendRaw('logging/setLevel', params, { timeoutMs: LEVEL_MS }).catch(() => {})
  }

  /** A modern caller gets what its request asks for, a legacy one what it has set, where others may have set less. */
  wants(request: ServerRequestContext, params: JSONObject | undefined, source: Era | undefined): boolean {
    const level = this.of(request)
    if (frontClientOf(request).era === 'legacy') return level === undefined || isWanted(level, params)
    // A modern source sends what the request asks for.
    return source === 'modern' || (level !== undefined && isWanted(level, params))
  }
}
