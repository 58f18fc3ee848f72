// The options of the legacy era on HTTP. Apart from what serves it, which is loaded with the first legacy request.
import { rangeError } from '../../../primitives/help.ts'
import { assertDuration, checkLimit, type Decided, type KnownKeys } from '../../../primitives/options.ts'
import type { ResponseMode } from '../answers/post-reply.ts'
import type { EventStore } from '../streams/event-store.ts'

/** How an HTTP endpoint serves legacy clients: their sessions and their streams. */
export interface LegacyOptions {
  /** `false` serves each POST without a session: no session ids, no GET stream, no requests to the client. */
  sessions?: boolean | SessionOptions | undefined
  /** Stores events for clients that lose their connection (default: in the backend, else in memory). `false` for none. */
  eventStore?: EventStore | false | undefined
  /** How a request is answered (default: `auto`). */
  responseMode?: ResponseMode | undefined
  /** In mode `auto`, how long a handler may send nothing before its answer becomes a stream (default: 15 s, modern: 5 s). */
  streamAfterMs?: number | undefined
  /** Between two comments on an open stream (default: 15 s); `Infinity` for none. */
  keepAliveMs?: number | undefined
  /** When a client should reconnect to a stream that was closed early (default: 1 s). */
  retryMs?: number | undefined
  /** What may wait for a client that reads slowly, per stream (default: 16 MiB). Beyond it the stream is closed. */
  maxQueuedBytes?: number | undefined
  /** The same over all streams of the handler (default: 256 MiB). Beyond it the stream with the longest queue is closed. */
  maxTotalQueuedBytes?: number | undefined
  /** How long the event store may take for one event (default: 10 s). */
  storeTimeoutMs?: number | undefined
}

export const LEGACY_KEYS: KnownKeys<LegacyOptions> = {
  sessions: true,
  eventStore: true,
  responseMode: true,
  streamAfterMs: true,
  keepAliveMs: true,
  retryMs: true,
  maxQueuedBytes: true,
  maxTotalQueuedBytes: true,
  storeTimeoutMs: true,
}

/**
 * The old name of `LegacyOptions`.
 * @deprecated Use `LegacyOptions`.
 */
export type HandshakeOptions = LegacyOptions

/** Limits of legacy sessions: how many there are, and how long an idle one lives. */
export interface SessionOptions {
  /** Concurrent sessions (default: 10,000). One more is rejected with 503. */
  max?: number | undefined
  /** Concurrent sessions of one verified caller (default: 1,000). */
  maxPerPrincipal?: number | undefined
  /** How long an unused session is kept (default: 30 minutes). */
  idleMs?: number | undefined
  /** With a backend: a node looks at the record of a session before a request if its last look is that long ago (default: 1 s). */
  checkMs?: number | undefined
  /** With a backend: how long a node serves a session on while the engine does not answer (default: 30 s). */
  graceMs?: number | undefined
  /** With a backend: how long a node keeps the object of a session that is used on other nodes only (default: 1 minute). */
  localIdleMs?: number | undefined
}

export const SESSION_KEYS: KnownKeys<SessionOptions> = {
  max: true,
  maxPerPrincipal: true,
  idleMs: true,
  checkMs: true,
  graceMs: true,
  localIdleMs: true,
}

/** The options, complete. */
export type SessionLimits = Decided<SessionOptions>

const IDLE_MS = 30 * 60_000

/** Throws `RangeError` for an option that cannot work. */
export function completeSessionOptions(options: SessionOptions): SessionLimits {
  const { checkMs = 1_000, graceMs = 30_000 } = options
  assertDuration('sessions.checkMs', checkMs)
  assertDuration('sessions.graceMs', graceMs)
  return {
    max: checkLimit('sessions.max', options.max ?? 10_000),
    maxPerPrincipal: checkLimit('sessions.maxPerPrincipal', options.maxPerPrincipal ?? 1_000),
    idleMs: checkLimit('sessions.idleMs', options.idleMs ?? IDLE_MS),
    checkMs,
    graceMs,
    localIdleMs: checkLimit('sessions.localIdleMs', options.localIdleMs ?? 60_000),
  }
}

const RESPONSE_MODES: ReadonlySet<unknown> = new Set<ResponseMode>(['auto', 'stream', 'json'])

/** What a legacy endpoint goes by, beside its sessions. */
export interface LegacyValues {
  readonly responseMode: ResponseMode
  readonly streamAfterMs: number
  readonly retryMs: number
  readonly storeTimeoutMs: number
}

/** Throws `RangeError` for an option that cannot work. */
export function completeLegacyOptions(options: LegacyOptions): LegacyValues {
  const { sessions, responseMode = 'auto', streamAfterMs = 15_000, retryMs = 1_000, storeTimeoutMs = 10_000 } = options
  if (!RESPONSE_MODES.has(responseMode))
    throw rangeError('wrong-option', "responseMode must be 'auto', 'stream' or 'json'")
  assertDuration('retryMs', retryMs)
  checkLimit('storeTimeoutMs', storeTimeoutMs)
  if (typeof sessions === 'object') completeSessionOptions(sessions)
  return { responseMode, streamAfterMs, retryMs, storeTimeoutMs }
}
