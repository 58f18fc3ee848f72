// The OAuth provider of one caller at one source: tokens from its store, refreshed as usual. Where only a login can help, the request
// fails with the page that the user has to open.
import { createCodeGrant } from '../../auth/client/login/code-grant.ts'
import { createProvider } from '../../auth/client/provider.ts'
import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import type { Grant, GrantContext } from '../../auth/client/tokens/grant.ts'
import type { TokenStore } from '../../auth/client/tokens/token-store.ts'
import type { AuthProvider } from '../../http/poster.ts'
import type { Principal } from '../../http/principal.ts'
import type { PerUserOptions } from './per-user.ts'
import { type LoginAttempt, SIGN_IN_MS, type Tickets } from './tickets.ts'

export interface SignInSettings {
  readonly options: PerUserOptions
  readonly store: TokenStore
  readonly tickets: Tickets
  readonly owner: string
  readonly principal: Principal
  readonly source: string
  readonly callbackUrl: string
}

export function createSignInProvider(settings: SignInSettings): AuthProvider {
  const { options, store } = settings
  const grant: Grant = {
    ...codeGrantOf(settings),
    obtain: (context) => Promise.reject(new SignInRequired(ask(settings, context))),
  }
  const { callbackUrl: _url, identify: _identify, store: _store, ...shared } = options
  return createProvider(grant, { ...shared, store })
}

/** The login itself runs when the user has agreed to it, with what was found out about the source. */
function ask(settings: SignInSettings, context: GrantContext) {
  const { tickets, owner, principal, source } = settings
  const { discovery, scopes, records, dpop } = context
  const run = async (attempt: LoginAttempt) => {
    const { tokens, clientId } = await codeGrantOf(settings, attempt).obtain({
      ...context,
      signal: attempt.signal,
      whileUserActs: (act) => act(),
    })
    const { issuer } = discovery.server
    const { resource } = discovery
    await records.saveTokens({ ...tokens, issuer, resource, clientId, requestedScopes: scopes, dpopKey: dpop?.jwk })
  }
  return tickets.issue({ owner, principal, source, resource: discovery.resource, scopes, run })
}

function codeGrantOf({ options, callbackUrl }: SignInSettings, attempt?: LoginAttempt): Grant {
  const { clientName, clientMetadata } = options
  return createCodeGrant({
    client: options.client,
    clientMetadataUrl: options.clientMetadataUrl,
    dynamicRegistration: options.dynamicRegistration !== false,
    clientMetadata: { ...(clientName !== undefined && { client_name: clientName }), ...clientMetadata },
    issuer: options.issuer,
    assumesPkce: options.assumePkce === true,
    redirection: {
      redirectUri: callbackUrl,
      loginTimeoutMs: SIGN_IN_MS,
      redirect: (page) => attempt?.redirect(page),
      callback: () => attempt?.callback() ?? Promise.reject(new Error('Nobody signs in.')),
    },
    authorizationParameters: options.authorizationParameters ?? {},
  })
}
