// Creates the errors of authorization: the step, what happened, what to do. Text of a peer is filtered; no secret gets in.
import { LimitError, OAuthError, type OAuthStep, TransportError } from '../../../types/errors/failures.ts'

const MAX_QUOTE_LENGTH = 200
const ERROR_CODE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/

export function oauthFailure(step: OAuthStep, code: string, message: string, cause?: unknown): OAuthError {
  return new OAuthError(code, message, cause === undefined ? { step } : { step, cause })
}

/** The failure of a request that the server rejected, with the parameters of its challenge. */
export function challengeFailure(
  code: string,
  message: string,
  challenge: { readonly parameters: Readonly<Record<string, string>> } | undefined,
): OAuthError {
  return new OAuthError(code, message, { step: 'request', challenge: challenge?.parameters ?? {} })
}

/** The error code of a peer if it follows RFC 6749, else the fallback. */
export function oauthErrorCode(value: unknown, fallback: string): string {
  return typeof value === 'string' && ERROR_CODE.test(value) ? value : fallback
}

/** Text of a peer, made safe for a message: short, printable, and without secrets that the peer may repeat. */
export function quotePeer(value: unknown, secrets: readonly (string | null | undefined)[] = []): string {
  if (typeof value !== 'string' || value === '') return ''
  let text = value
  // Before the text is cut: a secret that was cut in half would not be found.
  for (const secret of secrets) if (secret) text = text.split(secret).join('***')
  // Control, format and bidirectional characters could rewrite the line they are printed on.
  return text.slice(0, MAX_QUOTE_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A URL for a message: without query, fragment and credentials, which may contain secrets. */
export function displayUrl(url: string | URL): string {
  const text = String(url)
  if (!URL.canParse(text)) return quotePeer(text)
  const { protocol, host, pathname } = new URL(text)
  return quotePeer(host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`)
}

/** The error of a poster as a failure of the step. An `OAuthError` stays as it is. */
export function toOAuthError(step: OAuthStep, error: unknown, what: string): OAuthError {
  if (error instanceof OAuthError) return error
  const reason = error instanceof Error ? quotePeer(error.message) : 'no response'
  return oauthFailure(step, failureCodeOf(error), `${what} failed: ${reason}`, error)
}

function failureCodeOf(error: unknown): string {
  if (error instanceof LimitError) return 'response_too_large'
  const { status = 0 } = error instanceof TransportError ? error : {}
  return status >= 300 && status < 400 ? 'redirect_refused' : 'network_failed'
}
