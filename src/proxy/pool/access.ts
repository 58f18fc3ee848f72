// What a credential means for a connection: its headers, its login, its environment, and who may share it.
import type { ClientTarget, CommandTarget } from '../../client/opening/targets.ts'
import type { HttpAuth } from '../../http/bearer.ts'
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
  const command = target as CommandTarget
  return { ...command, env: { ...command.env, ...credential.env } }
}

export interface Access {
  readonly headers: Readonly<Record<string, string>>
  readonly auth: HttpAuth | undefined
}

/** The headers and the login for a target that is a URL. Without a credential they are those of the target itself. */
export function accessOf(
  credential: Credential | undefined,
  headers: Readonly<Record<string, string>>,
  auth: HttpAuth | undefined,
): Access {
  if (credential === undefined) return { headers, auth }
  if (credential === 'none' || 'env' in credential) return { headers, auth: undefined }
  if ('auth' in credential) return { headers, auth: credential.auth }
  return { headers: { ...headers, ...credential.headers }, auth: undefined }
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
