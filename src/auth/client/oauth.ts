// The provider for users who log in: discovery, registration, browser and tokens.

import type { AuthProvider } from '../../http/poster.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { createCodeGrant } from './login/code-grant.ts'
import type { DevicePrompt } from './login/device-grant.ts'
import { assertRedirectOptions, REDIRECT_KEYS, type RedirectOptions } from './login/redirect-receiver.ts'
import { assertClient, type PreRegisteredClient } from './login/registered-client.ts'
import { createProvider, PROVIDER_KEYS, type ProviderOptions } from './provider.ts'

/** Options of `oauth()`: how the user logs in, and where tokens are kept. */
export interface OAuthOptions extends ProviderOptions, RedirectOptions {
  /** The name on the login page, if this client registers itself. */
  clientName?: string | undefined
  /** A client that you registered at the authorization server. */
  client?: PreRegisteredClient | undefined
  /** The https URL of a client ID metadata document that describes this client, for servers that support it. */
  clientMetadataUrl?: string | undefined
  /**
   * `false` turns dynamic registration off (default: `true`).
   * @deprecated Use `clientMetadataUrl` or `client`. Dynamic registration is deprecated since 2026-07-28.
   */
  dynamicRegistration?: boolean | undefined
  /** Further members of a registration (RFC 7591), such as `client_uri` or `logo_uri`. */
  clientMetadata?: Readonly<Record<string, unknown>> | undefined
  /** The only authorization server to log in at, if the resource lists several or is not trusted to choose. */
  issuer?: string | undefined
  /**
   * `true` logs in with PKCE at an authorization server whose metadata does not list it, as that of Entra ID and Cognito does not
   * (default: `false`, such a login is refused). Set it only for a server that supports PKCE with S256.
   */
  assumePkce?: boolean | undefined
  /** Further parameters of the authorization request, such as `login_hint`. */
  authorizationParameters?: Readonly<Record<string, string>> | undefined
  /**
   * Shows the user a code and a page, to log in on another device (RFC 8628); it needs `client` or `clientMetadataUrl` (default: the
   * user logs in with a browser on this machine).
   */
  device?: ((prompt: DevicePrompt) => void | Promise<void>) | undefined
}

export const OAUTH_KEYS: KnownKeys<OAuthOptions> = {
  ...PROVIDER_KEYS,
  ...REDIRECT_KEYS,
  clientName: true,
  client: true,
  clientMetadataUrl: true,
  dynamicRegistration: true,
  clientMetadata: true,
  issuer: true,
  assumePkce: 'boolean',
  authorizationParameters: true,
  device: 'function',
}

/**
 * Logs the user in by the authorization code grant when a server requires it. All requests share the tokens, which are refreshed,
 * and obtained again with more scopes if the server requires them. Throws `TypeError` for options that exclude each other.
 */
export function oauth(options: OAuthOptions = {}): AuthProvider {
  checkKeys('oauth()', options, OAUTH_KEYS)
  assertRedirectOptions(options)
  assertClient('oauth', options)
  const { clientName, clientMetadata, device } = options
  const settings = {
    client: options.client,
    clientMetadataUrl: options.clientMetadataUrl,
    dynamicRegistration: options.dynamicRegistration !== false,
    clientMetadata: { ...(clientName !== undefined && { client_name: clientName }), ...clientMetadata },
    issuer: options.issuer,
    assumesPkce: options.assumePkce === true,
    redirection: options,
    authorizationParameters: options.authorizationParameters ?? {},
  }
  const grant = createCodeGrant(settings)
  if (device === undefined) return createProvider(grant, options)
  const obtain: typeof grant.obtain = async (context) =>
    (await loading(import('./login/device-grant.ts'))).logInOnDevice(context, settings, device)
  return createProvider({ ...grant, obtain }, options)
}
