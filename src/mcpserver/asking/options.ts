// What an author can set about calls that ask: bounds, patience, and a place for what is too large to travel.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import { brand } from '../../types/errors/errors.ts'

/**
 * The reason of the signal of a run that was given up because the client has to answer first. The handler runs again with the
 * answers; nothing is wrong.
 */
export class InteractionSuspended extends Error {
  static {
    brand(this, 'InteractionSuspended')
  }

  constructor() {
    super('This run of the handler has ended: it begins again when the client has answered')
  }
}

/** Keeps what a call remembers between its rounds, where that is too large to be handed to the client. */
export interface InteractionStore {
  /** `undefined` for what was never there, is deleted or has expired. */
  get(id: string): MaybePromise<string | undefined>
  /** A client may never come back: let entries expire, but not before the `requestState` that names them does. */
  set(id: string, state: string): MaybePromise<void>
  delete(id: string): MaybePromise<void>
}

export interface InteractionOptions {
  /** How much the `requestState` of a call may hold before it is sealed. 16 KiB unless given. */
  maxStateBytes?: number
  /** Where larger states go. Without it a call that needs more fails with a `LimitError`. */
  store?: InteractionStore
  /** How many questions one call may ask, over all its rounds. 100 unless given. */
  maxQuestions?: number
  /** How long an answer may take while the call is open; the lifetime of a `requestState` bounds it otherwise. 10 minutes unless given. */
  answerTimeoutMs?: number
  /**
   * How long a run that has asked something new may be silent while it has not asked again for all answers of earlier
   * rounds: then the handler is blamed for not repeating itself, because nobody can tell a slow branch from one that never
   * comes. Time in which a step is under way does not count. 30 seconds unless given.
   */
  replayPatienceMs?: number
}

export const INTERACTION_KEYS: KnownKeys<InteractionOptions> = {
  maxStateBytes: true,
  store: true,
  maxQuestions: true,
  answerTimeoutMs: true,
  replayPatienceMs: true,
}

export const DEFAULT_MAX_STATE_BYTES = 16_384
export const DEFAULT_MAX_QUESTIONS = 100
export const DEFAULT_ANSWER_TIMEOUT_MS = 600_000
export const DEFAULT_REPLAY_PATIENCE_MS = 30_000
