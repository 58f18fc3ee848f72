import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { sse } from '../../../../src/client/transports/sse.ts'
import { serveLocally } from '../../http/local-server.ts'

/** A server of the official SDK, as its users write one. */
async function serveOfficial(): Promise<string> {
  const transports = new Map<string, SSEServerTransport>()
  const server = await serveLocally(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response)
      transports.set(transport.sessionId, transport)
      const mcp = new McpServer({ name: 'official', version: '1.0.0' })
      mcp.registerTool('greet', { description: 'Greets.' }, async () => ({
        content: [{ type: 'text', text: 'Hello.' }],
      }))
      return mcp.connect(transport)
    }
    const transport = transports.get(url.searchParams.get('sessionId') ?? '')
    if (transport === undefined) return response.writeHead(404).end()
    return transport.handlePostMessage(request, response)
  })
  return `${server.origin}/sse`
}

describe('HTTP+SSE with the official SDK', () => {
  it.each(['auto', 'legacy'] as const)('a client in mode %s negotiates, lists and calls', async (mode) => {
    const client = await Client.connect(sse(await serveOfficial()), { mode })
    expect(client.serverInfo).toMatchObject({ name: 'official' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet'])
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'Hello.' }])
    await client.close()
  })
})
