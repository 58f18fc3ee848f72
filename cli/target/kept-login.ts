// What a login keeps for later commands: tokens in the token store of the user, and the client that they were issued to.
import { fileTokenStore } from 'mcpwire/node'
import { configFile, readUserFile, writeUserFile } from '../files/user-files.ts'
import { isPlainObject } from '../terminal/primitives.ts'

/** The choices of a login that refreshing its tokens needs again. */
export interface LoginChoices {
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /** Of the client, where the authorization server compares it with its port. */
  readonly redirectUri?: string
  /** `false` leaves out the `resource` parameter. */
  readonly resource?: false
  readonly assumePkce?: true
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The client has a secret, which is never kept: it is in the environment at each command. */
  readonly hasSecret?: true
}

/** The secret of a client goes by the environment only: the words of a command are seen by others. */
export const SECRET_VARIABLE = 'MCPWIRE_CLIENT_SECRET'

export interface KeptLogin {
  readonly resource: string
  readonly issuer: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970; `undefined` where the authorization server did not say. */
  readonly expiresAt: number | undefined
  /** Whether the tokens are replaced without the user. */
  readonly canRefresh: boolean
}

const MAX_LOGINS = 200

/** The resource of a URL, as tokens are kept for it. */
export function resourceOf(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return origin + (pathname === '/' ? '' : pathname)
}

export async function readKeptLogin(url: string): Promise<KeptLogin | undefined> {
  const store = fileTokenStore()
  const resource = resourceOf(url)
  const server = await store.get(`server ${resource}`)
  const issuer = isPlainObject(server) && typeof server['issuer'] === 'string' ? server['issuer'] : undefined
  if (issuer === undefined) return undefined
  const tokens = await store.get(`tokens ${issuer} ${resource}`)
  if (!isPlainObject(tokens) || typeof tokens['accessToken'] !== 'string') return undefined
  const { scopes, expiresAt, refreshToken } = tokens
  return {
    resource,
    issuer,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
    canRefresh: typeof refreshToken === 'string',
  }
}

/** For what a token says of itself. It is shown to nobody. */
export async function readKeptToken(url: string): Promise<string | undefined> {
  const kept = await readKeptLogin(url)
  if (kept === undefined) return undefined
  const tokens = await fileTokenStore().get(`tokens ${kept.issuer} ${kept.resource}`)
  return isPlainObject(tokens) && typeof tokens['accessToken'] === 'string' ? tokens['accessToken'] : undefined
}

/** Returns whether there was a login. */
export async function forgetLogin(url: string): Promise<boolean> {
  const store = fileTokenStore()
  const kept = await readKeptLogin(url)
  const resource = resourceOf(url)
  if (kept !== undefined) await store.delete(`tokens ${kept.issuer} ${resource}`)
  await store.delete(`server ${resource}`)
  const { [resource]: _forgotten, ...others } = readAllChoices()
  if (_forgotten !== undefined) writeUserFile(configFile('logins.json'), others)
  return kept !== undefined
}

export function readChoices(url: string | URL): LoginChoices {
  const kept = readAllChoices()[resourceOf(url)]
  if (!isPlainObject(kept)) return {}
  const { clientId, scopes, redirectUri, resource, assumePkce, parameters, hasSecret } = kept
  return {
    ...(typeof redirectUri === 'string' && { redirectUri }),
    ...(resource === false && { resource }),
    ...(assumePkce === true && { assumePkce }),
    ...(isPlainObject(parameters) && { parameters: stringsOf(parameters) }),
    ...(hasSecret === true && { hasSecret }),
    ...(typeof clientId === 'string' && { clientId }),
    ...(Array.isArray(scopes) && { scopes: scopes.filter((scope) => typeof scope === 'string') }),
  }
}

function stringsOf(members: Record<string, unknown>): Record<string, string> {
  const strings = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string')
  return Object.fromEntries(strings)
}

export function keepChoices(url: string | URL, choices: LoginChoices): void {
  const { [resourceOf(url)]: _before, ...others } = readAllChoices()
  if (Object.keys(choices).length === 0 && _before === undefined) return
  const kept = Object.entries(others).slice(-(MAX_LOGINS - 1))
  writeUserFile(configFile('logins.json'), Object.fromEntries([...kept, [resourceOf(url), choices]]))
}

function readAllChoices(): Record<string, unknown> {
  const kept = readUserFile(configFile('logins.json'))
  return isPlainObject(kept) ? kept : {}
}
