// What a login at this authorization server needs, by its metadata and by what is known of the provider.
import type { LoginChoices } from '../../target/kept-login.ts'
import { within } from '../findings/within.ts'
import type { Provider } from './providers.ts'
import type { AuthorizationFacts, AuthorizationProblem } from './rules.ts'

/** A redirect URI to register where a provider wants to know the port. */
const REDIRECT_URI = 'http://localhost:8976/callback'

export interface LoginFacts extends AuthorizationFacts {
  readonly server: Readonly<Record<string, unknown>>
  readonly provider: Provider | undefined
  readonly hasSecret: boolean
}

/** In the order of a login. */
export async function findLoginProblems(facts: LoginFacts): Promise<AuthorizationProblem[]> {
  const client = await checkClient(facts)
  return [
    ...checkPkce(facts),
    ...client,
    ...checkSecret(facts, client.length > 0),
    ...checkRedirect(facts, client.length > 0),
    ...checkResource(facts),
    ...checkScopes(facts),
    ...checkAudience(facts),
  ]
}

function checkPkce({ server, provider, choices }: LoginFacts): AuthorizationProblem[] {
  const listed = server['code_challenge_methods_supported']
  if (Array.isArray(listed)) {
    if (listed.includes('S256')) return []
    return [
      {
        state: 'fault',
        text: `The authorization server lists no PKCE with S256, only ${listed.filter((method) => typeof method === 'string').join(', ') || 'nothing'}`,
        cause: 'Without PKCE another program can steal a login. No client of MCP logs in there.',
        fix: 'Enable PKCE with S256 at the authorization server.',
      },
    ]
  }
  if (choices.assumePkce === true) return []
  return [
    {
      state: 'fault',
      text: `${nameOf(provider)} does not list PKCE in its metadata (code_challenge_methods_supported)`,
      cause:
        provider?.hidesPkce === true
          ? `The specification forbids a login where PKCE is not listed. ${provider.name} supports it all the same.`
          : 'The specification forbids a login where PKCE is not listed.',
      ...(provider?.hidesPkce !== true && {
        fix: 'Add --assume-pkce only if the authorization server supports PKCE with S256.',
      }),
      option: '--assume-pkce',
      member: 'assumePkce: true',
    },
  ]
}

async function checkClient({ server, provider, choices, ms, signal }: LoginFacts): Promise<AuthorizationProblem[]> {
  if (choices.clientId !== undefined) return []
  const endpoint = server['registration_endpoint']
  const problem =
    typeof endpoint === 'string'
      ? await findClosed(endpoint, String(server['issuer']), ms, signal)
      : 'offers no registration'
  if (problem === undefined) return []
  const secret = provider?.needsSecret === true ? ", secret, issuer: 'discovered'" : ''
  return [
    {
      state: 'fault',
      text: `${nameOf(provider)} ${problem}: a login needs a client that you register there`,
      cause: 'A client that the authorization server does not know can not log in.',
      fix: `Register a client${provider === undefined ? ' at the authorization server' : `: ${provider.where}`}.`,
      option: '--client-id <id>',
      member: `client: { id${secret} }`,
    },
  ]
}

/** A registration that no server accepts: where it is refused for who sends it, all others are too. */
async function findClosed(
  endpoint: string,
  issuer: string,
  ms: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The walk has fetched the issuer; other places are only what a document says.
  if (!URL.canParse(endpoint) || !URL.canParse(issuer) || new URL(endpoint).origin !== new URL(issuer).origin) {
    return undefined
  }
  try {
    const status = await within(ms, signal, async (bounded) => {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ client_name: 'mcpwire doctor', redirect_uris: ['not-a-redirect-uri'] }),
        redirect: 'manual',
        signal: bounded,
      })
      await response.body?.cancel()
      return response.status
    })
    return status === 401 || status === 403 || status === 404 ? `refuses registrations (HTTP ${status})` : undefined
  } catch {
    signal.throwIfAborted()
    return 'does not answer registrations'
  }
}

function checkSecret({ provider, hasSecret }: LoginFacts, isNewClient: boolean): AuthorizationProblem[] {
  if (provider?.needsSecret !== true || hasSecret) return []
  return [
    {
      state: 'fault',
      text: `${provider.name} wants the secret of the client, also with PKCE`,
      cause: `The token endpoint of ${provider.name} refuses a login without client_secret.`,
      fix: 'Set the environment variable MCPWIRE_CLIENT_SECRET to the secret of the client.',
      ...(!isNewClient && { member: "client: { id, secret, issuer: 'discovered' }" }),
    },
  ]
}

function checkRedirect({ provider, choices }: LoginFacts, isNewClient: boolean): AuthorizationProblem[] {
  const isRegisteredByHand = isNewClient || choices.clientId !== undefined
  if (provider?.comparesPort !== true || !isRegisteredByHand || choices.redirectUri !== undefined) return []
  return [
    {
      state: 'fault',
      text: `${provider.name} compares redirect URIs with their port, and a login takes any free port`,
      cause: 'The redirect URI of the login must be one that is registered for the client.',
      fix: `Register the redirect URI ${REDIRECT_URI} for the client.`,
      option: `--redirect-uri ${REDIRECT_URI}`,
      member: `redirectUri: '${REDIRECT_URI}'`,
    },
  ]
}

function checkResource({ provider, choices, walk, url }: LoginFacts): AuthorizationProblem[] {
  if (provider?.refusesResource !== true || choices.resource === false) return []
  const resource = walk.resource?.['resource'] ?? url
  const scopes = scopesOf(walk, choices)
  if (scopes.length > 0 && scopes.every((scope) => scope.startsWith(`${String(resource)}/`))) return []
  return [
    {
      state: 'fault',
      text: `${provider.name} refuses the resource parameter where the scopes do not begin with it`,
      cause:
        'It finds the API by the scopes, and takes a resource parameter that differs for a mistake (AADSTS9010010).',
      option: '--no-resource',
      member: 'resourceParameter: false',
    },
  ]
}

function checkScopes({ provider, choices, walk }: LoginFacts): AuthorizationProblem[] {
  const wrong = scopesOf(walk, choices).flatMap((scope) => provider?.checkScope?.(scope) ?? [])
  return wrong.map(({ text, cause, option }) => ({
    state: 'fault' as const,
    text,
    cause,
    option,
    member: `scopes: ['${option.replace('--scope ', '')}']`,
  }))
}

function checkAudience({ provider, choices }: LoginFacts): AuthorizationProblem[] {
  const { audience } = provider ?? {}
  if (audience === undefined || choices.parameters?.[audience.parameter] !== undefined) return []
  return [
    {
      // The setting of a tenant does not show.
      state: 'warning',
      text: audience.text,
      cause: audience.cause,
      fix: audience.instead,
      option: `--param ${audience.parameter}=<identifier of the API>`,
      member: `authorizationParameters: { ${audience.parameter}: '<identifier of the API>' }`,
    },
  ]
}

/** What a login would request: the choice of the user, the challenge, or what the resource lists. */
function scopesOf({ loginPage, resource, challenge }: LoginFacts['walk'], { scopes }: LoginChoices): string[] {
  if (scopes !== undefined) return [...scopes]
  const page = loginPage?.searchParams.get('scope')
  if (page !== undefined && page !== null) return page.split(' ').filter((scope) => scope !== '')
  const [, challenged] = /\bscope="([^"]*)"/.exec(challenge ?? '') ?? []
  if (challenged !== undefined) return challenged.split(' ').filter((scope) => scope !== '')
  const listed = resource?.['scopes_supported']
  return Array.isArray(listed) ? listed.filter((scope) => typeof scope === 'string') : []
}

function nameOf(provider: Provider | undefined): string {
  return provider?.name ?? 'The authorization server'
}
