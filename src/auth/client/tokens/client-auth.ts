// How a client proves itself at the token endpoint: by the method that both sides know.

import { importJWK, importPKCS8, type JWK } from 'jose'
import * as oauth4webapi from 'oauth4webapi'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import { fail } from '../network/failure.ts'

export type TokenEndpointAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

export interface PrivateKeyJwtOptions {
  /** A private key: PKCS#8 as PEM, a JWK, or a key of Web Crypto that may sign. */
  key: string | JWK | CryptoKey
  /** Needed for a PEM, and for a JWK that does not say; as in `ES256`. */
  algorithm?: string
  /** Tells the authorization server which of several keys this is. */
  keyId?: string
  /** The `aud` of the assertion: the issuer unless given. */
  audience?: 'issuer' | 'token-endpoint'
}

export const PRIVATE_KEY_JWT_KEYS: KnownKeys<PrivateKeyJwtOptions> = {
  key: true,
  algorithm: true,
  keyId: true,
  audience: true,
}

/** A client's private key, ready to sign assertions (RFC 7523). Shows nothing of the key. */
export interface PrivateKeyJwt {
  readonly method: 'private_key_jwt'
}

/** Registered, so that a key of another copy of this package works too. */
const CLIENT_AUTH = Symbol.for('mcpwire.clientAuth')

interface SigningKey extends PrivateKeyJwt {
  [CLIENT_AUTH](): Promise<oauth4webapi.ClientAuth>
}

/** Proves a client by assertions that it signs, so that no shared secret exists. */
export function privateKeyJwt(options: PrivateKeyJwtOptions): PrivateKeyJwt {
  checkKeys('privateKeyJwt()', options, PRIVATE_KEY_JWT_KEYS)
  if (typeof options.key === 'string' && options.algorithm === undefined) {
    throw new TypeError("privateKeyJwt: a PEM does not name its algorithm; pass algorithm, as in 'ES256'")
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
    // What went wrong may quote the key.
    throw fail('token', 'invalid_client', 'The private key cannot be read; pass PKCS#8 as PEM, a JWK or a CryptoKey')
  }
}

/** What a client has to prove itself with. */
export interface ClientCredential {
  readonly secret?: string | undefined
  readonly privateKey?: PrivateKeyJwt | undefined
  /** Asked for by the user or fixed at registration. */
  readonly method?: TokenEndpointAuthMethod | undefined
}

/** The method to use, or an `OAuthError` where the server takes none that the client has the means for. */
export function chooseAuthMethod(
  server: AuthorizationServerMetadata,
  credential: ClientCredential,
): TokenEndpointAuthMethod {
  if (credential.method !== undefined) return checkMeans(credential.method, credential)
  if (credential.privateKey !== undefined) return 'private_key_jwt'
  if (credential.secret === undefined) return 'none'
  // RFC 8414: a server that lists none takes client_secret_basic.
  const listed = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (listed.includes('client_secret_basic')) return 'client_secret_basic'
  if (listed.includes('client_secret_post')) return 'client_secret_post'
  throw fail(
    'token',
    'invalid_client',
    'The authorization server takes no client secret, and the client has nothing else',
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
 * RFC 6749, section 2.3.1. The library also escapes hyphens and dots, as it may; many servers compare without decoding, and for
 * them an id that needs no escape must stay as it is.
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
  throw fail(
    'token',
    'invalid_client',
    `The client is to use ${method} at the token endpoint but lacks what that needs`,
  )
}
