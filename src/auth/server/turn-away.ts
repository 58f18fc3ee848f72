// The answer to a caller that does not get in: constant texts, chosen by the kind of refusal, and nothing of what we know.
import type { HttpExchange } from '../../http/exchange.ts'
import type { BearerRefusal, BearerSettings } from './bearer-options.ts'
import { type Challenge, ERROR_WORDS } from './challenge.ts'
import type { RefusalKind, Refused } from './refusal.ts'

const STATUSES: Readonly<Record<RefusalKind, BearerRefusal['status']>> = {
  missing: 401,
  malformed: 400,
  token: 401,
  proof: 401,
  nonce: 401,
  scope: 403,
  unavailable: 503,
}

export async function turnAway(
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
