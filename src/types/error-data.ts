// The `data` of the errors for which the specification says what it holds.
import type { ClientCapabilities } from './capabilities.ts'
import type { ElicitRequestURLParams } from './elicitation.ts'

/** With -32022; since 2026-07-28. */
export interface UnsupportedProtocolVersionErrorData {
  supported: string[]
  requested: string
}

/** With -32021; since 2026-07-28. */
export interface MissingRequiredClientCapabilityErrorData {
  requiredCapabilities: ClientCapabilities
}

/** With -32042; 2025-11-25 only. */
export interface UrlElicitationRequiredErrorData {
  elicitations: ElicitRequestURLParams[]
}
