// Every attack of the hostile server, on a client that logs in over real sockets.
import { inspect } from 'node:util'
import { OAuthError, oauth } from 'mcpwire/auth'
import { describe, expect, it } from 'vitest'
import type { PostResponse } from '../../../../src/http/poster.ts'
import { createNodePoster } from '../../../../src/node/http/poster.ts'
import {
  type HostileScript,
  type HostileServer,
  startHostileServer,
} from '../../../support/hostile-authorization-server.ts'
import {
  type Attack,
  CALLBACK_ATTACKS,
  HOSTILE_CHALLENGES,
  METADATA_ATTACKS,
  ODD_LIFETIMES,
  TOKEN_ATTACKS,
} from '../../../support/oauth-attacks.ts'
import { REDIRECT_URI } from './login-support.ts'

interface Outcome {
  readonly server: HostileServer
  readonly response: PostResponse | undefined
  readonly error: unknown
  call(): Promise<PostResponse>
}

async function attack(script: HostileScript, work: (outcome: Outcome) => Promise<void>): Promise<void> {
  await using server = await startHostileServer(script)
  const poster = createNodePoster()
  let back: URL | undefined
  const provider = oauth({
    redirectUri: REDIRECT_URI,
    redirect: async (url) => {
      back = await server.login(url)
    },
    callback: async () => back ?? new URLSearchParams(),
  })
  const authorized = provider.authorize(poster, new URL(server.resource))
  const call = () => authorized({ method: 'POST', url: server.resource, headers: {}, body: '{}' })
  try {
    const [response, error] = await call().then(
      (answer) => [answer, undefined] as const,
      (reason: unknown) => [undefined, reason] as const,
    )
    await work({ server, response, error, call })
    expect(server.trapped).toEqual([])
  } finally {
    poster.close?.()
  }
}

describe('a hostile server', () => {
  it.each<Attack>([...METADATA_ATTACKS, ...CALLBACK_ATTACKS, ...TOKEN_ATTACKS])(
    '$name',
    async ({ script, neverReaches }) => {
      await attack(script, async ({ server, error }) => {
        expect(error).toBeInstanceOf(OAuthError)
        expect(error).toMatchObject({ step: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/) })
        if (neverReaches !== undefined) expect(server.reached(neverReaches)).toBe(false)
        const shown = inspect(error, { depth: 10, showHidden: true })
        expect(shown).not.toMatch(/SECRET/)
      })
    },
  )

  it.each<Attack>([...HOSTILE_CHALLENGES])('$name leads nowhere else', async ({ script }) => {
    await attack(script, async ({ response, error }) => {
      if (response === undefined) expect(error).toBeInstanceOf(OAuthError)
      else expect(response.status).toBe(200)
      response?.cancel()
    })
  })

  it.each(ODD_LIFETIMES)('F172 a lifetime of %j costs one login', async (expires_in) => {
    await attack({ token: () => ({ expires_in }) }, async ({ server, response, call }) => {
      expect(response?.status).toBe(200)
      for (let count = 0; count < 3; count++) expect((await call()).status).toBe(200)
      expect(server.seen.filter(({ path }) => path === '/token')).toHaveLength(1)
    })
  })
})
