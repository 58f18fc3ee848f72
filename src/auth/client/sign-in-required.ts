// What a connection fails with whose caller has to sign in at the source first.
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { OAuthError } from '../../types/errors/failures.ts'

/** How a sign-in ended. */
export type SignInOutcome = 'connected' | 'refused' | 'expired'

/** One sign-in that a caller was asked for. */
export interface SignIn {
  /** Names it in messages to the client; opens nothing. */
  readonly id: string
  /** The name of the source. */
  readonly source: string
  /** The page that the user opens. Whoever has it can begin the sign-in. */
  readonly url: string
  /** Settles when it has ended. */
  readonly ended: Promise<SignInOutcome>
  readonly outcome: SignInOutcome | undefined
  /** Where users find what waits for them, without any secret; `undefined` where nobody could tell who they are. */
  readonly overview: string | undefined
}

/** Gives a sign-in its outcome, once. */
export class SignInEnding {
  readonly #ended: Deferred<SignInOutcome> = createDeferred<SignInOutcome>()
  #outcome: SignInOutcome | undefined

  get outcome(): SignInOutcome | undefined {
    return this.#outcome
  }

  get ended(): Promise<SignInOutcome> {
    return this.#ended.promise
  }

  end(outcome: SignInOutcome): void {
    this.#outcome ??= outcome
    this.#ended.resolve(outcome)
  }
}

/** The source needs an account of the user. Its message is for logs, and holds no page. */
export class SignInRequired extends OAuthError {
  readonly #signIn: SignIn

  constructor(signIn: SignIn) {
    super('sign_in_required', `The caller has not signed in at '${signIn.source}' yet`, { step: 'authorization' })
    this.#signIn = signIn
  }

  /** From an error or one of its causes. */
  static find(error: unknown): SignIn | undefined {
    let at = error
    for (let depth = 0; depth < 8 && typeof at === 'object' && at !== null; depth += 1) {
      if (#signIn in at) return at.#signIn
      at = (at as { cause?: unknown }).cause
    }
    return undefined
  }
}
