// The server card of SEP-2127 (a draft): served beside the endpoint, to everybody, and only where it was asked for.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { Client } from 'mcpwire'
import { requireBearer } from 'mcpwire/auth'
import { createHandler, serveHttp, toNodeHandler } from 'mcpwire/node'
import {
  type Fault,
  type HandlerOptions,
  type HttpHandler,
  MCPServer,
  type MCPServerOptions,
  type ServerCardOptions,
  toFetch,
} from 'mcpwire/server'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeExchange, type FakeRequest } from '../../../support/fake-exchange.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function createWeather(): MCPServer {
  const server = new MCPServer('com.example/weather', {
    version: '1.2.0',
    title: 'Weather',
    description: 'Forecasts for cities.',
    websiteUrl: 'https://example.com/weather',
    icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
    instructions: 'Ask for one city at a time.',
  })
  server.tool('secret_forecast', {}, () => 'sunny')
  return server
}

const get = (request: FakeRequest = {}) => new FakeExchange({ method: 'GET', path: '/mcp/server-card', ...request })

async function ask(options: HandlerOptions, request?: FakeRequest): Promise<FakeExchange> {
  const exchange = get(request)
  await createHandler(createWeather(), options)(exchange)
  return exchange
}

interface Card {
  name: string
  remotes: { type: string; url: string; headers?: object[]; supportedProtocolVersions: string[] }[]
}

describe('the server card', () => {
  it('is served at the endpoint plus /server-card and has the identity of the server, its endpoint and no tools', async () => {
    const exchange = await ask({ experimentalServerCard: true })
    expect([exchange.status, exchange.replyHeaders['content-type']]).toEqual([200, 'application/mcp-server-card+json'])
    expect(exchange.json).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'com.example/weather',
      version: '1.2.0',
      description: 'Forecasts for cities.',
      title: 'Weather',
      websiteUrl: 'https://example.com/weather',
      icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
      remotes: [
        {
          type: 'streamable-http',
          url: 'http://localhost:3000/mcp',
          supportedProtocolVersions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        },
      ],
    })
  })

  it('is off by default', async () => {
    expect((await ask({})).status).toBe(404)
    expect((await ask({ experimentalServerCard: false })).status).toBe(404)
  })

  it('leaves the endpoint itself alone', async () => {
    const exchange = await ask({ experimentalServerCard: true }, { path: '/mcp' })
    expect(exchange.replyHeaders['content-type']).not.toBe('application/mcp-server-card+json')
  })

  it('is public: no token is needed, while the endpoint demands one', async () => {
    const auth = (handler: HttpHandler) =>
      requireBearer(handler, {
        resource: 'https://example.com/mcp',
        issuer: 'https://login.example.com',
        verifier: async () => undefined,
      })
    const options = { experimentalServerCard: true, auth }
    expect((await ask(options, { headers: { host: 'example.com' }, isLoopback: false })).status).toBe(200)
    expect((await ask(options, { path: '/mcp', headers: { host: 'example.com' }, isLoopback: false })).status).toBe(401)
  })

  it('may be read by every web page, and says so to a preflight', async () => {
    const headers = { origin: 'https://anywhere.example', 'sec-fetch-site': 'cross-site' }
    const exchange = await ask({ experimentalServerCard: true }, { headers })
    expect(exchange.status).toBe(200)
    const preflight = await ask({ experimentalServerCard: true }, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    for (const { replyHeaders } of [exchange, preflight]) {
      expect(replyHeaders).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': 'Content-Type, If-None-Match',
        'access-control-expose-headers': 'ETag',
      })
    }
  })

  it('adds no CORS headers where cors is off', async () => {
    const { status, replyHeaders } = await ask({ experimentalServerCard: true, cors: false })
    expect([status, replyHeaders['access-control-allow-origin']]).toEqual([200, undefined])
  })

  it('is refused under a foreign host, so that no page reads it by DNS rebinding', async () => {
    expect((await ask({ experimentalServerCard: true }, { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await ask({ experimentalServerCard: true }, { headers: { host: 'a b' } })).status).toBe(400)
  })

  it('takes GET and HEAD alone', async () => {
    const exchange = await ask({ experimentalServerCard: true }, { method: 'POST', body: {} })
    expect([exchange.status, exchange.replyHeaders['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

describe('caching of the server card', () => {
  const tagOf = async (options: ServerCardOptions) =>
    (await ask({ experimentalServerCard: options })).replyHeaders['etag'] as string

  it('has an entity tag that changes with the content, and answers 304 to it', async () => {
    const tag = await tagOf({})
    expect(tag).toMatch(/^"[0-9a-f]{16}"$/)
    expect([await tagOf({}), await tagOf({ description: 'Other words.' })]).toEqual([
      tag,
      expect.not.stringMatching(tag),
    ])
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*', ['"other"', tag]]) {
      const exchange = await ask({ experimentalServerCard: {} }, { headers: { 'if-none-match': value } })
      expect([exchange.status, exchange.body, exchange.replyHeaders['etag']]).toEqual([304, undefined, tag])
    }
    const changed = await ask({ experimentalServerCard: true }, { headers: { 'if-none-match': '"other"' } })
    expect(changed.status).toBe(200)
  })

  it('lets clients keep it for an hour, or as long as maxAgeSeconds says', async () => {
    const { replyHeaders } = await ask({ experimentalServerCard: true })
    expect(replyHeaders['cache-control']).toBe('public, max-age=3600')
    const short = await ask({ experimentalServerCard: { maxAgeSeconds: 0 } })
    expect(short.replyHeaders['cache-control']).toBe('public, max-age=0')
  })
})

describe('the endpoint in the server card', () => {
  const urlOf = async (options: HandlerOptions, request?: FakeRequest) =>
    ((await ask(options, request)).json as Card).remotes[0]?.url

  it('has the host of the request: https, except on this machine', async () => {
    const options = { experimentalServerCard: true }
    expect(await urlOf(options, { headers: { host: 'mcp.example.com' }, isLoopback: false })).toBe(
      'https://mcp.example.com/mcp',
    )
    expect(await urlOf(options, { headers: { host: '127.0.0.1:8080' } })).toBe('http://127.0.0.1:8080/mcp')
  })

  it('is the url of the option, where a proxy changes host or path', async () => {
    const experimentalServerCard = { url: 'https://example.com/weather' }
    expect(await urlOf({ experimentalServerCard })).toBe('https://example.com/weather')
  })

  it('has the host of the URL of a fetch request, whatever its Host header says', async () => {
    const handle = (options: HandlerOptions) => toFetch(createHandler(createWeather(), options))
    const forged = () => new Request('https://good.example/mcp/server-card', { headers: { host: 'evil.example' } })
    const response = await handle({ experimentalServerCard: true })(forged())
    expect(((await response.json()) as Card).remotes[0]?.url).toBe('https://good.example/mcp')
    // A list of hosts holds for both.
    for (const [url, host] of [
      ['https://evil.example/mcp/server-card', 'good.example'],
      ['https://good.example/mcp/server-card', 'evil.example'],
    ] as const) {
      const options = { experimentalServerCard: true, allowedHosts: ['good.example'] }
      expect((await handle(options)(new Request(url, { headers: { host } }))).status).toBe(403)
    }
  })

  it('makes caches keep one card per host, unless the option names the url', async () => {
    const { replyHeaders } = await ask({ experimentalServerCard: true })
    expect(replyHeaders['vary']).toBe('Host')
    const fixed = await ask({ experimentalServerCard: { url: 'https://example.com/weather' } })
    expect(fixed.replyHeaders['vary']).toBeUndefined()
  })

  it('is at the root where the path is', async () => {
    const options = { experimentalServerCard: true, path: '/' }
    expect(await urlOf(options, { path: '/server-card' })).toBe('http://localhost:3000/')
  })

  it('lists the revisions of the server and the headers that its author names', async () => {
    const server = new MCPServer('com.example/new', { description: 'New.', supportedVersions: ['2026-07-28'] })
    const headers = [{ name: 'X-API-Key', description: 'Your key.', isRequired: true, isSecret: true }]
    const repository = { url: 'https://example.com/source', source: 'git' }
    const exchange = get()
    const experimentalServerCard = { headers, repository, meta: { 'com.example/tier': 'free' } }
    await createHandler(server, { experimentalServerCard })(exchange)
    expect(exchange.json).toMatchObject({
      repository,
      remotes: [{ headers, supportedProtocolVersions: ['2026-07-28'] }],
      _meta: { 'com.example/tier': 'free' },
    })
  })
})

describe('a server of which the draft does not allow all', () => {
  async function serve(name: string, about: MCPServerOptions, option: true | ServerCardOptions = true) {
    const faults: Fault[] = []
    const server = new MCPServer(name, { version: '1.0.0', ...about, onFault: (fault) => faults.push(fault) })
    const exchange = get()
    await createHandler(server, { experimentalServerCard: option })(exchange)
    expect(exchange.status).toBe(200)
    return { card: exchange.json as Card & Record<string, string>, faults }
  }

  it('starts with a plain name, serves it, and one warning says what to set', async () => {
    const { card, faults } = await serve('weather', {})
    expect(card).toMatchObject({ name: 'weather', version: '1.0.0', description: 'weather' })
    expect(card.remotes[0]?.url).toBe('http://localhost:3000/mcp')
    expect(faults).toEqual([
      {
        kind: 'configuration-warning',
        message:
          "The server card is not as its draft wants it: a name in reverse DNS form, and 'weather' is none; " +
          'a description of 1 to 100 characters, and there is none',
        remedy:
          "Set experimentalServerCard: { name: 'com.example/weather' }. Set experimentalServerCard: { description }.",
      },
    ])
  })

  it('has texts that are too long cut, and its title where it has no description', async () => {
    const long = 'ä🎈'.repeat(60)
    const { card, faults } = await serve('com.example/weather', { title: long, description: long })
    for (const text of [card['title'], card['description']]) {
      expect([...(text as string)]).toHaveLength(100)
      expect(text).toBe(`${'ä🎈'.repeat(49)}ä…`)
    }
    expect(faults).toHaveLength(1)
    expect(faults[0]?.message).toContain('characters, and this one has 120; a title of up to 100')
    const titled = await serve('com.example/weather', { title: 'Weather' })
    expect(titled.card['description']).toBe('Weather')
  })

  it('may have a version that is a range', async () => {
    const { card, faults } = await serve('com.example/weather', { version: '^1.2.3', description: 'Forecasts.' })
    expect(card['version']).toBe('^1.2.3')
    expect(faults.map(({ message }) => message)).toEqual([
      "The server card is not as its draft wants it: one version, such as 1.0.2, and '^1.2.3' is none",
    ])
  })

  it('is warned about with the object form too, where the object does not say it', async () => {
    const { card, faults } = await serve('weather', {}, { description: 'Forecasts.' })
    expect(card).toMatchObject({ name: 'weather', description: 'Forecasts.' })
    expect(faults.map(({ remedy }) => remedy)).toEqual(["Set experimentalServerCard: { name: 'com.example/weather' }."])
  })

  it('is not warned about where all is well', async () => {
    const about = { description: 'Forecasts.' }
    expect((await serve('com.example/weather', about)).faults).toEqual([])
    expect((await serve('weather', about, { name: 'com.example/weather' })).faults).toEqual([])
  })
})

describe('options of the server card that the draft does not allow', () => {
  const card = (name: string, options: object, description?: string) =>
    createHandler(new MCPServer(name, { version: '1.0.0', ...(description !== undefined && { description }) }), {
      experimentalServerCard: options as ServerCardOptions,
    })

  it('are refused when the handler is made, with what to set', () => {
    expect(() => card('com.example/weather', { name: 'weather' }, 'Forecasts.')).toThrow(
      "A server card needs a name in reverse DNS form, and 'weather' is none. Set experimentalServerCard: { name: 'com.example/weather' }.",
    )
    expect(() => card('com.example/weather', { description: '' }, 'Forecasts.')).toThrow(
      'A server card needs a description of 1 to 100 characters, and there is none. Set experimentalServerCard: { description }.',
    )
    expect(() => card('com.example/weather', { description: 'a'.repeat(101) })).toThrow('this one has 101')
    expect(() => card('com.example/weather', { maxAgeSeconds: -1 }, 'Forecasts.')).toThrow(RangeError)
    expect(() => card('com.example/weather', { url: 'stdio:server' }, 'Forecasts.')).toThrow('http or https URL')
    expect(() => card('com.example/weather', { tools: [] }, 'Forecasts.')).toThrow('Unknown option "tools"')
    expect(() => card('com.example/weather', { repository: { link: '' } }, 'Forecasts.')).toThrow(
      'Unknown option "link"',
    )
    expect(() => card('com.example/weather', { headers: [{ key: '' }] }, 'Forecasts.')).toThrow('Unknown option "key"')
  })

  it('with a password in its URL is refused without showing it', () => {
    const url = 'https://user:hunter2@example.com/mcp'
    expect(() => card('com.example/weather', { url }, 'Forecasts.')).toThrow(/no user name, password or fragment/)
    expect(() => card('com.example/weather', { url }, 'Forecasts.')).not.toThrow(/hunter2/)
  })

  it('takes name and description from the option', async () => {
    const exchange = get()
    const handler = card('weather', { name: 'com.example/weather', description: 'Forecasts.' })
    await handler(exchange)
    expect(exchange.json).toMatchObject({ name: 'com.example/weather', description: 'Forecasts.' })
  })
})

describe('the server card over real connections', () => {
  async function listen(listener: RequestListener): Promise<string> {
    const http = createServer(listener)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => http.close(resolve)))
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  }

  async function fetchCard(url: string): Promise<Card> {
    const response = await fetch(url, { headers: { accept: 'application/mcp-server-card+json', connection: 'close' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/mcp-server-card+json'])
    return (await response.json()) as Card
  }

  it('names the endpoint that a client can connect to, and a 304 has no length', async () => {
    const serving = await serveHttp(createWeather(), { port: 0, experimentalServerCard: true })
    cleanups.push(() => serving.close())
    const card = await fetchCard(`${serving.url}/server-card`)
    expect(card.remotes[0]?.url).toBe(serving.url)
    await using client = await Client.connect(card.remotes[0]?.url ?? '')
    expect(client.serverInfo).toMatchObject({ name: card.name })
    const first = await fetch(`${serving.url}/server-card`)
    const again = await fetch(`${serving.url}/server-card`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    })
    await first.text()
    expect([again.status, await again.text(), again.headers.get('content-length')]).toEqual([304, '', null])
  })

  it('works below the mount path of Express and of Fastify', async () => {
    const app = express()
    app.use('/api', toNodeHandler(createHandler(createWeather(), { experimentalServerCard: true })))
    const root = await listen(app)
    expect((await fetchCard(`${root}/api/mcp/server-card`)).remotes[0]?.url).toBe(`${root}/api/mcp`)

    const other = fastify()
    const handle = toNodeHandler(createHandler(createWeather(), { experimentalServerCard: true }))
    other.all('/tools', handle)
    other.all('/tools/server-card', handle)
    const address = await other.listen({ port: 0, host: '127.0.0.1' })
    cleanups.push(() => other.close())
    expect((await fetchCard(`${address}/tools/server-card`)).remotes[0]?.url).toBe(`${address}/tools`)
  })

  it('works with fetch handlers, whose mount path the url option names', async () => {
    const fetchHandler = toFetch(createHandler(createWeather(), { experimentalServerCard: true }))
    const secure = await fetchHandler(new Request('https://mcp.example.com/mcp/server-card'))
    expect(((await secure.json()) as Card).remotes[0]?.url).toBe('https://mcp.example.com/mcp')

    const app = new Hono()
    const experimentalServerCard = { url: 'https://mcp.example.com/api/mcp' }
    app.mount('/api', toFetch(createHandler(createWeather(), { experimentalServerCard })))
    const mounted = await app.request('https://mcp.example.com/api/mcp/server-card')
    expect(((await mounted.json()) as Card).remotes[0]?.url).toBe('https://mcp.example.com/api/mcp')
  })
})
