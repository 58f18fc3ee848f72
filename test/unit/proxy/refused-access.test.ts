// A source that lets nobody in: callers of a front over HTTP read of it in a JSON-RPC error, and nothing else.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { requireBearer, tokenExchange, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { META, type RawMessage } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const TOKEN = 'token-of-ada-0123456789'

async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function front(target: string, options: ProxyOptions = {}) {
  const faults: Fault[] = []
  const proxy = createProxy(target, { onFault: (fault) => faults.push(fault), ...options })
  const serving = await serveHttp(proxy.server, {
    port: 0,
    auth: (handler) =>
      requireBearer(handler, {
        resource: 'http://127.0.0.1/mcp',
        issuer: false,
        verifier: verifyStaticTokens({ [TOKEN]: { clientId: 'c', subject: 'ada', scopes: [] } }),
        keepToken: true,
      }),
  })
  open.push(proxy, serving)
  return { url: serving.url, faults }
}

async function post(url: string, message: RawMessage, headers: Record<string, string>) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
  const text = await response.text()
  const data = text.split('\n').find((line) => line.startsWith('data:') && line.includes('"id":1'))
  const { error } = JSON.parse(data?.slice('data:'.length) ?? text) as { error: RawMessage }
  return { status: response.status, challenge: response.headers.get('www-authenticate'), error, text }
}

const REQUESTS = {
  modern: [
    {
      method: 'tools/call',
      params: {
        name: 'x',
        _meta: {
          [META.version]: '2026-07-28',
          [META.info]: { name: 'raw', version: '1' },
          [META.capabilities]: {},
        },
      },
    },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' },
  ],
  legacy: [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    },
    {},
  ],
} as const

describe.each(['modern', 'legacy'] as const)('a %s client', (era) => {
  it.each([401, 403])(
    'compose A08 compose G017 a %s of the source is an error with status 200 and no challenge',
    async (status) => {
      const source = await answering((_request, response) => {
        response.writeHead(status, { 'www-authenticate': 'Bearer realm="of the source"' }).end()
      })
      const { url } = await front(`${source}/mcp`)
      const [message, headers] = REQUESTS[era]
      const answer = await post(url, message, headers)
      expect(answer).toMatchObject({
        status: 200,
        challenge: null,
        error: { code: -32603, data: { mcpwire: { id: 'G017', source: 'source' } } },
      })
      expect(answer.text).not.toContain('of the source"')
    },
  )

  it('compose G019 the exchange of its token is refused', async () => {
    const target = await answering((_request, response) => response.writeHead(500).end())
    const sent: string[] = []
    const as = await answering((request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => sent.push(chunk))
      request.on('end', () => {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: 'invalid_target', error_description: `not for ${TOKEN} by s3cret` }))
      })
    })
    const credentials = tokenExchange({
      tokenEndpoint: `${as}/token`,
      client: { id: 'gateway', secret: 's3cret' },
      audience: 'of-the-source',
    })
    const { url, faults } = await front(`${target}/mcp`, { credentials })
    const [message, headers] = REQUESTS[era]
    const answer = await post(url, message, headers)
    expect(sent.join('')).toContain('of-the-source')
    expect(answer).toMatchObject({
      status: 200,
      challenge: null,
      error: { code: -32603, data: { mcpwire: { id: 'G019', source: 'source' }, error: 'invalid_target' } },
    })
    expect(answer.text).not.toMatch(/s3cret|token-of-ada|not for/)
    expect(inspect(faults, { depth: 12 })).toContain('invalid_target')
    expect(inspect(faults, { depth: 12, showHidden: true })).not.toMatch(/s3cret|token-of-ada/)
  })
})

it('compose A08 a client that logs in keeps its token when the source refuses', async () => {
  const source = await answering((_request, response) => response.writeHead(401).end())
  const { url } = await front(`${source}/mcp`)
  let tokens = 0
  const client = await Client.connect(url, {
    mode: '2026-07-28',
    auth: () => {
      tokens += 1
      return TOKEN
    },
  })
  open.push(client)
  await expect(client.callTool('x')).rejects.toMatchObject({ data: { mcpwire: { id: 'G017' } } })
  const before = tokens
  await expect(client.callTool('x')).rejects.toMatchObject({ data: { mcpwire: { id: 'G017' } } })
  // One for each request: none was asked for once more because of a 401.
  expect(tokens - before).toBeLessThanOrEqual(1)
})
