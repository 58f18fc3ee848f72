// A refusal for want of scopes, as HTTP says it: 403 with a challenge that names them, so that a client can ask its user.
import type { HttpExchange } from '../../http/exchange.ts'
import { isPlainObject } from '../../primitives/objects.ts'
import type { ErrorData } from '../../types/jsonrpc.ts'

/** The `WWW-Authenticate` value that belongs to an error; `undefined` for other errors, and where nobody checks tokens. */
export function challengeOf({ challengeScopes }: HttpExchange, { data }: ErrorData): string | undefined {
  if (challengeScopes === undefined || !isPlainObject(data) || data['reason'] !== 'insufficient_scope') return undefined
  const scopes = data['requiredScopes']
  return Array.isArray(scopes) ? challengeScopes(scopes.map(String)) : undefined
}
