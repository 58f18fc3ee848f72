// Our Streamable HTTP client against servers of the official SDK, both lines of it, as their users write them.
import { randomUUID } from 'node:crypto'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as NewMcpServer } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Transport } from '../../../../src/dispatcher/channel.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'
import { serveLocally } from '../../http/local-server.ts'

interface Serving {
  url: string
  /** Lets the server forget every session, as a restart does. */
  forget(): void
}

/** A server of the first line. With sessions there is one transport per session, without there is one per request. */
async function serveFirst({ hasSessions, isJson }: { hasSessions: boolean; isJson: boolean }): Promise<Serving> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: isJson,
      ...(hasSessions && {
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id: string) => void sessions.set(id, transport),
      }),
    } as ConstructorParameters<typeof StreamableHTTPServerTransport>[0])
    const mcp = new McpServer({ name: 'official', version: '1.0.0' })
    mcp.registerTool('greet', { description: 'Greets.' }, async ({ sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken
      if (progressToken !== undefined && !isJson) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      }
      return { content: [{ type: 'text', text: 'Hello.' }] }
    })
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
    return transport
  }
  const server = await serveLocally(async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && known === undefined) return response.writeHead(404).end()
    return (known ?? (await open())).handleRequest(request, response)
  })
  return { url: `${server.origin}/mcp`, forget: () => sessions.clear() }
}

async function connect(target: string | Transport, options: ClientOptions): Promise<Client> {
  const client = await Client.connect(target, options)
  onTestFinished(() => client.close())
  return client
}

async function greet(client: Client): Promise<void> {
  expect(client.serverInfo).toMatchObject({ name: 'official' })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet'])
  expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'Hello.' }])
}

describe.each(['auto', 'legacy'] as const)('a server of the first line, mode %s', (mode) => {
  it.each([
    { hasSessions: true, isJson: false },
    { hasSessions: true, isJson: true },
    { hasSessions: false, isJson: false },
    { hasSessions: false, isJson: true },
  ])('%j', async (kind) => {
    const { url } = await serveFirst(kind)
    const client = await connect(url, { mode })
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    await greet(client)
  })

  it('reports progress before the result', async () => {
    const { url } = await serveFirst({ hasSessions: true, isJson: false })
    const client = await connect(url, { mode })
    const onProgress = vi.fn()
    await client.callTool('greet', {}, { onProgress })
    expect(onProgress).toHaveBeenCalledExactlyOnceWith({ progress: 1 })
  })

  it('F153 that has forgotten the session gets a new one', async () => {
    const { url, forget } = await serveFirst({ hasSessions: true, isJson: false })
    const client = await connect(url, { mode })
    forget()
    await greet(client)
  })
})

describe('a server of the second line', () => {
  function transport(): Transport {
    const handler = createMcpHandler(() => {
      const mcp = new NewMcpServer({ name: 'official', version: '2.0.0' })
      mcp.registerTool('greet', { description: 'Greets.' }, async () => ({
        content: [{ type: 'text', text: 'Hello.' }],
      }))
      return mcp
    })
    const fetch = async (url: string | URL | Request, init?: RequestInit) => handler.fetch(new Request(url, init))
    return streamableHttp('http://localhost:3000/mcp', { fetch })
  }

  it('speaks the modern era', async () => {
    const client = await connect(transport(), {})
    expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
    await greet(client)
  })

  it('speaks the legacy era', async () => {
    const client = await connect(transport(), { mode: 'legacy' })
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    await greet(client)
  })
})
