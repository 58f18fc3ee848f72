// Who calls the API: the values of the option `auth`, chosen by the security of the operation, put where the scheme says.

import type { AuthProvider } from '../../http/poster.ts'
import { type Principal, principalOf } from '../../http/principal.ts'
import type { Context } from '../../mcpserver/handlers/context.ts'
import { encodeBase64Text } from '../../primitives/base64.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ToolError } from '../../types/errors/failures.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { OpenAPIOperation } from '../operations/collect.ts'
import type { Alternatives, SchemeUse, SecurityScheme } from '../operations/security.ts'
import type { Base } from '../operations/servers.ts'
import { encodeStrict } from '../request/encode.ts'
import { secretsOfHeader } from './secrets.ts'

/** Who called the tool. There is no token in it. */
export interface OpenAPICaller {
  /** The verified caller as issuer, client and subject; `undefined` where the server checks no tokens. */
  readonly principal: Principal | undefined
  /** The claims of the verified token. */
  readonly auth: AuthInfo | undefined
  /** What the client says about itself. */
  readonly clientInfo: Implementation | undefined
  /** Whether the call came by stdio or from this process, and not over HTTP: then it is the user who runs the server. */
  readonly isLocal: boolean
}

/** What a function in `auth` gets: for whom, for which scheme and operation, and with which scopes. */
export interface OpenAPIAuthRequest extends OpenAPICaller {
  /** Who called the tool. */
  readonly caller: OpenAPICaller
  /** The host of the API, as in `api.example.com`. */
  readonly source: string
  /** The scheme of the document that a value is needed for. */
  readonly scheme: SecurityScheme
  /** The scopes that the operation needs. */
  readonly scopes: readonly string[]
  /** The operation that is called. */
  readonly operation: Pick<OpenAPIOperation, 'method' | 'path' | 'operationId'>
}

/**
 * A credential: a key or token, or `user:password` for `basic`; a user name with its password; headers, for schemes of any kind; a client with its secret, for
 * the flow `clientCredentials`; or a provider of `mcpwire/auth`. `true` where `fetch` brings the credential, as with client
 * certificates.
 */
export type OpenAPICredential =
  | string
  | true
  | OpenAPIPassword
  | OpenAPIHeaders
  | OpenAPIClient
  | OpenAPIProvider
  | AuthProvider

/** For the scheme `basic` of the type `http`. */
export interface OpenAPIPassword {
  /** The name of the user. */
  readonly username: string
  /** The password of the user. It is in no message. */
  readonly password: string
}

/** For schemes of any kind, also those that are not supported otherwise. */
export interface OpenAPIHeaders {
  /** The headers that carry the credential, by name. */
  readonly headers: Readonly<Record<string, string>>
}

/** For the flow `clientCredentials` of the type `oauth2`. Tokens come from the `tokenUrl` of the document. */
export interface OpenAPIClient {
  /** The id of this client at the authorization server. */
  readonly clientId: string
  /** The secret of this client. It is in no message. */
  readonly clientSecret: string
  /** The scopes of the tokens (default: those of the operation). */
  readonly scopes?: readonly string[]
}

/** A provider as functions for other servers return it. */
export interface OpenAPIProvider {
  /** Obtains tokens, as those of `mcpwire/auth` do. */
  readonly auth: AuthProvider
}

/** A credential, or a function that gives the one of the caller; `undefined` where there is none. */
export type OpenAPIAuth =
  | OpenAPICredential
  | ((request: OpenAPIAuthRequest) => OpenAPICredential | undefined | Promise<OpenAPICredential | undefined>)

/** What is added to a request. */
export interface Applied {
  readonly headers: Record<string, string>
  readonly query: string[]
  readonly cookies: string[]
  provider: { readonly auth: AuthProvider; readonly scheme: SecurityScheme } | undefined
  /** Gets a token before the request is sent. */
  client:
    | { readonly use: SchemeUse; readonly id: string; readonly secret: string; readonly scopes: readonly string[] }
    | undefined
  /** Not to be repeated in any text. */
  readonly secrets: string[]
}

export function callerOf(ctx: Context): OpenAPICaller {
  const { auth, clientInfo, request } = ctx
  // Every request over HTTP has headers, and no other one.
  const isLocal = request.dispatch.transport.headers === undefined
  return { principal: auth === undefined ? undefined : principalOf(auth), auth, clientInfo, isLocal }
}

/** Whether an alternative could have all its values at this server, as far as can be known before a call. */
export function hasValues(
  alternative: readonly SchemeUse[],
  auth: Readonly<Record<string, OpenAPIAuth>>,
  base: Base,
): boolean {
  const hasValue = (name: string) => Object.hasOwn(auth, name) && auth[name] !== undefined
  return alternative.every(({ scheme }) => base.credentialsGoTo === undefined && hasValue(scheme.name))
}

/**
 * The first alternative whose schemes all have a value. At a server that credentials do not go to, no scheme has one. Throws
 * `ToolError`, which names a scheme, where none has; and for a value that the scheme cannot use.
 */
export async function applyCredentials(
  { alternatives, base, operation }: { alternatives: Alternatives; base: Base; operation: OpenAPIOperation },
  auth: Readonly<Record<string, OpenAPIAuth>>,
  ctx: Context,
): Promise<Applied | undefined> {
  if (alternatives.length === 0) return undefined
  if (base.credentialsGoTo !== undefined) {
    if (alternatives.some((alternative) => alternative.length === 0)) return undefined
    throw notSent(alternatives, base)
  }
  const caller = callerOf(ctx)
  let missing: string | undefined
  for (const alternative of alternatives) {
    const values: OpenAPICredential[] = []
    for (const use of alternative) {
      const value = await credentialOf(use, auth, { ...caller, caller, source: new URL(base.url).host }, operation)
      if (value === undefined || value === '') {
        missing ??= use.scheme.name
        break
      }
      values.push(value)
    }
    if (values.length === alternative.length) return apply(alternative, values)
  }
  throw new ToolError(`The API needs a credential for ${JSON.stringify(missing)}, and this server has none for it.`)
}

const NEUTRAL: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])

/** Headers of the author for this server: one of any other name may hold a credential. */
export function headersFor(
  { credentialsGoTo }: Base,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (credentialsGoTo === undefined) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => NEUTRAL.has(name.toLowerCase())))
}

/** Whether there is something that must not go to a server that nobody confirmed. */
export function hasCredentials({
  auth = {},
  headers = {},
}: {
  readonly auth?: Readonly<Record<string, OpenAPIAuth>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return Object.keys(auth).length > 0 || names.some((name) => !NEUTRAL.has(name))
}

function notSent(alternatives: Alternatives, { origin, credentialsGoTo }: Base): ToolError {
  const name = JSON.stringify(alternatives[0]?.[0]?.scheme.name)
  return new ToolError(
    `The credential for ${name} was not sent to ${origin}: it goes to ${credentialsGoTo} only. ` +
      'List the origin in authOrigins if it belongs to the API.',
  )
}

async function credentialOf(
  { scheme, scopes }: SchemeUse,
  auth: Readonly<Record<string, OpenAPIAuth>>,
  from: Omit<OpenAPIAuthRequest, 'scheme' | 'scopes' | 'operation'>,
  { method, path, operationId }: OpenAPIOperation,
): Promise<OpenAPICredential | undefined> {
  const given = Object.hasOwn(auth, scheme.name) ? auth[scheme.name] : undefined
  if (typeof given !== 'function') return given
  const operation = { method, path, ...(operationId !== undefined && { operationId }) }
  return given({ ...from, scheme, scopes, operation })
}

function apply(alternative: readonly SchemeUse[], values: readonly OpenAPICredential[]): Applied | undefined {
  if (alternative.length === 0) return undefined
  const applied: Applied = { headers: {}, query: [], cookies: [], provider: undefined, client: undefined, secrets: [] }
  for (const [index, use] of alternative.entries()) applyOne(applied, use, values[index] as OpenAPICredential)
  return applied
}

const HEADER_TEXT = /^[\x20-\x7e]{1,65536}$/

function applyOne(applied: Applied, use: SchemeUse, value: OpenAPICredential): void {
  const { scheme } = use
  if (value === true) return
  if (typeof value === 'string') {
    if (!HEADER_TEXT.test(value)) throw unusable(scheme)
    applied.secrets.push(value)
    applyText(applied, scheme, value)
    return
  }
  if (!isPlainObject(value)) throw unusable(scheme)
  if ('headers' in value && isPlainObject(value['headers'])) {
    for (const [name, text] of Object.entries(value['headers'])) {
      if (!HEADER_TEXT.test(String(text))) throw unusable(scheme)
      applied.headers[name.toLowerCase()] = String(text)
      applied.secrets.push(...secretsOfHeader(name, String(text)))
    }
  } else if ('username' in value && scheme.scheme === 'basic') {
    const pair = encodeBase64Text(`${String(value['username'])}:${String(value['password'])}`)
    applied.headers['authorization'] = `Basic ${pair}`
    applied.secrets.push(pair, String(value['password']))
  } else if ('clientId' in value && scheme.tokenUrl !== undefined) {
    const { clientId, clientSecret, scopes = use.scopes } = value as unknown as OpenAPIClient
    applied.client = { use, id: clientId, secret: clientSecret, scopes }
    // As it goes to the authorization server.
    applied.secrets.push(clientSecret, encodeBase64Text(`${encodeStrict(clientId)}:${encodeStrict(clientSecret)}`))
  } else {
    const provider = ('auth' in value ? value['auth'] : value) as AuthProvider | undefined
    if (typeof provider?.authorize !== 'function') throw unusable(scheme)
    applied.provider = { auth: provider, scheme }
  }
}

function applyText(applied: Applied, scheme: SecurityScheme, value: string): void {
  const { type, key = '' } = scheme
  if (type === 'apiKey' && scheme.in === 'header') applied.headers[key.toLowerCase()] = value
  else if (type === 'apiKey' && scheme.in === 'query') applied.query.push(`${encodeStrict(key)}=${encodeStrict(value)}`)
  else if (type === 'apiKey' && scheme.in === 'cookie') applied.cookies.push(`${key}=${encodeStrict(value)}`)
  else if (scheme.scheme === 'bearer' || type === 'oauth2' || type === 'openIdConnect') {
    applied.headers['authorization'] = `Bearer ${value}`
  } else if (scheme.scheme === 'basic' && value.includes(':')) {
    const pair = encodeBase64Text(value)
    applied.headers['authorization'] = `Basic ${pair}`
    applied.secrets.push(pair, value.slice(value.indexOf(':') + 1))
  } else throw unusable(scheme)
}

/** The author's mistake: the model reads that it cannot help, the log reads the rest. */
function unusable({ name, type, scheme }: SecurityScheme): ToolError {
  const kind = scheme === undefined ? type : `${type} ${scheme}`
  return new ToolError(
    `The value of auth for ${JSON.stringify(name)} (${kind}) cannot be used. Pass a token, { username, password }, { headers } or a provider.`,
  )
}
