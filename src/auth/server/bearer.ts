// The guard in front of a server: no request passes without a token that was issued for it.
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { type BearerOptions, type BearerSettings, readBearerOptions } from './bearer-options.ts'
import { type Challenge, createChallenge } from './challenge.ts'
import { identify } from './identify.ts'
import { refusalOf } from './refusal.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { turnAway } from './turn-away.ts'

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
