// The legacy era on an endpoint: with sessions, or with each POST for itself.

import type { HttpExchange } from '../../http/exchange.ts'
import { Deadlines } from '../../primitives/deadlines.ts'
import type { KnownKeys } from '../../primitives/known-keys.ts'
import type { Server } from '../server.ts'
import { notNegative, positive } from './check-limit.ts'
import type { EventStore } from './event-store.ts'
import type { StreamSettings } from './event-stream.ts'
import { HandshakeHead } from './handshake-head.ts'
import { Heartbeat } from './heartbeat.ts'
import { MemoryEventStore } from './memory-event-store.ts'
import { RESPONSE_MODES, type ResponseMode } from './post-reply.ts'
import { SessionEndpoint } from './session-endpoint.ts'
import type { SessionOptions } from './session-manager.ts'
import { StatelessEndpoint } from './stateless.ts'

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
