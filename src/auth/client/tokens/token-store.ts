// Where tokens and registrations are kept between requests and between runs.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { OAuthError } from '../../../types/errors/failures.ts'
import { fail } from '../network/failure.ts'
import type { TokenEndpointAuthMethod } from './client-auth.ts'
import type { TokenSet } from './tokens.ts'

/**
 * A small store of JSON objects. Keys hold the issuer and the resource that a value belongs to and are up to a few hundred
 * characters long; values hold secrets. One store serves one user: give each user their own.
 */
export interface TokenStore {
  /** What was stored last, or `undefined`; or a promise of either. Whatever comes back is checked before it is used. */
  get(key: string): unknown
  set(key: string, value: Readonly<Record<string, unknown>>): Promise<void> | void
  delete(key: string): Promise<void> | void
  /**
   * Runs `work` while nobody else who uses the same data, in whatever process, runs work for this key. With it, several
   * processes can share one rotating refresh token. The work takes seconds at most.
   */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Keeps tokens for as long as the process lives. */
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

/** Tokens with all that is needed to refresh them in another process. */
export interface TokenRecord extends TokenSet {
  readonly issuer: string
  /** The identifier that they were asked for with. */
  readonly resource: string
  readonly clientId: string
  /** Everything asked for so far, granted or not. */
  readonly requestedScopes: readonly string[]
  /** The key that they are bound to, as a private JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>> | undefined
}

/** A client that an authorization server knows, because we registered it there. */
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
  /** Also remembers the issuer. A store that fails to write is reported, and the tokens live on in memory. */
  saveTokens(tokens: TokenRecord): Promise<void>
  dropTokens(issuer: string): Promise<void>
  registration(issuer: string): Promise<RegistrationRecord | undefined>
  saveRegistration(registration: RegistrationRecord): Promise<void>
  dropRegistration(issuer: string): Promise<void>
  lockTokens<T>(issuer: string, work: () => Promise<T>): Promise<T>
}

/** The records of one resource. Keys name the issuer, so that what one gave never reaches another. */
export function createRecords(store: TokenStore, resource: string, onWarning: (error: OAuthError) => void): Records {
  const serverKey = `server ${resource}`
  const tokensKey = (issuer: string) => `tokens ${issuer} ${resource}`
  const registrationKey = (issuer: string) => `client ${issuer}`

  async function read(key: string): Promise<unknown> {
    try {
      return await store.get(key)
    } catch (error) {
      throw fail('store', 'store_failed', 'The token store could not be read; nothing was sent', error)
    }
  }

  async function write(action: () => Promise<void> | void): Promise<void> {
    try {
      await action()
    } catch (error) {
      onWarning(
        fail('store', 'store_failed', 'The token store could not be written; the tokens live in memory only', error),
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
      throw fail('store', 'store_failed', 'The token store could not be locked; try again', error)
    }
  }

  return {
    issuer: async () => {
      const value = await read(serverKey)
      return isPlainObject(value) && typeof value['issuer'] === 'string' ? value['issuer'] : undefined
    },
    tokens: async (issuer) => readTokens(await read(tokensKey(issuer)), issuer),
    saveTokens: (tokens) =>
      write(async () => {
        await store.set(tokensKey(tokens.issuer), { ...tokens })
        await store.set(serverKey, { issuer: tokens.issuer })
      }),
    dropTokens: (issuer) => write(() => store.delete(tokensKey(issuer))),
    registration: async (issuer) => readRegistration(await read(registrationKey(issuer)), issuer),
    saveRegistration: (registration) =>
      write(() => store.set(registrationKey(registration.issuer), { ...registration })),
    dropRegistration: (issuer) => write(() => store.delete(registrationKey(issuer))),
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
    refreshToken: optionalText(value['refreshToken']),
    expiresAt: optionalNumber(value['expiresAt']),
    scopes: texts(value['scopes']),
    requestedScopes: texts(value['requestedScopes']),
    dpopKey: isPlainObject(dpopKey) ? dpopKey : undefined,
  }
}

function readRegistration(value: unknown, issuer: string): RegistrationRecord | undefined {
  if (!isPlainObject(value) || value['issuer'] !== issuer) return undefined
  const { clientId, method, redirectUri } = value
  if (typeof clientId !== 'string' || typeof redirectUri !== 'string') return undefined
  if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post') return undefined
  const secret = optionalText(value['secret'])
  const secretExpiresAt = optionalNumber(value['secretExpiresAt'])
  if (method !== 'none' && secret === undefined) return undefined
  if (secretExpiresAt !== undefined && secretExpiresAt <= Date.now()) return undefined
  return { issuer, clientId, secret, secretExpiresAt, method, redirectUri }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
