// How the failures of authorization are worded: the step, what happened, what to do; nothing a peer wrote unfiltered, no secret.
import { LimitError, OAuthError, type OAuthStep, TransportError } from '../../../types/errors/failures.ts'

const MAX_QUOTE_LENGTH = 200
const ERROR_CODE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/

export function fail(step: OAuthStep, code: string, message: string, cause?: unknown): OAuthError {
  return new OAuthError(code, message, cause === undefined ? { step } : { step, cause })
}

/** The error code that a peer gave, if it is one by RFC 6749; else ours. */
export function errorCode(value: unknown, fallback: string): string {
  return typeof value === 'string' && ERROR_CODE.test(value) ? value : fallback
}

/** What a peer says of itself, fit for a message: short, printable, and without the secrets that it may echo. */
export function quote(value: unknown, secrets: readonly (string | null | undefined)[] = []): string {
  if (typeof value !== 'string' || value === '') return ''
  let text = value
  // Before anything is cut off: half a secret is found by nobody.
  for (const secret of secrets) if (secret) text = text.split(secret).join('***')
  // Control, format and bidirectional characters could rewrite the line they are printed on.
  return text.slice(0, MAX_QUOTE_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A URL for a message: without query, fragment and credentials, any of which may hold a secret. */
export function displayUrl(url: string | URL): string {
  const text = String(url)
  if (!URL.canParse(text)) return quote(text)
  const { protocol, host, pathname } = new URL(text)
  return quote(host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`)
}

/** Whatever a poster rejected with, as a failure of the step. An `OAuthError` stays what it is. */
export function toOAuthError(step: OAuthStep, error: unknown, what: string): OAuthError {
  if (error instanceof OAuthError) return error
  const reason = error instanceof Error ? quote(error.message) : 'no answer'
  return fail(step, codeOf(error), `${what} failed: ${reason}`, error)
}

function codeOf(error: unknown): string {
  if (error instanceof LimitError) return 'response_too_large'
  const { status = 0 } = error instanceof TransportError ? error : {}
  return status >= 300 && status < 400 ? 'redirect_refused' : 'network_failed'
}
