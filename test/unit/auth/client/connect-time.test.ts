// Whatever an authorization server takes its time for counts against the time to connect; only a person who logs in is given more.
import { oauth } from 'mcpwire/auth'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { ConnectError } from '../../../../src/types/errors/failures.ts'
import { type LocalServer, serveLocally } from '../../http/local-server.ts'

const REDIRECT_URI = 'http://127.0.0.1:4711/callback'

/** An MCP server and its authorization server at once, which begins to answer at one path and never ends. */
async function serveStuckAt(stuck: string) {
  const server: LocalServer = await serveLocally((request, response) => {
    const { origin } = server
    const path = request.url ?? ''
    if (path === '/mcp') {
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}/resource"` })
      return response.end()
    }
    response.setHeader('content-type', 'application/json')
    if (path.includes(stuck)) return response.write('{')
    if (path === '/resource') {
      return response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [origin] }))
    }
    if (path === '/register') {
      return response.writeHead(201).end(JSON.stringify({ client_id: 'c', redirect_uris: [REDIRECT_URI] }))
    }
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    }
    return response.end(JSON.stringify(metadata))
  })
  return `${server.origin}/mcp`
}

describe('connectTimeoutMs ends a connection whose authorization server never finishes', () => {
  it.each([
    ['the metadata of the resource', '/resource'],
    ['the metadata of the authorization server', '/.well-known/'],
    ['the registration', '/register'],
    ['the token', '/token'],
  ])('with %s', async (_what, path) => {
    const url = await serveStuckAt(path)
    const auth = oauth({
      redirectUri: REDIRECT_URI,
      redirect: () => {},
      callback: async ({ state }) => `${REDIRECT_URI}?code=abc&state=${state}`,
    })
    const failure = await Client.connect(url, { connectTimeoutMs: 1_500, auth }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectError)
    expect((failure as Error).message).toContain('within 1500 ms')
  })
})
