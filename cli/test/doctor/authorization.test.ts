// Step 8 of mcpwire doctor at a real authorization server, and with documents that hold anything.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { mcpwire } from '../../../test/support/command-line.ts'
import { runLogin } from '../../../test/support/command-login.ts'
import { walkLogin } from '../../../test/support/login.ts'
import { type ProtectedServer, startProtectedServer } from '../../../test/support/protected-server.ts'
import { findLoginProblems } from '../../doctor/auth/login-rules.ts'
import { recognizeProvider } from '../../doctor/auth/providers.ts'
import type { Finding } from '../../doctor/findings/step.ts'

let server: ProtectedServer
beforeAll(async () => {
  const shop = new MCPServer('shop')
  shop.tool('ping', { description: 'Answer' }, () => 'pong')
  server = await startProtectedServer({ server: shop, scopes: ['read'] })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('doctor at a server that requires a login', () => {
  it('says that a login is needed, registers no client and opens no page; after it, all steps pass', async () => {
    const home = await mkdtemp(join(tmpdir(), 'mcpwire-doctor-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const options = { env: { HOME: home, XDG_CONFIG_HOME: home }, cwd: home }
    const doctor = async (...args: string[]) => {
      const { code, stdout } = await mcpwire(
        ['doctor', server.url, '--json', '--connect-timeout', '60', ...args],
        options,
      )
      const { steps } = JSON.parse(stdout) as { steps: (Finding & { number: number })[] }
      return { code, steps, step: steps[7] }
    }
    const before = await doctor()
    expect(before.code).toBe(4)
    expect(before.step).toMatchObject({
      state: 'warning',
      text: 'A login is needed',
      problem: { fix: [`Run: mcpwire login ${server.url}`] },
    })
    expect(before.step?.details).toContain(`Issuer: ${server.authorization.issuer}`)
    expect(before.step?.details?.join('\n')).toMatch(/GET \S+oauth-protected-resource\S*: HTTP 200/)
    expect(before.steps[6]).toMatchObject({ state: 'skipped' })
    expect(server.authorization.requests.filter((request) => request.startsWith('GET /auth'))).toEqual([])

    const refused = await doctor('--token', 'wrong')
    expect(refused.code).toBe(1)
    expect(refused.step).toMatchObject({ state: 'fault', text: 'The server refuses the token' })

    const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
    const issuer = server.authorization.issuer
    const foreign = await doctor('--token', jwt({ aud: 'https://other.example/mcp', iss: issuer }))
    expect(foreign.step?.problem?.cause).toContain(
      `The token is for https://other.example/mcp, and the resource is ${server.url}.`,
    )
    expect(foreign.step?.details).toContain(`Token: a JWT for https://other.example/mcp, issued by ${issuer}`)
    const expired = await doctor('--token', jwt({ aud: server.url, iss: issuer, exp: 1 }))
    expect(expired.step?.problem?.cause).toBe('The token expired 1970-01-01T00:00:01.000Z.')

    const agree = async (page: URL) => fetch(await walkLogin(page, server.authorization.issuer))
    expect((await runLogin([server.url], agree, options)).code).toBe(0)
    const after = await doctor()
    expect(after.code).toBe(0)
    expect(after.steps.map(({ state }) => state)).not.toContain('fault')
    expect(after.step).toMatchObject({ state: 'ok', text: 'The server accepts the token' })
    expect(after.step?.details?.join('\n')).toMatch(/Kept login with the scopes .*expires /)
    expect(JSON.stringify(after.steps)).not.toMatch(/accessToken|refreshToken/)
  })

  it('makes something of every document', async () => {
    const url = 'https://shop.example.com/mcp'
    const member = fc.oneof(fc.jsonValue(), fc.webUrl(), fc.array(fc.string()))
    const names = ['issuer', 'authorization_endpoint', 'token_endpoint', 'code_challenge_methods_supported']
    const metadata = fc.dictionary(fc.constantFrom(...names, 'scopes_supported', 'x'), member)
    await fc.assert(
      fc.asyncProperty(metadata, metadata, fc.boolean(), async (document, resource, hasSecret) => {
        const walk = {
          requests: [],
          challenge: undefined,
          resource,
          server: document,
          loginPage: undefined,
          error: undefined,
          failure: undefined,
        }
        const signal = new AbortController().signal
        const facts = { walk, url, choices: {}, ms: 100, signal, server: document, hasSecret }
        const problems = await findLoginProblems({ ...facts, provider: recognizeProvider(document) })
        for (const { text, cause } of problems) expect(`${text} ${cause}`).not.toMatch(/undefined|\[object/)
      }),
      { numRuns: 300 },
    )
  })
})
