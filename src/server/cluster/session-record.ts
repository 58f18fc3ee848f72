// What all nodes know of a legacy session. Whoever can write to the engine can write a record, so that each one is checked.
import { BackendError } from '../../backend/backend-error.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { InitializeRequestParams } from '../../types/protocol/lifecycle.ts'
import { isLegacyVersion, LATEST_LEGACY_VERSION, type LegacyVersion } from '../../types/protocol/versions.ts'
import { checkRequest } from '../../wire/check.ts'
import { decodeObject, isNodeId } from './node-message.ts'
import { DATA_VERSION } from './presence.ts'

/** Which node carries the stream that a client opened with GET, or did so last. */
export interface Listening {
  readonly node: string
  /** The first part of the ids of its events; another one with each connection that does not resume the one before. */
  readonly stream: string
  /** Grows with each connection. */
  readonly turn: number
  /** Whether the connection has not ended, as far as is known. */
  readonly isOpen: boolean
  /** What has the number of this entry, or a lower one, was sent. */
  readonly sent: number
  /** The mark of that entry, where it has one: an engine that has lost it gives its number to another. */
  readonly mark?: string | undefined
}

export interface SessionRecord {
  readonly v: typeof DATA_VERSION
  /** A digest of issuer, client and subject; `null` for a caller without a verified token. */
  readonly principal: string | null
  readonly version: LegacyVersion
  readonly params: InitializeRequestParams
  /** What the server declared with the handshake. */
  readonly declared: ServerCapabilities
  /** The node where the session began. */
  readonly home: string
  readonly isInitialized: boolean
  readonly logLevel?: LoggingLevel
  /** The uris of `resources/subscribe`. */
  readonly watched: readonly string[]
  /** Whether handlers have kept values with the session (`ctx.session.shared`). */
  readonly hasValues?: boolean
  /** Names the logs of its streams; 256 random bits. */
  readonly streamKey: string
  readonly listening?: Listening
}

const NAME = /^[\w.:-]{1,200}$/
const STREAM_KEY = /^[\w-]{43}$/

/**
 * The record in a text; `undefined` for a text that is none. Throws `BackendError` `newer-data` for one of a later release, which
 * must be left as it is.
 */
export function decodeSessionRecord(text: string): SessionRecord | undefined {
  const value = decodeObject(text)
  const version = value?.['v']
  if (Number.isSafeInteger(version) && (version as number) > DATA_VERSION) {
    throw new BackendError('The session was stored by a later release of mcpwire. Update this node.', {
      kind: 'newer-data',
      operation: 'records.get',
    })
  }
  return value !== undefined && version === DATA_VERSION && isRecord(value)
    ? (value as unknown as SessionRecord)
    : undefined
}

function isRecord(value: Readonly<Record<string, unknown>>): boolean {
  const { principal, version, params, declared, home, streamKey } = value
  const isOwned = principal === null || (typeof principal === 'string' && NAME.test(principal))
  const isAgreed = isLegacyVersion(version) && isHandshake(params) && isPlainObject(declared)
  const isNamed = isNodeId(home) && typeof streamKey === 'string' && STREAM_KEY.test(streamKey)
  return isOwned && isAgreed && isNamed && isState(value)
}

/** What changes while the session lives. */
function isState(value: Readonly<Record<string, unknown>>): boolean {
  const { isInitialized, logLevel, watched, hasValues, listening } = value
  const isLevel = logLevel === undefined || (LOGGING_LEVELS as readonly unknown[]).includes(logLevel)
  const isWatching = Array.isArray(watched) && watched.every((uri) => typeof uri === 'string')
  const isMarked = typeof isInitialized === 'boolean' && (hasValues === undefined || typeof hasValues === 'boolean')
  return isLevel && isWatching && isMarked && (listening === undefined || isListening(listening))
}

/** At the revision of `initialize` itself, as the handshake checked it. */
function isHandshake(params: unknown): boolean {
  try {
    checkRequest('initialize', LATEST_LEGACY_VERSION, params, 'client')
    return true
  } catch {
    return false
  }
}

function isListening(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const { node, stream, turn, isOpen, sent, mark } = value
  const isMarked = mark === undefined || (typeof mark === 'string' && NAME.test(mark))
  const isNamed = isNodeId(node) && typeof stream === 'string' && NAME.test(stream) && isMarked
  return isNamed && isCount(turn) && typeof isOpen === 'boolean' && isCount(sent)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
