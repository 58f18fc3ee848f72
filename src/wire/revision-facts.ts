// Rules of behaviour that changed between revisions without a shape or a method to show for it.
import { rangeError } from '../primitives/help.ts'
import { quoteShort } from '../primitives/quote.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import {
  isModernVersion,
  isProtocolVersion,
  isVersionAtLeast,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
} from '../types/protocol/versions.ts'

/** Arrays of messages exist in this one revision; the next one removed them. */
const BATCH_VERSION: ProtocolVersion = '2025-03-26'

export function hasBatches(version: ProtocolVersion): boolean {
  return version === BATCH_VERSION
}

/** The one revision whose specification itself has tasks; later ones have them as an extension. */
export const CORE_TASKS_VERSION = '2025-11-25' satisfies ProtocolVersion

export function hasCoreTasks(version: ProtocolVersion | undefined): boolean {
  return version === CORE_TASKS_VERSION
}

/** Spec, Tools: since 2025-11-25 the model is to read what is wrong with its arguments, so it is a result. */
export function returnsArgumentErrors(version: ProtocolVersion): boolean {
  return isVersionAtLeast(version, '2025-11-25')
}

/** Spec, Tools: structured content and its schema may be of any type, where before they had to be objects. */
export function allowsAnyStructure(version: ProtocolVersion): boolean {
  return isModernVersion(version)
}

/** Spec, Tools: results may carry structured content since 2025-06-18. */
export function hasStructuredContent(version: ProtocolVersion): boolean {
  return isVersionAtLeast(version, '2025-06-18')
}

/** Spec, Tools: what a list says of a tool may carry `_meta` since 2025-06-18. */
export function hasToolMeta(version: ProtocolVersion): boolean {
  return isVersionAtLeast(version, '2025-06-18')
}

/** Spec, base protocol: since 2026-07-28 a result names its type and its server. */
export function stampsResults(version: ProtocolVersion): boolean {
  return isModernVersion(version)
}

/** Spec, Resources: a missing resource had a code of its own until 2025-11-25. */
export function missingResourceCode(version: ProtocolVersion): number {
  return isModernVersion(version) ? ErrorCode.InvalidParams : ErrorCode.ResourceNotFound
}

/** Spec, Transports: since 2025-11-25 streams open with an event of empty data, and a client polls where one was closed early. */
export function hasPolling(version: ProtocolVersion): boolean {
  return isVersionAtLeast(version, '2025-11-25')
}

/**
 * The revisions that a server is to serve, in whatever order they were given: the newest is what clients get that ask for another.
 * Throws `RangeError` where no client could agree with it.
 */
export function servedVersions(versions: readonly ProtocolVersion[]): readonly ProtocolVersion[] {
  const unknown = versions.findIndex((version) => !isProtocolVersion(version))
  if (unknown !== -1 || versions.length === 0) {
    const problem = versions.length === 0 ? 'is empty' : `has ${quoteShort(versions[unknown])}`
    throw rangeError(
      'wrong-option',
      `supportedVersions ${problem}. Use one or more of ${PROTOCOL_VERSIONS.join(', ')}.`,
    )
  }
  return versions.toSorted((a, b) => PROTOCOL_VERSIONS.indexOf(a) - PROTOCOL_VERSIONS.indexOf(b))
}
