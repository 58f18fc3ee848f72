// compose O02, O06, O21, O31, O52, X79: what OpenAPI 3.2 has that others do not, by documents of its own.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { type OpenAPIServerOptions, openAPIServer } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, sendJSON, startApi, textOf } from './support.ts'

const file = (name: string) => fileURLToPath(new URL(`../../fixtures/openapi/3.2/${name}`, import.meta.url))

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function open(name: string, options: OpenAPIServerOptions = {}) {
  api.answer = (_request, response) => sendJSON(response, {})
  const server = await openAPIServer(file(name), { baseUrl: api.origin, ...options })
  const { tools } = await server.listTools()
  const inputOf = (tool: string) => tools.find(({ name: known }) => known === tool)?.inputSchema
  /** The request that a call makes, as its line and its body. */
  const sent = async (tool: string, args: Record<string, unknown> = {}) => {
    const before = api.requests.length
    const result = await server.callTool(tool, args)
    expect(result.isError, textOf(result)).toBeUndefined()
    expect(api.requests).toHaveLength(before + 1)
    return api.last()
  }
  return { server, tools, inputOf, sent }
}

describe('compose O06, X79: operations of version 3.2', () => {
  it('query is a method that reads and has a body', async () => {
    const { tools, sent } = await open('query-method.yaml')
    expect(tools).toMatchObject([
      {
        name: 'search',
        description: 'Searches products.',
        annotations: { readOnlyHint: true },
        inputSchema: { required: ['category', 'text'], properties: { category: {}, limit: {}, text: {}, prices: {} } },
      },
    ])
    expect(await sent('search', { category: 'a/b', limit: 5, text: 'x', prices: [1.5] })).toMatchObject({
      method: 'QUERY',
      url: '/products/a%2Fb?limit=5',
      body: '{"text":"x","prices":[1.5]}',
    })
  })

  it('additionalOperations have methods of any name, and share the parameters of the path', async () => {
    const { server, tools, sent } = await open('additional-operations.json')
    expect(server.report.operations.map(({ method, name }) => [method, name])).toEqual([
      ['get', 'read'],
      ['link', 'link'],
      ['copy', 'copy'],
      ['lock', 'lock'],
    ])
    expect(tools.find(({ name }) => name === 'link')?.annotations).toEqual({ openWorldHint: true })
    expect(await sent('link', { id: 7, to: '/x' })).toMatchObject({ method: 'LINK', url: '/documents/7?to=%2Fx' })
    const copied = await sent('copy', { id: 7, Destination: '/y', overwrite: true })
    expect(copied).toMatchObject({ method: 'COPY', body: '{"overwrite":true}' })
    expect(copied.headers['destination']).toBe('/y')
  })

  it('and keep their letters, where the HTTP client does', async () => {
    const methods: unknown[] = []
    const fetch = async (_url: unknown, init?: RequestInit) => {
      methods.push(init?.method)
      return Response.json({})
    }
    const { server } = await open('additional-operations.json', { fetch })
    for (const tool of ['lock', 'link', 'read'])
      await server.callTool(tool, { id: 7, ...(tool === 'link' && { to: 'x' }) })
    expect(methods).toEqual(['Lock', 'LINK', 'GET'])
  })

  it('in a document of version 3.1, neither of them is an operation', async () => {
    for (const name of ['query-method.yaml', 'additional-operations.json']) {
      const older = readFileSync(file(name), 'utf8').replace('3.2.0', '3.1.0')
      const { report } = await openAPIServer(older, { baseUrl: api.origin })
      expect(report.operations.map(({ method }) => method)).toEqual(name.startsWith('query') ? [] : ['get'])
    }
  })
})

describe('compose 8.3, X79: parameters of version 3.2', () => {
  it('querystring as a form: one argument is the whole query', async () => {
    const { inputOf, sent } = await open('querystring-form.yaml')
    expect(inputOf('report')).toMatchObject({ required: ['filter'], properties: { filter: { required: ['from'] } } })
    const filter = { from: '2026-01-02', tags: ['a b', 'c&d'], exact: true }
    expect((await sent('report', { filter })).url).toBe('/reports?from=2026-01-02&tags=a%20b&tags=c%26d&exact=true')
  })

  it('querystring as JSON: the query is its text', async () => {
    const { sent } = await open('querystring-json.json')
    const selector = { area: { x: 1, y: 2 }, names: ['é&='] }
    const { url } = await sent('points', { selector })
    expect(JSON.parse(decodeURIComponent(url.slice('/points?'.length)))).toEqual(selector)
    expect(url).toMatch(/^\/points\?[A-Za-z0-9%._~-]+$/)
    expect((await sent('points')).url).toBe('/points')
  })

  it('the style cookie writes values as they are, the style form encodes them', async () => {
    const { server, sent } = await open('cookie-style.yaml')
    const plain = await sent('plain', { theme: 'a=b,c%20', sizes: [1, 2], view: { rows: 3, columns: 4 } })
    expect(plain.headers.cookie).toBe('theme=a=b,c%20; sizes=1; sizes=2; view=rows,3,columns,4')
    const encoded = await sent('encoded', { theme: 'a=b,c%20', sizes: [1, 2] })
    expect(encoded.headers.cookie).toBe('theme=a%3Db%2Cc%2520; sizes=1,2')
    const before = api.requests.length
    for (const theme of ['a;b', 'a b', 'a"', 'a\\', 'é', 'a\r\nX: 1']) {
      expect((await server.callTool('plain', { theme })).isError).toBe(true)
    }
    expect(api.requests).toHaveLength(before)
  })

  it('allowReserved counts in a path too, and leads nowhere else', async () => {
    const { server, sent } = await open('allow-reserved.yaml')
    expect((await sent('file', { path: 'a/b:c@d', at: 'x/y?z' })).url).toBe('/files/a/b:c@d?at=x/y?z')
    expect((await sent('folder', { path: 'a/b:c@d', at: 'x/y?z' })).url).toBe('/folders/a%2Fb%3Ac%40d?at=x%2Fy%3Fz')
    expect((await sent('file', { path: 'a?b#c' })).url).toBe('/files/a%3Fb%23c')
    for (const path of ['../x', 'a/../../x', '%2e%2e/x', 'a/%2E./x']) {
      expect((await server.callTool('file', { path })).isError).toBe(true)
    }
  })

  it('each style has its own default for explode', async () => {
    const { sent } = await open('style-defaults.yaml')
    const both = { list: [3, 4], object: { R: 1, G: 2 } }
    expect((await sent('simple', both)).url).toBe('/simple/3,4/R,1,G,2')
    expect((await sent('label', both)).url).toBe('/label/.3,4/.R,1,G,2')
    expect((await sent('matrix', both)).url).toBe('/matrix/;list=3,4/;object=R,1,G,2')
    const query = await sent('query', { form: [1, 2], spaces: [3, 4], pipes: { R: 1, G: 2 }, deep: { R: 1, G: 2 } })
    expect(query.url).toBe('/query?form=1&form=2&spaces=3%204&pipes=R%7C1%7CG%7C2&deep[R]=1&deep[G]=2')
  })
})

describe('compose O31, O44, X79: items', () => {
  it('itemSchema of a body: a list is the argument, each item a line', async () => {
    const { inputOf, sent, server } = await open('item-schema-request.yaml')
    expect(inputOf('sendLines')).toMatchObject({
      properties: { body: { type: 'array', items: { $ref: '#/$defs/Event' } } },
      $defs: { Event: { required: ['kind'] } },
    })
    const body = [{ kind: 'made', at: 1 }, { kind: 'gone' }]
    const lines = await sent('sendLines', { body })
    expect(lines).toMatchObject({ body: '{"kind":"made","at":1}\n{"kind":"gone"}\n' })
    expect(lines.headers['content-type']).toBe('application/jsonl')
    const sequence = await sent('sendSequence', { body })
    expect(sequence.body).toBe('\u001e{"kind":"made","at":1}\n\u001e{"kind":"gone"}\n')
    expect((await server.callTool('sendLines', { body: [{ kind: 'other' }] })).isError).toBe(true)
  })

  it('itemSchema of an answer: each item is progress, and all of them are the result', async () => {
    const { server } = await open('item-schema-answer.json', { strictResponses: true })
    const client = await Client.connect(server)
    for (const [type, text] of [
      ['text/event-stream', 'event: line\ndata: {"text":"a"}\n\ndata: {"text":"b"}\n\n'],
      ['application/jsonl', '{"text":"a"}\n{"text":"b"}\n'],
    ] as const) {
      api.answer = (_request, response) => response.writeHead(200, { 'content-type': type }).end(text)
      const progress: unknown[] = []
      const result = await client.callTool('follow', {}, { onProgress: ({ message }) => void progress.push(message) })
      expect(progress).toEqual(['{"text":"a"}', '{"text":"b"}'])
      expect(textOf(result)).toBe('[{"text":"a"},{"text":"b"}]')
      expect(api.last().headers.accept).toContain(type)
    }
    await client.close()
  })
})

describe('compose O02, X79: documents', () => {
  it('$self is what references are relative to, however they are written', async () => {
    const { server, inputOf, sent } = await open('self.json')
    expect(server.report).toMatchObject({ mapped: 2, leftOut: 0 })
    expect(inputOf('orders')).toMatchObject({ properties: { page: { $ref: '#/$defs/Page' } } })
    expect(inputOf('order')).toMatchObject({ properties: { item: {}, pages: { $ref: '#/$defs/Page' } } })
    expect((await sent('orders', { page: 2 })).url).toBe('/orders?page=2')
    expect((await sent('order', { item: 'x', pages: 1 })).body).toBe('{"item":"x","pages":1}')
  })

  it('media types of the components stand for those that refer to them', async () => {
    const { inputOf, sent, server } = await open('media-types.json', { strictResponses: true })
    expect(Object.keys(inputOf('write')?.properties ?? {}).sort()).toEqual(['labels', 'labels_in_query', 'text'])
    api.answer = (_request, response) => sendJSON(response, { text: 'x' })
    const { url, body } = await sent('write', { labels_in_query: ['q'], text: 'x', labels: ['b'] })
    expect(decodeURIComponent(url)).toBe('/notes?labels=["q"]')
    expect(JSON.parse(body)).toEqual({ text: 'x', labels: ['b'] })
    api.answer = (_request, response) => sendJSON(response, { text: 5 })
    expect((await server.callTool('write', { text: 'x' })).isError).toBe(true)
  })

  it('tags with parents and answers with a summary alone are read; trace is left out', async () => {
    const { server, tools } = await open('tags.yaml', { include: [{ tags: ['books'] }] })
    expect(tools.map(({ name }) => name)).toEqual(['books'])
    const left = server.report.operations.filter(({ as }) => as === 'none')
    expect(left.map(({ method, isProblem }) => [method, isProblem])).toEqual([
      ['get', false],
      ['trace', true],
    ])
  })

  it('forms, each property by its encoding', async () => {
    const { sent } = await open('forms.yaml')
    const search = await sent('search', { words: ['a', 'b c'], place: { x: 1, y: 2 }, rules: { exact: true } })
    expect(search.body).toBe('words=a%7Cb%20c&place[x]=1&place[y]=2&rules=%7B%22exact%22%3Atrue%7D')
    const { body } = await sent('upload', { name: 'é', address: { town: 'X' }, photo: { data: 'YQ==' } })
    expect(body).toContain('name="photo"; filename="photo"\r\nContent-Type: image/png\r\nX-Kind: portrait\r\n\r\na\r\n')
    expect(body).toContain('name="address"\r\nContent-Type: application/json\r\n\r\n{"town":"X"}\r\n')
  })
})

describe('compose O52, X79: the device flow and the address of the metadata', () => {
  it('stand in the report, and before the function that gives a token', async () => {
    const asked: unknown[] = []
    const { server, sent } = await open('device-flow.yaml', {
      auth: {
        account: ({ scheme, scopes }) => {
          asked.push([scheme, scopes])
          return 'token-of-the-user'
        },
        old: 'key-of-the-author',
      },
    })
    const account = {
      name: 'account',
      type: 'oauth2',
      flows: ['deviceAuthorization'],
      metadataUrl: 'https://login.example.com/.well-known/oauth-authorization-server',
    }
    expect(server.report.schemes).toMatchObject([account, { name: 'old', type: 'apiKey' }])
    expect((await sent('channels')).headers.authorization).toBe('Bearer token-of-the-user')
    expect(asked).toMatchObject([[account, ['watch']]])
    expect((await sent('news')).headers['x-key']).toBe('key-of-the-author')
  })
})
