// compose O52, A04: users sign in at the API with an account of their own, at the authorization server that the document names.
import { Client, UrlElicitationRequiredError } from 'mcpwire'
import {
  type DevicePrompt,
  memoryTokenStore,
  type OAuthOptions,
  oauth,
  requireBearer,
  type TokenStore,
  verifyStaticTokens,
} from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { tapTransport } from 'mcpwire/dispatcher'
import { serveHttp } from 'mcpwire/node'
import { type OpenAPIAuth, type OpenAPIServerOptions, openAPIServer } from 'mcpwire/openapi'
import { type PerUserOptions, perUser } from 'mcpwire/proxy'
import { MCPServer, principalKey } from 'mcpwire/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startAuthorizationServer } from '../../support/authorization-server.ts'
import { Browser } from '../proxy/sign-in-support.ts'
import { documentOf, sendJSON, startApi, textOf } from './support.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const MODES = ['modern', 'legacy'] as const
const TOKENS = {
  'token-of-ada-0123456789': { clientId: 'c', subject: 'ada', scopes: [] },
  'token-of-bob-0123456789': { clientId: 'c', subject: 'bob', scopes: [] },
}
const [ADA, BOB] = Object.keys(TOKENS) as [string, string]

/** An API that takes tokens of an authorization server, which only its document names. */
async function protectedApi(member = 'oauth2MetadataUrl') {
  const api = await startApi()
  const resource = `${api.origin}/v1`
  const login = await startAuthorizationServer({
    resources: { [resource]: { scopes: ['notes'], format: 'opaque' } },
    user: 'account-at-the-api',
  })
  open.push(api, login)
  const tokens: string[] = []
  api.answer = ({ headers, url }, response) => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (url.startsWith('/.well-known/')) response.writeHead(404).end()
    else if (token === undefined) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    else {
      tokens.push(token)
      sendJSON(response, { with: `${headers.authorization}`, notes: 3 })
    }
  }
  const known = member === 'oauth2MetadataUrl' ? 'oauth-authorization-server' : 'openid-configuration'
  const metadataUrl = `${login.issuer}/.well-known/${known}`
  const type = member === 'oauth2MetadataUrl' ? 'oauth2' : 'openIdConnect'
  const more = {
    security: [{ account: ['notes'] }],
    components: {
      securitySchemes: { account: { type, [member]: metadataUrl, ...(type === 'oauth2' && { flows: {} }) } },
    },
  }
  const document = documentOf({ '/notes': { get: { operationId: 'notes' } } }, more, '3.2.0')
  const serverFor = (auth: OpenAPIAuth, options: OpenAPIServerOptions = {}) =>
    openAPIServer(document, { baseUrl: resource, authOrigins: [login.issuer], auth: { account: auth }, ...options })
  return { api, login, tokens, metadataUrl, serverFor }
}

/** The same server over HTTP, for callers who are verified, with pages where they sign in. */
async function front(api: Awaited<ReturnType<typeof protectedApi>>, login: Partial<PerUserOptions> = {}) {
  const probe = await serveHttp(new MCPServer('port'), { port: 0 })
  const { port } = probe
  await probe.close()
  const stores = new Map<string, TokenStore>()
  const signIn = perUser({
    store: (principal) => {
      const key = principalKey(principal)
      const store = stores.get(key) ?? memoryTokenStore()
      stores.set(key, store)
      return store
    },
    callbackUrl: `http://127.0.0.1:${port}/connect`,
    scopes: ['notes'],
    ...login,
  })
  const server = await api.serverFor(signIn)
  const resource = `http://127.0.0.1:${port}/mcp`
  const verifier = verifyStaticTokens(TOKENS)
  const serving = await serveHttp(server, {
    port,
    auth: (handler) => signIn.pages(requireBearer(handler, { resource, issuer: 'http://127.0.0.1:4000', verifier })),
  })
  open.push(serving)
  const connect = async (token: string, options: Exclude<Parameters<typeof Client.connect>[1], undefined>) => {
    const client = await Client.connect(serving.url, { auth: token, ...options })
    open.push(client)
    return client
  }
  return { connect, server, stores, url: serving.url }
}

describe('compose O52 compose A04: perUser() as the value of a scheme', () => {
  it('asks a modern caller with a page, and goes on when the user has signed in', async () => {
    const api = await protectedApi()
    const { connect } = await front(api)
    const pages: string[] = []
    const client = await connect(ADA, {
      mode: 'modern',
      onElicitation: async (question) => {
        const { url, message } = question as { url: string; message: string }
        expect(message).toBe(`Sign in at '${new URL(api.api.origin).host}' to connect it to your account.`)
        pages.push(url)
        expect((await new Browser().signIn(url)).status).toBe(200)
        return { action: 'accept' }
      },
    })
    expect((await client.callTool('notes')).structuredContent).toEqual({ with: 'Bearer ***', notes: 3 })
    expect((await client.callTool('notes')).isError).toBeUndefined()
    expect(pages).toHaveLength(1)
    expect(new Set(api.tokens).size).toBe(1)
  })

  it('a legacy caller gets the error that has the page, and calls again', async () => {
    const api = await protectedApi()
    const { connect } = await front(api)
    const client = await connect(ADA, { mode: 'legacy', onElicitation: async () => ({ action: 'accept' }) })
    const error = await client.callTool('notes').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UrlElicitationRequiredError)
    const [{ url } = { url: '' }] = (error as UrlElicitationRequiredError).elicitations
    expect((await new Browser().signIn(url)).status).toBe(200)
    expect((await client.callTool('notes')).structuredContent).toEqual({ with: 'Bearer ***', notes: 3 })
  })

  it('a legacy caller that calls again and again hears once that its user is done', async () => {
    const api = await protectedApi()
    const { url } = await front(api)
    const heard: unknown[] = []
    const transport = tapTransport(streamableHttp(url, { auth: ADA }), ({ direction, message }) => {
      if (direction === 'received' && JSON.stringify(message).includes('notifications/elicitation/complete'))
        heard.push(message)
    })
    const client = await Client.connect(transport, {
      mode: 'legacy',
      onElicitation: async () => ({ action: 'accept' }),
    })
    open.push(client)
    const call = () => client.callTool('notes').catch((reason: unknown) => reason)
    for (let one = 0; one < 20; one += 1) await call()
    const { elicitations } = (await call()) as UrlElicitationRequiredError
    await new Browser().signIn(elicitations[0]?.url ?? '')
    await vi.waitFor(() => expect(heard).not.toHaveLength(0), { timeout: 30_000 })
    await client.session.sendRequest('ping')
    expect(heard).toHaveLength(1)
  })

  it('each caller has tokens of its own', async () => {
    const api = await protectedApi()
    const { connect, stores } = await front(api)
    const onElicitation = async (question: object) => {
      await new Browser().signIn((question as { url: string }).url)
      return { action: 'accept' as const }
    }
    for (const token of [ADA, BOB]) {
      const client = await connect(token, { mode: 'modern', onElicitation })
      expect((await client.callTool('notes')).isError).toBeUndefined()
    }
    expect(new Set(api.tokens).size).toBe(2)
    expect(stores.size).toBe(2)
  })

  it.each(MODES)('a %s client that opens no pages reads what to do, and no page', async (mode) => {
    const api = await protectedApi()
    const { connect } = await front(api)
    const client = await connect(ADA, { mode })
    const result = await client.callTool('notes')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('needs to be connected')
    expect(textOf(result)).not.toContain('http')
    expect(api.tokens).toEqual([])
  })

  it('in this process the page is told, since its caller is the user', async () => {
    const api = await protectedApi()
    const signIn = perUser({ store: () => memoryTokenStore(), callbackUrl: 'http://127.0.0.1:9/connect' })
    const result = await (await api.serverFor(signIn)).callTool('notes')
    expect(textOf(result)).toContain('http://127.0.0.1:9/connect?connect=')
  })

  it('a user who declines is not asked again within the call', async () => {
    const api = await protectedApi()
    const { connect } = await front(api)
    let asked = 0
    const client = await connect(ADA, {
      mode: 'modern',
      onElicitation: async () => {
        asked += 1
        return { action: 'decline' as const }
      },
    })
    const result = await client.callTool('notes')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('was refused')
    expect(asked).toBe(1)
  })
})

describe('compose O52: the metadata that the document names', () => {
  const loginWith = (pages: URL[]) =>
    oauth({
      redirectUri: 'http://127.0.0.1:9/callback',
      scopes: ['notes'],
      redirect: (page) => void pages.push(page),
      callback: () => Promise.reject(new Error('Nobody comes back.')),
    })

  it.each(['oauth2MetadataUrl', 'openIdConnectUrl'])('%s leads oauth() to the login', async (member) => {
    const api = await protectedApi(member)
    const pages: URL[] = []
    await (await api.serverFor(loginWith(pages))).callTool('notes')
    expect(pages.map(({ origin }) => origin)).toEqual([api.login.issuer])
  })

  it('not to an origin that the author did not confirm', async () => {
    const api = await protectedApi()
    const pages: URL[] = []
    const server = await api.serverFor(loginWith(pages), { authOrigins: [] })
    expect((await server.callTool('notes')).isError).toBe(true)
    expect(pages.map(({ origin }) => origin)).not.toContain(api.login.issuer)
    expect(api.login.requests).toEqual([])
  })

  it('and not to a server that is the metadata of another issuer', async () => {
    const api = await protectedApi()
    const other = await startApi()
    open.push(other)
    other.answer = (_request, response) =>
      sendJSON(response, { issuer: api.login.issuer, authorization_endpoint: `${other.origin}/evil` })
    const document = documentOf(
      { '/notes': { get: { operationId: 'notes', security: [{ account: [] }] } } },
      {
        components: {
          securitySchemes: {
            account: {
              type: 'oauth2',
              flows: {},
              oauth2MetadataUrl: `${other.origin}/.well-known/oauth-authorization-server`,
            },
          },
        },
      },
      '3.2.0',
    )
    const pages: URL[] = []
    const auth = { account: loginWith(pages) }
    const server = await openAPIServer(document, { baseUrl: `${api.api.origin}/v1`, authOrigins: [other.origin], auth })
    expect(textOf(await server.callTool('notes'))).toContain('issuer_mismatch')
    expect(pages).toEqual([])
  })
})

describe('compose O52: the device flow', () => {
  interface Answers {
    device?: object
    token?: (asked: number) => readonly [number, object]
    metadata?: object
  }

  /** An authorization server that has nothing else. */
  async function deviceLogin({ device = {}, token, metadata = {} }: Answers = {}) {
    const [login, api] = [await startApi(), await startApi()]
    open.push(login, api)
    const asked: URLSearchParams[] = []
    const codes = { device_code: 'device-code-1', user_code: 'ABCD-EFGH', verification_uri: `${login.origin}/activate` }
    login.answer = ({ url, body }, response) => {
      if (url === '/.well-known/oauth-authorization-server') {
        const endpoints = {
          token_endpoint: `${login.origin}/token`,
          device_authorization_endpoint: `${login.origin}/device`,
        }
        sendJSON(response, { issuer: login.origin, ...endpoints, ...metadata })
      } else if (url === '/device') {
        asked.push(new URLSearchParams(body))
        sendJSON(response, { ...codes, expires_in: 600, interval: 0, ...device })
      } else {
        asked.push(new URLSearchParams(body))
        const pending = [400, { error: 'authorization_pending' }] as const
        const granted = [200, { access_token: 'token-of-the-device', token_type: 'Bearer' }] as const
        const [status, answer] = token?.(asked.length - 1) ?? (asked.length < 4 ? pending : granted)
        sendJSON(response, answer, status)
      }
    }
    api.answer = ({ headers, url }, response) => {
      if (url.startsWith('/.well-known/')) response.writeHead(404).end()
      else if (headers.authorization === undefined) response.writeHead(401).end()
      else sendJSON(response, { ok: headers.authorization === 'Bearer token-of-the-device' })
    }
    const account = {
      type: 'oauth2',
      oauth2MetadataUrl: `${login.origin}/.well-known/oauth-authorization-server`,
      flows: { deviceAuthorization: { deviceAuthorizationUrl: '', tokenUrl: '', scopes: { watch: '' } } },
    }
    const more = { security: [{ account: ['watch'] }], components: { securitySchemes: { account } } }
    const document = documentOf({ '/channels': { get: { operationId: 'channels' } } }, more, '3.2.0')
    const prompts: DevicePrompt[] = []
    const options: OAuthOptions = {
      client: { id: 'tv' },
      scopes: ['watch'],
      device: (prompt) => void prompts.push(prompt),
    }
    const serverWith = (changes: OAuthOptions = {}) =>
      openAPIServer(document, {
        baseUrl: `${api.origin}/v1`,
        authOrigins: [login.origin],
        auth: { account: oauth({ ...options, ...changes }) },
      })
    return { login, asked, prompts, serverWith }
  }

  it('shows a code, asks until the user has logged in, and calls the API', async () => {
    const { login, asked, prompts, serverWith } = await deviceLogin()
    const server = await serverWith()
    expect((await server.callTool('channels')).structuredContent).toEqual({ ok: true })
    expect((await server.callTool('channels')).structuredContent).toEqual({ ok: true })
    expect(prompts).toEqual([
      {
        userCode: 'ABCD-EFGH',
        verificationUrl: `${login.origin}/activate`,
        completeUrl: undefined,
        expiresAt: expect.any(Number),
      },
    ])
    expect(asked).toHaveLength(4)
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ client_id: 'tv', scope: 'watch' })
    expect(Object.fromEntries(asked[3] ?? [])).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'device-code-1',
      client_id: 'tv',
    })
  })

  it.each<[string, Answers, OAuthOptions, string]>([
    ['a user who refuses', { token: () => [400, { error: 'access_denied' }] }, {}, 'access_denied'],
    ['a code that is over', { token: () => [400, { error: 'expired_token' }] }, {}, 'expired_token'],
    [
      'a user who does not come',
      { device: { expires_in: 0.3 }, token: () => [400, { error: 'authorization_pending' }] },
      {},
      'expired_token',
    ],
    [
      'a server without the flow',
      { metadata: { device_authorization_endpoint: undefined } },
      {},
      'device_flow_not_supported',
    ],
    ['a client that the server does not know', {}, { client: undefined } as never, 'client_required'],
    ['a page that is a program', { device: { verification_uri: 'javascript:alert(1)' } }, {}, 'invalid_response'],
    ['an answer without codes', { device: { device_code: 5 } }, {}, 'invalid_response'],
    [
      'an endpoint in another place',
      { metadata: { device_authorization_endpoint: 'http://example.com/device' } },
      {},
      'insecure_url',
    ],
  ])('%s ends the call with the reason', async (_name, answers, changes, code) => {
    const { serverWith, prompts } = await deviceLogin(answers)
    const result = await (await serverWith(changes)).callTool('channels')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe(`The API could not be called: signing in failed (${code}).`)
    expect(prompts.filter(({ verificationUrl }) => !verificationUrl.startsWith('http'))).toEqual([])
  })
})
