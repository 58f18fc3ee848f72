// compose O30–O55, G042–G047: calls against a real HTTP server that records them.
import { Client } from 'mcpwire'
import {
  type AuthProvider,
  type OpenAPIAuth,
  type OpenAPIAuthRequest,
  type OpenAPIServerOptions,
  openAPIServer,
} from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLineSplitter } from '../../../src/openapi/call/read-answer.ts'
import { type Api, documentOf, sendJSON, startApi, textOf } from './support.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function serverOf(paths: object, options: OpenAPIServerOptions = {}, more: object = {}, version = '3.1.0') {
  api.answer = (_request, response) => sendJSON(response, { ok: true })
  return openAPIServer(documentOf(paths, more, version), { baseUrl: `${api.origin}/v1`, ...options })
}

/** As `mcpwire/auth` makes them. */
const bearerProvider = (token: string): AuthProvider => ({
  authorize: (poster) => (request) =>
    poster({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
})

const body = (schema: object, mediaType = 'application/json', more: object = {}) => ({
  required: true,
  content: { [mediaType]: { schema, ...more } },
})

describe('compose O05, G047: the request goes where the document says', () => {
  const paths = {
    '/pets/{id}/toys': {
      get: {
        operationId: 'toys',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'q', in: 'query', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'theme', in: 'cookie', schema: { type: 'string' } },
        ],
      },
    },
  }
  it('puts each argument into its place', async () => {
    const server = await serverOf(paths)
    await server.callTool('toys', { id: 'a/b c', q: 'x&y=z#w', 'X-Trace': 't1', theme: 'a;b' })
    expect(api.last()).toMatchObject({ method: 'GET', url: '/v1/pets/a%2Fb%20c/toys?q=x%26y%3Dz%23w' })
    expect(api.last().headers).toMatchObject({ 'x-trace': 't1', cookie: 'theme=a%3Bb', host: new URL(api.origin).host })
  })

  it.each([
    { id: '..' },
    { id: '%2e%2e' },
    { id: '../../admin' },
    { id: '' },
    { id: 'a', 'X-Trace': 'a\r\nHost: evil' },
  ])('compose G047: %j is refused before any request', async (args) => {
    const server = await serverOf(paths)
    const before = api.requests.length
    const result = await server.callTool('toys', args)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('argument')
    expect(api.requests.length).toBe(before)
  })

  it('no argument changes the origin', async () => {
    const server = await serverOf(paths)
    for (const id of [
      '@evil.test',
      '//evil.test/',
      'http://evil.test',
      '\\\\evil.test',
      'a@b:80',
      '%0d%0aHost:evil',
      '\u2024\u2024/x',
    ]) {
      await server.callTool('toys', { id })
      expect(api.last().url.split('/').length).toBe(5)
      expect(api.last().headers.host).toBe(new URL(api.origin).host)
    }
  })
})

describe('compose O30–O35: bodies', () => {
  it('compose O31: JSON as given, with the media type that the document has', async () => {
    const server = await serverOf({
      '/a': {
        patch: {
          operationId: 'a',
          requestBody: body({ type: 'object', properties: { n: { type: 'integer' } } }, 'application/merge-patch+json'),
        },
      },
    })
    await server.callTool('a', { n: 1 })
    expect(api.last()).toMatchObject({ method: 'PATCH', body: '{"n":1}' })
    expect(api.last().headers['content-type']).toBe('application/merge-patch+json')
  })

  it('compose O30: JSON before forms, and the option mediaType before that', async () => {
    const schema = { type: 'object', properties: { n: { type: 'string' } } }
    const requestBody = {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
    }
    const paths = { '/a': { post: { operationId: 'a', requestBody } } }
    await (await serverOf(paths)).callTool('a', { n: 'x' })
    expect(api.last().body).toBe('{"n":"x"}')
    await (await serverOf(paths, { mediaType: { a: 'application/x-www-form-urlencoded' } })).callTool('a', { n: 'x y' })
    expect(api.last().body).toBe('n=x%20y')
  })

  it('compose O31: lines of JSON (3.2 itemSchema)', async () => {
    const requestBody = { required: true, content: { 'application/x-ndjson': { itemSchema: { type: 'object' } } } }
    const server = await serverOf({ '/a': { post: { operationId: 'a', requestBody } } }, {}, {}, '3.2.0')
    await server.callTool('a', { body: [{ a: 1 }, { a: 2 }] })
    expect(api.last().body).toBe('{"a":1}\n{"a":2}\n')
  })

  it('compose O32: forms by property', async () => {
    const schema = {
      type: 'object',
      properties: {
        list: { type: 'array' },
        deep: { type: 'object' },
        json: { type: 'object' },
        plain: { type: 'object' },
      },
    }
    const encoding = {
      list: { explode: false },
      deep: { style: 'deepObject' },
      json: { contentType: 'application/json' },
    }
    const server = await serverOf({
      '/a': {
        post: { operationId: 'a', requestBody: body(schema, 'application/x-www-form-urlencoded', { encoding }) },
      },
    })
    await server.callTool('a', { list: [1, 2], deep: { x: 1 }, json: { y: 2 }, plain: { z: 3 } })
    expect(api.last().body).toBe('list=1,2&deep[x]=1&json=%7B%22y%22%3A2%7D&z=3')
  })

  it('compose O33: multipart with files, JSON and lists', async () => {
    const schema = {
      type: 'object',
      properties: {
        note: { type: 'string' },
        meta: { type: 'object' },
        file: { type: 'string', format: 'binary' },
        more: { type: 'array', items: { type: 'string', format: 'binary' } },
      },
    }
    const server = await serverOf(
      { '/a': { post: { operationId: 'a', requestBody: body(schema, 'multipart/form-data') } } },
      {},
      {},
      '3.0.3',
    )
    const data = Buffer.from('hello').toString('base64')
    const result = await server.callTool('a', {
      note: 'n',
      meta: { a: 1 },
      file: { data, name: 'a"\r\nb.png', mimeType: 'image/png' },
      more: ['text', { data }],
    })
    expect(result.isError).toBeUndefined()
    const { headers, body: sent } = api.last()
    const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] as string
    const parts = sent.split(`--${boundary}`).slice(1, -1)
    expect(parts.map((part) => part.replaceAll('\r\n', '|'))).toEqual([
      '|Content-Disposition: form-data; name="note"||n|',
      '|Content-Disposition: form-data; name="meta"|Content-Type: application/json||{"a":1}|',
      '|Content-Disposition: form-data; name="file"; filename="a%22%0D%0Ab.png"|Content-Type: image/png||hello|',
      '|Content-Disposition: form-data; name="more"; filename="more"|Content-Type: text/plain||text|',
      '|Content-Disposition: form-data; name="more"; filename="more"|Content-Type: application/octet-stream||hello|',
    ])
    const refused = await server.callTool('a', { file: { data, mimeType: 'a/b\r\nX: 1' } })
    expect(refused.isError).toBe(true)
  })

  it('compose O34: text, bytes and XML', async () => {
    const post = (id: string, type: string) => ({
      post: { operationId: id, requestBody: body({ type: 'string' }, type) },
    })
    const server = await serverOf({
      '/t': post('t', 'text/plain'),
      '/b': post('b', 'application/octet-stream'),
      '/x': post('x', 'application/xml'),
    })
    await server.callTool('t', { body: 'héllo' })
    expect(Buffer.from(api.last().body, 'latin1').toString()).toBe('héllo')
    await server.callTool('b', { body: Buffer.from([1, 2, 255]).toString('base64') })
    expect(Buffer.from(api.last().body, 'latin1')).toEqual(Buffer.from([1, 2, 255]))
    expect((await server.callTool('b', { body: '!!' })).isError).toBe(true)
    await server.callTool('x', { body: '<a/>' })
    expect(api.last().headers['content-type']).toBe('application/xml')
  })

  it('compose O35: GET has no body unless the document has one', async () => {
    const server = await serverOf({
      '/a': { get: { operationId: 'a' } },
      '/b': { delete: { operationId: 'b', requestBody: body({ type: 'object', properties: { x: {} } }) } },
    })
    await server.callTool('a')
    expect(api.last().headers['content-type']).toBeUndefined()
    await server.callTool('b', { x: 1 })
    expect(api.last()).toMatchObject({ method: 'DELETE', body: '{"x":1}' })
  })
})

describe('compose O40–O45: answers', () => {
  const paths = { '/a': { get: { operationId: 'a' }, post: { operationId: 'p' } } }

  it('compose O44: JSON, text, images, bytes and nothing', async () => {
    const server = await serverOf(paths)
    expect(await server.callTool('a')).toMatchObject({
      structuredContent: { ok: true },
      content: [{ text: '{"ok":true}' }],
    })
    const kinds: [string, string | Buffer, object][] = [
      ['text/plain', 'hi', { type: 'text', text: 'hi' }],
      ['image/png', Buffer.from([1]), { type: 'image', mimeType: 'image/png', data: 'AQ==' }],
      ['audio/wav', Buffer.from([1]), { type: 'audio', mimeType: 'audio/wav' }],
      [
        'application/pdf',
        Buffer.from([1]),
        { type: 'resource', resource: { mimeType: 'application/pdf', blob: 'AQ==' } },
      ],
    ]
    for (const [type, sent, block] of kinds) {
      api.answer = (_request, response) => response.writeHead(200, { 'content-type': type }).end(sent)
      expect((await server.callTool('a')).content[0]).toMatchObject(block)
    }
    api.answer = (_request, response) => response.writeHead(204).end()
    expect(textOf(await server.callTool('a'))).toBe('Done (204)')
  })

  it.each([
    ['text/plain; charset=ISO-8859-1', 'caf\xe9', 'caf\u00e9'],
    ['application/xml;version=1;charset="windows-1251"', '<p>\xc0</p>', '<p>\u0410</p>'],
    ['text/csv; charset=utf-16le', 'a\0;\0', 'a;'],
    ['text/plain; charset=no-such', 'caf\xc3\xa9', 'caf\u00e9'],
    ['text/plain', 'caf\xc3\xa9', 'caf\u00e9'],
    ['application/json; charset=iso-8859-1', '"caf\xc3\xa9"', '"caf\u00e9"'],
  ])('compose O44: text is read in the charset that it says: %s', async (contentType, bytes, text) => {
    const server = await openAPIServer(documentOf({ '/a': { get: { operationId: 'a' } } }), { baseUrl: api.origin })
    api.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': contentType }).end(Buffer.from(bytes, 'latin1'))
    expect(textOf(await server.callTool('a'))).toBe(text)
  })

  it('compose O44: numbers that JavaScript would change stay as they are in the text', async () => {
    const sent = '{ "id": 12345678901234567890, "key": "SECRET-KEY-1", "rate": 0.12345678901234567 }'
    api.answer = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(sent)
    const options = { baseUrl: api.origin, headers: { 'x-api-key': 'SECRET-KEY-1' } }
    const document = documentOf({ '/a': { get: { operationId: 'a' } } })
    const whole = await (await openAPIServer(document, options)).callTool('a')
    expect(textOf(whole)).toBe(sent.replace('SECRET-KEY-1', '***'))
    const picking = await openAPIServer(document, { ...options, responses: { pick: () => ({ id: 1 }) } })
    expect(textOf(await picking.callTool('a'))).toBe('{"id":1}')
    api.answer = (_request, response) => sendJSON(response, { list: Array.from({ length: 50 }, () => 2 ** 60) })
    const short = await openAPIServer(document, { ...options, responses: { maxBytes: 200 } })
    expect(textOf(await short.callTool('a'))).toMatch(/too large and was cut/)
  })

  it('compose O44: links are told', async () => {
    const server = await serverOf(paths)
    api.answer = (_request, response) =>
      sendJSON(response, {}, 201, { location: '/v1/a/7', link: '</a?page=1>; rel="prev", </a?page=3>; rel="next"' })
    const { _meta } = await server.callTool('p')
    expect(_meta?.['mcpwire/http']).toEqual({ status: 201, location: '/v1/a/7', next: '/a?page=3' })
  })

  it('compose O44: items of a stream are progress, and the result', async () => {
    const server = await serverOf(paths)
    api.answer = (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n')
    const client = await Client.connect(server)
    const progress: unknown[] = []
    const result = await client.callTool('a', {}, { onProgress: ({ message }) => void progress.push(message) })
    expect(progress).toEqual(['{"n":1}', '{"n":2}'])
    expect(textOf(result)).toBe('[{"n":1},{"n":2}]')
    await client.close()
  })

  it('compose O40, G043: failures of the API are read by the model', async () => {
    const server = await serverOf(paths)
    api.answer = (_request, response) =>
      sendJSON(response, { title: 'No money', detail: 'You have 3', balance: 3 }, 403, {
        'content-type': 'application/problem+json',
      })
    expect(textOf(await server.callTool('a'))).toBe(
      'The API answered HTTP 403 Forbidden.\nNo money: You have 3\n{"balance":3}',
    )
    api.answer = (_request, response) =>
      response
        .writeHead(503, { 'content-type': 'text/html', 'retry-after': '7' })
        .end(
          `<html><head><title>Down</title><script>evil()</script></head><body><h1>Sorry</h1>${'x '.repeat(1000)}</body></html>`,
        )
    const result = await server.callTool('a')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(
      /^The API answered HTTP 503 Service Unavailable\.\nDown\nSorry x [x ]{250,300}\nTry again in 7 s\.$/,
    )
  })

  it('compose O40: tags that never end cost nothing, and a status below 200 is no answer', async () => {
    const server = await serverOf(paths)
    api.answer = (_request, response) =>
      response.writeHead(500, { 'content-type': 'text/html' }).end('<script>'.repeat(100_000))
    const started = process.cpuUsage()
    expect((await server.callTool('a')).isError).toBe(true)
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
    api.answer = (_request, response) => response.socket?.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    expect((await server.callTool('a')).isError).toBe(true)
  })

  it('compose O43, G045: lists are cut by whole items, texts at a line', async () => {
    const server = await serverOf(paths, { responses: { maxBytes: 1_000 } })
    const list = Array.from({ length: 500 }, (_, id) => ({ id, name: `item ${id}` }))
    api.answer = (_request, response) => sendJSON(response, list)
    const cut = await server.callTool('a')
    const value = cut.structuredContent as { items: unknown[]; truncated: boolean; total: number; shown: number }
    expect(cut.isError).toBeUndefined()
    expect(value).toMatchObject({ truncated: true, total: 500, shown: value.items.length })
    expect(value.items).toEqual(list.slice(0, value.shown))
    expect(textOf(cut)).toContain(`${value.shown} of 500 items are shown`)
    api.answer = (_request, response) => sendJSON(response, { data: list, title: 'kept', text: 'y'.repeat(5_000) })
    const object = await server.callTool('a')
    expect(JSON.stringify(object.structuredContent).length).toBeLessThanOrEqual(1_000)
    expect(object.structuredContent).toMatchObject({ title: 'kept' })
    api.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('line\n'.repeat(1_000))
    expect(textOf(await server.callTool('a'))).toMatch(/^(?:line\n)+The answer was too large/)
  })

  it('compose O43: pick runs before', async () => {
    const server = await serverOf(paths, { responses: { pick: (answer) => (answer as { ok: boolean }).ok } })
    expect(textOf(await server.callTool('a'))).toBe('true')
  })

  it('compose O42, G044: an answer that does not fit has text only, and is counted', async () => {
    const described = {
      '/a': {
        get: {
          operationId: 'a',
          responses: {
            200: {
              description: '',
              content: {
                'application/json': {
                  schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
                },
              },
            },
          },
        },
      },
    }
    const server = await serverOf(described)
    const client = await Client.connect(server)
    const result = await client.callTool('a')
    expect(result).toMatchObject({ content: [{ text: '{"ok":true}' }] })
    expect(result.structuredContent).toBeUndefined()
    expect(result.isError).toBeUndefined()
    expect(server.report.operations[0]?.misfits).toBe(1)
    await client.close()
    const strict = await serverOf(described, { strictResponses: true })
    expect((await strict.listTools()).tools[0]?.outputSchema).toMatchObject({ type: 'object', required: ['n'] })
    expect((await strict.callTool('a')).isError).toBe(true)
    api.answer = (_request, response) => sendJSON(response, { n: 1 })
    expect((await strict.callTool('a')).structuredContent).toEqual({ n: 1 })
  })

  it('compose O42: what is no object is itself for modern clients, and wrapped for legacy ones', async () => {
    const server = await serverOf(paths)
    api.answer = (_request, response) => sendJSON(response, [1])
    const modern = await Client.connect(server, { mode: 'modern' })
    expect((await modern.callTool('a')).structuredContent).toEqual([1])
    const legacy = await Client.connect(server, { mode: 'legacy' })
    expect((await legacy.callTool('a')).structuredContent).toEqual({ result: [1] })
    await Promise.all([modern.close(), legacy.close()])
  })

  it('compose O45: next, set by each, tells the arguments of the next page', async () => {
    const server = await serverOf(paths, {
      each: (tool) => ({
        ...tool,
        next: ({ body, status }) => (status === 200 ? { page: (body as { page: number }).page + 1 } : undefined),
      }),
    })
    api.answer = (_request, response) => sendJSON(response, { page: 1 })
    expect(textOf(await server.callTool('a'))).toContain('Its arguments: {"page":2}')
  })
})

describe('compose G042, G046: no answer', () => {
  const paths = { '/a': { get: { operationId: 'a' }, post: { operationId: 'p' } } }

  it('compose G042: a refused connection has a kind, and its cause goes to the log', async () => {
    const faults: string[] = []
    const server = await serverOf(paths, {
      baseUrl: 'http://127.0.0.1:1',
      server: { onFault: ({ message }) => void faults.push(message) },
    })
    const result = await server.callTool('a')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('The API could not be called: nothing accepts connections at its address.')
    expect(faults).toEqual([expect.stringContaining('GET /a')])
  })

  it('compose G042: an API that does not answer ends the call after timeoutMs', async () => {
    const server = await serverOf(paths, { timeoutMs: 50 })
    api.answer = () => {}
    expect(textOf(await server.callTool('a'))).toBe('The API did not answer within 50 ms.')
    api.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('never ends')
    }
    expect((await server.callTool('a')).isError).toBe(true)
  })

  it('compose G045: an answer without end is cut', async () => {
    const server = await serverOf(paths, { responses: { maxDownloadBytes: 100_000, maxBytes: 1_000 } })
    api.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = () => {
        if (response.destroyed) return
        response.write('line\n'.repeat(1_000), more)
      }
      more()
    }
    const result = await server.callTool('a')
    expect(result.isError).toBeUndefined()
    expect(textOf(result)).toContain('cut')
  })

  it('compose O40: redirects of GET within the origin are followed, at most five', async () => {
    const server = await serverOf(paths)
    api.answer = ({ url }, response) => {
      const step = Number(/s=(\d)/.exec(url)?.[1] ?? 0)
      if (step < 3) response.writeHead(302, { location: `?s=${step + 1}` }).end()
      else sendJSON(response, { step })
    }
    expect((await server.callTool('a')).structuredContent).toEqual({ step: 3 })
    api.answer = (_request, response) => response.writeHead(302, { location: '/v1/a' }).end()
    expect(textOf(await server.callTool('a'))).toContain('more than 5 in a row')
    expect(textOf(await server.callTool('p'))).toContain('this is a POST')
  })

  it('compose G046: a redirect to another origin is refused, and the credential stays', async () => {
    const other = await startApi()
    const more = {
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    }
    const server = await serverOf(paths, { auth: { token: 'secret-token' } }, more)
    for (const location of [`${other.origin}/x`, '//127.0.0.1:1/x', 'http://169.254.169.254/latest']) {
      api.answer = (_request, response) => response.writeHead(307, { location }).end()
      const result = await server.callTool('a')
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('another origin')
    }
    expect(other.requests).toEqual([])
    await other.close()
  })
})

describe('compose O50–O55: credentials', () => {
  const securitySchemes = {
    header: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'bearer' },
    digest: { type: 'http', scheme: 'digest' },
    oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '', scopes: { read: '' } } } },
    tls: { type: 'mutualTLS' },
  }
  const secured = (...security: object[]) => ({ '/a': { get: { operationId: 'a', security } } })
  const more = { components: { securitySchemes } }

  it('compose O50, O51: keys, passwords and tokens go where the scheme says', async () => {
    const auth = {
      header: 'k1',
      query: 'k&2',
      cookie: 'k;3',
      basic: { username: 'u', password: 'p' },
      bearer: () => 'tok',
    }
    const use = async (...security: object[]) => {
      await (await serverOf(secured(...security), { auth }, more)).callTool('a')
      return api.last()
    }
    expect((await use({ header: [] })).headers['x-key']).toBe('k1')
    expect((await use({ query: [] })).url).toBe('/v1/a?key=k%262')
    expect((await use({ cookie: [] })).headers.cookie).toBe('session=k%3B3')
    expect((await use({ basic: [] })).headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`)
    expect((await use({ bearer: [] })).headers.authorization).toBe('Bearer tok')
    expect((await use({ header: [], query: [] })).headers['x-key']).toBe('k1')
  })

  it('compose O51: digest is left out, unless there are headers for it', async () => {
    expect((await serverOf(secured({ digest: [] }), {}, more)).report.operations[0]).toMatchObject({
      as: 'none',
      isProblem: true,
    })
    const server = await serverOf(
      secured({ digest: [] }),
      { auth: { digest: { headers: { Authorization: 'Digest x' } } } },
      more,
    )
    await server.callTool('a')
    expect(api.last().headers.authorization).toBe('Digest x')
  })

  it('compose O52: client credentials are exchanged for a token, once', async () => {
    const flows = { clientCredentials: { tokenUrl: `${api.origin}/token`, scopes: {} } }
    const schemes = { components: { securitySchemes: { oauth: { type: 'oauth2', flows } } } }
    const server = await serverOf(
      secured({ oauth: ['read'] }),
      { auth: { oauth: { clientId: 'id', clientSecret: 's3cret:' } } },
      schemes,
    )
    api.answer = ({ url }, response) =>
      sendJSON(response, url === '/token' ? { access_token: 'fresh-token', expires_in: 3600 } : { ok: true })
    const before = api.requests.length
    await Promise.all([server.callTool('a'), server.callTool('a')])
    await server.callTool('a')
    const made = api.requests.slice(before)
    expect(made.map(({ url }) => url).sort()).toEqual(['/token', '/v1/a', '/v1/a', '/v1/a'])
    const [token] = made.filter(({ url }) => url === '/token')
    expect(token).toMatchObject({ body: 'grant_type=client_credentials&scope=read' })
    expect(Buffer.from(token?.headers.authorization?.slice(6) ?? '', 'base64').toString()).toBe('id:s3cret%3A')
    expect(api.last().headers.authorization).toBe('Bearer fresh-token')
  })

  it('compose O52: a provider, alone or as a function gives it for each caller, obtains the token', async () => {
    const asked: unknown[] = []
    const perCaller = ({ caller, scopes, scheme }: OpenAPIAuthRequest) => {
      asked.push([caller.principal?.subject, scopes, scheme.type])
      return { auth: bearerProvider(`token-of-${caller.principal?.subject}`), id: 'one' }
    }
    const use = async (auth: OpenAPIAuth) => {
      const server = await serverOf(secured({ oauth: ['read'] }), { auth: { oauth: auth } }, more)
      await server.callTool('a', {}, { auth: { clientId: 'c', subject: 'ada', scopes: [] } })
      return api.last().headers.authorization
    }
    expect(await use(bearerProvider('token-of-the-provider'))).toBe('Bearer token-of-the-provider')
    expect(await use(perCaller)).toBe('Bearer token-of-ada')
    expect(asked).toEqual([['ada', ['read'], 'oauth2']])
  })

  it('compose O53: mutualTLS is reported', async () => {
    const server = await serverOf(secured({ tls: [] }), { auth: { tls: true } }, more)
    expect(server.report.operations[0]?.notes.join()).toContain('client certificate')
    expect((await server.callTool('a')).isError).toBeUndefined()
  })

  it('compose O54: alternatives in order; what is missing is named; hideWithoutAuth hides', async () => {
    const server = await serverOf(
      secured({ header: [], bearer: [] }, { query: [] }),
      { auth: { header: 'k1', query: 'k2' } },
      more,
    )
    await server.callTool('a')
    expect(api.last().url).toBe('/v1/a?key=k2')
    const open = await serverOf(secured({ header: [] }, {}), {}, more)
    expect((await open.callTool('a')).isError).toBeUndefined()
    const none = await serverOf(secured({ header: [] }), { auth: { header: () => undefined } }, more)
    expect(textOf(await none.callTool('a'))).toContain('"header"')
    expect((await serverOf(secured({ header: [] }), { hideWithoutAuth: true }, more)).report.mapped).toBe(0)
  })

  it('compose O54: requireScopes asks the caller for the scopes of the document', async () => {
    const server = await serverOf(secured({ oauth: ['read'] }), { auth: { oauth: 't' }, requireScopes: true }, more)
    expect((await server.listTools()).tools).toEqual([])
    const auth = { clientId: 'c', scopes: ['read'] }
    expect((await server.listTools({ auth })).tools).toHaveLength(1)
  })

  it('compose O55: a credential is no argument, and an argument is no credential', async () => {
    const parameters = [
      { name: 'X-Key', in: 'header', schema: { type: 'string' } },
      { name: 'Authorization', in: 'header', schema: { type: 'string' } },
      { name: 'Cookie', in: 'header', schema: { type: 'string' } },
      { name: 'Host', in: 'header', schema: { type: 'string' } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ]
    const server = await serverOf(
      { '/a': { get: { operationId: 'a', parameters, security: [{ header: [] }] } } },
      { auth: { header: 'k1' } },
      more,
    )
    const { tools } = await server.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['limit'])
  })

  it('compose O55: an answer that repeats the credential does not tell the model', async () => {
    const server = await serverOf(secured({ bearer: [] }), { auth: { bearer: 'secret-token' } }, more)
    api.answer = ({ headers }, response) => sendJSON(response, headers, 200)
    expect(JSON.stringify(await server.callTool('a'))).not.toContain('secret-token')
    api.answer = ({ headers }, response) => sendJSON(response, headers, 401)
    expect(JSON.stringify(await server.callTool('a'))).not.toContain('secret-token')
  })

  it('compose O55: no credential over plain http to another machine', async () => {
    const server = await serverOf(
      secured({ bearer: [] }),
      { baseUrl: 'http://api.example.com', auth: { bearer: 'secret-token' } },
      more,
    )
    expect(textOf(await server.callTool('a'))).toContain('plain http')
  })

  it('per caller: functions know who called', async () => {
    const seen: unknown[] = []
    const server = await serverOf(
      secured({ bearer: [] }),
      {
        auth: {
          bearer: ({ caller, scheme }) => {
            seen.push([caller.principal, scheme.name])
            return 'tok'
          },
        },
      },
      more,
    )
    await server.callTool('a', {}, { auth: { clientId: 'c', subject: 'ada', scopes: [] } })
    expect(seen).toEqual([[{ clientId: 'c', subject: 'ada' }, 'bearer']])
  })
})

it('compose O50 a line of JSON that never ends is not read again with each piece', () => {
  const split = createLineSplitter()
  expect(split('\u001e{"a":', false)).toEqual([])
  expect(split('1}\n\u001e{"b":2}\n{"c"', false)).toEqual(['{"a":1}', '{"b":2}'])
  expect(split(':3}', true)).toEqual(['{"c":3}'])
  const piece = 'x'.repeat(50)
  for (let one = 0; one < 200_000; one += 1) split(piece, false)
  expect(split('', true)[0]).toHaveLength(10_000_000)
})
