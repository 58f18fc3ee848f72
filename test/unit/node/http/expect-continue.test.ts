// `Expect: 100-continue`: nobody is told to send a body that would be refused anyway.
import { once } from 'node:events'
import { requireBearer } from 'mcpwire/auth'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it } from 'vitest'
import { serveHttp } from '../../../../src/node/http/serve-http.ts'
import type { ServeHttpOptions } from '../../../../src/server/http/serve-options.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'
import { openRaw } from '../../../support/raw-http.ts'

const request = { params: { name: 'greet' } }
const body = JSON.stringify(modernBody(request))

interface Sent {
  options?: ServeHttpOptions
  headers?: Record<string, string>
  path?: string
}

/** Sends the head alone, and the body once told to go on; gives the status lines that came. */
async function statuses({ options = {}, headers = {}, path = '/mcp' }: Sent): Promise<string[]> {
  const server = new MCPServer('careful')
  server.tool('greet', {}, () => 'hello')
  await using serving = await serveHttp(server, { port: 0, ...options })
  const socket = openRaw(serving.port)
  const all: Record<string, string> = {
    host: `127.0.0.1:${serving.port}`,
    ...modernHeaders(request),
    'content-length': String(body.length),
    expect: '100-continue',
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let text = ''
  let isSent = false
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (isSent || !text.startsWith('HTTP/1.1 100')) return
    isSent = true
    socket.write(body)
  })
  await once(socket, 'close')
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status as string)
}

describe('Expect: 100-continue', () => {
  it('is answered with 100 once everything but the body has been checked, and then with the result', async () => {
    expect(await statuses({})).toEqual(['100', '200'])
  })

  it.each<[string, string, Sent]>([
    ['a host that is not allowed', '403', { headers: { host: 'evil.example' } }],
    ['an origin that is not allowed', '403', { headers: { origin: 'https://evil.example' } }],
    ['a size that is declared too large', '413', { options: { maxBodyBytes: 10 } }],
    ['a body that is no JSON', '415', { headers: { 'content-type': 'text/plain' } }],
    ['another path', '404', { path: '/other' }],
    [
      'a caller without a token',
      '401',
      {
        options: {
          auth: (handler) =>
            requireBearer(handler, {
              resource: 'https://careful.example/mcp',
              issuer: 'https://id.example',
              verifier: { verify: async () => undefined },
            }),
        },
      },
    ],
  ])('passes the guard first: %s is refused with %s and never told to go on', async (_case, status, sent) => {
    expect(await statuses(sent)).toEqual([status])
  })
})
