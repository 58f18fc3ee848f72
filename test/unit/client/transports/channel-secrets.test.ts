// What a channel over HTTP shows of itself when somebody logs it: not the credentials that it sends.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sse } from '../../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'

const headers = { 'x-api-key': 'canary-key' }
const events = new Response('event: endpoint\ndata: /messages\n\n', {
  headers: { 'content-type': 'text/event-stream' },
})

describe('a channel over HTTP', () => {
  it.each([
    ['streamableHttp', streamableHttp('https://server.example/mcp', { headers, auth: 'canary-token' })],
    ['sse', sse('https://server.example/sse', { headers, auth: 'canary-token', fetch: async () => events })],
  ])('R49 of %s shows neither its headers nor its token', async (_name, transport) => {
    const channel = await transport.open({})
    const shown = [channel, transport].map((one) => inspect(one, { depth: 20 }) + JSON.stringify(one))
    await channel.close()
    expect(shown.join()).not.toContain('canary')
  })
})
