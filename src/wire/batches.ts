// Which revisions have JSON-RPC batches.
import type { ProtocolVersion } from '../types/versions.ts'

/** Arrays of messages exist in this one revision; the next one removed them. */
const BATCH_VERSION: ProtocolVersion = '2025-03-26'

export function hasBatches(version: ProtocolVersion): boolean {
  return version === BATCH_VERSION
}
