// The legacy era on an endpoint: with sessions, or with each POST for itself.
import type { HttpExchange } from '../../../http/exchange.ts'
import { accepts, acceptsExplicitly, EVENT_STREAM_TYPE, JSON_TYPE } from '../../../http/media-type.ts'
import { Deadlines } from '../../../primitives/async/deadlines.ts'
import type { KnownKeys } from '../../../primitives/json/known-keys.ts'
import { DEFAULT_NEGOTIATED_VERSION, isLegacyVersion, type LegacyVersion } from '../../../types/protocol/versions.ts'
import type { Server } from '../../server.ts'
import { RESPONSE_MODES, type ResponseMode } from '../answers/post-reply.ts'
import { refuse } from '../answers/refusals.ts'
import { notNegative, positive } from '../guards/check-limit.ts'
import type { EventStore } from '../streams/event-store.ts'
import { MemoryEventStore } from '../streams/event-store.ts'
import type { StreamSettings } from '../streams/event-stream.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { SessionEndpoint } from './session-endpoint.ts'
import type { SessionOptions } from './session-manager.ts'
import { StatelessEndpoint } from './stateless.ts'

const VERSION_HEADER = 'mcp-protocol-version'

class HandshakeHead {
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

export interface LegacyOptions {
  /** `false` serves each POST for itself: no session ids, no GET stream, no questions to the client. */
  sessions?: boolean | SessionOptions
  /** Where events are kept for clients that lost their connection: in memory unless given, nowhere with `false`. */
  eventStore?: EventStore | false
  /** How a request is answered: `auto` unless given. */
  responseMode?: ResponseMode
  /** In mode `auto`, how long a handler may be silent before its answer becomes a stream: 15 s unless given, 5 s in the modern era. */
  streamAfterMs?: number
  /** Between two comments on an open stream: 15 s unless given; `Infinity` for none. */
  keepAliveMs?: number
  /** When a client should come back to a stream that was closed early: 1 s unless given. */
  retryMs?: number
  /** What may wait for a client that reads slowly, per stream: 16 MiB unless given. */
  maxQueuedBytes?: number
  /** How long the event store may take for one event: 10 s unless given. */
  storeTimeoutMs?: number
}

export const LEGACY_KEYS: KnownKeys<LegacyOptions> = {
  sessions: true,
  eventStore: true,
  responseMode: true,
  streamAfterMs: true,
  keepAliveMs: true,
  retryMs: true,
  maxQueuedBytes: true,
  storeTimeoutMs: true,
}

/** @deprecated Use `LegacyOptions`. */
export type HandshakeOptions = LegacyOptions

/** Serves the messages of one endpoint that belong to the legacy era. */
export interface HandshakeEndpoint {
  /** The body has been read, scanned and parsed. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | void
  get(exchange: HttpExchange): Promise<void> | void
  delete(exchange: HttpExchange): Promise<void> | void
  readonly sessionCount: number
  /** Lets requests in flight finish for `drainMs`, then ends everything. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

/** What both kinds of endpoint are built from. */
export interface HandshakeParts {
  readonly head: HandshakeHead
  readonly mode: ResponseMode
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
  readonly streams: StreamSettings
}

export function createHandshakeEndpoint(server: Server, options: LegacyOptions = {}): HandshakeEndpoint {
  const { sessions = true, responseMode = 'auto', streamAfterMs = 15_000 } = options
  if (!RESPONSE_MODES.has(responseMode)) throw new RangeError("responseMode must be 'auto', 'stream' or 'json'")
  const parts: HandshakeParts = {
    head: new HandshakeHead(server, responseMode),
    mode: responseMode,
    streamAfterMs,
    deadlines: new Deadlines(),
    streams: createStreamSettings(server, options),
  }
  if (sessions === false) return new StatelessEndpoint(server, parts)
  return new SessionEndpoint(server, parts, sessions === true ? {} : sessions)
}

function createStreamSettings(server: Server, options: LegacyOptions): StreamSettings {
  const { eventStore, keepAliveMs = 15_000, retryMs = 1_000, storeTimeoutMs = 10_000 } = options
  const isKept = options.sessions !== false && eventStore !== false
  return {
    store: isKept ? (eventStore ?? new MemoryEventStore()) : undefined,
    storeTimeoutMs: positive('storeTimeoutMs', storeTimeoutMs),
    maxQueuedBytes: options.maxQueuedBytes ?? 16 * 1024 * 1024,
    retryMs: notNegative('retryMs', retryMs),
    heartbeat: new Heartbeat(keepAliveMs),
    report: (fault) => server.faults.report(fault),
  }
}
