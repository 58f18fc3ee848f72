// The guard in front of a server: no request passes without a token that was issued for it.
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { type BearerOptions, type BearerRefusal, type BearerSettings, readBearerOptions } from './bearer-options.ts'
import { identify } from './identify.ts'
import { type RefusalKind, type Refused, refusalOf } from './refusal.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { joinScopes } from './scopes.ts'

interface ErrorWords {
  readonly error: string
  readonly description: string
}

/** All that a caller reads of a refusal. RFC 6750, section 3.1: who sent no token is told of no error. */
const ERROR_WORDS: Readonly<Partial<Record<RefusalKind, ErrorWords>>> = {
  malformed: { error: 'invalid_request', description: 'The request does not carry its token the way RFC 6750 asks' },
  token: { error: 'invalid_token', description: 'The access token is invalid, expired or not for this resource' },
  proof: { error: 'invalid_dpop_proof', description: 'The DPoP proof does not fit the request, its token or the time' },
  nonce: { error: 'use_dpop_nonce', description: 'The DPoP proof needs the nonce that this answer brings' },
  scope: { error: 'insufficient_scope', description: 'The request needs scopes that the token does not grant' },
  unavailable: { error: 'temporarily_unavailable', description: 'The access token cannot be checked at the moment' },
}

/** The value of the header, asking for `scopes` beyond those that every request needs. */
type Challenge = (kind: RefusalKind, scopes?: readonly string[]) => string

function createChallenge({ scopes, proofs }: BearerSettings, metadataUrl: string): Challenge {
  return (kind, more = []) => {
    // All that the operation needs at once, so that one more login is enough.
    const where = { resource_metadata: metadataUrl, scope: joinScopes([...scopes, ...more]) }
    const words = ERROR_WORDS[kind]
    const what = words === undefined ? where : { error: words.error, error_description: words.description, ...where }
    if (proofs === undefined) return challenge('Bearer', what)
    const dpop = challenge('DPoP', { ...what, algs: proofs.algorithms.join(' ') })
    const isAboutProof = kind === 'proof' || kind === 'nonce'
    return proofs.isRequired || isAboutProof ? dpop : `${challenge('Bearer', what)}, ${dpop}`
  }
}

/** Values hold no quote and no backslash: they are ours, a URL, or scopes, whose grammar has neither. */
function challenge(scheme: 'Bearer' | 'DPoP', parameters: Readonly<Record<string, string>>): string {
  const texts = Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}="${value}"`)
  return `${scheme} ${texts.join(', ')}`
}

const STATUSES: Readonly<Record<RefusalKind, BearerRefusal['status']>> = {
  missing: 401,
  malformed: 400,
  token: 401,
  proof: 401,
  nonce: 401,
  scope: 403,
  unavailable: 503,
}

async function turnAway(
  exchange: HttpExchange,
  refused: Refused,
  settings: BearerSettings,
  challenge: Challenge,
): Promise<void> {
  const { kind } = refused
  tell(refused, settings)
  const nonce = await settings.proofs?.currentNonce()
  const words = ERROR_WORDS[kind]
  const body = words === undefined ? undefined : { error: words.error, error_description: words.description }
  exchange.reply(STATUSES[kind], JSON.stringify(body ?? { error: 'unauthorized' }), {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    // Any page may read this: a client in a browser has to, and it says what the public metadata says.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, DPoP-Nonce',
    // Where nobody could check the token, another one would not help.
    ...(kind === 'unavailable' ? { 'retry-after': '5' } : { 'www-authenticate': challenge(kind) }),
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
}

function tell({ kind, message, cause }: Refused, { onRefused }: BearerSettings): void {
  if (onRefused === undefined) return
  const error = ERROR_WORDS[kind]?.error
  try {
    onRefused({
      status: STATUSES[kind],
      reason: message,
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    })
  } catch {
    // Who listens for refusals must not change what the caller sees of them.
  }
}

/**
 * Lets only callers with a valid token for `resource` through to `handler`, which finds them in `exchange.auth`, and serves
 * the metadata that tells everybody else where to get one. Throws `TypeError` or `RangeError` for options with a gap.
 */
export function requireBearer(handler: HttpHandler, options: BearerOptions): HttpHandler {
  const settings = readBearerOptions(options)
  const metadata = createResourceMetadata(settings, options.metadata)
  const challenge = createChallenge(settings, metadata.url)

  const guard: HttpHandler = (exchange) => {
    if (metadata.isAt(exchange.path)) return metadata.serve(exchange)
    // A browser asks before it sends a token, and nothing is done for the asking.
    if (isPreflight(exchange)) return handler(exchange)
    return admit(exchange, handler, settings, challenge)
  }
  if (handler.close !== undefined) guard.close = async (closing) => handler.close?.(closing)
  return guard
}

async function admit(
  exchange: HttpExchange,
  handler: HttpHandler,
  settings: BearerSettings,
  challenge: Challenge,
): Promise<void> {
  try {
    exchange.auth = await identify(exchange, settings)
  } catch (error) {
    return turnAway(exchange, refusalOf(error), settings, challenge)
  }
  exchange.challengeScopes = (scopes) => challenge('scope', scopes)
  const nonce = await settings.proofs?.currentNonce()
  if (nonce !== undefined) exchange.addHeader('dpop-nonce', nonce)
  // Outside the try: what the server throws is no matter of tokens.
  return handler(exchange)
}

function isPreflight({ method, headers }: HttpExchange): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  )
}
