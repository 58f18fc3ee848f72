// What a credential means for a connection: its headers, its login, its environment, and who may share it.
import type { ClientTarget, CommandTarget } from '../../client/opening/targets.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import type { Poster } from '../../http/poster.ts'
import { typeError } from '../../primitives/help.ts'
import type { Credential } from '../base/options.ts'
import type { Secrets } from '../base/secrets.ts'

export function credentialId(credential: Credential | undefined): unknown {
  if (credential === undefined || credential === 'none') return credential
  if (!('auth' in credential)) return credential
  if (typeof credential.id === 'string') return credential.id
  throw typeError('wrong-result', 'A credential with auth needs an id, equal for callers that may share a connection.')
}

export function withEnvironment(target: ClientTarget, credential: Credential | undefined): ClientTarget {
  if (credential === undefined || credential === 'none' || !('env' in credential)) return target
  if (typeof target !== 'object' || !('command' in target))
    throw typeError(
      'wrong-result',
      'A credential with env works for a target that is a command. Use headers or auth for a URL.',
    )
  const command = target as CommandTarget
  return { ...command, env: { ...command.env, ...credential.env } }
}

/** Throws for a credential that only goes to a URL: without it the target would be used as somebody else. */
export function checkNeedsNoUrl(credential: Credential | undefined): void {
  if (credential === undefined || credential === 'none' || 'env' in credential) return
  throw typeError(
    'wrong-result',
    'A credential with headers or auth works for a target that is a URL. Use env for a command, and none for other targets.',
  )
}

export interface Access {
  readonly headers: Readonly<Record<string, string>>
  readonly auth: HttpAuth | undefined
}

/** The headers and the login for a target that is a URL. Without a credential they are those of the target itself. */
export function accessOf(
  credential: Credential | undefined,
  own: Readonly<Record<string, string>>,
  forwarded: Readonly<Record<string, string>>,
  auth: HttpAuth | undefined,
): Access {
  if (credential === 'none') return { headers: { ...neutralOf(own), ...forwarded }, auth: undefined }
  const headers = { ...own, ...forwarded }
  if (credential === undefined) return { headers, auth }
  if ('env' in credential) return { headers, auth: undefined }
  if ('auth' in credential) return { headers, auth: credential.auth }
  return { headers: { ...headers, ...credential.headers }, auth: undefined }
}

const NEUTRAL: ReadonlySet<string> = new Set(['accept-language', 'user-agent'])

/** Headers that no server takes for a credential. */
function neutralOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => NEUTRAL.has(name.toLowerCase())))
}

/** A URL without the user and the password that it may hold. */
export function withoutLogin(target: ClientTarget): ClientTarget {
  if (!(typeof target === 'string' || target instanceof URL) || !URL.canParse(String(target))) return target
  const url = new URL(target)
  if (url.username === '' && url.password === '') return target
  url.username = ''
  url.password = ''
  return url
}

/** What must not be seen in faults of this connection. */
export function learnSecrets(
  secrets: Secrets,
  target: ClientTarget,
  headers: Readonly<Record<string, string>>,
  auth: HttpAuth | undefined,
  credential: Credential | undefined,
): void {
  secrets.addTarget(target)
  secrets.addAll(headers)
  secrets.add(auth)
  if (credential === undefined || credential === 'none') return
  if ('headers' in credential) secrets.addAll(credential.headers)
  if ('env' in credential) secrets.addAll(credential.env)
}

/** The same login, of which every token is known before it is sent. */
export function learningTokens(secrets: Secrets, auth: HttpAuth | undefined): HttpAuth | undefined {
  if (typeof auth === 'function') {
    return async () => {
      const token = await auth()
      secrets.addToken(token)
      return token
    }
  }
  if (typeof auth !== 'object') return auth
  return {
    authorize: (poster, resource, facts) => {
      const watched: Poster = (request) => {
        for (const [name, value] of Object.entries(request.headers))
          if (name.toLowerCase() === 'authorization') secrets.addToken(value)
        return poster(request)
      }
      watched.close = () => poster.close?.()
      return auth.authorize(watched, resource, facts)
    },
  }
}
