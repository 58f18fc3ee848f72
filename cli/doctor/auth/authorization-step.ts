// Step 8: where tokens come from, walked as a login does it; every URL with its status.
import type { RemoteEntry } from '../../install/server-entry.ts'
import { type KeptLogin, type LoginChoices, readKeptLogin, readKeptToken } from '../../target/kept-login.ts'
import { toOAuthOptions } from '../../target/login-provider.ts'
import { type Finding, ok } from '../findings/step.ts'
import { recognizeProvider } from './providers.ts'
import { findAuthorizationProblems, toFinding } from './rules.ts'
import { describeToken, type ExpectedToken, findTokenProblem, readClaims } from './token-claims.ts'
import { type Walk, walkAuthorization } from './walk.ts'

export interface AuthorizationOptions {
  readonly entry: RemoteEntry
  readonly url: string
  readonly choices: LoginChoices
  /** Whether the connection was opened with a token. */
  readonly isConnected: boolean
  /** Whether the user gave a token: it is the one that the server took or refused. */
  readonly hasOwnToken: boolean
  /** That token, where it is a bearer token. */
  readonly ownToken: string | undefined
  readonly ms: number
  readonly signal: AbortSignal
}

export async function checkAuthorization(options: AuthorizationOptions): Promise<Finding> {
  const { entry, url, choices, ms, signal, isConnected, hasOwnToken } = options
  const { authorization: _own, ...headers } = lowerCased(entry.headers)
  const walk = await walkAuthorization({ url, headers, login: toOAuthOptions(choices), ms }, signal)
  const kept = await readKeptLogin(url)
  const token = hasOwnToken ? options.ownToken : await readKeptToken(url)
  const claims = token === undefined ? undefined : readClaims(token)
  const details = [...describeWalk(walk, kept), ...(token === undefined ? [] : [describeToken(claims)])]
  const problems = await findAuthorizationProblems({ walk, url, choices, signal, ms })
  const isRefused = !isConnected && (hasOwnToken || kept !== undefined)
  const finding = toFinding(problems, {
    url,
    details,
    isConnected,
    isRefused,
    hasOwnToken,
    tokenProblem: findTokenProblem(claims, expectedOf(walk, url)),
  })
  return finding ?? ok(isConnected ? 'The server accepts the token' : 'Ready for a login', details)
}

function describeWalk(walk: Walk, kept: KeptLogin | undefined): string[] {
  const { requests, server, loginPage } = walk
  const lines = requests.map(
    ({ method, url, status }) => `${method} ${url}: ${status === undefined ? 'no answer' : `HTTP ${status}`}`,
  )
  const provider = server === undefined ? undefined : recognizeProvider(server)
  if (server !== undefined) {
    lines.push(`Issuer: ${String(server['issuer'])}${provider === undefined ? '' : ` (${provider.name})`}`)
  }
  if (provider !== undefined) lines.push(`For the server: ${provider.tokens}`)
  const scope = loginPage?.searchParams.get('scope')
  if (scope !== null && scope !== undefined) {
    const unlisted = unlistedScopes(scope, server)
    const note = unlisted.length === 0 ? '' : ` (not in the list of the authorization server: ${unlisted.join(' ')})`
    lines.push(`Scopes to request: ${scope}${note}`)
  }
  const resource = loginPage?.searchParams.get('resource')
  if (resource !== null && resource !== undefined) lines.push(`Resource: ${resource}`)
  if (kept !== undefined) lines.push(describeKept(kept))
  return lines
}

/** Scopes that the authorization server does not list. Its list may be incomplete. */
function unlistedScopes(scope: string, server: Walk['server']): string[] {
  const listed = server?.['scopes_supported']
  return Array.isArray(listed) ? scope.split(' ').filter((name) => name !== '' && !listed.includes(name)) : []
}

function expectedOf({ resource }: Walk, url: string): ExpectedToken {
  const issuers = resource?.['authorization_servers']
  return {
    resource: typeof resource?.['resource'] === 'string' ? resource['resource'] : url,
    issuers: Array.isArray(issuers) ? issuers.filter((issuer) => typeof issuer === 'string') : [],
  }
}

function describeKept({ scopes, expiresAt, canRefresh }: KeptLogin): string {
  const expires =
    expiresAt === undefined
      ? ''
      : `, ${expiresAt < Date.now() ? 'expired' : 'expires'} ${new Date(expiresAt).toISOString()}${canRefresh ? ' (refreshed when needed)' : ''}`
  return `Kept login${scopes.length === 0 ? '' : ` with the scopes ${scopes.join(' ')}`}${expires}`
}

function lowerCased(headers: RemoteEntry['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
