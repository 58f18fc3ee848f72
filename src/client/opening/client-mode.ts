// Which eras a client accepts. Apart from `negotiate.ts`, which is loaded while a client opens.
import { isLegacyVersion, type ProtocolVersion } from '../../types/protocol/versions.ts'

/**
 * `auto` probes which era the server speaks. `modern` and `legacy` accept one era, a revision accepts only itself.
 * A modern revision is not verified and costs no message.
 */
export type ClientMode = 'auto' | 'modern' | 'legacy' | ProtocolVersion

/** Whether a mode accepts legacy revisions only. */
export function isLegacyMode(mode: ClientMode): boolean {
  return mode === 'legacy' || isLegacyVersion(mode)
}
