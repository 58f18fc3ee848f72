// The secrets of `requestState`.
import type { Secret } from '../../primitives/sealing/secrets.ts'

/** At least 32 bytes that nobody can guess; a string counts by its UTF-8 bytes. */
export type RequestStateSecret = Secret
