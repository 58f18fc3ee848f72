// Whole logins, with our client, our server and a real authorization server between them.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type OAuthOptions, oauth } from '../../../../src/auth/client/oauth.ts'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import type { TestAuthorizationServer } from '../../../support/authorization-server.ts'
import { type ProtectedServerOptions, startProtectedServer } from '../../../support/protected-server.ts'

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const DOCUMENT_URL = 'https://app.example/client.json'
const DOCUMENT = {
  client_id: DOCUMENT_URL,
  client_name: 'App',
  application_type: 'native',
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
}

function start(options: Partial<ProtectedServerOptions> = {}) {
  const server = new MCPServer('notes', { requestState: { keys: ['a key for tests that is longer than 32 bytes'] } })
  server.tool('whoami', {}, (_args, { auth }) => `${auth?.subject} by ${auth?.clientId}`)
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  const scopes = ['notes:read', 'notes:write']
  return startProtectedServer({ server, scopes, bearer: { scopes: ['notes:read'] }, ...options })
}

/** A provider whose user logs in at once. */
function userOf(server: TestAuthorizationServer, options: OAuthOptions = {}) {
  let page: URL | undefined
  const pages: URL[] = []
  const provider = oauth({
    redirectUri: REDIRECT_URI,
    redirect: (url) => {
      pages.push(url)
      page = url
    },
    callback: () => (page === undefined ? Promise.reject(new Error('no page')) : server.login(page)),
    ...options,
  })
  return { provider, pages }
}

const scopesOf = (page: URL | undefined) => page?.searchParams.get('scope')?.split(' ').sort()

const textOf = async (client: Client, tool: string) => {
  const { content } = await client.callTool(tool)
  return content[0]?.type === 'text' ? content[0].text : undefined
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a login with a real authorization server', () => {
  it.each(['auto', 'legacy'] as const)('registers, logs in and calls (%s)', async (mode) => {
    await using running = await start()
    const { provider, pages } = userOf(running.authorization)
    await using client = await Client.connect(streamableHttp(running.url, { auth: provider }), { mode })
    expect(await textOf(client, 'whoami')).toMatch(/^ada by /)
    expect(pages).toHaveLength(1)
    expect(pages[0]?.searchParams.get('resource')).toBe(running.url)
    // The authorization server offers refresh tokens under this name, and the client takes them.
    expect(scopesOf(pages[0])).toEqual(['notes:read', 'offline_access'])
  })

  it('is known by its metadata document where it has one', async () => {
    await using running = await start({ authorization: { documents: { [DOCUMENT_URL]: DOCUMENT } } })
    const { provider } = userOf(running.authorization, { clientMetadataUrl: DOCUMENT_URL })
    await using client = await Client.connect(streamableHttp(running.url, { auth: provider }))
    expect(await textOf(client, 'whoami')).toBe(`ada by ${DOCUMENT_URL}`)
    expect(running.authorization.requests).not.toContain('POST /reg')
  })

  it.each(['auto', 'legacy'] as const)(
    'F185 steps up when a tool needs more, once, and keeps what it had (%s)',
    async (mode) => {
      await using running = await start()
      const { provider, pages } = userOf(running.authorization)
      await using client = await Client.connect(streamableHttp(running.url, { auth: provider }), { mode })
      await textOf(client, 'whoami')
      expect(await textOf(client, 'write')).toBe('written')
      expect(await textOf(client, 'write')).toBe('written')
      expect(pages).toHaveLength(2)
      expect(scopesOf(pages[1])).toEqual(['notes:read', 'notes:write', 'offline_access'])
    },
  )

  it.each([false, true])('F189 proves possession of its key; with nonces of both servers: %s', async (hasNonces) => {
    const nonceSecret = hasNonces ? { nonceSecret: 'a secret that is longer than thirty-two bytes' } : {}
    await using running = await start({
      bearer: { scopes: ['notes:read'], dpop: { required: true, ...nonceSecret } },
      authorization: { dpopNonce: hasNonces },
    })
    const { provider } = userOf(running.authorization, { dpop: true })
    await using client = await Client.connect(streamableHttp(running.url, { auth: provider }))
    expect(await textOf(client, 'whoami')).toMatch(/^ada by /)
    expect(await textOf(client, 'whoami')).toMatch(/^ada by /)
  })

  it('F168 refreshes an expired token once for many calls, without another login', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using running = await start({ authorization: { accessTokenSeconds: 300 } })
    const { provider, pages } = userOf(running.authorization)
    await using client = await Client.connect(streamableHttp(running.url, { auth: provider }))
    vi.setSystemTime(Date.now() + 400_000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => textOf(client, 'whoami')))
    expect(new Set(answers).size).toBe(1)
    expect(running.authorization.requests.filter((request) => request === 'POST /token')).toHaveLength(2)
    expect(pages).toHaveLength(1)
  })
})
