// What a hostile server can try on a client that logs in, each with the endpoint that the client must never get to.
import type { HostileScript } from './hostile-authorization-server.ts'

export interface Attack {
  readonly name: string
  readonly script: HostileScript
  /** The client must have stopped before it sends anything here. */
  readonly neverReaches: '/register' | '/authorize' | '/token' | undefined
}

const HUGE = 'x'.repeat(2 * 1024 * 1024)
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
const json = { 'content-type': 'application/json' }

const metadata = (name: string, script: HostileScript): Attack => ({ name, script, neverReaches: '/register' })
const callback = (name: string, change: NonNullable<HostileScript['callback']>): Attack => ({
  name,
  script: { callback: change },
  neverReaches: '/token',
})
const token = (name: string, members: object): Attack => ({
  name,
  script: { token: () => members },
  neverReaches: undefined,
})

const challenge = (name: string, value: NonNullable<HostileScript['challenge']>): Attack => ({
  name,
  script: { challenge: value },
  neverReaches: undefined,
})

export const METADATA_ATTACKS: readonly Attack[] = [
  metadata('F176 the resource of somebody else', {
    resourceMetadata: () => ({ resource: 'https://bank.example/mcp' }),
  }),
  metadata('F176 R38 a resource whose name ours begins with', {
    resourceMetadata: ({ origin }) => ({ resource: `${origin}/mc` }),
  }),
  metadata('F176 no authorization server', { resourceMetadata: () => ({ authorization_servers: [] }) }),
  metadata('F176 an authorization server on plain http', {
    resourceMetadata: () => ({ authorization_servers: ['http://id.example'] }),
  }),
  metadata('F176 an authorization server that is a script', {
    resourceMetadata: () => ({ authorization_servers: ['javascript:alert(1)'] }),
  }),
  metadata('F173 resource metadata without end', { resourceAnswer: () => ({ headers: json, body: HUGE }) }),
  metadata('F173 resource metadata too deep to parse', { resourceAnswer: () => ({ headers: json, body: DEEP }) }),
  metadata('F173 resource metadata elsewhere', {
    resourceAnswer: ({ trap }) => ({ status: 302, headers: { location: `${trap}/latest/meta-data` } }),
  }),
  metadata('F174 another issuer', { serverMetadata: () => ({ issuer: 'https://id.example' }) }),
  metadata('F174 an issuer with one slash more', { serverMetadata: ({ origin }) => ({ issuer: `${origin}/` }) }),
  metadata('F174 an issuer in capitals', { serverMetadata: ({ origin }) => ({ issuer: origin.toUpperCase() }) }),
  metadata('F173 server metadata without end', { serverAnswer: () => ({ headers: json, body: HUGE }) }),
  metadata('F173 server metadata elsewhere', {
    serverAnswer: ({ trap }) => ({ status: 307, headers: { location: `${trap}/latest/meta-data` } }),
  }),
  metadata('F178 no PKCE', { serverMetadata: () => ({ code_challenge_methods_supported: undefined }) }),
  metadata('F178 PKCE in the clear only', { serverMetadata: () => ({ code_challenge_methods_supported: ['plain'] }) }),
  ...['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'http://id.example/authorize', 'not a url'].map(
    (authorization_endpoint) => ({
      name: `F180 the login page ${authorization_endpoint}`,
      script: { serverMetadata: () => ({ authorization_endpoint }) },
      neverReaches: '/authorize' as const,
    }),
  ),
  {
    name: 'F180 a token endpoint on plain http',
    script: { serverMetadata: () => ({ token_endpoint: 'http://id.example/token' }) },
    neverReaches: '/token',
  },
]

export const CALLBACK_ATTACKS: readonly Attack[] = [
  callback('F179 another state', (parameters) => parameters.set('state', 'forged')),
  callback('F179 no state', (parameters) => parameters.delete('state')),
  callback('F179 the state twice', (parameters) => parameters.append('state', 'forged')),
  callback('F179 no code', (parameters) => parameters.delete('code')),
  callback('F175 another issuer', (parameters) => parameters.set('iss', 'https://id.example')),
  callback('F175 an issuer with one slash more', (parameters, { origin }) => parameters.set('iss', `${origin}/`)),
  callback('F175 no issuer, though announced', (parameters) => parameters.delete('iss')),
  callback('F179 an error instead of a code', (parameters) => {
    parameters.delete('code')
    parameters.set('error', 'access_denied')
    parameters.set('error_description', '<script>alert(1)</script>')
  }),
  callback('F175 an error of another issuer', (parameters) => {
    parameters.delete('code')
    parameters.set('error', 'access_denied')
    parameters.set('iss', 'https://id.example')
  }),
]

/** Answers that must not become a token. */
export const TOKEN_ATTACKS: readonly Attack[] = [
  token('F183 a token of an unknown type', { token_type: 'mac' }),
  token('F183 a token of no type', { token_type: undefined }),
  token('F183 no token', { access_token: undefined }),
  token('F183 a token that is no text', { access_token: { admin: true } }),
  token('F183 a token with a line break', { access_token: 'SECRET\r\nx-admin: true' }),
  token('F183 a token outside of ASCII', { access_token: 'SECRET-tökén' }),
  token('F183 a token without end', { access_token: HUGE.slice(0, 1_000_000) }),
  {
    name: 'a code that was used before',
    script: { tokenAnswer: () => ({ status: 400, body: { error: 'invalid_grant' } }) },
    neverReaches: undefined,
  },
  {
    name: 'F173 a page instead of a token',
    script: { tokenAnswer: () => ({ body: '<html>' }) },
    neverReaches: undefined,
  },
  {
    name: 'F173 a token response elsewhere',
    script: { tokenAnswer: ({ trap }) => ({ status: 307, headers: { location: `${trap}/token` } }) },
    neverReaches: undefined,
  },
]

/** Odd times to live, with all of which a client must get on: one login, then calls. */
export const ODD_LIFETIMES: readonly unknown[] = [undefined, 0, -1, '3600', 'soon', 1e300, null]

/** Challenges that say nothing useful; a client may find its way all the same, but nowhere else. */
export const HOSTILE_CHALLENGES: readonly Attack[] = [
  challenge(
    'R13 F182 metadata at a place that only we can reach',
    ({ trap }) => `Bearer resource_metadata="${trap}/x"`,
  ),
  challenge('F181 an unterminated quote', () => 'Bearer resource_metadata="http'),
  challenge('F181 commas and escapes', () => 'Bearer realm="a, \\"Bearer\\" b", Basic realm="x", Bearer scope="a b"'),
  challenge('F181 a header of 8 KiB', () => `Bearer ${'a="b", '.repeat(1_100)}c="d"`),
  challenge('F181 a script as metadata', () => 'Bearer resource_metadata="javascript:alert(1)"'),
  challenge('F181 a file as metadata', () => 'Bearer resource_metadata="file:///etc/passwd"'),
]
