// compose O01–O06, G040, G041: documents, their references, and hostile ones.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpenAPIError, openAPIServer, openAPITools } from 'mcpwire/openapi'
import { compileSchema } from 'mcpwire/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { surveyDocument } from '../../../src/openapi/document/survey.ts'
import { Servers } from '../../../src/openapi/operations/servers.ts'
import { TakenNames } from '../../../src/openapi/text/taken-names.ts'
import { heapUsed, MIB } from '../../support/heap.ts'
import { type Api, documentOf, sendJSON, startApi } from './support.ts'

let folder: string
let api: Api
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-openapi-'))
  api = await startApi()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await api.close()
})

const get = (parameters: unknown[] = [], more: object = {}) => ({ get: { operationId: 'a', parameters, ...more } })
const query = (schema: unknown) => [{ name: 'q', in: 'query', schema }]

async function inputOf(paths: object, more: object = {}, version?: string): Promise<Record<string, unknown>> {
  const server = await openAPIServer(documentOf(paths, more, version))
  const { tools } = await server.listTools()
  compileSchema(tools[0]?.inputSchema)
  return tools[0]?.inputSchema as Record<string, unknown>
}

async function refusal(document: string | object): Promise<OpenAPIError> {
  const error: unknown = await openAPIServer(document).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAPIError)
  return error as OpenAPIError
}

describe('compose G040: what is no OpenAPI document', () => {
  it.each([
    [{ swagger: '2.0' }, 'swagger2openapi'],
    [{ openapi: '4.0.0' }, 'not supported'],
    [{ asyncapi: '3.0.0' }, 'AsyncAPI'],
    [{}, 'openapi is missing'],
    ['{ "openapi": ', 'JSON'],
    ['openapi: 3.1.0\npaths: {\n', 'YAML'],
    ['openapi: 3.1.0\ninfo: !!js/function x\n', 'a tag'],
    ['./not-there.yaml', 'cannot be read'],
  ])('%j', async (document, words) => {
    expect((await refusal(document)).message).toContain(words)
  })

  it('a text that is none is not repeated in full', async () => {
    const { message } = await refusal('['.repeat(100_000))
    expect(message).toContain('neither JSON nor YAML, nor a path: "[[[')
    expect(message.length).toBeLessThan(200)
  })

  it('no document at all is a TypeError', async () => {
    await expect(openAPIServer(5 as never)).rejects.toThrow(TypeError)
    await expect(openAPIServer({ openapi: '3.1.0' }, { basUrl: 'x' } as never)).rejects.toThrow('baseUrl')
    await expect(openAPIServer({ openapi: '3.1.0' }, { baseUrl: 'ftp://x' })).rejects.toThrow(RangeError)
  })

  it('a document that cannot be fetched says why', async () => {
    api.answer = (_request, response) => response.writeHead(404).end()
    expect((await refusal(`${api.origin}/openapi.json`)).message).toContain('HTTP 404')
    api.answer = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/x' }).end()
    expect((await refusal(`${api.origin}/openapi.json`)).message).toContain('another origin')
  })
})

describe('compose O01: limits', () => {
  it('aliases that expand to too much', async () => {
    const lines = ['openapi: 3.1.0', 'a: &a [x,x,x,x,x,x,x,x,x]']
    for (let level = 1; level < 12; level++) {
      const [now, before] = [String.fromCharCode(97 + level), String.fromCharCode(96 + level)]
      lines.push(`${now}: &${now} [${Array(9).fill(`*${before}`).join(',')}]`)
    }
    expect((await refusal(lines.join('\n'))).message).toContain('expand to too much')
    expect((await refusal('openapi: 3.1.0\na: &a [*a]\n')).message).toContain('deeper')
  })

  it('aliases, merge keys and numbers as keys within the limits', async () => {
    const text = [
      'openapi: 3.1.0',
      'info: { title: T, version: "1" }',
      'servers: [{ url: https://x.test }]',
      'x-common: &common { operationId: list, summary: Lists. }',
      'paths:',
      '  /pets:',
      '    get:',
      '      <<: *common',
      '      summary: Lists pets.',
      '      responses: { 200: { description: ok } }',
    ].join('\n')
    const { tools } = await (await openAPIServer(text)).listTools()
    expect(tools).toMatchObject([{ name: 'list', description: 'Lists pets.' }])
  })

  it('depth, in JSON, in YAML and in objects', async () => {
    const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`
    expect((await refusal(`{"openapi":"3.1.0","x":${deep}}`)).message).toContain('deeper')
    expect((await refusal({ openapi: '3.1.0', x: JSON.parse(deep) })).message).toContain('deeper')
    const circular: Record<string, unknown> = { openapi: '3.1.0' }
    circular['self'] = circular
    expect((await refusal(circular)).message).toContain('deeper')
  })

  it('a million parameters leave one operation out', async () => {
    const parameters = Array(1_000_000).fill({ name: 'q', in: 'query' })
    const server = await openAPIServer(documentOf({ '/a': get(parameters), '/b': { get: { operationId: 'b' } } }))
    expect(server.report.operations).toMatchObject([
      { as: 'none', isProblem: true },
      { as: 'tool', name: 'b' },
    ])
  })

  it('too many operations', async () => {
    const paths = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`/${index}`, { get: {} }]))
    expect((await refusal(documentOf(paths))).pointer).toBe('#/paths')
    expect(await openAPITools(documentOf(paths), { include: [{ path: '/7' }] })).toHaveLength(1)
  })
})

describe('compose O02, O03: references', () => {
  it('are kept, once each, and recursion stays recursion', async () => {
    const schemas = {
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/components/schemas/Node' }, tag: { $ref: '#/components/schemas/Tag' } },
      },
      Tag: { type: 'string' },
      Unused: { type: 'number' },
    }
    const input = await inputOf(
      { '/a': get(query({ $ref: '#/components/schemas/Node' })) },
      { components: { schemas } },
    )
    expect(input).toMatchObject({
      properties: { q: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: { properties: { next: { $ref: '#/$defs/Node' }, tag: { $ref: '#/$defs/Tag' } } },
        Tag: { type: 'string' },
      },
    })
    expect(Object.keys(input['$defs'] as object)).toEqual(['Node', 'Tag'])
  })

  it('pointers with escapes and percent signs, anchors, ids', async () => {
    const schemas = {
      'a/b~c d': { type: 'integer' },
      Anchored: { $anchor: 'here', type: 'boolean' },
      Id: { $id: 'https://x.test/s', type: 'null' },
    }
    for (const [reference, type] of [
      ['#/components/schemas/a~1b~0c%20d', 'integer'],
      ['#here', 'boolean'],
      ['https://x.test/s', 'null'],
    ]) {
      const input = await inputOf({ '/a': get(query({ $ref: reference })) }, { components: { schemas } })
      expect(Object.values(input['$defs'] as object)).toMatchObject([{ type }])
    }
  })

  it('siblings count since 3.1, not in 3.0', async () => {
    const components = { schemas: { S: { type: 'string' } } }
    const schema = { $ref: '#/components/schemas/S', maxLength: 5 }
    expect(await inputOf({ '/a': get(query(schema)) }, { components })).toMatchObject({
      properties: { q: { maxLength: 5 } },
    })
    const old = await inputOf({ '/a': get(query(schema)) }, { components }, '3.0.3')
    expect((old['properties'] as { q: object }).q).toEqual({ $ref: '#/$defs/S' })
  })

  it.each([
    '#/components/schemas/Missing',
    '#/constructor',
    '#/__proto__',
    '#/paths/toString',
    'other.yaml',
    'https://evil.test/x.json',
    '../../../etc/passwd',
  ])('compose G041: %s is unresolved, and leaves out what needs it', async (reference) => {
    const server = await openAPIServer(
      documentOf({ '/a': get(query({ $ref: reference })), '/b': { get: { operationId: 'b' } } }),
    )
    expect(server.report).toMatchObject({ mapped: 1, leftOut: 1 })
    expect(server.report.operations[0]).toMatchObject({ isProblem: true, reason: expect.stringContaining('reference') })
    const strict = await openAPIServer(documentOf({ '/a': get(query({ $ref: reference })) }), { strict: true }).catch(
      (error: unknown) => error,
    )
    expect(strict).toMatchObject({ name: 'OpenAPIError', pointer: expect.stringContaining('#/paths/~1a/get') })
  })

  it('references that lead in a circle', async () => {
    const components = {
      parameters: { A: { $ref: '#/components/parameters/B' }, B: { $ref: '#/components/parameters/A' } },
      schemas: { A: { $ref: '#/components/schemas/A' } },
    }
    const document = documentOf(
      { '/a': get([{ $ref: '#/components/parameters/A' }]), '/b': { $ref: '#/paths/~1b' } },
      { components },
    )
    expect((await openAPIServer(document)).report).toMatchObject({ mapped: 0, leftOut: 2 })
    const body = { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } }
    const circular = documentOf({ '/a': { post: { operationId: 'a', requestBody: body } } }, { components })
    expect((await openAPIServer(circular)).report.operations[0]?.reason).toContain('circle')
  })

  it('files in and below the folder, and no link that leads out', async () => {
    const inside = join(folder, 'api')
    mkdirSync(join(inside, 'schemas'), { recursive: true })
    writeFileSync(join(folder, 'secret.yaml'), 'type: string\ntitle: secret\n')
    symlinkSync(join(folder, 'secret.yaml'), join(inside, 'link.yaml'))
    writeFileSync(
      join(inside, 'schemas', 'pet.yaml'),
      'type: object\nproperties:\n  tag: { $ref: "./tag.yaml#/Tag" }\n',
    )
    writeFileSync(join(inside, 'schemas', 'tag.yaml'), 'Tag: { type: string, maxLength: 9 }\n')
    const path = (id: string, reference: string) => ({
      get: { operationId: id, parameters: query({ $ref: reference }) },
    })
    const document = documentOf({
      '/in': path('in', 'schemas/pet.yaml'),
      '/link': path('link', './link.yaml'),
      '/up': path('up', '../secret.yaml'),
      '/encoded': path('encoded', '%2e%2e/secret.yaml'),
      '/absolute': path('absolute', `file://${join(folder, 'secret.yaml')}`),
    })
    writeFileSync(join(inside, 'openapi.json'), JSON.stringify(document))
    const server = await openAPIServer(join(inside, 'openapi.json'))
    expect(server.report.operations.map(({ as }) => as)).toEqual(['tool', 'none', 'none', 'none', 'none'])
    const { tools } = await server.listTools()
    expect(JSON.stringify(tools)).toContain('"maxLength":9')
  })

  it('resolve gives other documents', async () => {
    const asked: string[] = []
    const tools = await openAPITools(documentOf({ '/a': get(query({ $ref: 'https://x.test/s.json#/S' })) }), {
      resolve: (uri) => {
        asked.push(uri)
        return { S: { type: 'integer' } }
      },
    })
    expect(asked).toEqual(['https://x.test/s.json'])
    expect(tools).toHaveLength(1)
  })
})

describe('compose O04: 3.0 becomes 2020-12', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ allOf: [{ type: 'object' }], nullable: true }, { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] }],
    [{ oneOf: [{ type: 'object' }], nullable: true }, { oneOf: [{ type: 'object' }, { type: 'null' }] }],
    [
      { oneOf: [{ type: 'object', nullable: true }], nullable: true },
      { anyOf: [{ type: ['object', 'null'] }, { type: 'null' }] },
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      { type: 'integer', maximum: 9, exclusiveMaximum: false },
      { type: 'integer', maximum: 9 },
    ],
    [
      { type: 'string', example: 'x' },
      { type: 'string', examples: ['x'] },
    ],
    [
      { type: 'string', format: 'byte' },
      { type: 'string', contentEncoding: 'base64' },
    ],
    [{ type: 'object', discriminator: { propertyName: 'x' }, xml: {}, externalDocs: {} }, { type: 'object' }],
    [{ type: 'banana', required: true, enum: 5, minLength: -1, pattern: '(', items: 7, 'x-mcp-header': 'A' }, {}],
    [{ type: 'string', pattern: '(a+)+$' }, { type: 'string' }],
    [
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
    ],
  ])('%j', async (schema, expected) => {
    const input = await inputOf({ '/a': get(query(schema)) }, {}, '3.0.3')
    expect((input['properties'] as { q: object }).q).toEqual(expected)
  })

  it('names such as __proto__ are plain data', async () => {
    const text = JSON.stringify(
      documentOf({
        '/a': {
          post: {
            operationId: '__proto__',
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: { PLACE: { type: 'string' }, constructor: { type: 'string' } },
                  },
                },
              },
            },
          },
        },
      }),
    )
    const server = await openAPIServer(text.replace('PLACE', '__proto__'))
    const { tools } = await server.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['__proto__', 'constructor'])
    expect(tools[0]?.name).toBe('proto')
    expect(({} as { type?: string }).type).toBeUndefined()
  })
})

describe('compose O05: servers', () => {
  const paths = { '/a': { get: { operationId: 'a' } } }
  const serverOf = (url: string, more: object = {}) => documentOf(paths, { servers: [{ url, ...more }] })

  it('variables, and values that the document does not list', async () => {
    const variables = { region: { default: 'eu', enum: ['eu', 'us'] } }
    const urls: string[] = []
    const fetch = async (url: unknown) => {
      urls.push(String(url))
      return new Response('{}', { headers: { 'content-type': 'application/json' } })
    }
    const document = serverOf('https://{region}.example.com/v2/', { variables })
    await (await openAPIServer(document, { fetch })).callTool('a')
    await (await openAPIServer(document, { fetch, variables: { region: 'us' } })).callTool('a')
    expect(urls).toEqual(['https://eu.example.com/v2/a', 'https://us.example.com/v2/a'])
    const other = await openAPIServer(document, { fetch, variables: { region: 'evil.test/' } })
    expect(other.report.operations[0]).toMatchObject({ isProblem: true })
  })

  it('a relative server needs baseUrl', async () => {
    expect((await openAPIServer(serverOf('/v1'))).report.operations[0]?.reason).toContain('baseUrl')
    expect((await openAPIServer(serverOf('ftp://x.test'))).report.mapped).toBe(0)
    expect((await openAPIServer(serverOf('https://u:p@x.test'))).report.mapped).toBe(0)
  })

  it.each([
    'http://127.0.0.1:9/',
    'http://localhost/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://printer/',
    'http://db.internal/',
    'https://{host}/',
  ])('issue, A13: a document from outside that names %s is an error at once', async (url) => {
    const document = serverOf(url, { variables: { host: { default: '10.0.0.1' } } })
    const fetch = async () => new Response(JSON.stringify(document))
    const error = await openAPIServer('https://docs.example.com/openapi.json', { fetch }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      name: 'OpenAPIError',
      pointer: '#/servers/0',
      message: expect.stringContaining('private network'),
    })
    const named = await openAPIServer('https://docs.example.com/openapi.json', { fetch, allowPrivateAddresses: true })
    expect(named.report.mapped).toBe(1)
    const own = await openAPIServer('https://docs.example.com/openapi.json', { fetch, baseUrl: 'http://10.0.0.1' })
    expect(own.report.mapped).toBe(1)
    expect((await openAPIServer(document)).report.mapped).toBe(1)
  })

  it('A13: a public name may stand for public addresses only', () => {
    const servers = new Servers({}, new URL('https://docs.example.com/openapi.json'))
    const value = serverOf('https://rebound.example.org/')
    const place = { value, document: { base: '', value, survey: surveyDocument(value) }, pointer: '#' }
    const { allowsAddress } = servers.baseOf(place, place, place)
    expect(
      ['93.184.216.34', '10.0.0.1', '127.0.0.1', '::1', 'fe80::1'].map((address) => allowsAddress?.(address)),
    ).toEqual([true, false, false, false, false])
    const { allowsAddress: own } = new Servers({ baseUrl: 'https://x.test' }, undefined).baseOf(place, place, place)
    expect(own).toBeUndefined()
  })

  it('A13: the address of the document may be on this machine, and then its servers too', async () => {
    api.answer = (_request, response) => sendJSON(response, serverOf(`${api.origin}/v1`))
    expect((await openAPIServer(`${api.origin}/openapi.json`)).report.mapped).toBe(1)
  })
})

describe('compose O06, X79: 3.2, webhooks and callbacks', () => {
  it('query, additionalOperations, querystring and $self', async () => {
    const document = documentOf(
      {
        '/a': {
          query: {
            operationId: 'q',
            requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { x: {} } } } } },
          },
          additionalOperations: { LINK: { operationId: 'l' } },
        },
        '/b': {
          get: {
            operationId: 'b',
            parameters: [
              {
                name: 'all',
                in: 'querystring',
                content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
              },
            ],
          },
        },
        '/c': {
          get: { operationId: 'c', parameters: query({ $ref: 'https://self.test/api.json#/components/schemas/S' }) },
        },
      },
      { $self: 'https://self.test/api.json', components: { schemas: { S: { type: 'string' } } } },
      '3.2.0',
    )
    const server = await openAPIServer(document, { baseUrl: api.origin })
    api.answer = (_request, response) => sendJSON(response, {})
    expect(server.report.operations.map(({ name }) => name)).toEqual(['q', 'l', 'b', 'c'])
    await server.callTool('q', { x: 1 })
    expect(api.last()).toMatchObject({ method: 'QUERY', body: '{"x":1}' })
    await server.callTool('l')
    expect(api.last().method).toBe('LINK')
    await server.callTool('b', { all: { x: [1, 2], y: 'a b' } })
    expect(api.last().url).toBe('/b?x=1&x=2&y=a%20b')
    const { tools } = await server.listTools()
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true })
  })

  it('webhooks and callbacks are reported', async () => {
    const document = documentOf(
      { '/a': { post: { operationId: 'a', callbacks: { done: {} } } } },
      { webhooks: { new: { post: {} } } },
    )
    const { report } = await openAPIServer(document)
    expect(report.operations).toMatchObject([
      { as: 'tool', notes: ['Its callbacks are left out.'] },
      { as: 'none', isProblem: false },
    ])
  })
})

describe('compose G041: what a small document can ask for', () => {
  const ok = { responses: { 200: { description: 'ok' } } }
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const bodyOf = (schema: unknown, required = true) => ({
    post: { ...ok, requestBody: { required, content: { 'application/json': { schema } } } },
  })
  const operations = (count: number, item: object) => Object.fromEntries(numbers(count).map((at) => [`/p${at}`, item]))
  const properties = (count: number) => Object.fromEntries(numbers(count).map((at) => [`a${at}`, { type: 'string' }]))
  const SHARED = { $ref: '#/components/schemas/Shared' }
  const shared = (schema: object) => ({ components: { schemas: { Shared: schema } } })
  const parts = numbers(100).map(() => SHARED)

  it.each<[string, object, object]>([
    ['a body', operations(2_000, bodyOf(SHARED)), shared({ type: 'object', properties: properties(2_000) })],
    [
      'parameters',
      operations(2_000, { get: { ...ok, parameters: [{ $ref: '#/components/parameters/Shared' }] } }),
      { components: { parameters: { Shared: { name: 'q', in: 'query', schema: { enum: numbers(2_000) } } } } },
    ],
    [
      'a long text',
      operations(2_000, { get: { ...ok, parameters: [{ $ref: '#/components/parameters/Shared' }] } }),
      {
        components: {
          parameters: { Shared: { name: 'q', in: 'query', schema: { default: 'x'.repeat(400_000), type: 'string' } } },
        },
      },
    ],
    ['security', operations(2_000, { get: ok }), { security: numbers(2_000).map(() => ({ key: [] })) }],
    [
      'an operation with tags',
      operations(2_000, { $ref: '#/components/pathItems/Shared' }),
      { components: { pathItems: { Shared: { get: { ...ok, tags: numbers(2_000).map(String) } } } } },
    ],
    [
      'schemas in one another',
      { '/a': bodyOf({ type: 'array', items: SHARED }) },
      shared({ type: 'object', required: ['a'], properties: { a: { readOnly: true } }, allOf: parts }),
    ],
  ])('%s that many share is worked on up to a limit', async (_name, paths, more) => {
    const { message, pointer } = await refusal(documentOf(paths, more, '3.1.0'))
    expect(message).toMatch(/more than \d{6} parts/)
    expect(message).toContain('option include')
    expect(pointer).toBe('#/paths')
  })

  it('a body that may be left out does not list each argument with each other one', async () => {
    const schema = { type: 'object', properties: properties(1_000), required: Object.keys(properties(1_000)) }
    const input = await inputOf({ '/a': bodyOf(schema, false) })
    expect(JSON.stringify(input).length).toBeLessThan(100_000)
  })

  it('operations keep no copies of a text that they share', async () => {
    const description = `Long. ${'x '.repeat(1_000_000)}`
    const paths = operations(100, { $ref: '#/components/pathItems/Shared' })
    const document = documentOf(
      paths,
      { components: { pathItems: { Shared: { get: { ...ok, description } } } } },
      '3.1.0',
    )
    const before = await heapUsed()
    const server = await openAPIServer(document, { search: false })
    expect((await heapUsed()) - before).toBeLessThan(50 * MIB)
    expect((await server.listTools()).tools[0]?.description?.length).toBeLessThanOrEqual(1_024)
  })

  it('names that become the same are numbered without a search for each', () => {
    const names = new TakenNames()
    const taken = numbers(50_000).map(() => names.take('argument'))
    expect(taken.slice(0, 3)).toEqual(['argument', 'argument_2', 'argument_3'])
    expect(new Set(taken).size).toBe(50_000)
    expect(names.take('argument_50000')).toBe('argument_50000_2')
  })
})
