// What comes back from the authorization endpoint, checked before anything of it is used.
import * as oauth4webapi from 'oauth4webapi'
import type { OAuthError } from '../../types/failures.ts'
import type { AuthorizationServerMetadata } from '../documents.ts'
import { errorCode, fail, quote } from './failure.ts'

/** What was recorded when the user was sent away. */
export interface Attempt {
  readonly server: AuthorizationServerMetadata
  readonly clientId: string
  readonly state: string
}

/** The code of a callback: of the right issuer, of this attempt, and no error. Rejects everything else with `OAuthError`. */
export function readCallback(callback: URL | URLSearchParams | string, attempt: Attempt): string {
  const parameters = toParameters(callback)
  checkIssuer(parameters, attempt.server)
  checkState(parameters, attempt.state)
  const client = { client_id: attempt.clientId }
  try {
    oauth4webapi.validateAuthResponse(
      attempt.server as oauth4webapi.AuthorizationServer,
      client,
      parameters,
      attempt.state,
    )
  } catch (error) {
    throw explainCallback(error)
  }
  const [code, ...others] = parameters.getAll('code')
  if (code !== undefined && code !== '' && others.length === 0) return code
  throw fail('callback', 'invalid_callback', 'The callback has neither one code nor an error; start the login again')
}

function toParameters(callback: URL | URLSearchParams | string): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback
  if (callback instanceof URL) return callback.searchParams
  if (typeof callback === 'string' && URL.canParse(callback)) return new URL(callback).searchParams
  throw new TypeError('callback must resolve to the URL that the browser was sent back to, or to its parameters')
}

/** RFC 9207, section 2.4: before all else, for errors too, and character by character. */
function checkIssuer(parameters: URLSearchParams, server: AuthorizationServerMetadata): void {
  const named = parameters.getAll('iss')
  const isAnnounced = server.authorization_response_iss_parameter_supported === true
  if (named.length === 0 ? !isAnnounced : named.length === 1 && named[0] === server.issuer) return
  throw fail(
    'callback',
    'issuer_mismatch',
    named.length === 0
      ? 'The callback does not say which authorization server it is from, though ours always does; it is not used'
      : 'The callback is from another authorization server than the login was started at; it is not used',
  )
}

function checkState(parameters: URLSearchParams, expected: string): void {
  const states = parameters.getAll('state')
  if (states.length === 1 && isEqual(states[0] ?? '', expected)) return
  throw fail('callback', 'state_mismatch', 'The callback does not belong to the login that was started; it is not used')
}

/** In a time that does not tell how much of it is right. */
function isEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}

function explainCallback(error: unknown): OAuthError {
  if (!(error instanceof oauth4webapi.AuthorizationResponseError)) {
    return fail('callback', 'invalid_callback', 'The callback is not what OAuth says; start the login again')
  }
  const code = errorCode(error.error, 'authorization_failed')
  const said = quote(error.error_description)
  return fail('callback', code, `The authorization server refused the login: ${code}${said === '' ? '' : ` (${said})`}`)
}
