// The legacy era of an endpoint, with sessions or without, and the checks that both share.

import type { HttpExchange } from '../../../http/exchange.ts'
import { accepts, acceptsExplicitly, EVENT_STREAM_TYPE, JSON_TYPE } from '../../../http/media-type.ts'
import { Deadlines } from '../../../primitives/async/deadlines.ts'
import { DEFAULT_NEGOTIATED_VERSION, isLegacyVersion, type LegacyVersion } from '../../../types/protocol/versions.ts'
import type { ServerCore } from '../../core.ts'
import { requestIdOf } from '../answers/post-content.ts'
import type { ResponseMode } from '../answers/post-reply.ts'
import { rejectInvalid } from '../answers/reply.ts'
import { StreamQueues } from '../streams/bounded-sink.ts'
import { MemoryEventStore } from '../streams/event-store.ts'
import type { StreamSettings } from '../streams/event-stream.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { completeLegacyOptions, type LegacyOptions, type LegacyValues } from './legacy-options.ts'
import { SessionEndpoint } from './session-endpoint.ts'
import { StatelessEndpoint } from './stateless.ts'

const VERSION_HEADER = 'mcp-protocol-version'

/** Checks the headers of legacy requests. A check that fails has answered the request. */
class LegacyHeaders {
  readonly #versions: readonly LegacyVersion[]
  readonly #mode: ResponseMode

  constructor(server: ServerCore, mode: ResponseMode) {
    this.#versions = server.supportedVersions.filter(isLegacyVersion)
    this.#mode = mode
  }

  /** Spec, Transports: a POST accepts JSON and event streams. In mode `json`, JSON is enough. */
  acceptsPost(exchange: HttpExchange, message: unknown): boolean {
    const isJson = accepts(exchange, JSON_TYPE)
    if (isJson && (this.#mode === 'json' || accepts(exchange, EVENT_STREAM_TYPE))) return true
    const required = this.#mode === 'json' ? JSON_TYPE : `${JSON_TYPE} and ${EVENT_STREAM_TYPE}`
    rejectInvalid(exchange, 406, `Not acceptable. The Accept header must include ${required}.`, requestIdOf(message))
    return false
  }

  acceptsGet(exchange: HttpExchange): boolean {
    return acceptsStream(exchange)
  }

  /** The revision that the header names, or the one that a missing header stands for. `undefined` where it was rejected. */
  readVersion(exchange: HttpExchange, message?: unknown): LegacyVersion | undefined {
    const version = exchange.header(VERSION_HEADER) ?? DEFAULT_NEGOTIATED_VERSION
    if (isLegacyVersion(version) && this.#versions.includes(version)) return version
    const offered = this.#versions.join(', ')
    const text = `The MCP-Protocol-Version header is not supported. Use one of ${offered}.`
    rejectInvalid(exchange, 400, text, requestIdOf(message))
    return undefined
  }

  /** Within a session the header may be missing: the handshake has settled the revision. */
  acceptsVersion(exchange: HttpExchange, message?: unknown): boolean {
    return exchange.header(VERSION_HEADER) === undefined || this.readVersion(exchange, message) !== undefined
  }
}

/** Whether a GET names event streams in its `Accept` header. Answers the request otherwise. */
export function acceptsStream(exchange: HttpExchange): boolean {
  if (acceptsExplicitly(exchange, EVENT_STREAM_TYPE)) return true
  rejectInvalid(exchange, 406, `Not acceptable. The Accept header must include ${EVENT_STREAM_TYPE}.`)
  return false
}

/** Serves the legacy requests of one endpoint. The server runs as long as it is used. */
export interface LegacyEndpoint {
  /** The body has been read and parsed, within limits. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | void
  get(exchange: HttpExchange): Promise<void> | void
  delete(exchange: HttpExchange): Promise<void> | void
  readonly sessionCount: number
  /** Lets requests in flight finish for `drainMs`, then ends everything. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

/** What both kinds of legacy endpoint are built from. */
export interface LegacySettings {
  readonly headers: LegacyHeaders
  readonly mode: ResponseMode
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
  readonly streams: StreamSettings
}

/** `queues` are those of the whole handler, where there is one. */
export function createLegacyEndpoint(
  server: ServerCore,
  options: LegacyOptions = {},
  queues: StreamQueues = new StreamQueues(options),
): LegacyEndpoint {
  const { sessions = true } = options
  const values = completeLegacyOptions(options)
  const { responseMode, streamAfterMs } = values
  const settings: LegacySettings = {
    headers: new LegacyHeaders(server, responseMode),
    mode: responseMode,
    streamAfterMs,
    deadlines: new Deadlines(),
    streams: createStreamSettings(server, options, values, queues),
  }
  if (sessions === false) return new StatelessEndpoint(server, settings)
  return new SessionEndpoint(server, settings, sessions === true ? {} : sessions)
}

/** How long a client may read nothing of a stream on which something waits. */
const READER_TIMEOUT_MS = 30_000

function createStreamSettings(
  server: ServerCore,
  options: LegacyOptions,
  { retryMs, storeTimeoutMs }: LegacyValues,
  queues: StreamQueues,
): StreamSettings {
  const { eventStore, keepAliveMs } = options
  const isStored = options.sessions !== false && eventStore !== false
  const isOnLogs = isStored && eventStore === undefined && server.backend !== undefined
  return {
    store: isStored && !isOnLogs ? (eventStore ?? new MemoryEventStore()) : undefined,
    isOnLogs,
    storeTimeoutMs,
    queues,
    readerTimeoutMs: READER_TIMEOUT_MS,
    retryMs,
    heartbeat: new Heartbeat(keepAliveMs, server.figures),
    report: (fault) => server.faults.report(fault),
  }
}
