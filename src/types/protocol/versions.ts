// The protocol revisions, in order. Everything else that needs an order takes it from this list.
import { rangeError } from '../../primitives/help.ts'

/** Revisions that open with `initialize`, oldest first. */
export const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

/** Revisions without a handshake, oldest first: each request names its own version. */
export const MODERN_VERSIONS = ['2026-07-28'] as const

/** Every published revision, oldest first. */
export const PROTOCOL_VERSIONS = [...LEGACY_VERSIONS, ...MODERN_VERSIONS] as const

/**
 * The old name of `LEGACY_VERSIONS`.
 * @deprecated Use `LEGACY_VERSIONS`.
 */
export const HANDSHAKE_VERSIONS: typeof LEGACY_VERSIONS = LEGACY_VERSIONS

/** A revision that starts with a handshake, `2024-11-05` to `2025-11-25`. */
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number]
/**
 * The old name of `LegacyVersion`.
 * @deprecated Use `LegacyVersion`.
 */
export type HandshakeVersion = LegacyVersion
/** A modern revision: `2026-07-28` and later. */
export type ModernVersion = (typeof MODERN_VERSIONS)[number]
/** A revision that this package speaks. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number]

/** The oldest revision that this package speaks. */
export const OLDEST_PROTOCOL_VERSION = '2024-11-05' satisfies ProtocolVersion
/** The newest revision that starts with a handshake. */
export const LATEST_LEGACY_VERSION = '2025-11-25' satisfies LegacyVersion
/**
 * The old name of `LATEST_LEGACY_VERSION`.
 * @deprecated Use `LATEST_LEGACY_VERSION`.
 */
export const LATEST_HANDSHAKE_VERSION: typeof LATEST_LEGACY_VERSION = LATEST_LEGACY_VERSION
/** The newest modern revision. */
export const LATEST_MODERN_VERSION = '2026-07-28' satisfies ModernVersion
/** The newest revision that this package speaks. */
export const LATEST_PROTOCOL_VERSION = LATEST_MODERN_VERSION

/** What a server assumes of an HTTP request in the legacy era that has no `MCP-Protocol-Version` header. */
export const DEFAULT_NEGOTIATED_VERSION = '2025-03-26' satisfies LegacyVersion

const ORDER: ReadonlyMap<string, number> = new Map(PROTOCOL_VERSIONS.map((version, index) => [version, index]))

/** True if this package speaks the revision. */
export function isProtocolVersion(value: unknown): value is ProtocolVersion {
  return typeof value === 'string' && ORDER.has(value)
}

/** True for a revision that starts with a handshake. */
export function isLegacyVersion(value: unknown): value is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(value)
}

/**
 * The old name of `isLegacyVersion`.
 * @deprecated Use `isLegacyVersion`.
 */
export const isHandshakeVersion: typeof isLegacyVersion = isLegacyVersion

/** True for a modern revision. */
export function isModernVersion(value: unknown): value is ModernVersion {
  return (MODERN_VERSIONS as readonly unknown[]).includes(value)
}

/**
 * Whether `version` is `minimum` or a later revision, by the order of publication and never by comparing strings.
 * An unknown `version` is at least nothing; an unknown `minimum` is a mistake in the calling code.
 */
export function isVersionAtLeast(version: string, minimum: ProtocolVersion): boolean {
  const floor = ORDER.get(minimum)
  if (floor === undefined) throw rangeError('wrong-argument', `Unknown protocol version '${minimum}'`)
  const rank = ORDER.get(version)
  return rank !== undefined && rank >= floor
}
