// devAuthorizationServer(): a login from the first request to the last, its page, and what it refuses.
import { request } from 'node:http'
import { Client, MCPServer } from 'mcpwire'
import { jwtVerifier, oauth, requireBearer } from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type DevAuthorizationServer,
  type DevAuthorizationServerOptions,
  devAuthorizationServer,
} from '../../../src/auth-dev/dev-authorization-server.ts'
import { freePort } from '../../support/free-port.ts'
import { Browser } from './browser.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: DevAuthorizationServerOptions = {}): Promise<DevAuthorizationServer> {
  const server = await devAuthorizationServer({ port: 0, scopes: ['notes:read', 'notes:write'], ...options })
  closing.push(() => server.close())
  return server
}

async function startProtected(issuer: string): Promise<string> {
  const port = await freePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const server = new MCPServer('notes')
  server.tool('whoami', (_args, { auth }) => `You are ${auth?.subject}.`)
  server.tool('write', { scopes: ['notes:write'] }, () => 'Written down.')
  const serving = await server.run({
    transport: 'http',
    port,
    announce: false,
    auth: (handler) =>
      requireBearer(handler, { resource, issuer, verifier: jwtVerifier({ issuer }), scopes: ['notes:read'] }),
  })
  closing.push(() => serving.close())
  return serving.url
}

/** A login in a browser that a test drives. */
function loginWith(act: (page: URL) => Promise<URL>) {
  return oauth({ clientName: 'Test <client>', redirect: async (page) => void (await fetch(await act(page))) })
}

const text = (result: { content: unknown }) => result.content

describe.each(['legacy', 'modern'] as const)('devAuthorizationServer(), %s', (mode) => {
  it('with autoApprove: a client registers, logs in, and is asked for one more scope', async () => {
    const { issuer } = await start({ autoApprove: true, user: 'ada' })
    const url = await startProtected(issuer)
    const pages: string[] = []
    const auth = loginWith(async (page) => {
      pages.push(page.searchParams.get('scope') ?? '')
      return new Browser(issuer).walk(page)
    })
    const client = await Client.connect(streamableHttp(url, { auth }), { mode })
    closing.push(() => client.close())
    expect(text(await client.callTool('whoami'))).toEqual([{ type: 'text', text: 'You are ada.' }])
    expect(text(await client.callTool('write'))).toEqual([{ type: 'text', text: 'Written down.' }])
    expect(pages.length).toBe(2)
    expect(pages[1]).toContain('notes:write')
  })

  it('the login page names the client, the resource and the scopes, and takes the user', async () => {
    const { issuer } = await start()
    const url = await startProtected(issuer)
    const shown: string[] = []
    const browser = new Browser(issuer)
    const auth = loginWith((page) =>
      browser.walk(page, (html) => {
        shown.push(html)
        return { decision: 'allow', user: 'grace' }
      }),
    )
    const client = await Client.connect(streamableHttp(url, { auth }), { mode })
    closing.push(() => client.close())
    expect(text(await client.callTool('whoami'))).toEqual([{ type: 'text', text: 'You are grace.' }])
    expect(shown.length).toBe(1)
    expect(shown[0]).toContain('Test &#60;client&#62;')
    expect(shown[0]).toContain('<code>notes:read</code>')
    expect(shown[0]).toContain(`<code>${url}</code>`)
    // The same browser is logged in; more scopes need the user once more.
    await client.callTool('write')
    expect(shown.length).toBe(2)
    expect(shown[1]).toContain('value="grace"')
    expect(shown[1]).toContain('<code>notes:write</code>')
  })

  it('login() does what a browser and its user do, for tests', async () => {
    const authorization = await start({ user: 'ada' })
    const url = await startProtected(authorization.issuer)
    const auth = loginWith((page) => authorization.login(page))
    const client = await Client.connect(streamableHttp(url, { auth }), { mode })
    closing.push(() => client.close())
    expect(text(await client.callTool('whoami'))).toEqual([{ type: 'text', text: 'You are ada.' }])
    expect(text(await client.callTool('write'))).toEqual([{ type: 'text', text: 'Written down.' }])
  })

  it('a user who denies ends the login', async () => {
    const { issuer } = await start()
    const url = await startProtected(issuer)
    const auth = loginWith((page) => new Browser(issuer).walk(page, () => ({ decision: 'deny' })))
    await expect(Client.connect(streamableHttp(url, { auth }), { mode })).rejects.toThrow(/access_denied|denied/)
  })
})

describe('devAuthorizationServer()', () => {
  it('listens on 127.0.0.1 only, and answers no other name', async () => {
    const { issuer, port } = await start()
    expect(issuer).toBe(`http://127.0.0.1:${port}`)
    const status = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(
          { port, host: '127.0.0.1', path: '/.well-known/openid-configuration', headers: { host } },
          (response) => {
            response.resume()
            resolve(response.statusCode)
          },
        )
          .on('error', reject)
          .end()
      })
    expect(await status(`127.0.0.1:${port}`)).toBe(200)
    expect(await status(`localhost:${port}`)).toBe(200)
    expect(await status('evil.example')).toBe(421)
  })

  it('refuses NODE_ENV=production, and opens no port', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    await expect(devAuthorizationServer({ port: 0 })).rejects.toThrow(
      /lets everybody log in, and NODE_ENV is production\. Use a real authorization server\./,
    )
  })

  it('issues tokens for loopback, or for the resources that it was given', async () => {
    const refusal = async (resource: string, options: DevAuthorizationServerOptions = {}) => {
      const { issuer } = await start({ autoApprove: true, ...options })
      const registered = await fetch(`${issuer}/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: ['http://127.0.0.1:1/callback'],
          application_type: 'native',
          token_endpoint_auth_method: 'none',
        }),
      })
      const { client_id } = (await registered.json()) as { client_id: string }
      const page = new URL(`${issuer}/auth`)
      const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
      const query = { client_id, response_type: 'code', scope: 'notes:read', resource, code_challenge: challenge }
      for (const [name, value] of Object.entries({ ...query, code_challenge_method: 'S256' }))
        page.searchParams.set(name, value)
      return (await new Browser(issuer).walk(page)).searchParams.get('error')
    }
    expect(await refusal('http://127.0.0.1:3000/mcp')).toBeNull()
    expect(await refusal('http://localhost:3000/mcp')).toBeNull()
    expect(await refusal('https://notes.example.com/mcp')).toBe('invalid_target')
    expect(await refusal('http://127.0.0.1.example.com/mcp')).toBe('invalid_target')
    const resources = ['https://notes.example.com/mcp']
    expect(await refusal('https://notes.example.com/mcp', { resources })).toBeNull()
    expect(await refusal('http://127.0.0.1:3000/mcp', { resources })).toBe('invalid_target')
  })

  it('an unknown login, and a form that is too long, are answered with 400', async () => {
    const { issuer } = await start()
    const unknown = await fetch(`${issuer}/interaction/unknown`)
    expect(unknown.status).toBe(400)
    expect(await unknown.text()).toContain('Start it again from your client.')
  })

  it('login() walks pages of this server only, and reports where it stops', async () => {
    const { issuer, login } = await start()
    await expect(login('https://id.example.com/auth')).rejects.toThrow(
      'https://id.example.com is not this authorization server',
    )
    await expect(login(`${issuer}/nowhere`)).rejects.toThrow('The login stopped at /nowhere with HTTP 404.')
  })

  it('names a misspelt option, and a wrong value', async () => {
    await expect(devAuthorizationServer({ scope: ['a'] } as never)).rejects.toThrow(/scopes/)
    await expect(devAuthorizationServer({ scopes: 'a' } as never)).rejects.toThrow(TypeError)
    await expect(devAuthorizationServer({ accessTokenSeconds: -1 })).rejects.toThrow(RangeError)
  })

  it('reports a port that is taken', async () => {
    const { port } = await start()
    await expect(devAuthorizationServer({ port })).rejects.toThrow(/EADDRINUSE/)
  })

  it('closes twice, and its port is free again', async () => {
    const server = await start()
    await server.close()
    await server.close()
    const again = await start({ port: server.port })
    expect(again.port).toBe(server.port)
  })

  it('names the command that installs the missing package', async () => {
    vi.doMock('oidc-provider', () => {
      throw new Error('Cannot find package')
    })
    await expect(devAuthorizationServer({ port: 0 })).rejects.toThrow(
      'needs the package oidc-provider. Run: npm install --save-dev oidc-provider@9',
    )
    vi.doUnmock('oidc-provider')
  })

  it('leaves the console as it was', async () => {
    const { warn, info } = console
    await start()
    expect(console.warn).toBe(warn)
    expect(console.info).toBe(info)
  })
})
