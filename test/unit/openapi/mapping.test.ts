// compose O10–O18, X76, X77: names, texts, arguments, resources, reports, reloads, and calls described by hand.
import { Client, MCPServer } from 'mcpwire'
import { fetchTools, type OpenAPIServerOptions, openAPIServer, openAPITools } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { type Api, documentOf, sendJSON, startApi, textOf } from './support.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function toolsOf(paths: object, options = {}, more = {}, version?: string) {
  const server = await openAPIServer(documentOf(paths, more, version), options)
  return (await server.listTools()).tools
}

const post = (schema: object, more: object = {}, required = true) => ({
  post: { operationId: 'p', requestBody: { required, content: { 'application/json': { schema } } }, ...more },
})

describe('compose O10–O13: names, texts, annotations', () => {
  it('compose O10: the id, or method and path; characters, length and duplicates', async () => {
    const long = 'a'.repeat(70)
    const tools = await toolsOf(
      {
        '/users/{id}': { get: {}, delete: { operationId: 'issues/list for.repo!' } },
        '/long': { get: { operationId: long }, put: { operationId: `${long}b` } },
        '/same': { get: { operationId: 'same' }, put: { operationId: 'same' } },
        '/given': { get: { operationId: 'given' }, put: {} },
      },
      { names: { given: 'mine', 'PUT /given': 'yours' } },
    )
    const names = tools.map(({ name }) => name)
    expect(names).toEqual([
      'get_users_by_id',
      'issues_list_for_repo',
      expect.stringMatching(/^a{57}_[a-z2-7]{6}$/),
      expect.stringMatching(/^a{57}_[a-z2-7]{6}$/),
      'same',
      'same_2',
      'mine',
      'yours',
    ])
    expect(new Set(names).size).toBe(names.length)
  })

  it('compose O11: summary, description, deprecation, at most 1,024 characters', async () => {
    const description = `${'A sentence that is told. '.repeat(60)}`
    const operation = { operationId: 'a', summary: 'Short.', description, deprecated: true }
    const [tool] = await toolsOf({ '/a': { get: operation } })
    expect(tool?.description).toMatch(/^Deprecated\.\n\nShort\.\n\nA sentence/)
    expect(tool?.description?.length).toBeLessThanOrEqual(1_024)
    expect(tool?.description?.endsWith('.')).toBe(true)
    const [short] = await toolsOf({ '/a': { get: operation } }, { describe: 'short' })
    expect(short?.description).toBe('Deprecated.\n\nShort.')
    const [none] = await toolsOf({ '/a/{b}': { get: {} } })
    expect(none?.description).toBe('GET /a/{b}')
  })

  it('compose O12: annotations by method, and x-mcp over them', async () => {
    const paths = {
      '/a': { get: {}, put: {}, delete: {}, post: {}, 'x-mcp': { title: 'T' } },
      '/b': {
        get: { 'x-mcp': false },
        post: { 'x-mcp': { name: 'named', description: 'd', annotations: { readOnlyHint: true }, scopes: ['s'] } },
      },
    }
    const server = await openAPIServer(documentOf(paths))
    const { tools } = await server.listTools({ auth: { clientId: 'c', scopes: ['s'] } })
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true, openWorldHint: true },
      { idempotentHint: true, openWorldHint: true },
      { openWorldHint: true },
      { destructiveHint: true, idempotentHint: true, openWorldHint: true },
      { readOnlyHint: true, openWorldHint: true },
    ])
    expect(tools[0]?.title).toBe('T')
    expect(tools[4]).toMatchObject({ name: 'named', description: 'd' })
    expect(server.report.operations[4]).toMatchObject({ as: 'none', isProblem: false })
    expect((await server.listTools()).tools).toHaveLength(4)
  })

  it('compose O13: above 40 tools a search takes the place of the list', async () => {
    const paths = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`/p${index}`, { get: { operationId: `find_${index}` } }]),
      )
    api.answer = ({ url }, response) => sendJSON(response, { url })
    const server = await openAPIServer(documentOf(paths(40)), { baseUrl: api.origin })
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    const client = await Client.connect(server)
    expect(await names()).toHaveLength(40)
    await server.reload(documentOf(paths(41)))
    expect(await names()).toEqual(['search_tools', 'call_tool'])
    const found = await client.callTool('search_tools', { query: 'find_40' })
    expect(JSON.stringify(found)).toContain('find_40')
    const called = await client.callTool('call_tool', { name: 'find_40', arguments: {} })
    expect(called.structuredContent).toEqual({ url: '/p40' })
    await client.close()
    const kept = await openAPIServer(documentOf(paths(41)), { search: { above: 41 } })
    expect((await kept.listTools()).tools).toHaveLength(41)
    const all = await openAPIServer(documentOf(paths(100)), { search: false })
    expect((await all.listTools()).tools).toHaveLength(100)
  })

  it('compose O13: more than 128 tools need a choice', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [`/p${index}`, { get: { tags: [index < 100 ? 'big' : 'small'] } }]),
    )
    const refused = openAPIServer(documentOf(paths), { search: false })
    await expect(refused).rejects.toThrow(RangeError)
    await expect(refused).rejects.toThrow(/130 tools.*big 100, small 30.*include.*searchTools.*codeMode/)
    await expect(openAPITools(documentOf(paths))).rejects.toThrow('maxTools')
    expect(await openAPITools(documentOf(paths), { maxTools: Infinity })).toHaveLength(130)
    const include = [{ tags: ['small'] }, { path: '/p1' }, { path: '/p2*', methods: ['get'] }]
    // 30 by their tag, /p1, and /p2, /p20 to /p29 by their path, without /p2.
    expect(await openAPITools(documentOf(paths), { include, exclude: [{ path: /^\/p2$/ }] })).toHaveLength(30 + 1 + 10)
  })

  it('a path that ends with ** has the path before it too, and none that only begins like it', async () => {
    const get = { get: { responses: {} } }
    const paths = { '/pets': get, '/pets/{id}': get, '/pets/{id}/toys': get, '/petshops': get }
    const server = await openAPIServer(documentOf(paths), { include: [{ path: '/pets/**' }] })
    const left = server.report.operations.filter(({ reason }) => reason !== undefined)
    expect(left.map(({ path }) => path)).toEqual(['/petshops'])
  })
})

describe('compose O14–O18: arguments', () => {
  it('compose O14: readOnly leaves the input, writeOnly the output, at every depth', async () => {
    const schemas = {
      User: {
        type: 'object',
        required: ['id', 'name', 'secret'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string' },
          secret: { type: 'string', writeOnly: true },
          parent: { $ref: '#/components/schemas/User' },
        },
      },
    }
    const reference = { $ref: '#/components/schemas/User' }
    const responses = { 200: { description: '', content: { 'application/json': { schema: reference } } } }
    const [tool] = await toolsOf(
      { '/a': post(reference, { responses }) },
      { strictResponses: true },
      { components: { schemas } },
    )
    if (tool === undefined) throw new Error('no tool')
    expect(tool.inputSchema).toMatchObject({
      required: ['name', 'secret'],
      properties: { parent: { $ref: '#/$defs/User' } },
    })
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['name', 'secret', 'parent'])
    const defs = (tool.inputSchema as unknown as { $defs: { User: { properties: object } } }).$defs
    expect(Object.keys(defs.User.properties)).toEqual(['name', 'secret', 'parent'])
    const out = (tool.outputSchema as unknown as { $defs: { User: { properties: object; required: string[] } } }).$defs
    expect(Object.keys(out.User.properties)).toEqual(['id', 'name', 'parent'])
    expect(out.User.required).toEqual(['id', 'name'])
  })

  it('compose O15: flat where it can be, else one argument', async () => {
    const flat = { type: 'object', properties: { a: { type: 'string' } } }
    const names = async (schema: object, options = {}) => {
      const [tool] = await toolsOf({ '/a': post(schema) }, options)
      return Object.keys(tool?.inputSchema.properties ?? {})
    }
    expect(await names(flat)).toEqual(['a'])
    expect(await names({ allOf: [flat, { properties: { b: {} } }] })).toEqual(['a', 'b'])
    expect(await names({ allOf: [flat, { properties: { a: { type: 'integer' } } }] })).toEqual(['body'])
    expect(await names({ ...flat, oneOf: [{}] })).toEqual(['body'])
    expect(await names({ type: 'object', additionalProperties: { type: 'string' } })).toEqual(['body'])
    expect(await names({ type: 'array', items: {} })).toEqual(['body'])
    expect(await names(flat, { flat: false })).toEqual(['body'])
  })

  it('compose O15: other properties are sent where the document allows them', async () => {
    const server = await openAPIServer(
      documentOf({ '/a': post({ type: 'object', properties: { a: {} }, additionalProperties: { type: 'integer' } }) }),
      { baseUrl: api.origin },
    )
    await server.callTool('p', { a: 1, other: 2 })
    expect(api.last().body).toBe('{"a":1,"other":2}')
    const closed = await openAPIServer(documentOf({ '/a': post({ type: 'object', properties: { a: {} } }) }), {
      baseUrl: api.origin,
    })
    expect((await closed.callTool('p', { b: 2 })).isError).toBe(true)
  })

  it('compose O16: the body keeps a name, the others say where they are', async () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: {} },
      { name: 'id', in: 'query', schema: {} },
      { name: 'id', in: 'header', schema: {} },
      { name: 'id', in: 'cookie', schema: {} },
    ]
    const document = documentOf({ '/a/{id}': post({ type: 'object', properties: { id: {} } }, { parameters }) })
    const server = await openAPIServer(document, { baseUrl: api.origin })
    const { tools } = await server.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual([
      'id_in_path',
      'id_in_query',
      'id_in_header',
      'id_in_cookie',
      'id',
    ])
    await server.callTool('p', { id: 'b', id_in_path: 'p', id_in_query: 'q', id_in_header: 'h', id_in_cookie: 'c' })
    expect(api.last()).toMatchObject({ url: '/a/p?id=q', body: '{"id":"b"}', headers: { id: 'h', cookie: 'id=c' } })
  })

  it('names that model APIs refuse are changed, and sent as they were', async () => {
    const parameters = [
      { name: 'filter[a b]', in: 'query', schema: {} },
      { name: '$top', in: 'query', schema: {} },
    ]
    const server = await openAPIServer(documentOf({ '/a': { get: { operationId: 'a', parameters } } }), {
      baseUrl: api.origin,
    })
    const { tools } = await server.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['filter_a_b', 'top'])
    await server.callTool('a', { filter_a_b: 1, top: 2 })
    expect(api.last().url).toBe('/a?filter%5Ba%20b%5D=1&%24top=2')
  })

  it('compose O17: an optional body needs its required members together', async () => {
    const schema = { type: 'object', required: ['a', 'b'], properties: { a: {}, b: {}, c: {} } }
    const server = await openAPIServer(documentOf({ '/a': post(schema, {}, false) }), { baseUrl: api.origin })
    const { tools } = await server.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({ dependentRequired: { a: ['b'], b: ['a'], c: ['a', 'b'] } })
    expect((await server.callTool('p', {})).isError).toBeUndefined()
    expect(api.last().headers['content-type']).toBeUndefined()
    expect((await server.callTool('p', { c: 1 })).isError).toBe(true)
  })

  it('compose O18: a required parameter with one value is filled in and hidden; defaults are not sent', async () => {
    const parameters = [
      { name: 'v', in: 'query', required: true, schema: { const: '2024-01-01' } },
      { name: 'X-Version', in: 'header', required: true, schema: { enum: ['7'] } },
      { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
      { name: 'Accept', in: 'header', required: true, schema: {} },
    ]
    const server = await openAPIServer(documentOf({ '/a': { get: { operationId: 'a', parameters } } }), {
      baseUrl: api.origin,
    })
    const { tools } = await server.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { page: { default: 1 } } })
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['page'])
    await server.callTool('a')
    expect(api.last()).toMatchObject({ url: '/a?v=2024-01-01', headers: { 'x-version': '7' } })
  })
})

describe('compose O04: alternatives', () => {
  const cat = { type: 'object', properties: { kind: { type: 'string' }, lives: { type: 'integer' } } }
  const dog = { type: 'object', properties: { kind: { type: 'string' }, barks: { type: 'boolean' } } }
  const discriminator = { propertyName: 'kind' }

  it.each([
    ['a body', { oneOf: [cat, dog], discriminator }, { kind: 'dog', barks: true }],
    ['a member', { type: 'array', items: { oneOf: [{ type: 'integer' }, { type: 'number' }] } }, [1, 2.5]],
    ['beside others', { anyOf: [cat, dog], oneOf: [cat, dog], allOf: [cat] }, { lives: 9 }],
  ])('a value that several of oneOf fit is sent: %s', async (_where, schema, body) => {
    const server = await openAPIServer(documentOf({ '/a': post(schema) }), { baseUrl: api.origin })
    api.answer = (_request, response) => sendJSON(response, {})
    expect(textOf(await server.callTool('p', { body }))).toBe('{}')
    expect(JSON.parse(api.last().body)).toEqual(body)
    expect(textOf(await server.callTool('p', { body: 'neither' }))).toMatch(/^Invalid arguments/)
  })

  it('an answer that several of oneOf fit has structured content', async () => {
    const responses = { 200: { description: '', content: { 'application/json': { schema: { oneOf: [cat, dog] } } } } }
    const paths = { '/a': { get: { operationId: 'a', responses } } }
    const server = await openAPIServer(documentOf(paths), { baseUrl: api.origin, strictResponses: true })
    api.answer = (_request, response) => sendJSON(response, { kind: 'cat' })
    expect((await server.callTool('a')).structuredContent).toEqual({ kind: 'cat' })
    expect(server.report.operations[0]?.misfits).toBe(0)
  })
})

describe('compose X76: entries of options that fit nothing', () => {
  const document = documentOf(
    {
      '/a': { get: { operationId: 'a', tags: ['one'], servers: [{ url: 'https://{zone}.example.com' }] } },
      '/b': { get: { security: [{ undescribed: [] }] } },
    },
    { components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } },
  )
  const right: OpenAPIServerOptions = {
    include: [{ tags: ['one'] }, { operationId: 'a' }, { path: '/**' }],
    exclude: [{ path: '/b' }],
    names: { a: 'first', 'GET /b': 'second', 'get /b': 'third' },
    mediaType: { a: 'application/json' },
    variables: { zone: 'eu' },
    auth: { token: 'x', undescribed: { headers: { 'x-key': 'y' } } },
  }

  it('are named in the report and by onFault, each once; what fits is not', async () => {
    const faults: Fault[] = []
    const server = { onFault: (fault: Fault) => void faults.push(fault) }
    expect((await openAPIServer(document, { ...right, server })).report.unfitting).toEqual([])
    expect(faults).toEqual([])
    const wrong = await openAPIServer(document, {
      server,
      include: [...(right.include ?? []), { tags: ['two'], methods: ['get'] }],
      exclude: [{ operationId: /^A$/ }, () => false],
      names: { ...right.names, A: 'x' },
      mediaType: { 'POST /b': 'text/plain' },
      variables: { ...right.variables, region: 'eu' },
      auth: { ...right.auth, Token: 'SECRET-TOKEN' },
    })
    expect(wrong.report.unfitting).toEqual([
      'The option include has an entry that fits no operation: tags ["two"], methods ["get"].',
      'The option exclude has an entry that fits no operation: operationId /^A$/.',
      'The option exclude has an entry that fits no operation: a function.',
      'The option variables has "region", and the document has no such variable of a server.',
      'The option names has "A", and the document has no such operation.',
      'The option auth has "Token", and the document has no such security scheme.',
      'The option mediaType has "POST /b", and the document has no such operation.',
    ])
    const told = wrong.report.unfitting.map((message) => ({ kind: 'configuration-warning', message }))
    expect(faults).toEqual(told)
    await wrong.reload({ ...document, paths: { '/b': { post: {} } } })
    expect(wrong.report.unfitting).toHaveLength(told.length + 6)
    expect(wrong.report.unfitting.join()).not.toContain('POST')
  })
})

describe('compose X76: report, reload, each, resources', () => {
  it('each changes a tool, or leaves it out', async () => {
    const tools = await toolsOf(
      { '/a': { get: { operationId: 'a', summary: 's' }, post: { operationId: 'b' } } },
      {
        each: (tool: { name: string }, { summary }: { summary?: string }) =>
          tool.name === 'b' ? undefined : { ...tool, description: `${summary}!` },
      },
    )
    expect(tools).toMatchObject([{ name: 'a', description: 's!' }])
  })

  it('reload adds, changes and removes, and tells clients once', async () => {
    const first = documentOf({
      '/a': { get: { operationId: 'a' } },
      '/b': { get: { operationId: 'b' } },
      '/c': { get: { operationId: 'c' } },
    })
    const server = await openAPIServer(first, { baseUrl: api.origin })
    const client = await Client.connect(server)
    const changed = vi.fn()
    const listening = await client.listen({ toolsListChanged: true })
    void (async () => {
      for await (const event of listening) changed(event.type)
    })()
    const second = documentOf({
      '/a': { get: { operationId: 'a' } },
      '/b2': { get: { operationId: 'b', summary: 'New.' } },
      '/d': { get: { operationId: 'd' } },
    })
    expect(await server.reload(second)).toEqual({ added: ['d'], changed: ['b'], removed: ['c'] })
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b', 'd'])
    await client.callTool('b')
    expect(api.last().url).toBe('/b2')
    await expect(server.reload({ swagger: '2.0' })).rejects.toThrow('Swagger')
    expect(server.report.mapped).toBe(3)
    await client.close()
  })

  it('as makes resources and templates of what only reads', async () => {
    const paths = {
      '/pets': {
        get: { operationId: 'list', parameters: [{ name: 'q', in: 'query', schema: {} }] },
        post: { operationId: 'make' },
      },
      '/pets/{id}': { get: { operationId: 'one' }, delete: { operationId: 'gone' } },
      '/none': { get: { operationId: 'none' } },
    }
    const server = await openAPIServer(documentOf(paths), {
      baseUrl: api.origin,
      as: ({ operationId, method, path }) => {
        if (operationId === 'none') return 'none'
        if (method !== 'get') return operationId === 'gone' ? 'resource' : 'tool'
        return path.includes('{') ? 'template' : 'resource'
      },
    })
    expect(server.report.operations).toMatchObject([
      { as: 'resource', name: 'openapi://test-api/pets' },
      { as: 'tool', name: 'make' },
      { as: 'template', name: 'openapi://test-api/pets/{id}' },
      { as: 'none', isProblem: true },
      { as: 'none', isProblem: false },
    ])
    api.answer = (_request, response) => sendJSON(response, { id: 7 })
    expect(await server.readResource('openapi://test-api/pets/7')).toMatchObject({
      contents: [{ uri: 'openapi://test-api/pets/7', mimeType: 'application/json', text: '{"id":7}' }],
    })
    expect(api.last().url).toBe('/pets/7')
    api.answer = (_request, response) => sendJSON(response, {}, 404)
    await expect(server.readResource('openapi://test-api/pets/8')).rejects.toThrow('not found')
    api.answer = (_request, response) => sendJSON(response, { why: 'broken' }, 500)
    await expect(server.readResource('openapi://test-api/pets')).rejects.toThrow('broken')
  })

  it('has the name and version of the document, and further options of the server', async () => {
    const server = await openAPIServer(documentOf({}), { server: { instructions: 'Be kind.' } })
    expect(server.server.info).toMatchObject({ name: 'Test API', version: '1.2.3' })
    expect(server).toBeInstanceOf(MCPServer)
  })
})

describe('compose X77: fetchTools', () => {
  it('puts arguments into path, query, headers and body, and is typed by its schemas', async () => {
    const tools = fetchTools(
      {
        get_user: {
          path: '/users/{id}',
          input: z.object({ id: z.string(), full: z.boolean().optional() }),
          output: z.object({ name: z.string() }),
          describe: 'Gets a user.',
        },
        add_user: {
          method: 'POST',
          path: '/users',
          input: z.object({ name: z.string(), trace: z.string() }),
          in: { trace: 'header' },
        },
        ping: { path: '/ping' },
      },
      { baseUrl: `${api.origin}/v1`, auth: () => 'tok' },
    )
    const server = new MCPServer('users', { tools })
    api.answer = (_request, response) => sendJSON(response, { name: 'Ada' })
    const client = await Client.connect(server)
    const result = await client.callTool('get_user', { id: 'a/1', full: true })
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ name: string } | undefined>()
    expect(result.structuredContent).toEqual({ name: 'Ada' })
    expect(api.last()).toMatchObject({
      method: 'GET',
      url: '/v1/users/a%2F1?full=true',
      headers: { authorization: 'Bearer tok' },
    })
    await client.callTool('add_user', { name: 'Bo', trace: 't' })
    expect(api.last()).toMatchObject({
      method: 'POST',
      url: '/v1/users',
      body: '{"name":"Bo"}',
      headers: { trace: 't' },
    })
    await client.callTool('ping')
    expect(api.last().url).toBe('/v1/ping')
    api.answer = (_request, response) => sendJSON(response, { name: 5 })
    expect((await client.callTool('get_user', { id: 'x' })).isError).toBe(true)
    expect(textOf(await client.callTool('get_user', { id: '..' }))).toContain("'..'")
    await client.close()
  })

  it('checks what it is given', () => {
    expect(() => fetchTools({ a: { path: '/{id}' } }, { baseUrl: 'https://x.test' })).toThrow(RangeError)
    expect(() => fetchTools({ a: { path: '/' } }, {} as never)).toThrow('baseUrl')
    expect(() => fetchTools({ a: { paths: '/' } as never }, { baseUrl: 'https://x.test' })).toThrow('path')
  })
})
