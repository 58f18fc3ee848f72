// The documents of OAuth that clients read, reduced to what is well formed: everything in them was written by somebody else.
import { isPlainObject } from '../primitives/json/objects.ts'

/** RFC 9728: what a protected resource says of itself. */
export interface ProtectedResourceMetadata {
  resource: string
  authorization_servers: readonly string[]
  scopes_supported?: readonly string[]
}

/** RFC 8414 and OpenID Connect Discovery: what an authorization server says of itself. */
export interface AuthorizationServerMetadata {
  issuer: string
  authorization_endpoint?: string
  token_endpoint?: string
  registration_endpoint?: string
  scopes_supported?: string[]
  grant_types_supported?: string[]
  code_challenge_methods_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
  token_endpoint_auth_signing_alg_values_supported?: string[]
  dpop_signing_alg_values_supported?: string[]
  authorization_grant_profiles_supported?: string[]
  client_id_metadata_document_supported?: boolean
  authorization_response_iss_parameter_supported?: boolean
}

const TEXTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_grant_profiles_supported',
] as const
const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const

/** `undefined` where the value is no such document. Members of another type than the RFC's are left out. */
export function readProtectedResource(value: unknown): ProtectedResourceMetadata | undefined {
  if (!isPlainObject(value) || typeof value['resource'] !== 'string') return undefined
  const scopes = stringsOf(value['scopes_supported'])
  return {
    resource: value['resource'],
    authorization_servers: stringsOf(value['authorization_servers']) ?? [],
    ...(scopes !== undefined && { scopes_supported: scopes }),
  }
}

/** `undefined` where the value is no such document. Members of another type than the RFC's are left out. */
export function readAuthorizationServer(value: unknown): AuthorizationServerMetadata | undefined {
  if (!isPlainObject(value) || typeof value['issuer'] !== 'string') return undefined
  const document: AuthorizationServerMetadata = { issuer: value['issuer'] }
  for (const name of TEXTS) {
    const text = value[name]
    if (typeof text === 'string') document[name] = text
  }
  for (const name of LISTS) {
    const list = stringsOf(value[name])
    if (list !== undefined) document[name] = list
  }
  for (const name of FLAGS) if (value[name] === true) document[name] = true
  return document
}

function stringsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((item): item is string => typeof item === 'string')
}
