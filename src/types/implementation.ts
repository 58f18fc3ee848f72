// Who is speaking: the name and version that each side gives of itself.
import type { BaseMetadata, Icons } from './metadata.ts'

/** Self-reported: for display and logs, never to decide what a peer may do. */
export interface Implementation extends BaseMetadata, Icons {
  version: string
  /** Since 2025-11-25. */
  description?: string
  /** Since 2025-11-25. */
  websiteUrl?: string
}
