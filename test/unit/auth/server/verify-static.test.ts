// verifyStaticTokens(): tokens that stand in the configuration.
import fc from 'fast-check'
import { Client, MCPServer } from 'mcpwire'
import { requireBearer, verifyStaticTokens } from 'mcpwire/auth'
import { describe, expect, it, vi } from 'vitest'
import type { VerifyContext } from '../../../../src/auth/server/verifier.ts'

const TOKEN = 'a-token-of-the-tests-1'
const OTHER = 'a-token-of-the-tests-2'
const RESOURCE = 'https://notes.example.com/mcp'

const context: VerifyContext = {
  resource: RESOURCE,
  audiences: [RESOURCE],
  issuers: [],
  signal: new AbortController().signal,
}

describe('verifyStaticTokens()', () => {
  const { verify } = verifyStaticTokens({
    [TOKEN]: { clientId: 'ci', scopes: ['notes:read'], subject: 'ada' },
    [OTHER]: { clientId: 'backup', scopes: [], resource: 'https://other.example.com/mcp' },
  })

  it('knows the caller of each token, for the server that it is configured at', async () => {
    expect(await verify(TOKEN, context)).toEqual({
      clientId: 'ci',
      scopes: ['notes:read'],
      subject: 'ada',
      resource: RESOURCE,
    })
    expect(await verify(OTHER, context)).toMatchObject({ resource: 'https://other.example.com/mcp' })
  })

  it('knows no other token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 40 }), async (text) => {
        fc.pre(text !== TOKEN && text !== OTHER)
        expect(await verify(text, context)).toBeUndefined()
      }),
    )
    for (const near of [TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), '__proto__', 'constructor'])
      expect(await verify(near, context)).toBeUndefined()
  })

  it.each([
    ['a token of nothing', { '': { clientId: 'ci', scopes: [] } }, /has 0 characters. Use 16 or more/],
    ['a token with a space', { [`${TOKEN} x`]: { clientId: 'ci', scopes: [] } }, /no header can carry/],
    ['no token', {}, /got no token/],
    ['a list', [TOKEN], /takes an object of callers by token/],
    ['a caller without a client', { [TOKEN]: { scopes: [] } }, /needs clientId and scopes/],
    ['a misspelt member', { [TOKEN]: { clientId: 'ci', scope: [] } }, /scopes/],
  ])('refuses %s, and shows no token', (_name, tokens, message) => {
    const attempt = () => verifyStaticTokens(tokens as never)
    expect(attempt).toThrow(message)
    try {
      attempt()
    } catch (error) {
      expect(String(error)).not.toContain(TOKEN)
    }
  })

  it('warns of a token that can be guessed, and shows it to nobody', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    try {
      const { verify: verifyShort } = verifyStaticTokens({ tiny: { clientId: 'ci', scopes: ['a'] } })
      expect(await verifyShort('tiny', context)).toMatchObject({ clientId: 'ci' })
      expect(warn.mock.calls).toEqual([[expect.stringContaining('fewer than 16 characters')]])
      expect(String(warn.mock.calls)).not.toContain('tiny')
    } finally {
      warn.mockRestore()
    }
  })
})

describe.each(['legacy', 'modern'] as const)('a server with static tokens and no authorization server, %s', (mode) => {
  it('serves their callers, and answers 401 to everybody else', async () => {
    const server = new MCPServer('notes')
    server.tool('whoami', (_args, { auth }) => `${auth?.clientId} ${auth?.subject} ${auth?.issuer}`)
    server.tool('write', { scopes: ['notes:write'] }, () => 'Written down.')
    const verifier = verifyStaticTokens({ [TOKEN]: { clientId: 'ci', scopes: ['notes:read'], subject: 'ada' } })
    const serving = await server.run({
      transport: 'http',
      port: 0,
      announce: false,
      auth: (handler) => requireBearer(handler, { resource: 'http://127.0.0.1/mcp', issuer: false, verifier }),
    })
    const connect = (token: string) =>
      Client.connect(serving.url, { mode, headers: { authorization: `Bearer ${token}` } })
    const client = await connect(TOKEN)
    const { content } = await client.callTool('whoami')
    expect(content).toEqual([{ type: 'text', text: 'ci ada undefined' }])
    await client.close()
    await expect(connect(OTHER)).rejects.toThrow(/401|unauthorized/i)
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', serving.url))
    expect(Object.keys((await metadata.json()) as object)).not.toContain('authorization_servers')
    await serving.close()
  })

  it('accepts no token that names an issuer', async () => {
    const server = new MCPServer('notes')
    server.tool('hello', () => 'hello')
    const verifier = verifyStaticTokens({ [TOKEN]: { clientId: 'ci', scopes: [], issuer: 'https://id.example.com' } })
    const serving = await server.run({
      transport: 'http',
      port: 0,
      announce: false,
      auth: (handler) => requireBearer(handler, { resource: 'http://127.0.0.1/mcp', issuer: false, verifier }),
    })
    const headers = { authorization: `Bearer ${TOKEN}` }
    await expect(Client.connect(serving.url, { mode, headers })).rejects.toThrow(/401|unauthorized/i)
    await serving.close()
  })
})
