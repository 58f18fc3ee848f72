// What a handler's context shows of the request when somebody logs it: not the credentials that came along.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { sse } from '../../../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'

const headers = { authorization: 'Bearer canary-token', 'x-api-key': 'canary-key' }

describe('the context of a request', () => {
  it.each([
    ['modern', {}, 'auto'],
    ['with a session', {}, 'legacy'],
    ['without a session', { sessions: false }, 'legacy'],
    ['over HTTP+SSE', { legacySse: true }, 'sse'],
  ] as const)('R49 %s has the headers, and shows none of them to whoever logs it', async (_way, options, mode) => {
    const shown: string[] = []
    const server = new MCPServer('logging')
    server.tool('look', {}, (_args, ctx) => {
      shown.push(
        inspect(ctx, { depth: 20 }),
        inspect(ctx.request.dispatch.transport),
        JSON.stringify(ctx.request.dispatch),
      )
      return ctx.request.dispatch.transport.headers?.['x-api-key'] ?? 'none'
    })
    await using serving = await serveHttp(server, { port: 0, ...options })
    const transport =
      mode === 'sse' ? sse(new URL('/sse', serving.url), { headers }) : streamableHttp(serving.url, { headers })
    await using client = await Client.connect(transport, { mode: mode === 'auto' ? 'auto' : 'legacy' })
    const { content } = await client.callTool('look')
    expect(content).toEqual([{ type: 'text', text: 'canary-key' }])
    expect(shown).toHaveLength(3)
    expect(shown.join()).not.toContain('canary')
  })
})
