// Headers and authorization for a URL, without knowing the transport behind it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { sse } from '../../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { ScriptedServer } from '../session/scripted-server.ts'

async function start() {
  const seen: { team: unknown; authorization: string | undefined }[] = []
  const server = new MCPServer('subject')
  server.tool('look', {}, () => 'seen')
  const handle = toNodeHandler(createHandler(server))
  const front = createServer((request, response) => {
    seen.push({ team: request.headers['x-team'], authorization: request.headers.authorization })
    handle(request, response)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`, seen }
}

describe('a URL as the target', () => {
  it('takes headers and auth, which every request carries', async () => {
    const { url, seen } = await start()
    await using client = await Client.connect(url, { headers: { 'X-Team': 'blue' }, auth: 'token-1' })
    await client.callTool('look')
    expect(seen.length).toBeGreaterThan(1)
    for (const each of seen) expect(each).toEqual({ team: 'blue', authorization: 'Bearer token-1' })
  })

  it('takes a Headers, as fetch does', async () => {
    const { url, seen } = await start()
    const headers = new Headers({ 'X-Team': 'blue', Authorization: 'Bearer token-1' })
    for (const connect of [
      () => Client.connect(url, { headers }),
      () => Client.connect(streamableHttp(url, { headers })),
    ]) {
      await using client = await connect()
      await client.callTool('look')
      expect(seen.length).toBeGreaterThan(1)
      for (const each of seen.splice(0)) expect(each).toEqual({ team: 'blue', authorization: 'Bearer token-1' })
    }
  })

  it.each<[string, unknown, string]>([
    ['a Map', new Map([['authorization', 'secret']]), 'headers is an object of the class Map; write a plain object'],
    ['an array of pairs', [['authorization', 'secret']], 'headers is an array'],
    ['a string', 'authorization: secret', 'headers is a string'],
    ['null', null, 'headers is null'],
  ])('rejects %s as headers rather than send none of them', (_what, headers, message) => {
    const url = 'http://127.0.0.1/mcp'
    const options = { headers: headers as never }
    for (const make of [() => new Client(url, options), () => streamableHttp(url, options), () => sse(url, options)]) {
      expect(make).toThrow(TypeError)
      expect(make).toThrow(message)
      expect(make).not.toThrow('secret')
    }
  })

  it('takes a function and a provider as auth', async () => {
    const { url, seen } = await start()
    let count = 0
    const nextToken = () => {
      count += 1
      return `token-${count}`
    }
    await using first = await Client.connect(url, { auth: nextToken })
    await first.callTool('look')
    expect(seen.map(({ authorization }) => authorization)).toEqual(
      seen.map((_each, index) => `Bearer token-${index + 1}`),
    )
    seen.length = 0
    const provider: ClientOptions['auth'] = {
      authorize: (poster) => (request) =>
        poster({ ...request, headers: { ...request.headers, authorization: 'DPoP x' } }),
    }
    await using second = await Client.connect(url, { auth: provider })
    await second.callTool('look')
    expect(seen.map(({ authorization }) => authorization)).toEqual(seen.map(() => 'DPoP x'))
  })

  it('keeps them on the transport that it falls back to', async () => {
    const seen: (string | undefined)[] = []
    const older = createServer((request, response) => {
      if (request.method === 'GET') seen.push(request.headers.authorization, String(request.headers['x-team']))
      response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void older.close())
    const url = `http://127.0.0.1:${(older.address() as AddressInfo).port}/mcp`
    const connecting = Client.connect(url, { headers: { 'x-team': 'blue' }, auth: 'token-1' })
    await expect(connecting).rejects.toMatchObject({ status: 404 })
    expect(seen).toEqual(['Bearer token-1', 'blue'])
  })

  it.each<[string, ClientOptions]>([
    ['a header of the transport', { headers: { 'Mcp-Session-Id': 'x' } }],
    ['a header that cannot be', { headers: { 'x y': 'z' } }],
    ['a header value that cannot be', { headers: { x: 'a\nb' } }],
    ['an auth that is none', { auth: 7 as never }],
  ])('rejects %s when the client is made', (_what, options) => {
    expect(() => new Client('http://127.0.0.1/mcp', options)).toThrow(TypeError)
  })
})

it.each<[string, ClientOptions]>([
  ['headers', { headers: { 'x-team': 'blue' } }],
  ['auth', { auth: 'token' }],
])('%s with another target are a mistake that says where they belong', (name, options) => {
  expect(() => new Client(new ScriptedServer(), options)).toThrow(`The option ${name} works for a target that is a URL`)
  expect(() => new Client({ command: 'node' }, options)).toThrow(TypeError)
})
