// Headers that decide something and come twice: who reads the first and who reads the last must not be played off.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireBearer } from 'mcpwire/auth'
import { toNodeHandler } from 'mcpwire/node'
import { createHandler, MCPServer, toFetch } from 'mcpwire/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modernBody, modernHeaders } from '../../../../support/modern-messages.ts'
import { rawRequest, sendRaw } from '../../../../support/raw-http.ts'

const call = { params: { name: 'touch' } }
const body = JSON.stringify(modernBody(call))
const headers = { ...modernHeaders(call), authorization: 'Bearer good' }

let touched = 0
const server = new MCPServer('guarded', { onFault: () => {} })
server.tool('touch', {}, () => {
  touched += 1
  return 'touched'
})
const handler = createHandler(server, {
  auth: (inner) =>
    requireBearer(inner, {
      resource: 'http://localhost/mcp',
      issuer: 'https://id.example',
      verifier: async () => ({
        clientId: 'c',
        scopes: [],
        resource: 'http://localhost/mcp',
        issuer: 'https://id.example',
      }),
    }),
})
const http = createServer(toNodeHandler(handler))
beforeAll(() => new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve)))
afterAll(async () => {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
  await handler.close({ drainMs: 0 })
})

const post = (lines: readonly (readonly [string, string])[]) =>
  sendRaw((http.address() as AddressInfo).port, rawRequest({ headers: lines, body }))

/** The good value, and the value that a second line brings. */
const TWICE: [name: string, first: string, second: string][] = [
  ['host', 'localhost', 'localhost'],
  ['host', 'localhost', 'evil.example'],
  ['origin', 'http://localhost', 'http://localhost'],
  ['origin', 'http://localhost', 'https://evil.example'],
  ['sec-fetch-site', 'same-origin', 'cross-site'],
  ['sec-fetch-site', 'cross-site', 'same-origin'],
  ['sec-fetch-site', 'none', 'none'],
  ['authorization', 'Bearer good', 'Bearer good'],
  ['authorization', 'Bearer good', 'Basic eDp5'],
  ['content-type', 'application/json', 'text/plain'],
  ['content-type', 'application/json', 'application/json'],
  ['content-length', String(body.length), '5'],
  ['mcp-protocol-version', '2026-07-28', '2025-11-25'],
  ['mcp-protocol-version', '2026-07-28', '2026-07-28'],
  ['mcp-method', 'tools/call', 'tools/list'],
  ['mcp-method', 'tools/call', 'tools/call'],
  ['mcp-name', 'touch', 'other'],
  ['mcp-name', 'touch', 'touch'],
]

describe('a header that comes twice', () => {
  it('is not in a request that passes', async () => {
    expect((await post(Object.entries(headers))).status).toBe(200)
    expect(touched).toBe(1)
  })

  it.each(TWICE)('%s: %s, then %s is rejected before anything runs', async (name, first, second) => {
    const before = touched
    const others = Object.entries({ ...headers, ...(name !== 'host' && { host: 'localhost' }) })
    const lines = [...others.filter(([other]) => other !== name), [name, first], [name, second]] as const
    expect((await post(lines)).status).toBeGreaterThanOrEqual(400)
    expect(touched).toBe(before)
  })
})

describe('Sec-Fetch-Site', () => {
  const fetch = toFetch(createHandler(server))
  const statusOf = async (site: string | undefined) => {
    const sent = new Headers(modernHeaders(call))
    if (site !== undefined) sent.set('sec-fetch-site', site)
    return (await fetch(new Request('http://localhost/mcp', { method: 'POST', headers: sent, body }))).status
  }

  it.each([undefined, 'same-origin', 'same-site', 'none'])('%s passes', async (site) => {
    expect(await statusOf(site)).toBe(200)
  })

  it.each(['cross-site', 'Cross-Site', 'same-origin, cross-site', 'cross-site, same-origin', 'none, none', '', 'x'])(
    '%j is refused: what is joined or unknown fails closed',
    async (site) => {
      expect(await statusOf(site)).toBe(403)
    },
  )
})
