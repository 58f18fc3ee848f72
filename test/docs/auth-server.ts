// For programs of pages: an authorization server that grants what is asked, an identity provider beside it, and a server that they protect.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { requireBearer } from '../../src/auth/server/bearer.ts'
import type { VerifyToken } from '../../src/auth/server/verifier.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../src/node/http/serve-http.ts'
import { freePort } from '../support/free-port.ts'

export interface ProtectedWorld extends AsyncDisposable {
  readonly issuer: string
  readonly resource: string
  readonly idpTokens: string
  /** The forms that the token endpoints got, in order. */
  readonly grants: URLSearchParams[]
}

export async function startProtectedWorld(allowedOrigins: readonly string[] = []): Promise<ProtectedWorld> {
  const grants: URLSearchParams[] = []
  const subjects = new Map<string, string>()
  const http = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const reply = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', 'a-code')
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      return void response.writeHead(302, { location: back.href }).end()
    }
    if (url.pathname === '/register') {
      const registered = JSON.parse(await text(request)) as object
      return reply(201, { ...registered, client_id: 'page', token_endpoint_auth_method: 'none' })
    }
    if (url.pathname === '/.well-known/oauth-authorization-server') return reply(200, metadata())
    const form = new URLSearchParams(await text(request))
    grants.push(form)
    if (url.pathname === '/idp/token') {
      const issued_token_type = 'urn:ietf:params:oauth:token-type:id-jag'
      return reply(200, { issued_token_type, access_token: 'an-assertion', token_type: 'N_A', expires_in: 300 })
    }
    const token = randomUUID()
    subjects.set(token, form.get('assertion') ?? form.get('grant_type') ?? '')
    return reply(200, { access_token: token, token_type: 'Bearer', expires_in: 300, scope: form.get('scope') ?? '' })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  })

  const port = await freePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const server = new MCPServer('notes')
  server.tool('whoami', (_args, { auth }) => `You came by ${auth?.subject}.`)
  const verifier: VerifyToken = async (token) => {
    const subject = subjects.get(token)
    if (subject === undefined) return undefined
    return { clientId: 'c', subject, scopes: [], resource, issuer, expiresAt: Date.now() / 1000 + 300 }
  }
  const serving = await serveHttp(server, {
    port,
    allowedOrigins: [...allowedOrigins],
    auth: (handler) => requireBearer(handler, { resource, issuer, verifier }),
  })
  return {
    issuer,
    resource,
    idpTokens: `${issuer}/idp/token`,
    grants,
    async [Symbol.asyncDispose]() {
      await serving.close()
      http.closeAllConnections()
      http.close()
    },
  }
}
