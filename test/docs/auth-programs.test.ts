// The programs of the page about enterprise authorization: each gets a token by its grant, and calls a protected server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startProtectedWorld } from './auth-server.ts'

const root = new URL('../../', import.meta.url)
const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3In0.c2ln'
const printed: string[] = []
vi.spyOn(console, 'log').mockImplementation((value: unknown) => void printed.push(JSON.stringify(value)))

afterEach(() => {
  printed.length = 0
  vi.unstubAllEnvs()
})

async function runAgainst(name: string, env: Record<string, string>): Promise<URLSearchParams[]> {
  await using world = await startProtectedWorld()
  const all = { ISSUER: world.issuer, RESOURCE: world.resource, IDP_TOKENS: world.idpTokens, ...env }
  for (const [key, value] of Object.entries(all)) vi.stubEnv(key, value)
  await import(/* @vite-ignore */ new URL(`docs/examples/auth/${name}.ts`, root).href)
  return world.grants
}

describe('docs D5: programs that log in without a page', () => {
  it('auth/enterprise.ts exchanges the ID token at the identity provider, and the assertion for a token', async () => {
    const grants = await runAgainst('enterprise', { CLIENT_SECRET: 'a-secret', ID_TOKEN: JWT })
    expect(grants.map((form) => form.get('subject_token') ?? form.get('assertion'))).toEqual([JWT, 'an-assertion'])
    expect(printed).toEqual(['[{"type":"text","text":"You came by an-assertion."}]'])
  })

  it('auth/workload.ts sends the JWT that is in the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-workload-'))
    writeFileSync(join(folder, 'token'), JWT)
    const grants = await runAgainst('workload', { TOKEN_FILE: join(folder, 'token') })
    rmSync(folder, { recursive: true })
    expect(grants.map((form) => form.get('assertion'))).toEqual([JWT])
    expect(printed).toEqual([`[{"type":"text","text":"You came by ${JWT}."}]`])
  })

  it('auth/credentials.ts asks for its scope as itself', async () => {
    const grants = await runAgainst('credentials', { CLIENT_SECRET: 'a-secret' })
    expect(grants.map((form) => [form.get('grant_type'), form.get('scope')])).toEqual([
      ['client_credentials', 'notes:read'],
    ])
    expect(printed).toEqual(['[{"type":"text","text":"You came by client_credentials."}]'])
  })
})
