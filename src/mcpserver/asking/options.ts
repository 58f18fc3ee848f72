// Options for handlers that ask: limits, timeouts, and a store for state that is too large for `requestState`.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import { brand } from '../../types/errors/errors.ts'

/**
 * Why `ctx.signal` aborts when a handler stops to wait for answers. This is not a failure: the handler runs again from the start
 * when the client has answered.
 *
 * @example
 * ```ts
 * import { InteractionSuspended } from 'mcpwire/server'
 * server.tool('order', async (_args, ctx) => {
 *   ctx.signal.onabort = () => console.log(ctx.signal.reason instanceof InteractionSuspended ? 'waits' : 'stopped')
 *   return (await ctx.elicitUrl('Pay', 'https://example.com/pay')).action
 * })
 * ```
 */
export class InteractionSuspended extends Error {
  static {
    brand(this, 'InteractionSuspended')
  }

  constructor() {
    super('This run of the handler has stopped. The handler runs again when the client has answered.')
  }
}

/** Stores the state of a call between its rounds, when it is too large for `requestState`. */
export interface InteractionStore {
  /** `undefined` if the id is unknown, deleted or expired. */
  get(id: string): MaybePromise<string | undefined>
  /** A client may never call again, so let the entry expire, but not before `expiresAt`, in milliseconds since 1970. */
  set(id: string, state: string, expiresAt: number): MaybePromise<void>
  /** Removes the state of a call. Does nothing if there is none. */
  delete(id: string): MaybePromise<void>
}

/** How much state a call that asks the user may keep between its rounds, and where. */
export interface InteractionOptions {
  /** Maximum size of a `requestState` before encryption, in bytes (default: 16,384). */
  maxStateBytes?: number | undefined
  /** Stores states above `maxStateBytes` (default: the backend of the server). Without it such a call fails with a `LimitError`. */
  store?: InteractionStore | undefined
  /** How long a client may take for one round, in milliseconds (default: 10 minutes). */
  ttlMs?: number | undefined
  /** Maximum number of questions of one call, over all its rounds (default: 100). */
  maxQuestions?: number | undefined
  /**
   * Maximum time for an answer while the call is open, in milliseconds (default: 10 minutes). Where the client answers in a
   * second call, the lifetime of the `requestState` is the limit.
   */
  answerTimeoutMs?: number | undefined
  /**
   * In each round the handler must ask the questions of earlier rounds again. If it has asked a new one, this is how long it may
   * take to repeat the answered ones before the call fails, in milliseconds (default: 30,000). Time inside steps does not count.
   */
  replayPatienceMs?: number | undefined
}

export const INTERACTION_KEYS: KnownKeys<InteractionOptions> = {
  maxStateBytes: true,
  store: true,
  ttlMs: true,
  maxQuestions: true,
  answerTimeoutMs: true,
  replayPatienceMs: true,
}

export const DEFAULT_MAX_STATE_BYTES = 16_384
export const DEFAULT_MAX_QUESTIONS = 100
export const DEFAULT_ANSWER_TIMEOUT_MS = 600_000
export const DEFAULT_REPLAY_PATIENCE_MS = 30_000
