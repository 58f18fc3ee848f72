// Two lines of a user against a real authorization server: the whole way, through sockets, discovery, login and calls.
import { Client, MCPServer } from 'mcpwire'
import { clientCredentials, memoryTokenStore, type OAuthOptions, oauth } from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TestAuthorizationServer } from '../../../support/authorization-server.ts'
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from '../../../support/protected-server.ts'

function createNotes(): MCPServer {
  const server = new MCPServer('notes', { version: '1.0.0' })
  server.tool('whoami', {}, (_input, { auth }) => auth?.subject ?? auth?.clientId ?? 'nobody')
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  return server
}

function start(options: Partial<ProtectedServerOptions> = {}): Promise<ProtectedServer> {
  return startProtectedServer({
    server: createNotes(),
    scopes: ['notes:read', 'notes:write'],
    ...options,
    bearer: { scopes: ['notes:read'], ...options.bearer },
  })
}

/** The user and the browser, who come back to whatever address the client listens at. */
function browse(authorization: TestAuthorizationServer): OAuthOptions['redirect'] {
  return async (url) => {
    const back = await authorization.login(url)
    await fetch(back)
  }
}

describe.each(['auto', 'legacy'] as const)('logging in at a real authorization server (%s)', (mode) => {
  it('takes two lines', async () => {
    await using server = await start()
    const redirect = browse(server.authorization)!
    await using client = await Client.connect(
      streamableHttp(server.url, { auth: oauth({ clientName: 'x', redirect }) }),
      { mode },
    )
    expect(await client.callTool('whoami', {})).toMatchObject({ content: [{ text: 'ada' }] })
  })

  it('a user who takes longer than any timeout is waited for, with one login page', async () => {
    await using server = await start()
    const { authorization } = server
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let pages = 0
    const redirect = async (url: URL) => {
      pages += 1
      // Longer than the probe and the calls below may take.
      await vi.advanceTimersByTimeAsync(1_500)
      await fetch(await authorization.login(url))
    }
    const transport = streamableHttp(server.url, { auth: oauth({ redirect }) })
    await using client = await Client.connect(transport, { mode, probeTimeoutMs: 1_000, timeoutMs: 1_000 })
    expect(client.protocolVersion).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
    expect(pages).toBe(1)
  })

  it('a login that fails reaches the caller as what it is', async () => {
    await using server = await start()
    const auth = oauth({ redirect: () => Promise.reject(new Error('no screen')) })
    const connecting = Client.connect(streamableHttp(server.url, { auth }), { mode })
    await expect(connecting).rejects.toMatchObject({
      phase: 'authorize',
      cause: { name: 'OAuthError', code: 'redirect_failed', step: 'authorization' },
    })
  })

  it('refreshes and keeps its tokens for another client', async () => {
    await using server = await start()
    const auth = oauth({ redirect: browse(server.authorization)!, store: memoryTokenStore() })
    for (let count = 0; count < 2; count++) {
      await using client = await Client.connect(streamableHttp(server.url, { auth }), { mode })
      await client.listTools()
    }
    expect(server.authorization.requests.filter((request) => request === 'POST /token')).toHaveLength(1)
  })

  it('binds its tokens to a key with dpop', async () => {
    await using server = await start({ bearer: { dpop: {} }, authorization: { dpopNonce: false } })
    const redirect = browse(server.authorization)!
    await using client = await Client.connect(streamableHttp(server.url, { auth: oauth({ redirect, dpop: true }) }), {
      mode,
    })
    expect(await client.callTool('whoami', {})).toMatchObject({ content: [{ text: 'ada' }] })
  })
})

describe('a tool that needs more', () => {
  it('C-AUTH-24 steps up where a tool needs a further scope', async () => {
    await using server = await start()
    const asked: (string | null)[] = []
    const redirect = browse(server.authorization)!
    const auth = oauth({
      redirect: (url) => {
        asked.push(url.searchParams.get('scope'))
        return redirect(url)
      },
    })
    await using client = await Client.connect(streamableHttp(server.url, { auth }))
    expect(await client.callTool('write', {})).toMatchObject({ content: [{ text: 'written' }] })
    expect(asked.map((scope) => scope?.includes('notes:write'))).toEqual([false, true])
  })
})

describe('machines at a real authorization server', () => {
  it('get tokens for their own credentials', async () => {
    const machine = {
      client_id: 'machine',
      client_secret: 'machine-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    }
    await using server = await start({ authorization: { clients: [machine] } })
    const { issuer } = server.authorization
    const auth = clientCredentials({ clientId: 'machine', clientSecret: 'machine-secret', issuer })
    await using client = await Client.connect(streamableHttp(server.url, { auth }))
    expect(await client.callTool('whoami', {})).toMatchObject({ content: [{ text: 'machine' }] })
  })
})
