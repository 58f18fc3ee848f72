// Tokens bound to a key (DPoP, RFC 9449): the key, a proof for every request, and the nonces of servers.
import { exportJWK, importJWK } from 'jose'
import * as oauth4webapi from 'oauth4webapi'
import type { Poster, PostRequest, PostResponse } from '../../../http/poster.ts'
import { oauthFailure } from '../network/failure.ts'

const ALGORITHM = 'ES256'

/** A key pair with the nonces seen so far. */
export interface DpopKey {
  readonly handle: oauth4webapi.DPoPHandle
  /** The private key as JSON, for a store: a refresh token can't be used without it. */
  readonly jwk: Readonly<Record<string, unknown>>
}

/** The key of stored tokens, or a new one. */
export async function openDpopKey(stored: Readonly<Record<string, unknown>> | undefined): Promise<DpopKey> {
  if (stored !== undefined) {
    try {
      return await importDpopKey(stored)
    } catch {
      // A damaged key in the store costs a new login, not the call.
    }
  }
  const pair = await oauth4webapi.generateKeyPair(ALGORITHM, { extractable: true })
  return { handle: oauth4webapi.DPoP({}, pair), jwk: { ...(await exportJWK(pair.privateKey)) } }
}

async function importDpopKey(jwk: Readonly<Record<string, unknown>>): Promise<DpopKey> {
  const { kty, crv, x, y, d } = jwk as Record<string, string>
  const publicJwk = { kty, crv, x, y } as { kty: string; crv: string; x: string; y: string }
  const privateKey = (await importJWK({ ...publicJwk, d: d as string }, ALGORITHM)) as CryptoKey
  const publicKey = (await importJWK({ ...publicJwk, ext: true }, ALGORITHM)) as CryptoKey
  return { handle: oauth4webapi.DPoP({}, { privateKey, publicKey }), jwk }
}

/** RFC 9449, section 5.1: a server that lists its algorithms must list ours. */
export function checkDpopSupport(algorithms: readonly string[] | undefined): void {
  if (algorithms === undefined || algorithms.includes(ALGORITHM)) return
  throw oauthFailure(
    'discovery',
    'dpop_not_supported',
    `The authorization server does not accept DPoP proofs signed with ${ALGORITHM}`,
  )
}

/** Sends a request to the resource with a fresh proof, and keeps the nonce of the response, if it has one. */
export async function postWithProof(
  poster: Poster,
  request: PostRequest,
  accessToken: string,
  key: DpopKey,
): Promise<PostResponse> {
  let answer: PostResponse | undefined
  // The library creates the proof inside its own fetch, which is our poster here.
  await oauth4webapi.protectedResourceRequest(accessToken, request.method, new URL(request.url), new Headers(), null, {
    DPoP: key.handle,
    [oauth4webapi.allowInsecureRequests]: true,
    [oauth4webapi.customFetch]: async (_url, { headers }) => {
      const { authorization = '', dpop = '' } = headers
      answer = await poster({ ...request, headers: { ...request.headers, authorization, dpop } })
      return new Response(null, { headers: nonceOf(answer) })
    },
  })
  if (answer === undefined) throw oauthFailure('request', 'request_failed', 'The request was not sent')
  return answer
}

function nonceOf(response: PostResponse): Record<string, string> {
  const nonce = response.header('dpop-nonce')
  return nonce !== undefined && /^[\x21-\x7e]{1,1024}$/.test(nonce) ? { 'dpop-nonce': nonce } : {}
}
