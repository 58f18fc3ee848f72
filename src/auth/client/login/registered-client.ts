// A client that was registered beforehand, as options describe it.
import { typeError } from '../../../primitives/help.ts'
import { checkNestedKeys, type KnownKeys } from '../../../primitives/options.ts'
import type { PrivateKeyJwt, TokenEndpointAuthMethod } from '../tokens/client-auth.ts'
import { assertIssuer } from '../tokens/grant.ts'

/** A client that you registered at the authorization server. */
export interface PreRegisteredClient {
  /** The id that the authorization server gave to this client. */
  id: string
  /** The secret that belongs to the id. Left out for public clients. */
  secret?: string
  /** Instead of a secret. */
  privateKey?: PrivateKeyJwt
  /**
   * The authorization server of this client; its secret is sent to no other. `'discovered'` trusts the first server that the
   * resource names.
   */
  issuer?: string
  /** Default: a method that the authorization server supports. */
  authMethod?: TokenEndpointAuthMethod
}

export const PRE_REGISTERED_CLIENT_KEYS: KnownKeys<PreRegisteredClient> = {
  id: true,
  secret: true,
  privateKey: true,
  issuer: true,
  authMethod: true,
}

interface ClientOptions {
  readonly client?: PreRegisteredClient | undefined
  readonly clientMetadataUrl?: string | undefined
}

/** Throws `TypeError` for a client without its issuer, and for a document that cannot be one. */
export function assertClient(owner: string, { client, clientMetadataUrl }: ClientOptions): void {
  checkNestedKeys(`${owner}(): client`, client, PRE_REGISTERED_CLIENT_KEYS)
  if (client?.secret !== undefined || client?.privateKey !== undefined) assertIssuer(client.issuer, `${owner}: client`)
  if (clientMetadataUrl === undefined) return
  const url = URL.canParse(clientMetadataUrl) ? new URL(clientMetadataUrl) : undefined
  if (url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '') return
  throw typeError('wrong-option', `${owner}: clientMetadataUrl must be an https URL with a path and without a fragment`)
}
