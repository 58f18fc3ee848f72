// Connections that need more than the usual: a server of the older HTTP transport, a token that ends, rights that are missing.
import { MCPServer } from 'mcpwire'
import { memoryTokenStore } from 'mcpwire/auth'
import { serveHttp } from 'mcpwire/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AuthRecord } from '../../inspector/backend/connection/auth-state.ts'
import type { InspectorState } from '../../inspector/protocol/state.ts'
import { startProtectedServer } from '../support/protected-server.ts'
import { createWorld, eventsOf, type World } from './support.ts'

const first = (state: InspectorState) => state.connections[0]

async function logIn(world: World, login: (url: string) => Promise<URL>): Promise<void> {
  const state = await eventsOf(world).until((one) => first(one)?.auth.loginUrl !== undefined)
  await fetch(await login(first(state)?.auth.loginUrl ?? ''))
}

it('a server that knows HTTP+SSE only is reached by it, and the steps say so', async () => {
  const server = new MCPServer('old')
  server.tool('add', () => 3)
  await using serving = await serveHttp(server, { port: 0, legacySse: true })
  const url = new URL('/sse', serving.url).href
  await using world = await createWorld({ target: { url, headers: {} } })
  const state = await eventsOf(world).until((one) => first(one)?.status === 'ready')
  expect(first(state)).toMatchObject({ era: 'legacy', target: url })
  expect(first(state)?.steps.map(({ note }) => note)).toContain('Not Streamable HTTP. HTTP+SSE is tried.')
  const { call } = (await (
    await world.api('call', { connection: first(state)?.id, kind: 'tool', name: 'add', args: {} })
  ).json()) as { call: string }
  const ended = await eventsOf(world).until((one) =>
    one.calls.some(({ id, status }) => id === call && status === 'done'),
  )
  expect(ended.calls).toHaveLength(1)
})

it('where neither transport is known, the first answer is the one that is shown', async () => {
  await using serving = await serveHttp(new MCPServer('elsewhere'), { port: 0 })
  await using world = await createWorld({ target: { url: new URL('/nothing', serving.url).href, headers: {} } })
  const state = await eventsOf(world).until((one) => first(one)?.status === 'failed')
  expect(first(state)?.problem?.message).toContain('Not found. The MCP endpoint is at /mcp')
})

it('Auth: a token that ends is shown as expired at that moment, though nothing else happens', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const statuses: string[] = []
  const auth = new AuthRecord(() => void statuses.push(auth.state.status))
  const store = auth.watch(memoryTokenStore())
  const tokens = (seconds: number) => ({ accessToken: 'eyJhbGciOi', expiresAt: Date.now() + seconds * 1000 })
  await store.set('key', tokens(300) as never)
  await vi.advanceTimersByTimeAsync(299_000)
  expect(statuses).toEqual(['logged-in'])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(statuses).toEqual(['logged-in', 'expired'])
  expect(auth.state.token?.preview).toMatch(/10 bytes/)
  // A token that was renewed in time does not expire when the one before would have.
  await store.set('key', tokens(10) as never)
  await store.set('key', tokens(300) as never)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(statuses.at(-1)).toBe('logged-in')
})

it('Auth: a tool that needs more rights asks for them, and the call goes on after the login', async () => {
  const server = new MCPServer('shop')
  server.tool('refund', { scopes: ['write'] }, () => 'refunded')
  await using protectedServer = await startProtectedServer({
    server,
    scopes: ['mcp', 'write'],
    bearer: { scopes: ['mcp'] },
  })
  await using world = await createWorld({ target: { url: protectedServer.url, headers: {} } })
  await logIn(world, protectedServer.authorization.login)
  const ready = await eventsOf(world).until((one) => first(one)?.status === 'ready')
  await world.api('call', { connection: first(ready)?.id, kind: 'tool', name: 'refund', args: {} })
  const asked = await eventsOf(world).until((one) => first(one)?.auth.status === 'step-up')
  expect(first(asked)?.auth.loginUrl).toContain('write')
  await logIn(world, protectedServer.authorization.login)
  const done = await eventsOf(world).until((one) => one.calls[0]?.status === 'done')
  expect(first(done)?.auth).toMatchObject({ status: 'logged-in', token: { scopes: expect.arrayContaining(['write']) } })
  await server.close()
})

it('Auth: where the user refuses those rights, the authorization has failed, and nobody is asked to log in any more', async () => {
  const server = new MCPServer('shop')
  server.tool('refund', { scopes: ['write'] }, () => 'refunded')
  await using protectedServer = await startProtectedServer({
    server,
    scopes: ['mcp', 'write'],
    bearer: { scopes: ['mcp'] },
  })
  await using world = await createWorld({ target: { url: protectedServer.url, headers: {} } })
  await logIn(world, protectedServer.authorization.login)
  const ready = await eventsOf(world).until((one) => first(one)?.status === 'ready')
  await world.api('call', { connection: first(ready)?.id, kind: 'tool', name: 'refund', args: {} })
  const asked = await eventsOf(world).until((one) => first(one)?.auth.status === 'step-up')
  const { searchParams } = new URL(first(asked)?.auth.loginUrl ?? '')
  const back = new URL(searchParams.get('redirect_uri') ?? '')
  const refusal = { error: 'access_denied', state: searchParams.get('state') ?? '' }
  back.search = new URLSearchParams({ ...refusal, iss: protectedServer.authorization.issuer }).toString()
  await fetch(back)
  const refused = await eventsOf(world).until((one) => one.calls[0]?.status === 'failed')
  expect(first(refused)?.auth).toMatchObject({
    status: 'failed',
    problem: { message: expect.stringContaining('access_denied') },
  })
  expect(first(refused)?.auth.loginUrl).toBeUndefined()
  await server.close()
})
