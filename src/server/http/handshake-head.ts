// What the headers of a request of the legacy era must say, before its body is looked at.
import type { HttpExchange } from '../../http/exchange.ts'
import { accepts, acceptsExplicitly, EVENT_STREAM_TYPE, JSON_TYPE } from '../../http/media-type.ts'
import { DEFAULT_NEGOTIATED_VERSION, isLegacyVersion, type LegacyVersion } from '../../types/versions.ts'
import type { Server } from '../server.ts'
import type { ResponseMode } from './post-reply.ts'
import { refuse } from './session-errors.ts'

const VERSION_HEADER = 'mcp-protocol-version'

export class HandshakeHead {
  readonly #versions: readonly LegacyVersion[]
  readonly #mode: ResponseMode

  constructor(server: Server, mode: ResponseMode) {
    this.#versions = server.supportedVersions.filter(isLegacyVersion)
    this.#mode = mode
  }

  /** Spec, Transports: a POST accepts both kinds of answer. Where there is only one kind, the other is not asked for. */
  admitsPost(exchange: HttpExchange): boolean {
    const isJson = accepts(exchange, JSON_TYPE)
    if (isJson && (this.#mode === 'json' || accepts(exchange, EVENT_STREAM_TYPE))) return true
    const wanted = this.#mode === 'json' ? JSON_TYPE : `${JSON_TYPE} and ${EVENT_STREAM_TYPE}`
    refuse(exchange, 406, `Not acceptable: the client must accept ${wanted}`)
    return false
  }

  admitsGet(exchange: HttpExchange): boolean {
    if (acceptsExplicitly(exchange, EVENT_STREAM_TYPE)) return true
    refuse(exchange, 406, `Not acceptable: the client must accept ${EVENT_STREAM_TYPE}`)
    return false
  }

  /** The revision that the header names, else the one that its absence stands for. `undefined` where it was refused. */
  readVersion(exchange: HttpExchange): LegacyVersion | undefined {
    const version = exchange.header(VERSION_HEADER) ?? DEFAULT_NEGOTIATED_VERSION
    if (isLegacyVersion(version) && this.#versions.includes(version)) return version
    this.#refuseVersion(exchange)
    return undefined
  }

  /** Within a session its absence means nothing: the handshake has settled the revision. */
  admitsVersion(exchange: HttpExchange): boolean {
    const version = exchange.header(VERSION_HEADER)
    if (version === undefined) return true
    if (isLegacyVersion(version) && this.#versions.includes(version)) return true
    this.#refuseVersion(exchange)
    return false
  }

  #refuseVersion(exchange: HttpExchange): void {
    const offered = this.#versions.join(', ')
    refuse(exchange, 400, `Unsupported MCP-Protocol-Version; it must be one of ${offered}`)
  }
}
