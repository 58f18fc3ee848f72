// Logins at a server that means harm: each ends in a typed error before anything is given away.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { oauth } from '../../../../src/auth/client/oauth.ts'
import { createFetchPoster } from '../../../../src/http/fetch-poster.ts'
import type { PostResponse } from '../../../../src/http/poster.ts'
import { OAuthError } from '../../../../src/types/errors/failures.ts'
import { GOOD_TOKEN, type HostileServer, startHostileServer } from '../../../support/hostile-authorization-server.ts'
import {
  type Attack,
  CALLBACK_ATTACKS,
  HOSTILE_CHALLENGES,
  METADATA_ATTACKS,
  ODD_LIFETIMES,
  TOKEN_ATTACKS,
} from '../../../support/oauth-attacks.ts'

/** A client that logs in by itself, as its user would. Each call is one request to the resource. */
function clientOf(server: HostileServer): () => Promise<PostResponse> {
  let page: URL | undefined
  const provider = oauth({
    redirectUri: 'http://127.0.0.1:1/callback',
    redirect: (url) => {
      page = url
    },
    callback: () => (page === undefined ? Promise.reject(new Error('no page')) : server.login(page)),
    requestTimeoutMs: 5_000,
  })
  const poster = provider.authorize(createFetchPoster(), new URL(server.resource))
  return () => poster({ method: 'POST', url: server.resource, headers: {}, body: '{}' })
}

function expectNothingGivenAway(server: HostileServer, error: unknown): void {
  expect(server.trapped).toEqual([])
  const shown = inspect(error, { depth: 9, showHidden: true })
  for (const secret of server.secrets) expect(shown).not.toContain(secret)
}

async function expectRefusal({ script, neverReaches }: Attack): Promise<void> {
  await using server = await startHostileServer(script)
  const error = await clientOf(server)().then(
    (response) => `a response with status ${response.status}`,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(OAuthError)
  expect((error as OAuthError).step).toBeDefined()
  if (neverReaches !== undefined) expect(server.reached(neverReaches)).toBe(false)
  expectNothingGivenAway(server, error)
}

describe('a login', () => {
  it('succeeds at an honest server', async () => {
    await using server = await startHostileServer()
    const response = await clientOf(server)()
    expect(response.status).toBe(200)
    expect(await response.text(1_000)).toContain('welcome')
  })

  it.each(METADATA_ATTACKS.map((attack) => [attack.name, attack] as const))('stops at: %s', (_name, attack) =>
    expectRefusal(attack),
  )

  it.each(CALLBACK_ATTACKS.map((attack) => [attack.name, attack] as const))(
    'stops at the callback: %s',
    (_name, attack) => expectRefusal(attack),
  )

  it.each(TOKEN_ATTACKS.map((attack) => [attack.name, attack] as const))('takes for no token: %s', (_name, attack) =>
    expectRefusal(attack),
  )

  it.each(HOSTILE_CHALLENGES.map((attack) => [attack.name, attack] as const))(
    'is led nowhere by a challenge: %s',
    async (_name, { script }) => {
      await using server = await startHostileServer(script)
      const outcome = await clientOf(server)().then(
        (response) => response.status,
        (error: unknown) => error,
      )
      if (outcome !== 200) expect(outcome).toBeInstanceOf(OAuthError)
      expectNothingGivenAway(server, outcome)
    },
  )

  it.each(ODD_LIFETIMES)('F172 gets on with expires_in %j, without a storm', async (expires_in) => {
    await using server = await startHostileServer({ token: () => ({ expires_in }) })
    const send = clientOf(server)
    for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200)
    expect(server.seen.filter(({ path }) => path === '/authorize')).toHaveLength(1)
    expect(server.seen.filter(({ path }) => path === '/token').length).toBeLessThanOrEqual(3)
  })

  it('F167 ends when the server rejects every token', async () => {
    await using server = await startHostileServer({ token: () => ({ access_token: 'never-good-enough' }) })
    const error = await clientOf(server)().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OAuthError)
    expect(server.seen.filter(({ path }) => path === '/mcp').length).toBeLessThanOrEqual(4)
  })

  it('F183 never puts a token into a URL', async () => {
    await using server = await startHostileServer()
    await clientOf(server)()
    expect(server.seen.map(({ path }) => path).join(' ')).not.toContain(GOOD_TOKEN)
  })
})
