// What an HTTP channel shows of itself: the members of Channel, and in logs no credentials.
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

  it('of streamableHttp has the members of Channel and no others', async () => {
    const channel = await streamableHttp('https://server.example/mcp').open()
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(channel))
    expect(members.sort()).toEqual(['close', 'constructor', 'release', 'send', 'start'])
    expect(Object.getOwnPropertyNames(channel)).toEqual([])
    await channel.close()
  })
})
