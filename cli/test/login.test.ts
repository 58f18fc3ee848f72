// mcpwire login and logout, as typed, with a real authorization server: tokens are kept, used, refreshed and forgotten.

import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { mcpwire, startCommand } from '../../test/support/command-line.ts'
import { runLogin } from '../../test/support/command-login.ts'
import { freePort } from '../../test/support/free-port.ts'
import { walkLogin } from '../../test/support/login.ts'
import { type ProtectedServer, startProtectedServer } from '../../test/support/protected-server.ts'
import { hasScript, watchScreen } from './terminal-session.ts'

let server: ProtectedServer
let home = ''

beforeAll(async () => {
  const shop = new MCPServer('shop')
  shop.tool('ping', () => 'pong')
  const zip = { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] } as const
  shop.tool('send', { input: zip, scopes: ['write'] }, (args) => `sent to ${JSON.stringify(args)}`)
  server = await startProtectedServer({ server: shop, scopes: ['read', 'write'] })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcpwire-login-'))
  return () => rm(home, { recursive: true, force: true })
})

const env = () => ({ HOME: home, XDG_CONFIG_HOME: home, APPDATA: home })
const typed = (...args: string[]) => mcpwire(args, { env: env(), cwd: home })

const startLogin = (visit: (page: URL) => Promise<unknown>, ...args: string[]) =>
  runLogin([server.url, ...args], visit, { env: env(), cwd: home })

/** The limits of a command are not what is tested here. */
const PATIENT = ['--connect-timeout', '120']

const agree = async (page: URL) => fetch(await walkLogin(page, server.authorization.issuer))

describe('mcpwire login', () => {
  it('keeps tokens that only the owner can read, later commands use them, and logout forgets them', async () => {
    expect(await typed('call', server.url, 'ping', ...PATIENT)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`run: mcpwire login ${server.url}\n`),
    })
    expect(await typed('login', server.url, '--status')).toMatchObject({ code: 4 })
    const login = await startLogin(agree)
    expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining(`Logged in to ${server.url}`) })
    const folder = join(home, 'mcpwire/tokens')
    if (process.platform !== 'win32') {
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    }
    expect(await typed('call', server.url, 'ping', ...PATIENT)).toMatchObject({ code: 0, stdout: 'pong\n' })
    const status = JSON.parse((await typed('login', server.url, '--status', '--json')).stdout) as object
    expect(status).toMatchObject({ loggedIn: true, resource: server.url, issuer: server.authorization.issuer })
    expect(JSON.stringify(status)).not.toMatch(/accessToken|refreshToken/)
    expect(await typed('call', server.url, 'ping', ...PATIENT, '--no-login')).toMatchObject({ code: 4 })
    expect(await typed('logout', server.url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Logged out of'),
    })
    expect(await typed('call', server.url, 'ping', ...PATIENT)).toMatchObject({ code: 4 })
    expect(await typed('logout', server.url, '--json')).toMatchObject({ code: 0 })
  })

  it('an expired token is refreshed without the user, and kept; where that is not possible, the command says how to log in', async () => {
    expect((await startLogin(agree)).code).toBe(0)
    const folder = join(home, 'mcpwire/tokens')
    const readTokens = async () => {
      for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
        const file = join(folder, name)
        const kept = JSON.parse(await readFile(file, 'utf8')) as { value: Record<string, unknown> }
        if ('accessToken' in kept.value) return { file, kept }
      }
      throw new Error('There are no tokens')
    }
    const change = async (edit: (tokens: Record<string, unknown>) => object) => {
      const { file, kept } = await readTokens()
      await writeFile(file, JSON.stringify({ ...kept, value: edit(kept.value) }), { mode: 0o600 })
    }
    await change((tokens) => ({ ...tokens, accessToken: 'expired', expiresAt: 1 }))
    const requests = server.authorization.requests.length
    expect(await typed('call', server.url, 'ping', ...PATIENT)).toMatchObject({ code: 0, stdout: 'pong\n' })
    const sent = server.authorization.requests.slice(requests)
    expect(sent).toContain('POST /token')
    expect(sent.filter((request) => request.includes('/auth'))).toEqual([])
    const { value } = (await readTokens()).kept
    expect(value['accessToken']).not.toBe('expired')
    expect(value['expiresAt']).toBeGreaterThan(Date.now())
    await change(({ refreshToken: _none, ...tokens }) => ({ ...tokens, accessToken: 'expired', expiresAt: 1 }))
    const ended = await typed('call', server.url, 'ping', ...PATIENT)
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(ended.stderr).toContain('The server no longer accepts the kept login.')
    expect(ended.stderr).toContain(`run: mcpwire login ${server.url}\n`)
  })

  it.skipIf(!hasScript())('a command on a terminal logs in when the server asks for it, and goes on', async () => {
    // No browser is opened by a test: whoever looks for one finds these.
    for (const name of ['xdg-open', 'open']) await writeFile(join(home, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const session = { cwd: home, env: { ...env(), PATH: `${home}:${process.env['PATH']}` } }
    const { screen, code } = await watchScreen(['call', server.url, 'ping', ...PATIENT], session, (shown) => {
      const [, page] = /Open this URL to log in: (\S+)/.exec(shown.replaceAll('\r\n', '\n')) ?? []
      return page === undefined || !shown.includes(`${page}\r\n`) ? undefined : agree(new URL(page))
    })
    expect(code).toBe(0)
    expect(screen).toContain('The server requires a login.')
    expect(screen.trimEnd()).toMatch(/pong$/)
    expect(await typed('call', server.url, 'ping', ...PATIENT)).toMatchObject({ code: 0, stdout: 'pong\n' })
  })

  it('--client-id, --redirect-uri and --param reach the login page, and a wrong value is exit code 2', async () => {
    const port = await freePort()
    const redirectUri = `http://localhost:${port}/callback`
    let asked = new URLSearchParams()
    const login = await startLogin(
      (page) => {
        asked = page.searchParams
        const back = new URL(asked.get('redirect_uri') ?? '')
        back.search = new URLSearchParams({
          error: 'access_denied',
          state: asked.get('state') ?? '',
          iss: server.authorization.issuer,
        }).toString()
        return fetch(back)
      },
      ...[
        '--client-id',
        'mine',
        '--redirect-uri',
        redirectUri,
        '--param',
        'audience=https://api.example',
        '--no-resource',
      ],
    )
    expect(login.code).toBe(4)
    expect(login.stderr).toContain('access_denied')
    expect(login.stderr).toContain('\nRun the command again, and allow the request on the login page.')
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: 'mine',
      redirect_uri: redirectUri,
      audience: 'https://api.example',
    })
    expect(asked.has('resource')).toBe(false)
    expect(await typed('login', server.url, '--redirect-uri', 'https://example.com/callback')).toMatchObject({
      code: 2,
    })
    expect(await typed('login', server.url, '--param', 'audience')).toMatchObject({ code: 2 })
  })

  it('a tool that needs more rights than the login has is a matter of rights, and not unknown', async () => {
    await startLogin(agree, '--scope', 'read')
    expect((await typed('list', server.url, '--names', ...PATIENT)).stdout).toBe('ping\n')
    const { code, stderr } = await typed('call', server.url, 'send', 'zip=3000', ...PATIENT)
    expect(stderr).toBe(
      `mcpwire: The kept login has too few rights. The server asks for: read, write.\nRun: mcpwire login ${server.url} --scope read --scope write\n`,
    )
    expect(code).toBe(4)
    const unknown = await typed('call', server.url, 'sned', ...PATIENT)
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('The server has no tool "sned".') })
    expect(await startLogin(agree, '--scope', 'read', '--scope', 'write')).toMatchObject({ code: 0 })
    const sent = await typed('call', server.url, 'send', 'zip=3000', ...PATIENT)
    expect(sent).toMatchObject({ code: 0, stdout: 'sent to {"zip":"3000"}\n' })
  })

  it.skipIf(!hasScript())(
    'on a terminal such a tool asks for the rights, and goes on with typed arguments',
    async () => {
      await startLogin(agree, '--scope', 'read')
      for (const name of ['xdg-open', 'open']) await writeFile(join(home, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      const session = { cwd: home, env: { ...env(), PATH: `${home}:${process.env['PATH']}` } }
      const { screen, code } = await watchScreen(
        ['call', server.url, 'send', 'zip=3000', ...PATIENT],
        session,
        (shown) => {
          const [, page] = /Open this URL to log in: (\S+)/.exec(shown.replaceAll('\r\n', '\n')) ?? []
          return page === undefined || !shown.includes(`${page}\r\n`) ? undefined : agree(new URL(page))
        },
      )
      expect(screen.trimEnd()).toMatch(/sent to \{"zip":"3000"\}$/)
      expect(code).toBe(0)
    },
  )

  it('asks for the scopes of --scope', async () => {
    let asked = ''
    const login = await startLogin(
      (page) => {
        asked = page.searchParams.get('scope') ?? ''
        return agree(page)
      },
      '--scope',
      'write',
      '--json',
    )
    expect(login.code).toBe(0)
    expect(asked.split(' ')).toContain('write')
    expect(asked.split(' ')).not.toContain('read')
    expect(JSON.parse(login.stdout)).toMatchObject({ loggedIn: true })
  })

  it('a user who refuses is exit code 4, and nothing is kept', async () => {
    const login = await startLogin((page) => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '')
      const answer = {
        error: 'access_denied',
        state: page.searchParams.get('state') ?? '',
        iss: server.authorization.issuer,
      }
      back.search = new URLSearchParams(answer).toString()
      return fetch(back)
    })
    expect(login).toMatchObject({ code: 4, stdout: '' })
    expect(login.stderr).toMatch(/denied/)
    expect(login.stderr).not.toMatch(/^\s+at /m)
    expect(await typed('login', server.url, '--status')).toMatchObject({ code: 4 })
  })

  it('Ctrl-C while the browser is open ends it with 130, and nothing is kept', async () => {
    const child = startCommand(['login', server.url, '--no-open'], { env: env(), cwd: home })
    for await (const text of child.stderr.setEncoding('utf8')) if (String(text).includes('Open this URL')) break
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).toBe(130)
    expect(await typed('login', server.url, '--status')).toMatchObject({ code: 4 })
  })

  it('needs a URL, and a server that answers', async () => {
    expect(await typed('login', '--', 'node', 'x.js')).toMatchObject({ code: 2 })
    expect(await typed('login', 'http://127.0.0.1:1/mcp')).toMatchObject({ code: 3 })
    expect(await typed('logout')).toMatchObject({ code: 2 })
  })
})
