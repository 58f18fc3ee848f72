// Stores tokens and registrations between requests and between runs, and checks what comes back: a store may fail or forget.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { OAuthError } from '../../../types/errors/failures.ts'
import { oauthFailure } from '../network/failure.ts'
import type { TokenEndpointAuthMethod } from './client-auth.ts'
import type { TokenSet } from './tokens.ts'

/**
 * A small store of JSON objects. Keys contain the issuer and the resource of a value, and have up to a few hundred characters;
 * values contain secrets. One store serves one user: give each user their own.
 */
export interface TokenStore {
  /** The value that was stored last, or `undefined`; or a promise of either. It is checked before it is used. */
  get(key: string): unknown
  /** Stores a value under a key, in place of an older one. */
  set(key: string, value: Readonly<Record<string, unknown>>): Promise<void> | void
  /** Removes a value. Does nothing if there is none. */
  delete(key: string): Promise<void> | void
  /**
   * Runs `work` while no other user of the same data, in any process, runs work for this key. With it, several processes can
   * share one rotating refresh token. The work takes seconds at most.
   */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Stores tokens in memory, until the process ends. */
export function memoryTokenStore(): TokenStore {
  const values = new Map<string, Readonly<Record<string, unknown>>>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      values.set(key, value)
    },
    delete: (key) => {
      values.delete(key)
    },
  }
}

/** Tokens with everything that another process needs to refresh them. */
export interface TokenRecord extends TokenSet {
  readonly issuer: string
  /** The resource that they were requested for. */
  readonly resource: string
  readonly clientId: string
  /** All scopes requested so far, granted or not. */
  readonly requestedScopes: readonly string[]
  /** The key that they are bound to, as a private JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>> | undefined
}

/** A client that we registered at an authorization server. */
export interface RegistrationRecord {
  readonly issuer: string
  readonly clientId: string
  readonly secret: string | undefined
  /** Milliseconds since 1970; `undefined` for never. */
  readonly secretExpiresAt: number | undefined
  readonly method: TokenEndpointAuthMethod
  readonly redirectUri: string
}

export interface Records {
  /** The authorization server that the resource was last used with. */
  issuer(): Promise<string | undefined>
  tokens(issuer: string): Promise<TokenRecord | undefined>
  /** Also stores the issuer. If the store fails, `onWarning` gets the error, and the tokens stay in memory. */
  saveTokens(tokens: TokenRecord): Promise<void>
  dropTokens(issuer: string): Promise<void>
  registration(issuer: string): Promise<RegistrationRecord | undefined>
  saveRegistration(registration: RegistrationRecord): Promise<void>
  dropRegistration(issuer: string): Promise<void>
  lockTokens<T>(issuer: string, work: () => Promise<T>): Promise<T>
}

/** The records of one resource. Keys contain the issuer, so that tokens of one are never sent to another. */
export function createRecords(store: TokenStore, resource: string, onWarning: (error: OAuthError) => void): Records {
  const serverKey = `server ${resource}`
  const tokensKey = (issuer: string) => `tokens ${issuer} ${resource}`
  const registrationKey = (issuer: string) => `client ${issuer}`

  async function readStore(key: string): Promise<unknown> {
    try {
      return await store.get(key)
    } catch (error) {
      throw oauthFailure('store', 'store_failed', 'The token store could not be read; nothing was sent', error)
    }
  }

  async function writeStore(action: () => Promise<void> | void): Promise<void> {
    try {
      await action()
    } catch (error) {
      onWarning(
        oauthFailure(
          'store',
          'store_failed',
          'The token store could not be written; the tokens are kept in memory only',
          error,
        ),
      )
    }
  }

  async function lockTokens<T>(issuer: string, work: () => Promise<T>): Promise<T> {
    if (store.lock === undefined) return work()
    let isWorkStarted = false
    try {
      return await store.lock(tokensKey(issuer), () => {
        isWorkStarted = true
        return work()
      })
    } catch (error) {
      if (isWorkStarted || error instanceof OAuthError) throw error
      throw oauthFailure('store', 'store_failed', 'The token store could not be locked. Try again', error)
    }
  }

  return {
    issuer: async () => {
      const value = await readStore(serverKey)
      return isPlainObject(value) && typeof value['issuer'] === 'string' ? value['issuer'] : undefined
    },
    tokens: async (issuer) => readTokens(await readStore(tokensKey(issuer)), issuer),
    saveTokens: (tokens) =>
      writeStore(async () => {
        await store.set(tokensKey(tokens.issuer), { ...tokens })
        await store.set(serverKey, { issuer: tokens.issuer })
      }),
    dropTokens: (issuer) => writeStore(() => store.delete(tokensKey(issuer))),
    registration: async (issuer) => readRegistration(await readStore(registrationKey(issuer)), issuer),
    saveRegistration: (registration) =>
      writeStore(() => store.set(registrationKey(registration.issuer), { ...registration })),
    dropRegistration: (issuer) => writeStore(() => store.delete(registrationKey(issuer))),
    lockTokens,
  }
}

function readTokens(value: unknown, issuer: string): TokenRecord | undefined {
  if (!isPlainObject(value) || value['issuer'] !== issuer) return undefined
  const { accessToken, tokenType, resource, clientId, dpopKey } = value
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) return undefined
  if (tokenType !== 'bearer' && tokenType !== 'dpop') return undefined
  if (typeof resource !== 'string' || typeof clientId !== 'string') return undefined
  return {
    issuer,
    resource,
    clientId,
    accessToken,
    tokenType,
    refreshToken: optionalString(value['refreshToken']),
    expiresAt: optionalNumber(value['expiresAt']),
    scopes: stringsIn(value['scopes']),
    requestedScopes: stringsIn(value['requestedScopes']),
    dpopKey: isPlainObject(dpopKey) ? dpopKey : undefined,
  }
}

function readRegistration(value: unknown, issuer: string): RegistrationRecord | undefined {
  if (!isPlainObject(value) || value['issuer'] !== issuer) return undefined
  const { clientId, method, redirectUri } = value
  if (typeof clientId !== 'string' || typeof redirectUri !== 'string') return undefined
  if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post') return undefined
  const secret = optionalString(value['secret'])
  const secretExpiresAt = optionalNumber(value['secretExpiresAt'])
  if (method !== 'none' && secret === undefined) return undefined
  if (secretExpiresAt !== undefined && secretExpiresAt <= Date.now()) return undefined
  return { issuer, clientId, secret, secretExpiresAt, method, redirectUri }
}

function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
