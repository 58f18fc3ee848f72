// The known providers: what each of them does not do as the specification expects, and the option of a login that helps.
//
// These are rules of the providers as they stood in autumn 2026, from their own pages and from reports of people who tried to log in.
// Where a rule can be read from the metadata or found by a request, that counts, and the profile adds only what to do about it.

export interface Provider {
  readonly name: string
  /** Where a client is registered by hand. */
  readonly where: string
  /** The token endpoint wants the secret of a client, also with PKCE. */
  readonly needsSecret?: boolean
  /** It supports PKCE with S256, and its metadata does not list it. */
  readonly hidesPkce?: boolean
  /** It refuses a `resource` parameter that is not the beginning of every scope. */
  readonly refusesResource?: boolean
  /** It issues tokens for an API only where this parameter names it. */
  readonly audience?: {
    readonly parameter: string
    readonly text: string
    readonly cause: string
    readonly instead: string
  }
  /** It compares redirect URIs with their port, so that a free port does not work. */
  readonly comparesPort?: boolean
  /** What is wrong with a scope; `undefined` where nothing is. */
  readonly checkScope?: (scope: string) => { text: string; cause: string; option: string } | undefined
  /** For whoever runs the server: how tokens of this provider are verified. */
  readonly tokens: string
}

/** The scopes of OpenID Connect, which belong to no API. */
const OPENID = new Set(['openid', 'profile', 'email', 'offline_access'])

export const PROVIDERS = {
  entra: {
    name: 'Microsoft Entra ID',
    where: 'Entra admin center, App registrations, platform "Mobile and desktop applications"',
    hidesPkce: true,
    // AADSTS9010010.
    refusesResource: true,
    comparesPort: true,
    // AADSTS650053: a plain name is looked up at Microsoft Graph.
    checkScope: (scope) =>
      OPENID.has(scope) || scope.includes('/')
        ? undefined
        : {
            text: `Entra ID does not know the scope ${scope}: a scope of an API begins with its application ID URI`,
            cause: 'Entra ID looks up a plain scope name at Microsoft Graph, and refuses the login.',
            option: `--scope api://<application id>/${scope}`,
          },
    tokens: 'aud of its tokens is the application ID of the API: set audience in requireBearer() to it',
  },
  google: {
    name: 'Google',
    where: 'Google Cloud console, Clients, type "Desktop app"',
    needsSecret: true,
    tokens:
      'Its access tokens are opaque: verify them with a function that asks the tokeninfo endpoint, not with jwtVerifier()',
  },
  cognito: {
    name: 'Amazon Cognito',
    where: 'Cognito console, App clients of the user pool, type "Public client"',
    hidesPkce: true,
    // It takes http for the host name localhost only.
    comparesPort: true,
    tokens:
      'Its access tokens have client_id and no aud: verify them with a function of your own, not with jwtVerifier()',
  },
  okta: {
    name: 'Okta',
    where: 'Okta admin console, Applications, type "Native application"',
    comparesPort: true,
    tokens:
      'aud is set in the authorization server and does not follow the resource parameter: set audience in requireBearer() to it',
  },
  auth0: {
    name: 'Auth0',
    where: 'Auth0 dashboard, Applications, type "Native"',
    comparesPort: true,
    audience: {
      parameter: 'audience',
      text: 'Auth0 issues tokens for an API only with the audience parameter, or with the Resource Parameter Compatibility Profile',
      cause: 'By default Auth0 ignores the resource parameter and issues a token that no API accepts.',
      instead: 'Or enable Settings, Advanced, Resource Parameter Compatibility Profile in the tenant.',
    },
    tokens: 'Its tokens are JWTs where the login names an API, and opaque otherwise',
  },
  keycloak: {
    name: 'Keycloak',
    where: 'Keycloak admin console, Clients, client authentication off',
    comparesPort: true,
    tokens: 'aud does not follow the resource parameter: add an audience mapper to the client scope',
  },
  github: {
    name: 'GitHub',
    where: 'GitHub, Settings, Developer settings, OAuth Apps',
    hidesPkce: true,
    needsSecret: true,
    tokens: 'Its tokens are opaque: verify them with a function that asks its API, not with jwtVerifier()',
  },
} as const satisfies Record<string, Provider>

const HOSTS: readonly (readonly [RegExp, Provider])[] = [
  [/^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)$|\.ciamlogin\.com$/, PROVIDERS.entra],
  [/^accounts\.google\.com$/, PROVIDERS.google],
  [/^cognito-idp\.[\w-]+\.amazonaws\.com(?:\.cn)?$/, PROVIDERS.cognito],
  [/\.okta(?:preview|-emea|-gov)?\.com$/, PROVIDERS.okta],
  [/\.auth0(?:app)?\.com$/, PROVIDERS.auth0],
  [/^github\.com$|\.ghe\.com$/, PROVIDERS.github],
]

/** Providers run on hosts of their customers too, always with the same paths. */
const PATHS: readonly (readonly [authorize: RegExp, token: RegExp, Provider])[] = [
  [/\/oauth2\/v2\.0\/authorize$/, /\/oauth2\/v2\.0\/token$/, PROVIDERS.entra],
  [/^\/o\/oauth2\/v2\/auth$/, /./, PROVIDERS.google],
  [/^\/oauth2\/(?:[^/]+\/)?v1\/authorize$/, /\/v1\/token$/, PROVIDERS.okta],
  [/^\/authorize$/, /^\/oauth\/token$/, PROVIDERS.auth0],
  [/\/realms\/[^/]+\/protocol\/openid-connect\/auth$/, /\/protocol\/openid-connect\/token$/, PROVIDERS.keycloak],
  [/^\/login\/oauth\/authorize$/, /^\/login\/oauth\/access_token$/, PROVIDERS.github],
]

/** The id of a user pool. */
const COGNITO_ISSUER = /^\/[a-z]{2}(?:-[a-z]+)+-\d+_[A-Za-z0-9]+$/

/** The provider by its metadata; `undefined` for all others. */
export function recognizeProvider(metadata: Readonly<Record<string, unknown>>): Provider | undefined {
  const issuer = urlOf(metadata['issuer'])
  if (issuer === undefined) return undefined
  const byHost = HOSTS.find(([host]) => host.test(issuer.hostname))?.[1]
  if (byHost !== undefined) return byHost
  if (COGNITO_ISSUER.test(issuer.pathname)) return PROVIDERS.cognito
  const authorize = urlOf(metadata['authorization_endpoint'])?.pathname ?? ''
  const token = urlOf(metadata['token_endpoint'])?.pathname ?? ''
  return PATHS.find(([first, second]) => first.test(authorize) && second.test(token))?.[2]
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
}
