// OAuth documents: for any documents, a login succeeds or ends in an `OAuthError`, nothing is sent to a URL that was not
// checked, and nothing is accepted from another issuer.
import fc from 'fast-check'
import { parseChallenges, readAccessChallenge } from '../src/auth/client/login/challenge.ts'
import { readAuthorizationServer, readProtectedResource } from '../src/auth/client/login/server-metadata.ts'
import { oauth } from '../src/auth/client/oauth.ts'
import { OAuthError } from '../src/types/errors/failures.ts'
import { json, ScriptedOAuth } from '../test/support/scripted-oauth.ts'
import { asProperty, demand, type FuzzTarget } from './target.ts'

const RESOURCE = 'https://mcp.example.com'
const ISSUER = 'https://as.example.com'
const REDIRECT_URI = 'http://127.0.0.1:4711/callback'

const place = fc.constantFrom(
  ...[ISSUER, `${ISSUER}/token`, `${ISSUER}/authorize`, `${ISSUER}/register`, `${RESOURCE}/mcp`, `${ISSUER}/`],
  ...[
    'https://evil.example',
    'http://as.example.com',
    'javascript:alert(1)',
    'https://169.254.169.254/',
    'https://[::1]/',
  ],
  ...[
    'file:///etc/passwd',
    '//as.example.com',
    'https://AS.example.com',
    'https://as.example.com@evil.example',
    '',
    'x',
  ],
)
const text = fc.oneof(
  place,
  fc.constantFrom('S256', 'plain', 'none', 'Bearer', 'DPoP', 'a b', '\0', 'é', 'a'.repeat(300)),
)
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.array(text, { maxLength: 3 }),
  fc.constantFrom(null, true, false, 0, -1, 1e300, {}, [], 3_600),
)
const field = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 3 })

const resourceMetadata = field('resource', 'authorization_servers', 'scopes_supported', '__proto__')
const serverMetadata = field(
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'scopes_supported',
  'grant_types_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'dpop_signing_alg_values_supported',
)
const registration = field('client_id', 'client_secret', 'client_secret_expires_at', 'redirect_uris', 'grant_types')
const tokens = field('access_token', 'token_type', 'expires_in', 'scope', 'refresh_token', 'error', 'id_token')
const callback = fc.dictionary(fc.constantFrom('code', 'state', 'iss', 'error', 'error_description'), text, {
  maxKeys: 2,
})
const challenge = fc
  .array(
    fc.constantFrom(
      ...[
        'Bearer',
        'DPoP',
        'Basic',
        ' ',
        ',',
        '=',
        '"',
        '\\',
        'scope=',
        'error=',
        'resource_metadata=',
        'x',
        'é',
        '\t',
      ],
      ...['"a b"', '"https://evil.example/x"', `"${RESOURCE}/.well-known/oauth-protected-resource/mcp"`],
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(''))

const script = fc.record(
  { resourceMetadata, serverMetadata, registration, tokens, callback, challenge },
  { requiredKeys: [] },
)

/** Parsers of documents and headers return a value or `undefined`, and never throw. */
function readDocuments(document: unknown, header: string): void {
  const resource = readProtectedResource(document)
  if (resource !== undefined)
    demand(
      resource.authorization_servers.every((server) => typeof server === 'string'),
      'list',
    )
  const server = readAuthorizationServer(document)
  if (server !== undefined) demand(typeof server.issuer === 'string', 'issuer')
  for (const { scheme } of parseChallenges(header)) demand(scheme === scheme.toLowerCase(), 'scheme')
  readAccessChallenge(header)
}

export const oauthTarget: FuzzTarget = {
  name: 'oauth',
  about: 'a login with any documents succeeds or is an OAuthError, and uses only checked URLs',
  runs: 1_200,
  property: asProperty(
    fc.asyncProperty(script, async (given) => {
      readDocuments({ ...given.resourceMetadata, ...given.serverMetadata }, given.challenge ?? '')
      const as = new ScriptedOAuth()
      const change = (target: Record<string, unknown>, members: Record<string, unknown> = {}) => {
        for (const [key, member] of Object.entries(members))
          Object.defineProperty(target, key, { value: member, enumerable: true, writable: true, configurable: true })
      }
      const endpoints = { register: `${ISSUER}/register`, token: `${ISSUER}/token` }
      change(as.resourceMetadata, given.resourceMetadata)
      change(as.serverMetadata, given.serverMetadata)
      if (given.challenge !== undefined) {
        const header = given.challenge
        as.routes.set(`POST ${RESOURCE}/mcp`, ({ headers }) =>
          headers['authorization'] === undefined
            ? { status: 401, headers: { 'www-authenticate': header } }
            : json(200, { ok: true }),
        )
      }
      if (given.registration !== undefined) {
        as.routes.set(`POST ${endpoints.register}`, () => json(201, { client_id: 'known', ...given.registration }))
      }
      if (given.tokens !== undefined) {
        as.routes.set(`POST ${endpoints.token}`, () =>
          json(200, { access_token: 'token', token_type: 'Bearer', ...given.tokens }),
        )
      }
      let back = new URL(REDIRECT_URI)
      const provider = oauth({
        redirectUri: REDIRECT_URI,
        redirect: (url) => {
          demand(url.protocol === 'https:', `the user was sent to ${url}`)
          back = as.browse(url)
          for (const [key, member] of Object.entries(given.callback ?? {})) back.searchParams.set(key, member)
        },
        callback: async () => back,
      })
      const post = provider.authorize(as.poster, new URL(as.resource))
      try {
        const response = await post({ method: 'POST', url: as.resource, headers: {}, body: '{}' })
        response.cancel()
        demand(as.serverMetadata['issuer'] === as.issuer || as.authorizations.length === 0, 'took another issuer')
      } catch (error) {
        demand(error instanceof OAuthError, error instanceof Error ? (error.stack ?? error.message) : String(error))
      }
      for (const { url } of as.requests) {
        demand(url.protocol === 'https:', `asked ${url}`)
        demand(!url.hostname.startsWith('169.254.') && url.hostname !== '[::1]', `asked ${url}`)
      }
    }),
  ),
}
