// The known providers, each as an authorization server that refuses what it refuses: a login fails, doctor names the options that it
// needs, and with them it passes. Without any one of them it fails again.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'mcpwire'
import { oauth } from 'mcpwire/auth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpwire } from '../../../test/support/command-line.ts'
import { runLogin } from '../../../test/support/command-login.ts'
import {
  type FakeProvider,
  type KnownClient,
  PROVIDERS,
  startFakeProvider,
} from '../../../test/support/fake-provider.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { checkAuthorization } from '../../doctor/auth/authorization-step.ts'
import { PROVIDERS as PROFILES, recognizeProvider } from '../../doctor/auth/providers.ts'
import type { Finding } from '../../doctor/findings/step.ts'
import type { LoginChoices } from '../../target/kept-login.ts'
import { toOAuthOptions } from '../../target/login-provider.ts'

type Name = keyof typeof PROVIDERS

/** In `npm test` the command line logs in at two of them; the rules of all of them run in this process. */
const isFull = process.env['FULL_TESTS'] === '1'
const TYPED: readonly Name[] = ['Microsoft Entra ID', 'Google']

/** What a login needs at each. `hasSecret` stands for the secret in the environment. */
const NEEDS: Record<Name, (client: KnownClient) => LoginChoices> = {
  'Microsoft Entra ID': ({ id, redirectUri }) => ({
    clientId: id,
    assumePkce: true,
    redirectUri,
    resource: false,
    scopes: ['api://shop/mcp.read'],
  }),
  Google: ({ id }) => ({ clientId: id, hasSecret: true }),
  'Amazon Cognito': ({ id, redirectUri }) => ({ clientId: id, assumePkce: true, redirectUri }),
  Okta: ({ id, redirectUri }) => ({ clientId: id, redirectUri }),
  Auth0: ({ id, redirectUri, audience }) => ({ clientId: id, redirectUri, parameters: { audience } }),
  Keycloak: ({ id, redirectUri }) => ({ clientId: id, redirectUri }),
  GitHub: ({ id }) => ({ clientId: id, assumePkce: true, hasSecret: true }),
}

const NAMES = Object.keys(NEEDS) as Name[]

/** How doctor names each. */
const WORDS: Record<keyof LoginChoices, string> = {
  clientId: '--client-id <id>',
  assumePkce: '--assume-pkce',
  redirectUri: '--redirect-uri http://localhost:8976/callback',
  resource: '--no-resource',
  scopes: '--scope api://<application id>/mcp.read',
  parameters: '--param audience=<identifier of the API>',
  hasSecret: 'MCPWIRE_CLIENT_SECRET',
}

async function start(name: Name): Promise<FakeProvider> {
  const provider = await startFakeProvider(PROVIDERS[name], `http://localhost:${await freePort()}/callback`)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  return provider
}

/** In this process, by the options that the choices stand for. */
async function logIn({ url, client, visit }: FakeProvider, { hasSecret, ...choices }: LoginChoices): Promise<unknown> {
  const options = toOAuthOptions(choices, hasSecret === true ? client.secret : '')
  const auth = oauth({ ...options, redirect: (page) => visit(page) })
  await using connected = await Client.connect(url, { auth, mode: 'modern', connectTimeoutMs: 60_000 })
  return (await connected.callTool('ping')).content
}

function toArgs({ clientId, assumePkce, redirectUri, resource, scopes = [], parameters = {} }: LoginChoices): string[] {
  return [
    ...(clientId === undefined ? [] : ['--client-id', clientId]),
    ...(assumePkce === true ? ['--assume-pkce'] : []),
    ...(redirectUri === undefined ? [] : ['--redirect-uri', redirectUri]),
    ...(resource === false ? ['--no-resource'] : []),
    ...scopes.flatMap((scope) => ['--scope', scope]),
    ...Object.entries(parameters).flatMap(([name, value]) => ['--param', `${name}=${value}`]),
  ]
}

type Step = Pick<Finding, 'state' | 'text' | 'details' | 'problem'>

/** What step 8 of doctor finds, in this process. */
function examine({ url }: FakeProvider, choices: LoginChoices): Promise<Step> {
  const signal = new AbortController().signal
  const entry = { url, headers: {} }
  return checkAuthorization({
    entry,
    url,
    choices,
    isConnected: false,
    hasOwnToken: false,
    ownToken: undefined,
    ms: 60_000,
    signal,
  })
}

function expectOptions({ problem }: Step, needs: LoginChoices): void {
  const fix = problem?.fix.join('\n') ?? ''
  for (const key of Object.keys(WORDS) as (keyof LoginChoices)[]) {
    if (key in needs) expect(fix).toContain(WORDS[key])
    else expect(fix).not.toContain(WORDS[key].split(' ')[0])
  }
}

describe.each(NAMES)('a login with %s', (name) => {
  it('fails, doctor names every option that it needs, and it passes with them and with nothing less', async () => {
    const provider = await start(name)
    const needs = NEEDS[name](provider.client)
    await expect(logIn(provider, {})).rejects.toThrow()
    const step = await examine(provider, {})
    expect(step).toMatchObject({ state: 'fault', text: expect.stringContaining(name) })
    expect(step.details?.join('\n')).toContain(`Issuer: ${provider.issuer} (${name})`)
    expectOptions(step, needs)

    expect(await logIn(provider, needs)).toEqual([{ type: 'text', text: 'pong' }])
    for (const key of Object.keys(needs) as (keyof LoginChoices)[]) {
      const { [key]: _left, ...rest } = needs
      await expect(logIn(provider, rest), `without ${key}`).rejects.toThrow()
      if (key !== 'hasSecret')
        expectOptions(await examine(provider, rest), { ...only(needs, key), ...only(needs, 'hasSecret') })
    }
  })

  it.runIf(isFull || TYPED.includes(name))(
    'on the command line: login fails, doctor, login with its options, call',
    async () => {
      const home = await mkdtemp(join(tmpdir(), 'mcpwire-providers-'))
      onTestFinished(() => rm(home, { recursive: true, force: true }))
      const { url, client, visit } = await start(name)
      const needs = NEEDS[name](client)
      const env = { HOME: home, XDG_CONFIG_HOME: home }
      const failed = await runLogin([url], visit, { env, cwd: home })
      expect(failed).toMatchObject({ code: 4, stdout: '' })
      expect(failed.stderr).toContain('Run mcpwire doctor with the URL')
      const examined = await mcpwire(['doctor', url, '--json', '--connect-timeout', '120'], { env, cwd: home })
      expect(examined.code).toBe(1)
      expectOptions((JSON.parse(examined.stdout) as { steps: Step[] }).steps[7] as Step, needs)

      const withSecret = { ...env, ...(needs.hasSecret === true && { MCPWIRE_CLIENT_SECRET: client.secret }) }
      const login = await runLogin([url, ...toArgs(needs)], visit, { env: withSecret, cwd: home })
      expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining(`Logged in to ${url}`) })
      for (const file of readdirSync(home, { recursive: true, withFileTypes: true })) {
        if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(client.secret)
      }
      expect(await mcpwire(['call', url, 'ping', '--connect-timeout', '120'], { env, cwd: home })).toMatchObject({
        code: 0,
        stdout: 'pong\n',
      })
      const healthy = await mcpwire(['doctor', url, '--json', '--connect-timeout', '120'], {
        env: withSecret,
        cwd: home,
      })
      expect((JSON.parse(healthy.stdout) as { steps: Step[] }).steps[7]).toMatchObject({ state: 'ok' })
      expect(healthy.code).toBe(0)
    },
  )
})

/** One choice, where it is there. */
function only(choices: LoginChoices, key: keyof LoginChoices): LoginChoices {
  return key in choices ? { [key]: choices[key] } : {}
}

describe('a provider is recognized', () => {
  const hosts: [issuer: string, name: string][] = [
    ['https://login.microsoftonline.com/0f9a/v2.0', PROFILES.entra.name],
    ['https://accounts.google.com', PROFILES.google.name],
    ['https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aBcD12345', PROFILES.cognito.name],
    ['https://shop.okta.com/oauth2/default', PROFILES.okta.name],
    ['https://shop.eu.auth0.com/', PROFILES.auth0.name],
    ['https://github.com/login/oauth', PROFILES.github.name],
  ]
  it.each(hosts)('by its host: %s', (issuer, name) => {
    expect(recognizeProvider({ issuer })?.name).toBe(name)
  })

  it('by its paths on hosts of its customers, and not by a part of them', () => {
    const at = (issuer: string, authorize: string, token: string) =>
      recognizeProvider({ issuer, authorization_endpoint: issuer + authorize, token_endpoint: issuer + token })?.name
    const realm = '/realms/shop/protocol/openid-connect'
    expect(at('https://id.example.com', `${realm}/auth`, `${realm}/token`)).toBe(PROFILES.keycloak.name)
    expect(at('https://id.example.com', '/authorize', '/oauth/token')).toBe(PROFILES.auth0.name)
    expect(at('https://id.example.com', '/authorize', '/token')).toBeUndefined()
    expect(recognizeProvider({ issuer: 'https://github.com.example.com' })).toBeUndefined()
    expect(recognizeProvider({})).toBeUndefined()
  })
})
