// A login over the transport of 2024-11-05: its stream is opened by a request that may have to wait for the user.
import { oauth } from 'mcpwire/auth'
import { sse } from 'mcpwire/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serveScriptedOAuth } from '../../../support/scripted-oauth.ts'

it('a user who takes longer than the endpoint may is waited for', async () => {
  await using served = await serveScriptedOAuth()
  const as = served.oauth
  as.routes.set(`GET ${as.resource}`, ({ headers }) => {
    const isKnown = as.accessTokens.has(headers['authorization']?.slice('Bearer '.length) ?? '')
    if (!isKnown) return { status: 401, headers: { 'www-authenticate': as.challenge() } }
    const body = 'event: endpoint\ndata: /messages\n\n'
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const redirect = async (url: URL) => {
    await vi.advanceTimersByTimeAsync(1_500)
    await fetch(as.browse(url))
  }
  const channel = await sse(as.resource, { auth: oauth({ redirect }), endpointTimeoutMs: 1_000 }).open()
  expect(as.authorizations).toHaveLength(1)
  await channel.close()
})
