// What the official conformance suite does not look at: results of careless servers, and the form of what a client sends.
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { toFetch } from '../../../../src/http/to-fetch.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import type { ProtocolVersion } from '../../../../src/types/protocol/versions.ts'
import { checkNotification, checkRequest } from '../../../../src/wire/check.ts'
import { answerTo, ENDPOINT, EventBody, result, ScriptedHttp, type SeenRequest, TEXT } from './scripted-http.ts'

describe('a result at 2026-07-28 that does not say its type', () => {
  it.each<[string, (request: SeenRequest) => Response]>([
    ['JSON', (request) => result(request, TEXT)],
    ['events', (request) => new EventBody().send(answerTo(request, TEXT)).end().response],
  ])('C-META-07 is complete, as %s', async (_form, answer) => {
    const http = new ScriptedHttp(answer)
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), { mode: '2026-07-28' })
    onTestFinished(() => client.close())
    expect(await client.callTool('x')).toMatchObject(TEXT)
    expect(http.requests).toHaveLength(1)
  })
})

describe('everything that a client sends over HTTP', () => {
  it.each(['auto', 'legacy'] as const)('has the form of its revision, mode %s', async (mode) => {
    const handler = createHandler(createServer())
    onTestFinished(() => handler.close({ drainMs: 0 }))
    const answer = toFetch(handler)
    const http = new ScriptedHttp(() => new Response())
    const fetch: typeof globalThis.fetch = (input, init) => {
      void http.fetch(input, init)
      return answer(new Request(input, init))
    }
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch }), {
      mode,
      onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
      onListRoots: () => ({ roots: [] }),
    })
    await client.listTools()
    expect(await client.callTool('greet', {}, { onProgress: () => {} })).toMatchObject({
      content: [{ type: 'text', text: 'Hello Ada' }],
    })
    await client.readResource('notes://today')
    await client.getPrompt('write')
    const abort = new AbortController()
    const given = client.callTool('wait', {}, { signal: abort.signal }).catch(() => 'given up')
    abort.abort()
    expect(await given).toBe('given up')
    const version = client.protocolVersion as ProtocolVersion
    await client.close()

    const messages = http.requests.map(({ message }) => message).filter(({ method }) => method !== undefined)
    expect(messages.length).toBeGreaterThan(5)
    for (const { id, method, params } of messages as { id?: number; method: string; params?: JSONObject }[]) {
      if (id === undefined) checkNotification(method, version, params, 'client')
      else checkRequest(method, version, params, 'client')
    }
  })
})

function createServer(): MCPServer {
  const server = new MCPServer('notes', { requestState: { keys: [new Uint8Array(32)] } })
  const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
  server.tool('greet', {}, async (_args, ctx) => {
    await ctx.reportProgress(1)
    const answer = await ctx.elicit('Who?', form)
    return `Hello ${answer.action === 'accept' ? answer.content.name : 'nobody'}`
  })
  server.tool('wait', {}, (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)))
  server.resource('notes://today', () => 'nothing')
  server.prompt('write', {}, () => 'Write.')
  return server
}
