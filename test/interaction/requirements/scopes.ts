// Where an entry holds, by name, for those that do not hold everywhere.
import type { Requirement } from './entry.ts'

type Scope = Pick<Requirement, 'eras' | 'since' | 'transports'>

export const LEGACY = { eras: ['legacy'] } as const satisfies Scope
export const MODERN = { eras: ['modern'] } as const satisfies Scope

/** Needs messages that only a channel carries, or a peer that a test writes by hand. */
export const CHANNEL = { transports: ['memory'] } as const satisfies Scope
export const LEGACY_CHANNEL = { ...LEGACY, ...CHANNEL } as const satisfies Scope
export const MODERN_CHANNEL = { ...MODERN, ...CHANNEL } as const satisfies Scope

/** The script of the test names its own revisions, so that one setting is enough. */
export const HANDSHAKE_ONCE = { ...LEGACY, since: '2025-11-25' } as const satisfies Scope

/** About a server in the same process. */
export const DIRECT = { ...MODERN, transports: ['direct'] } as const satisfies Scope
