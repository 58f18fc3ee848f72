// The device authorization grant (RFC 8628): the user logs in on another device, and this program asks until that is done.
import { pause } from '../../../primitives/async/abort.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { OAuthError } from '../../../types/errors/failures.ts'
import { withinDeadline } from '../network/deadline.ts'
import { displayUrl, oauthErrorCode, oauthFailure, quotePeer } from '../network/failure.ts'
import { toClientAuth } from '../tokens/client-auth.ts'
import { type GrantContext, type Granted, scopeParameter } from '../tokens/grant.ts'
import { requestToken, toTokenSet } from '../tokens/tokens.ts'
import { type ClientIdentity, knownIdentities, type RegistrationOptions } from './registration.ts'
import type { AuthorizationServerMetadata } from './server-metadata.ts'

/** What a user needs to log in on another device. */
export interface DevicePrompt {
  /** The code that the user types in there. */
  readonly userCode: string
  /** The page that asks for it. */
  readonly verificationUrl: string
  /** The same page with the code in it, for a QR code; `undefined` where the server has none. */
  readonly completeUrl: string | undefined
  /** When the code is no longer taken, in milliseconds since 1970. */
  readonly expiresAt: number
}

export type ShowDevicePrompt = (prompt: DevicePrompt) => void | Promise<void>

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const MAX_LIFE_S = 1_800
/** What RFC 8628 has where the server says nothing, and what it adds for a server that is asked too often. */
const INTERVAL_S = 5
const MIN_INTERVAL_S = 0.1

interface DeviceAnswer extends DevicePrompt {
  readonly deviceCode: string
  readonly intervalSeconds: number
}

export async function logInOnDevice(
  context: GrantContext,
  options: RegistrationOptions,
  show: ShowDevicePrompt,
): Promise<Granted> {
  const { server } = context.discovery
  const [identity] = knownIdentities(server, options, undefined)
  if (identity === undefined) {
    throw oauthFailure(
      'registration',
      'client_required',
      'The device flow needs a client that the authorization server knows. Set client or clientMetadataUrl',
    )
  }
  const { deviceCode, intervalSeconds, ...prompt } = await requestCodes(context, identity)
  const left = Math.max(0, prompt.expiresAt - Date.now())
  const createTimeout = () =>
    oauthFailure('authorization', 'expired_token', 'The user did not log in before the code expired')
  return context.whileUserActs(() =>
    withinDeadline(context.signal, left, createTimeout, async (signal) => {
      await show(prompt)
      return poll({ ...context, signal }, identity, deviceCode, intervalSeconds)
    }),
  )
}

async function requestCodes(context: GrantContext, identity: ClientIdentity): Promise<DeviceAnswer> {
  const { http, discovery, resource, scopes, signal } = context
  const { server } = discovery
  const endpoint = server.device_authorization_endpoint
  if (endpoint === undefined) {
    throw oauthFailure(
      'discovery',
      'device_flow_not_supported',
      `The authorization server ${displayUrl(server.issuer)} has no device flow`,
    )
  }
  http.policy.check(endpoint, 'The device_authorization_endpoint', 'authorization')
  const body = new URLSearchParams()
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
  const clientAuth = await toClientAuth(server, identity)
  await clientAuth(server as Parameters<typeof clientAuth>[0], { client_id: identity.id }, body, headers)
  const parameters = { client_id: identity.id, scope: scopeParameter(scopes), resource }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value)
  const init = { method: 'POST', headers: Object.fromEntries(headers), body }
  const response = await http.request('authorization', endpoint, init, signal)
  const answer: unknown = await response.json().catch(() => undefined)
  return readCodes(answer, server, response.status)
}

function readCodes(answer: unknown, server: AuthorizationServerMetadata, status: number): DeviceAnswer {
  const where = `The device authorization endpoint of ${displayUrl(server.issuer)}`
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval, error } =
    isPlainObject(answer) ? answer : {}
  if (typeof error === 'string') {
    const code = oauthErrorCode(error, 'authorization_failed')
    throw oauthFailure('authorization', code, `${where} rejected the request: ${quotePeer(code)}`)
  }
  if (status !== 200 || !isText(device_code) || !isText(user_code) || !isPage(verification_uri)) {
    throw oauthFailure('authorization', 'invalid_response', `${where} sent no codes (HTTP ${status})`)
  }
  const life = typeof expires_in === 'number' && expires_in > 0 ? Math.min(expires_in, MAX_LIFE_S) : MAX_LIFE_S
  return {
    deviceCode: device_code,
    userCode: user_code,
    verificationUrl: verification_uri,
    completeUrl: isPage(verification_uri_complete) ? verification_uri_complete : undefined,
    expiresAt: Date.now() + life * 1_000,
    intervalSeconds: typeof interval === 'number' && interval >= 0 ? Math.max(interval, MIN_INTERVAL_S) : INTERVAL_S,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,2000}$/.test(value)
}

/** A page that is shown to the user: no other scheme, which a click could run. */
function isPage(value: unknown): value is string {
  return isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

async function poll(
  context: GrantContext,
  identity: ClientIdentity,
  deviceCode: string,
  firstInterval: number,
): Promise<Granted> {
  const { http, discovery, dpop, signal, resource, scopes } = context
  let seconds = firstInterval
  for (;;) {
    await pause(seconds * 1_000, { signal })
    const request = {
      step: 'token' as const,
      server: discovery.server,
      clientId: identity.id,
      clientAuth: await toClientAuth(discovery.server, identity),
      dpop: dpop?.handle,
      signal,
      secrets: [deviceCode, identity.secret],
    }
    try {
      const answer = await requestToken(http, request, GRANT_TYPE, { device_code: deviceCode, resource })
      return { tokens: toTokenSet(answer, request, scopes), clientId: identity.id }
    } catch (error) {
      const code = error instanceof OAuthError ? error.code : undefined
      if (code === 'slow_down') seconds += INTERVAL_S
      else if (code !== 'authorization_pending') throw error
    }
  }
}
