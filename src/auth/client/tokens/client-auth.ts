// How a client authenticates at the token endpoint, by a method that both sides support.

import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose'
import * as oauth4webapi from 'oauth4webapi'
import { typeError } from '../../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import { oauthFailure } from '../network/failure.ts'

/** How a client proves at the token endpoint who it is. */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** Options of `privateKeyJwt()`. */
export interface PrivateKeyJwtOptions {
  /** A private key: PKCS#8 as PEM, a JWK, or a Web Crypto key for signing. */
  key: string | JWK | CryptoKey
  /** For example `ES256`. Required for a PEM, and for a JWK without `alg`. */
  algorithm?: string | undefined
  /** The `kid` of the key, if the authorization server knows several. */
  keyId?: string | undefined
  /** The `aud` of the assertion (default: `issuer`). */
  audience?: 'issuer' | 'token-endpoint' | undefined
}

export const PRIVATE_KEY_JWT_KEYS: KnownKeys<PrivateKeyJwtOptions> = {
  key: true,
  algorithm: true,
  keyId: true,
  audience: true,
}

/** A client's private key, ready to sign assertions (RFC 7523). Does not reveal the key. */
export interface PrivateKeyJwt {
  /** Marks authentication by a signed JWT. */
  readonly method: 'private_key_jwt'
}

/** Registered, so that a key of another copy of this package works too. */
const CLIENT_AUTH = Symbol.for('mcpwire.clientAuth')

interface SigningKey extends PrivateKeyJwt {
  [CLIENT_AUTH](): Promise<oauth4webapi.ClientAuth>
}

/** Authenticates a client by assertions that it signs, so that there is no shared secret. */
export function privateKeyJwt(options: PrivateKeyJwtOptions): PrivateKeyJwt {
  checkKeys('privateKeyJwt()', options, PRIVATE_KEY_JWT_KEYS)
  if (typeof options.key === 'string' && options.algorithm === undefined) {
    throw typeError(
      'wrong-option',
      "privateKeyJwt: a PEM does not name its algorithm. Set algorithm, for example to 'ES256'",
    )
  }
  let prepared: Promise<oauth4webapi.ClientAuth> | undefined
  const key: SigningKey = {
    method: 'private_key_jwt',
    [CLIENT_AUTH]: () => {
      prepared ??= prepareKey(options)
      return prepared
    },
  }
  return key
}

async function prepareKey(options: PrivateKeyJwtOptions): Promise<oauth4webapi.ClientAuth> {
  const key = await importKey(options)
  const { keyId, audience } = options
  const signer = oauth4webapi.PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId })
  if (audience !== 'token-endpoint') return signer
  return (server, client, body, headers) => {
    const toEndpoint = oauth4webapi.PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId }, {
      [oauth4webapi.modifyAssertion]: (_header, claims) => {
        claims['aud'] = server.token_endpoint
      },
    })
    return toEndpoint(server, client, body, headers)
  }
}

async function importKey({ key, algorithm }: PrivateKeyJwtOptions): Promise<CryptoKey> {
  try {
    if (typeof key === 'string') return await importPKCS8(key, algorithm ?? '')
    if (!('kty' in key)) return key as CryptoKey
    return (await importJWK(key, algorithm)) as CryptoKey
  } catch {
    // The error is dropped, because it may quote the key.
    throw oauthFailure(
      'token',
      'invalid_client',
      'The private key cannot be read. Use PKCS#8 as PEM, a JWK or a CryptoKey',
    )
  }
}

/** What a client can authenticate with. */
export interface ClientCredential {
  readonly secret?: string | undefined
  readonly privateKey?: PrivateKeyJwt | undefined
  /** Set by the user or at registration. */
  readonly method?: TokenEndpointAuthMethod | undefined
}

/** The method to use. Throws `OAuthError` if the client has no credential that the server accepts. */
export function chooseAuthMethod(
  server: AuthorizationServerMetadata,
  credential: ClientCredential,
): TokenEndpointAuthMethod {
  if (credential.method !== undefined) return checkMeans(credential.method, credential)
  if (credential.privateKey !== undefined) return 'private_key_jwt'
  if (credential.secret === undefined) return 'none'
  // RFC 8414: a server that lists no methods accepts client_secret_basic.
  const listed = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (listed.includes('client_secret_basic')) return 'client_secret_basic'
  if (listed.includes('client_secret_post')) return 'client_secret_post'
  throw oauthFailure(
    'token',
    'invalid_client',
    'The authorization server accepts no client secret, and the client has no other credential',
  )
}

export async function toClientAuth(
  server: AuthorizationServerMetadata,
  credential: ClientCredential,
): Promise<oauth4webapi.ClientAuth> {
  const { secret, privateKey } = credential
  const method = chooseAuthMethod(server, credential)
  if (method === 'private_key_jwt' && privateKey !== undefined) return (privateKey as SigningKey)[CLIENT_AUTH]()
  if (method === 'client_secret_post' && secret !== undefined) return oauth4webapi.ClientSecretPost(secret)
  if (method === 'client_secret_basic' && secret !== undefined) return basicAuth(secret)
  return oauth4webapi.None()
}

/**
 * RFC 6749, section 2.3.1. The library also escapes hyphens and dots, which is allowed; but many servers compare without
 * decoding, so an id that needs no escapes must stay as it is.
 */
function basicAuth(secret: string): oauth4webapi.ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${formEncode(client.client_id)}:${formEncode(secret)}`)}`)
  }
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function checkMeans(
  method: TokenEndpointAuthMethod,
  { secret, privateKey }: ClientCredential,
): TokenEndpointAuthMethod {
  const hasMeans = method === 'none' || (method === 'private_key_jwt' ? privateKey : secret) !== undefined
  if (hasMeans) return method
  throw oauthFailure(
    'token',
    'invalid_client',
    `The client must use ${method} at the token endpoint, but has no credential for it`,
  )
}
