// The official clients forget whom to tell of progress when they read it together with the end of its call.
import { PassThrough } from 'node:stream'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describe, expect, it, vi } from 'vitest'
import { serveHttp } from '../../../../src/node/http/serve-http.ts'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import { Server } from '../../../../src/server/server.ts'

const INFO = { name: 'official', version: '1' }
const STEPS = [1, 2, 3]

/** Reports its progress and ends in the same turn. */
const createServer = () =>
  new Server('reporter', {
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'report', inputSchema: { type: 'object' } }] }),
      'tools/call': async (ctx) => {
        for (const step of STEPS) await ctx.reportProgress(step, STEPS.length)
        return { content: [] }
      },
    },
  })

/** What the official transport for stdio does with each chunk of a child's output, without the child. */
function overStreams(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer()
  const transport: Transport = {
    start: async () => {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message)
        }
      })
    },
    send: async (message) => void input.write(serializeMessage(message)),
    close: async () => void input.end(),
  }
  return transport
}

describe('progress that is sent in the same turn as the result', () => {
  it('reaches the official client over stdio', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(createServer(), { input, output })
    const client = new Client(INFO)
    await client.connect(overStreams(input, output))
    for (let round = 0; round < 5; round++) {
      const seen: number[] = []
      const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
      await client.callTool({ name: 'report', arguments: {} }, undefined, { onprogress })
      expect(seen).toEqual(STEPS)
    }
    await client.close()
    await serving
  })

  it.each([
    ['the official client', () => [new Client(INFO), StreamableHTTPClientTransport] as const],
    ['its next version', () => [new Client2(INFO), Http2] as const],
  ])('reaches %s over HTTP', async (_name, create) => {
    await using serving = await serveHttp(createServer(), { port: 0 })
    const [client, Http] = create()
    await client.connect(new Http(new URL(serving.url)) as never)
    const seen: number[] = []
    const options = { onprogress: ({ progress }: { progress: number }) => seen.push(progress) }
    const call = client.callTool.bind(client) as (params: object, ...rest: unknown[]) => Promise<unknown>
    await (client instanceof Client ? call({ name: 'report' }, undefined, options) : call({ name: 'report' }, options))
    expect(seen).toEqual(STEPS)
    await client.close()
  })
})

it('leaves before the answer to its call and what follows, which keep their order', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(createServer(), { input, output })
  const chunks: unknown[][] = []
  output.on('data', (chunk: Buffer) => {
    const messages = String(chunk)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; method?: string })
    chunks.push(messages.map(({ id, method }) => id ?? method))
  })
  const send = (request: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO } })
  await vi.waitFor(() => expect(chunks.flat()).toEqual([0]))
  send({ id: 1, method: 'tools/call', params: { name: 'report', _meta: { progressToken: 't' } } })
  await vi.waitFor(() => expect(chunks.length).toBeGreaterThan(1))
  send({ id: 2, method: 'ping' })
  input.end()
  await serving
  const progress = STEPS.map(() => 'notifications/progress')
  expect(chunks.slice(0, 2)).toEqual([[0], progress])
  expect(chunks.slice(2).flat()).toEqual([1, 2])
})
