// Many callers at once, and processes that are killed: nothing of one reaches another, and nothing is left behind.
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const isFull = process.env['FULL_TESTS'] === '1'
const PRINCIPALS = 50
const ROUNDS = isFull ? 1_000 : 25
const TOKENS = Object.fromEntries(
  Array.from({ length: PRINCIPALS }, (_, index) => [
    `token-of-caller-${String(index).padStart(10, '0')}`,
    { clientId: 'c', subject: `caller-${index}`, scopes: [] },
  ]),
)
const FORM = { type: 'object', properties: { who: { type: 'string' } } } as const

describe.each([
  ['legacy', 'legacy'],
  ['modern', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
] as const)('%s callers of a %s source', (front, back) => {
  it(`compose X61 ${PRINCIPALS} of them: sessions, progress, logs, questions and answers are their own`, async () => {
    const server = new MCPServer('echo', back === 'legacy' ? { supportedVersions: ['2025-11-25'] } : {})
    const input = { type: 'object', properties: { me: { type: 'string' } } } as const
    server.tool('tell', { input }, async ({ me }, ctx) => {
      await ctx.log.warning(`log of ${me}`)
      await ctx.reportProgress(1, 2, `progress of ${me}`)
      const answer = await ctx.elicit(`question for ${me}`, FORM)
      return JSON.stringify([me, answer, ctx.http?.headers?.['mcp-session-id']])
    })
    const upstream = await serveHttp(server, { port: 0 })
    const proxy = createProxy(upstream.url, { mode: back, onFault: () => {}, client: { connectTimeoutMs: 60_000 } })
    const serving = await serveHttp(proxy.server, {
      port: 0,
      auth: (handler) =>
        requireBearer(handler, {
          resource: 'http://127.0.0.1/mcp',
          issuer: 'http://127.0.0.1:4000',
          verifier: verifyStaticTokens(TOKENS),
        }),
    })
    open.push(serving, proxy, upstream)
    const sessions = await Promise.all(
      Object.entries(TOKENS).map(async ([token, { subject }]) => {
        const heard: string[] = []
        const client = (await Client.connect(serving.url, {
          auth: token,
          mode: front,
          connectTimeoutMs: 60_000,
          logLevel: 'info',
          onLog: ({ data }) => void heard.push(String(data)),
          onElicitation: async ({ message }) => {
            heard.push(message)
            return { action: 'accept' as const, content: { who: subject } }
          },
        })) as Client
        open.unshift(client)
        const onProgress = ({ message }: { message?: string }) => void heard.push(String(message))
        const { content } = await client.callTool('tell', { me: subject }, { onProgress })
        const [me, answer, session] = JSON.parse((content as { text: string }[])[0]?.text ?? '') as unknown[]
        expect(me).toBe(subject)
        expect(answer).toEqual({ action: 'accept', content: { who: subject } })
        expect(heard.length).toBeGreaterThanOrEqual(2)
        expect(heard.filter((text) => !text.endsWith(` ${subject}`))).toEqual([])
        return session
      }),
    )
    if (back === 'legacy') expect(new Set(sessions).size).toBe(PRINCIPALS)
    expect((await proxy.health())[0]?.parked).toBe(0)
  }, 180_000)
})

const program = fileURLToPath(new URL('../../fixtures/stdio/proxied.js', import.meta.url))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it(
  `compose G030 compose P20 ${ROUNDS} rounds of connecting, calling and killing leave no process and no parked call`,
  async () => {
    const pids: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const proxy = createProxy({ command: process.execPath, args: [program] }, { mode: 'legacy', onFault: () => {} })
      const client = (await Client.connect(proxy, { mode: '2026-07-28' })) as Client
      const { content } = await client.callTool('pid')
      const pid = Number((content as { text: string }[])[0]?.text)
      pids.push(pid)
      const envelope = { clientCapabilities: { elicitation: { form: {} } } }
      const asked = await client.session.sendRaw('tools/call', { name: 'ask', arguments: {} }, { envelope })
      expect(asked['resultType']).toBe('input_required')
      expect((await proxy.health())[0]?.parked).toBe(1)
      if (round % 3 === 0) process.kill(pid, 'SIGKILL')
      if (round % 3 === 1) await client.close()
      await proxy.close()
      expect((await proxy.health())[0]).toMatchObject({ parked: 0, connections: 0 })
      await client.close()
    }
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]))
  },
  ROUNDS * 3_000,
)
