// What is known of a connection's authorization. Tokens are seen on their way into the store, and only their outline leaves.
import type { TokenStore } from 'mcpwire/auth'
import type { AuthState, Problem } from '../../protocol/state.ts'
import { maskSecret, maskUrl } from '../log/mask.ts'

export class AuthRecord {
  #status: AuthState['status'] = 'none'
  #loginUrl: string | undefined
  #accessToken: string | undefined
  #expiresAt: number | undefined
  #scopes: readonly string[] = []
  #problem: Problem | undefined
  #expiry: NodeJS.Timeout | undefined
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get state(): AuthState {
    const isExpired = this.#status === 'logged-in' && this.#expiresAt !== undefined && this.#expiresAt < Date.now()
    return {
      status: isExpired ? 'expired' : this.#status,
      ...(this.#loginUrl !== undefined && { loginUrl: this.#loginUrl }),
      ...(this.#accessToken !== undefined && {
        token: {
          preview: maskSecret(this.#accessToken),
          ...(this.#expiresAt !== undefined && { expiresAt: this.#expiresAt }),
          scopes: this.#scopes,
        },
      }),
      ...(this.#problem !== undefined && { problem: this.#problem }),
    }
  }

  /** The part of the token that says who is logged in and for what, where the token has one. Signature and token stay here. */
  get claims(): Record<string, unknown> | undefined {
    const payload = this.#accessToken?.split('.')[1]
    if (payload === undefined) return undefined
    try {
      const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : undefined
    } catch {
      return undefined
    }
  }

  /** The URL holds `state` and a challenge, both of which the user's browser needs; neither is a secret of ours. */
  askToLogIn(url: URL): string {
    this.#status = this.#accessToken === undefined ? 'logging-in' : 'step-up'
    this.#loginUrl = url.href
    this.#onChange()
    return maskUrl(url.href)
  }

  /** The server has answered to a request with what we have. */
  accepted(): void {
    if (this.#loginUrl === undefined && this.#status !== 'expired') return
    this.#loginUrl = undefined
    this.#status = this.#accessToken === undefined ? 'none' : 'logged-in'
    this.#onChange()
  }

  failed(problem: Problem): void {
    this.#status = 'failed'
    this.#loginUrl = undefined
    this.#problem = problem
    this.#onChange()
  }

  /** The store, with an eye on the tokens in it. */
  watch(store: TokenStore): TokenStore {
    return {
      ...store,
      get: async (key) => this.#look(await store.get(key)),
      set: (key, value) => {
        this.#look(value)
        return store.set(key, value)
      },
      delete: (key) => store.delete(key),
    }
  }

  #look<T>(value: T): T {
    const { accessToken, expiresAt, scopes } = (value ?? {}) as Record<string, unknown>
    if (typeof accessToken !== 'string') return value
    this.#accessToken = accessToken
    this.#expiresAt = typeof expiresAt === 'number' ? expiresAt : undefined
    this.#scopes = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
    this.#loginUrl = undefined
    this.#status = 'logged-in'
    this.#problem = undefined
    this.#onChange()
    this.#announceExpiry()
    return value
  }

  /** Nothing else happens at that moment that would bring the new state to the page. */
  #announceExpiry(): void {
    clearTimeout(this.#expiry)
    if (this.#expiresAt === undefined) return
    const left = this.#expiresAt - Date.now() + 1
    if (left > 0 && left <= MAX_TIMER_MS) this.#expiry = setTimeout(this.#onChange, left).unref()
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1
