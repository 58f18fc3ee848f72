// A protected server on a socket, before a real authorization server, with clients of both eras.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requireBearer } from '../../../../src/auth/server/bearer.ts'
import { subjectTokenOf } from '../../../../src/auth/server/subject-token.ts'
import { introspectionVerifier } from '../../../../src/auth/server/verify-introspection.ts'
import { jwtVerifier } from '../../../../src/auth/server/verify-jwt.ts'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { toFetch } from '../../../../src/http/to-fetch.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../src/node/http/serve-http.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { startAuthorizationServer, type TestAuthorizationServer } from '../../../support/authorization-server.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'
import { obtainToken } from '../../../support/obtain-token.ts'
import { makeKey, signProof } from '../../../support/token-maker.ts'

/** The public name of the server, which a proxy in front of it would have. */
const RESOURCE = 'https://notes.example/mcp'
const OTHER_RESOURCE = 'https://other.example/mcp'
const OPAQUE_RESOURCE = 'https://opaque.example/mcp'
const METADATA_URL = 'https://notes.example/.well-known/oauth-protected-resource/mcp'

let authorizationServer: TestAuthorizationServer
let readToken: string
let writeToken: string
let foreignToken: string
let url: string
let cleanups: (() => Promise<unknown>)[]

beforeAll(async () => {
  authorizationServer = await startAuthorizationServer({
    resources: {
      [RESOURCE]: { scopes: ['notes:read', 'notes:write'] },
      [OTHER_RESOURCE]: { scopes: ['notes:read', 'notes:write'] },
      [OPAQUE_RESOURCE]: { scopes: ['notes:read'], format: 'opaque' },
    },
  })
  const tokenFor = async (resource: string, scope: string) =>
    (await obtainToken(authorizationServer, { resource, scope })).access_token
  readToken = await tokenFor(RESOURCE, 'notes:read')
  writeToken = await tokenFor(RESOURCE, 'notes:read notes:write')
  foreignToken = await tokenFor(OTHER_RESOURCE, 'notes:read notes:write')
  return () => authorizationServer.close()
})

beforeEach(async () => {
  cleanups = []
  url = await serve({ verifier: jwtVerifier({ issuer: authorizationServer.issuer }) })
  return async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
})

async function serve(options: Partial<Parameters<typeof requireBearer>[1]>): Promise<string> {
  const server = new MCPServer('notes', { requestState: { keys: ['a key for tests that is longer than 32 bytes'] } })
  server.tool('whoami', {}, (_args, { auth }) => `${auth?.subject} with ${auth?.scopes.join(' and ')}`)
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  const { issuer } = authorizationServer
  const handler = requireBearer(createHandler(server), {
    resource: RESOURCE,
    issuer,
    verifier: jwtVerifier({ issuer }),
    scopes: ['notes:read'],
    ...options,
  })
  const http = createServer(toNodeHandler(handler))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => {
    await handler.close?.({ drainMs: 0 })
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

function post(name: string, headers: Record<string, string>): Promise<Response> {
  const request = { params: { name, arguments: {} } }
  const body = JSON.stringify(modernBody(request))
  return fetch(url, { method: 'POST', headers: { ...modernHeaders(request), ...headers }, body })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a protected server', () => {
  it.each(['auto', 'legacy'] as const)('knows its callers, in both eras (%s)', async (mode) => {
    await using client = await Client.connect(streamableHttp(url, { auth: readToken }), { mode })
    const { content } = await client.callTool('whoami')
    expect(content).toEqual([{ type: 'text', text: 'ada with notes:read' }])
  })

  it.each(['auto', 'legacy'] as const)('turns callers without a token away, in both eras (%s)', async (mode) => {
    const connecting = Client.connect(streamableHttp(url), { mode })
    await expect(connecting).rejects.toBeInstanceOf(TransportError)
    await expect(connecting).rejects.toMatchObject({ status: 401 })
  })

  it('S-AUTH-01 S-AUTH-02 leads an unknown client from the challenge to the authorization server', async () => {
    const refused = await post('whoami', {})
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${METADATA_URL}", scope="notes:read"`,
    )
    const metadata = await fetch(new URL(new URL(METADATA_URL).pathname, url))
    expect(await metadata.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [authorizationServer.issuer],
      scopes_supported: ['notes:read'],
      bearer_methods_supported: ['header'],
    })
  })

  it('S-AUTH-09 F188 R14 rejects a token that the same authorization server issued for another resource', async () => {
    const refused = await post('whoami', bearer(foreignToken))
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('F137 rejects a valid token in the URL', async () => {
    url = `${url}?access_token=${readToken}`
    expect((await post('whoami', {})).status).toBe(401)
  })

  it('S-AUTH-06 S-AUTH-07 challenges for all the scopes that a tool needs', async () => {
    const refused = await post('write', bearer(readToken))
    expect(refused.status).toBe(403)
    const challenge = refused.headers.get('www-authenticate')
    expect(challenge).toContain('Bearer error="insufficient_scope"')
    expect(challenge).toContain('scope="notes:read notes:write"')
    expect(challenge).toContain(`resource_metadata="${METADATA_URL}"`)
    expect(await refused.json()).toMatchObject({ error: { data: { reason: 'insufficient_scope' } } })
    expect((await post('write', bearer(writeToken))).status).toBe(200)
  })

  it('is the same inside the handler, behind its guards', async () => {
    const { issuer } = authorizationServer
    const options = { resource: RESOURCE, issuer, verifier: jwtVerifier({ issuer }) }
    await using serving = await serveHttp(new MCPServer('notes', { requestState: false }), {
      port: 0,
      auth: (handler) => requireBearer(handler, options),
    })
    url = serving.url
    const list = { method: 'tools/list' }
    const send = (headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        headers: { ...modernHeaders(list), ...headers },
        body: JSON.stringify(modernBody(list)),
      })
    expect((await send({})).status).toBe(401)
    expect((await send({ ...bearer(readToken), host: 'evil.example', origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await fetch(new URL(new URL(METADATA_URL).pathname, url))).status).toBe(200)
    expect((await send(bearer(readToken))).status).not.toBe(401)
  })

  it('is the same where requests are web requests', async () => {
    const { issuer } = authorizationServer
    const server = new MCPServer('notes', { requestState: false })
    server.tool('whoami', {}, (_args, { auth }) => String(auth?.subject))
    const options = { resource: RESOURCE, issuer, verifier: jwtVerifier({ issuer }) }
    const handler = requireBearer(createHandler(server, { allowedHosts: ['notes.example'] }), options)
    const answer = toFetch(handler)
    const call = { params: { name: 'whoami', arguments: {} } }
    const send = (headers: Record<string, string>) =>
      answer(
        new Request(RESOURCE, {
          method: 'POST',
          headers: { ...modernHeaders(call), host: 'notes.example', ...headers },
          body: JSON.stringify(modernBody(call)),
        }),
      )
    const refused = await send({})
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${METADATA_URL}"`,
    ])
    expect(await (await send(bearer(readToken))).json()).toMatchObject({ result: { content: [{ text: 'ada' }] } })
    await handler.close?.({ drainMs: 0 })
  })

  it('R14 accepts opaque tokens that introspection confirms, and no others', async () => {
    const { issuer, introspectionEndpoint: endpoint, resourceServer } = authorizationServer
    const verifier = introspectionVerifier({ issuer, endpoint, ...resourceServer })
    const opaque = await obtainToken(authorizationServer, { resource: OPAQUE_RESOURCE, scope: 'notes:read' })
    url = await serve({ verifier, resource: OPAQUE_RESOURCE })
    expect((await post('whoami', bearer(opaque.access_token))).status).toBe(200)
    expect((await post('whoami', bearer('anything'))).status).toBe(401)
    url = await serve({ verifier, resource: RESOURCE })
    expect((await post('whoami', bearer(opaque.access_token))).status).toBe(401)
  })

  it('S-XA-01 takes a token that the authorization server bound to a key, with a proof each time', async () => {
    url = await serve({ dpop: true })
    const key = await makeKey()
    const tokenProof = await signProof(key, {
      token: '',
      claims: { htu: authorizationServer.tokenEndpoint, ath: undefined },
    })
    const { access_token: token, token_type } = await obtainToken(authorizationServer, {
      resource: RESOURCE,
      scope: 'notes:read',
      headers: { dpop: tokenProof },
    })
    expect(token_type).toBe('DPoP')
    const proven = async () => ({ authorization: `DPoP ${token}`, dpop: await signProof(key, { token }) })
    const headers = await proven()
    expect((await post('whoami', headers)).status).toBe(200)
    expect((await post('whoami', headers)).status).toBe(401)
    expect((await post('whoami', await proven())).status).toBe(200)
    expect((await post('whoami', bearer(token))).status).toBe(401)
  })

  it('answers 503 while the keys cannot be had', async () => {
    url = await serve({
      verifier: jwtVerifier({ issuer: authorizationServer.issuer, jwksUri: 'http://127.0.0.1:1/keys' }),
    })
    const refused = await post('whoami', bearer(readToken))
    expect(refused.status).toBe(503)
    expect(await refused.text()).not.toContain('127.0.0.1')
  })

  it('S-AUTH-13 R15 gives the session of one caller to no other', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = (body: object, headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers: { ...common, ...headers }, body: JSON.stringify(body) })
    const opened = await send(initialize, bearer(readToken))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await opened.text()
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    const version = { 'mcp-protocol-version': '2025-11-25' }
    // Each token was issued to a client of its own.
    const stolen = await send(ping, { ...session, ...version, ...bearer(writeToken) })
    const unknown = await send(ping, { 'mcp-session-id': 'unknown', ...version, ...bearer(writeToken) })
    expect([stolen.status, await stolen.text()]).toEqual([404, await unknown.text()])
    expect((await send(ping, { ...session, ...version })).status).toBe(401)
    expect((await send(ping, { ...session, ...version, ...bearer(readToken) })).status).toBe(200)
  })
})

describe('compose A05: the token of a caller', () => {
  it.each(['auto', 'legacy'] as const)(
    'is there for an exchange with keepToken, and in nothing else (%s)',
    async (mode) => {
      const seen: unknown[] = []
      const server = new MCPServer('notes')
      server.tool('exchange', (_args, ctx) => {
        seen.push(inspect({ auth: ctx.auth, ctx }, { depth: 4 }), JSON.stringify(ctx.auth))
        return subjectTokenOf(ctx.auth) === readToken ? 'kept' : 'not kept'
      })
      const { issuer } = authorizationServer
      for (const keepToken of [true, false]) {
        const options = { resource: RESOURCE, issuer, verifier: jwtVerifier({ issuer }), keepToken }
        await using serving = await serveHttp(server, { port: 0, auth: (handler) => requireBearer(handler, options) })
        await using client = await Client.connect(streamableHttp(serving.url, { auth: readToken }), { mode })
        const text = keepToken ? 'kept' : 'not kept'
        expect((await client.callTool('exchange')).content).toEqual([{ type: 'text', text }])
      }
      expect(seen.join()).toContain('ada')
      expect(seen.join()).not.toContain(readToken)
    },
  )
})
