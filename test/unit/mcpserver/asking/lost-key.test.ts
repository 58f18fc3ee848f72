// The warning that a state can't be decrypted after a restart: reported once, only where that can happen, with the fix.
import { execFileSync } from 'node:child_process'
import { Client, MCPServer } from 'mcpwire'
import { memory } from 'mcpwire/backend'
import { streamableHttp } from 'mcpwire/client'
import { createHandler, toFetch } from 'mcpwire/server'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { z } from 'zod'

let written: MockInstance<typeof console.error>
beforeEach(() => {
  written = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  written.mockRestore()
})
const linesOf = () => written.mock.calls.map(([text]) => String(text))

function askingServer(options: ConstructorParameters<typeof MCPServer>[1] = {}): MCPServer {
  const server = new MCPServer('asking', options)
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Sure?', z.object({}))).action)
  server.tool('tell', {}, () => 'told')
  return server
}

/** Calls over HTTP, at an address of this kind, as often as there are names. */
async function call(server: MCPServer, url: string, ...names: string[]): Promise<void> {
  const handler = createHandler(server)
  const fetch = toFetch(handler)
  const target = streamableHttp(url, { fetch: (input, init) => fetch(new Request(input, init)) })
  await using client = await Client.connect(target, { onElicitation: () => ({ action: 'decline' }) })
  for (const name of names) await client.callTool(name)
  await handler.close()
}

describe('the warning of a key that is lost on restart', () => {
  it('is reported once, when the first state is encrypted at a network address', async () => {
    await call(askingServer(), 'https://tools.example.com/mcp', 'ask', 'ask')
    expect(linesOf()).toEqual([
      expect.stringContaining('Its state is encrypted with a key that is lost on restart. Set requestState.keys to'),
    ])
  })

  it('names a command that makes a key which can be used', async () => {
    await call(askingServer(), 'https://tools.example.com/mcp', 'ask')
    const script = /Create a key: node -p "(.+)"/.exec(linesOf()[0] ?? '')?.[1] ?? ''
    const key = execFileSync(process.execPath, ['-p', script], { encoding: 'utf8' }).trim()
    await call(askingServer({ requestState: { keys: [key] } }), 'https://tools.example.com/mcp', 'ask')
    expect(linesOf()).toHaveLength(1)
  })

  it.each([
    ['a server starts and nobody asks', {}, 'https://tools.example.com/mcp', ['tell']],
    ['the server is on loopback', {}, 'http://127.0.0.1:3000/mcp', ['ask']],
    ['the server is localhost', {}, 'http://localhost:3000/mcp', ['ask']],
    ['keys are given', { requestState: { keys: ['k'.repeat(32)] } }, 'https://tools.example.com/mcp', ['ask']],
  ])('is not said where %s', async (_where, options, url, names) => {
    await call(askingServer(options), url, ...names)
    expect(linesOf()).toEqual([])
  })

  it('is reported once with a backend, also on loopback, because the backend is there for other nodes', async () => {
    await call(askingServer({ backend: memory() }), 'http://127.0.0.1:3000/mcp', 'ask', 'ask')
    expect(linesOf()).toEqual([
      expect.stringMatching(
        /other nodes on the backend reject the answer\. Set requestState\.keys .*Create a key: node -p/s,
      ),
    ])
    await call(
      askingServer({ backend: memory(), requestState: { keys: ['k'.repeat(32)] } }),
      'http://127.0.0.1:3000/mcp',
      'ask',
    )
    expect(linesOf()).toHaveLength(1)
  })

  it('is not reported in process with a backend', async () => {
    await using client = await Client.connect(askingServer({ backend: memory() }), {
      onElicitation: () => ({ action: 'decline' }),
    })
    await client.callTool('ask')
    expect(linesOf()).toEqual([])
  })

  it('is not reported in process', async () => {
    await using client = await Client.connect(askingServer(), { onElicitation: () => ({ action: 'decline' }) })
    await client.callTool('ask')
    expect(linesOf()).toEqual([])
  })
})
