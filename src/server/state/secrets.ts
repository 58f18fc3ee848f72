// The secrets of `requestState`.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Secret } from '../../primitives/sealing/secrets.ts'

/** At least 32 bytes that nobody can guess; a string counts by its UTF-8 bytes. */
export type RequestStateSecret = Secret

/** The first seals, all of them open. A function is asked again from time to time, as `sharedKeys()` is. */
export type RequestStateKeys = readonly RequestStateSecret[] | (() => MaybePromise<readonly RequestStateSecret[]>)
