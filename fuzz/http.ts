// Raw HTTP: for any bytes, the server responds or closes the connection, never with 500, and continues to serve others.
import { connect } from 'node:net'
import fc from 'fast-check'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../src/node/http/serve-http.ts'
import type { HttpServing } from '../src/server/http/serve-options.ts'
import { modernBody, modernHeaders } from '../test/support/modern-messages.ts'
import { rawRequest, sendRaw } from '../test/support/raw-http.ts'
import { nearlyJSON } from './pieces.ts'
import { asProperty, demand, type FuzzTarget } from './target.ts'

/** A limit for connections that hang. */
const PATIENCE_MS = 60_000
let serving: Promise<HttpServing> | undefined

function serve(): Promise<HttpServing> {
  serving ??= startServer()
  return serving
}

async function startServer(): Promise<HttpServing> {
  const server = new MCPServer('fuzzed', { onFault: () => {} })
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) =>
    String(text),
  )
  return await serveHttp(server, { port: 0 })
}

const method = fc.constantFrom('POST', 'GET', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'get', 'PATCH')
const path = fc.constantFrom(
  '/mcp',
  '/mcp?x=1',
  '/',
  '/mcp/',
  '//mcp',
  '/mcp#x',
  '*',
  'http://evil.example/mcp',
  '/%6dcp',
  '/../mcp',
)
const good = modernBody({ method: 'tools/call', params: { name: 'echo', arguments: { text: 'hello' } } })
const goodHeaders = Object.entries(modernHeaders({ method: 'tools/call', params: { name: 'echo' } }))
const header = fc.constantFrom<readonly [string, string]>(
  ['Host', 'localhost'],
  ['Host', 'evil.example'],
  ['Host', ''],
  ['Origin', 'http://evil.example'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Accept', 'text/html'],
  ['Accept', '*/*;q=0'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=latin1'],
  ['Content-Length', '3'],
  ['Content-Length', '-1'],
  ['Content-Length', '99999999999'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Content-Encoding', 'gzip'],
  ['Expect', '100-continue'],
  ['Connection', 'close'],
  ['Upgrade', 'websocket'],
  ['MCP-Protocol-Version', '2025-06-18'],
  ['MCP-Protocol-Version', '1999-01-01'],
  ['Mcp-Session-Id', 'none'],
  ['Mcp-Method', 'tools/list'],
  ['Mcp-Name', '=?base64?w==?='],
  ['Last-Event-ID', '1:1'],
  ['Authorization', 'Bearer x'],
  ['X'.repeat(100), 'y'.repeat(1_000)],
)
const body = fc.oneof(
  fc.constant(JSON.stringify(good)),
  nearlyJSON,
  fc.constantFrom('5\r\n{"a":\r\n0\r\n\r\n', 'ffffffffff\r\nx', '0\r\n\r\n', '\r\n\r\n'),
)
const request = fc
  .tuple(method, path, fc.array(header, { maxLength: 4 }), fc.boolean(), body)
  .map(([verb, target, headers, isDressed, content]) =>
    rawRequest({ method: verb, path: target, headers: [...(isDressed ? goodHeaders : []), ...headers], body: content }),
  )
/** Mostly requests, sometimes with some bytes changed. */
const bytes = fc
  .tuple(request, fc.option(fc.tuple(fc.nat(), fc.constantFrom('\0', '\n', '\r', ' ', ':', 'é', '')), { freq: 2 }))
  .map(([text, change]) => {
    if (change === null) return text
    const at = change[0] % text.length
    return text.slice(0, at) + change[1] + text.slice(at + 1)
  })

/** The status line of the response; empty if the connection was closed without a response. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    const timer = setTimeout(() => done(() => reject(new Error('neither answered nor closed'))), PATIENCE_MS)
    const done = (settle: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      settle()
    }
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      answer += piece
      if (answer.includes('\r\n')) done(() => resolve(answer.slice(0, answer.indexOf('\r\n'))))
    })
    socket.on('error', () => done(() => resolve('')))
    socket.on('close', () => done(() => resolve('')))
    // Ends the request, so that the server doesn't wait for the rest.
    socket.end(text, 'utf8')
  })
}

export const httpTarget: FuzzTarget = {
  name: 'http',
  about: 'for any bytes on a connection, the server responds below 500 or closes it, and continues to serve others',
  runs: 600,
  property: asProperty(
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 3 }), async (requests) => {
      const { url } = await serve()
      const port = Number(new URL(url).port)
      for (const line of await Promise.all(requests.map((text) => send(port, text)))) {
        if (line === '') continue
        const [, status = ''] = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line) ?? []
        demand(status !== '', `answered ${JSON.stringify(line)}`)
        // Of the 5xx statuses only 501 and 505 are allowed.
        demand(Number(status) < 500 || status === '501' || status === '505', `answered ${line}`)
      }
      const answer = await sendRaw(port, rawRequest({ headers: goodHeaders, body: JSON.stringify(good) }))
      demand(answer.status === 200 && answer.body.includes('hello'), `no longer serves: ${answer.status}`)
    }),
  ),
  close: async () => {
    await (await serving)?.close()
    serving = undefined
  },
}
