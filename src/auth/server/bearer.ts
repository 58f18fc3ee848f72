// Bearer authorization of a server: no request reaches its handler without a token that was issued for it.
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { callBack } from '../../primitives/async/call-back.ts'
import { type BearerOptions, type BearerRefusal, type BearerSettings, readBearerOptions } from './bearer-options.ts'
import { identifyCaller } from './check-token.ts'
import { type RefusalKind, type RefusedRequest, toRefusedRequest } from './refusal.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { joinScopes } from './scopes.ts'

interface ErrorText {
  readonly error: string
  readonly description: string
}

/** All that a caller learns about a refusal. RFC 6750, section 3.1: a request without a token gets no error code. */
const ERROR_TEXTS: Readonly<Partial<Record<RefusalKind, ErrorText>>> = {
  malformed: { error: 'invalid_request', description: 'The request does not send its token as RFC 6750 requires' },
  token: { error: 'invalid_token', description: 'The access token is invalid, expired or not for this resource' },
  proof: {
    error: 'invalid_dpop_proof',
    description: 'The DPoP proof does not match the request, its token or the time',
  },
  nonce: { error: 'use_dpop_nonce', description: 'The DPoP proof needs the nonce of this response' },
  scope: { error: 'insufficient_scope', description: 'The request needs scopes that the token does not grant' },
  unavailable: { error: 'temporarily_unavailable', description: 'The access token cannot be checked now' },
}

/** The value of `WWW-Authenticate`, with the scopes of every request and further `scopes`. */
type Challenge = (kind: RefusalKind, scopes?: readonly string[]) => string

function createChallenge({ scopes, proofs }: BearerSettings, metadataUrl: string): Challenge {
  return (kind, more = []) => {
    // Everything that the operation needs, so that one more login is enough.
    const where = { resource_metadata: metadataUrl, scope: joinScopes([...scopes, ...more]) }
    const texts = ERROR_TEXTS[kind]
    const what = texts === undefined ? where : { error: texts.error, error_description: texts.description, ...where }
    if (proofs === undefined) return formatChallenge('Bearer', what)
    const dpop = formatChallenge('DPoP', { ...what, algs: proofs.algorithms.join(' ') })
    const isAboutProof = kind === 'proof' || kind === 'nonce'
    return proofs.isRequired || isAboutProof ? dpop : `${formatChallenge('Bearer', what)}, ${dpop}`
  }
}

/** Values contain no quote and no backslash: they are ours, a URL, or scopes, whose grammar has neither. */
function formatChallenge(scheme: 'Bearer' | 'DPoP', parameters: Readonly<Record<string, string>>): string {
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

async function sendRefusal(
  exchange: HttpExchange,
  refused: RefusedRequest,
  settings: BearerSettings,
  challenge: Challenge,
): Promise<void> {
  const { kind } = refused
  reportRefusal(refused, settings)
  const nonce = await settings.proofs?.currentNonce()
  const texts = ERROR_TEXTS[kind]
  const body = texts === undefined ? undefined : { error: texts.error, error_description: texts.description }
  exchange.reply(STATUSES[kind], JSON.stringify(body ?? { error: 'unauthorized' }), {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    // Any page may read this: clients in browsers have to, and it contains no more than the public metadata.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, DPoP-Nonce',
    // If the token could not be checked, another token would not help.
    ...(kind === 'unavailable' ? { 'retry-after': '5' } : { 'www-authenticate': challenge(kind) }),
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
}

function reportRefusal({ kind, message, cause }: RefusedRequest, { onRefused }: BearerSettings): void {
  if (onRefused === undefined) return
  const error = ERROR_TEXTS[kind]?.error
  const refusal: BearerRefusal = {
    status: STATUSES[kind],
    reason: message,
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  }
  // A failing `onRefused` must not change the response.
  callBack(onRefused, refusal, () => {})
}

/**
 * Passes requests with a valid token for `resource` to `handler`, with the caller in `exchange.auth`. Other requests get a 401
 * response that points to the authorization server; the metadata document for it is served as well. Throws `TypeError` or
 * `RangeError` for options that are missing or wrong.
 */
export function requireBearer(handler: HttpHandler, options: BearerOptions): HttpHandler {
  const settings = readBearerOptions(options, handler.redeem)
  const metadata = createResourceMetadata(settings, options.metadata)
  const challenge = createChallenge(settings, metadata.url)

  const guard: HttpHandler = (exchange) => {
    if (metadata.isAt(exchange.path)) return metadata.serve(exchange)
    // Browsers send a preflight without a token. It causes no work.
    if (isPreflight(exchange)) return handler(exchange)
    return admit(exchange, handler, settings, challenge)
  }
  if (handler.redeem !== undefined) guard.redeem = handler.redeem
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
    exchange.auth = await identifyCaller(exchange, settings)
  } catch (error) {
    return sendRefusal(exchange, toRefusedRequest(error), settings, challenge)
  }
  exchange.challengeScopes = (scopes) => challenge('scope', scopes)
  const nonce = settings.proofs === undefined ? undefined : await settings.proofs.currentNonce()
  if (nonce !== undefined) exchange.addHeader('dpop-nonce', nonce)
  // Outside the try: errors of the handler are not about tokens.
  return handler(exchange)
}

function isPreflight({ method, headers }: HttpExchange): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  )
}
