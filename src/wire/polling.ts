// Which revisions let a server end the stream of a request before its answer.
import { isVersionAtLeast, type ProtocolVersion } from '../types/versions.ts'

/** Spec, Transports: since 2025-11-25 streams open with an event of empty data, and a client polls where one was closed early. */
export function hasPolling(version: ProtocolVersion): boolean {
  return isVersionAtLeast(version, '2025-11-25')
}
