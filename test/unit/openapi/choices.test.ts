// compose O30, O33, O42, O01: what is chosen where a document has several of a kind, and what one limit is.
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpenAPIError, openAPIServer } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, documentOf, sendJSON, startApi } from './support.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** The first wins over all after it. Types in one row rank alike: the order of the document counts. */
const ORDER: readonly (readonly string[])[] = [
  ['application/json', 'application/json; charset=utf-8'],
  ['application/vnd.api+json', 'application/merge-patch+json'],
  ['text/json'],
  ['*/*', 'application/*'],
  ['application/x-www-form-urlencoded'],
  ['multipart/form-data', 'multipart/mixed'],
  ['text/plain', 'text/csv', 'application/yaml'],
  ['application/octet-stream'],
  ['application/xml', 'application/pdf', 'image/png'],
]
const schema = { type: 'object', properties: { n: { type: 'string' } } }

async function typeSent(types: readonly string[], args: Record<string, unknown>): Promise<string> {
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const paths = { '/a': { post: { operationId: 'a', requestBody: { required: true, content } } } }
  const server = await openAPIServer(documentOf(paths), { baseUrl: api.origin, search: false })
  expect((await server.callTool('a', args)).isError).toBeUndefined()
  return api.last().headers['content-type'] ?? ''
}

const argumentsOf = (rank: number) => (rank <= 5 ? { n: 'x' } : { body: 'YQ==' })
const sentAs = (type: string) => (type.includes('*') ? 'application/json' : type)

describe('compose O30: which media type is sent', () => {
  const pairs = ORDER.slice(0, -1).flatMap((better, rank) =>
    ORDER.slice(rank + 1).flatMap((worse) =>
      better.flatMap((first) => worse.map((second) => [first, second, rank] as const)),
    ),
  )
  it.each(pairs)('%s before %s', async (better, worse, rank) => {
    for (const types of [
      [better, worse],
      [worse, better],
    ]) {
      const sent = await typeSent(types, argumentsOf(rank))
      expect(sent.startsWith(sentAs(better))).toBe(true)
    }
  })

  it.each(ORDER.flatMap((row, rank) => (row.length > 1 ? [[row, rank] as const] : [])))(
    '%j: as the document has them',
    async (row, rank) => {
      for (const order of [row, [...row].reverse()]) {
        const sent = await typeSent(order, argumentsOf(rank))
        expect(sent.startsWith(sentAs(order[0] as string))).toBe(true)
      }
    },
  )
})

describe('compose O33: headers of a part', () => {
  it('that have one value are sent with it; others, and those of the part itself, are not', async () => {
    const parts = {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' }, meta: { type: 'object' } },
    }
    const only = (value: object) => ({ schema: { type: 'string', ...value } })
    const encoding = {
      file: {
        contentType: 'image/png',
        headers: {
          'X-Const': only({ const: 'c' }),
          'X-Enum': only({ enum: ['e'] }),
          'X-Default': only({ default: 'd' }),
          'X-Number': { schema: { type: 'integer', const: 7 } },
          'X-Referred': { $ref: '#/components/headers/Referred' },
          'X-Any': only({}),
          'X-Two': only({ enum: ['a', 'b'] }),
          'X-Evil': only({ const: 'a\r\nX-Injected: 1' }),
          'Content-Type': only({ const: 'text/evil' }),
        },
      },
      meta: { headers: { 'X-Meta': only({ const: 'm' }) } },
    }
    const content = { 'multipart/form-data': { schema: parts, encoding } }
    const document = documentOf(
      { '/a': { post: { operationId: 'a', requestBody: { required: true, content } } } },
      { components: { headers: { Referred: only({ const: 'r' }) } } },
    )
    const server = await openAPIServer(document, { baseUrl: api.origin })
    await server.callTool('a', { file: { data: 'YQ==' }, meta: { b: 1 } })
    const { headers, body } = api.last()
    const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] as string
    const heads = body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => part.trim().split('\r\n\r\n')[0]?.split('\r\n'))
    expect(heads).toEqual([
      [
        'Content-Disposition: form-data; name="file"; filename="file"',
        'Content-Type: image/png',
        'X-Const: c',
        'X-Enum: e',
        'X-Default: d',
        'X-Number: 7',
        'X-Referred: r',
      ],
      ['Content-Disposition: form-data; name="meta"', 'Content-Type: application/json', 'X-Meta: m'],
    ])
  })
})

describe('compose O42: which answer describes the result', () => {
  const statuses = ['200', '201', '202', '203', '207', '2XX', 'default']
  const answer = (status: string) => ({
    description: '',
    content: { 'application/json': { schema: { type: 'object', properties: { from: { const: status } } } } },
  })

  it.each(statuses.map((status, index) => [status, statuses.slice(index)] as const))(
    '%s before what comes after it',
    async (first, those) => {
      for (const order of [those, [...those].reverse()]) {
        const responses = Object.fromEntries(order.map((status) => [status, answer(status)]))
        const document = documentOf({ '/a': { get: { operationId: 'a', responses } } })
        const server = await openAPIServer(document, { baseUrl: api.origin, strictResponses: true })
        const { tools } = await server.listTools()
        expect(tools[0]?.outputSchema).toMatchObject({ properties: { from: { const: first } } })
        const status = /^\d+$/.test(first) ? Number(first) : 226
        api.answer = (_request, response) => sendJSON(response, { from: first }, status)
        expect((await server.callTool('a')).structuredContent).toEqual({ from: first })
        api.answer = (_request, response) => sendJSON(response, { from: 'another' }, status)
        expect((await server.callTool('a')).isError).toBe(true)
      }
    },
  )

  it('an answer that only failures have describes no result', async () => {
    const document = documentOf({ '/a': { get: { operationId: 'a', responses: { 404: answer('404') } } } })
    const server = await openAPIServer(document, { baseUrl: api.origin, strictResponses: true })
    expect((await server.listTools()).tools[0]?.outputSchema).toBeUndefined()
  })
})

describe('compose O01: 64 MiB', () => {
  const LIMIT = 64 * 1024 * 1024
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpwire-openapi-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const refusalOf = async (document: string | object) => {
    const error: unknown = await openAPIServer(document).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAPIError)
    return (error as OpenAPIError).message
  }

  it.each([
    ['JSON', '{"openapi":"3.1.0","x":"', '"}'],
    ['YAML', 'openapi: 3.1.0\nx: "', '"\n'],
  ])('a text of %s of more characters, and one of fewer that has more bytes', async (_kind, start, end) => {
    expect(await refusalOf(start + 'x'.repeat(LIMIT) + end)).toContain(`larger than ${LIMIT} bytes`)
    expect(await refusalOf(start + 'é'.repeat(LIMIT / 2) + end)).toContain(`larger than ${LIMIT} bytes`)
  })

  it('a file, which is not read to its end', async () => {
    const path = join(folder, 'large.json')
    const file = openSync(path, 'w')
    ftruncateSync(file, LIMIT + 1)
    closeSync(file)
    expect(await refusalOf(path)).toContain(`larger than ${LIMIT} bytes`)
  })

  it('an answer of the server that has the document', async () => {
    const chunk = 'x'.repeat(1024 * 1024)
    let sent = 0
    api.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        if (response.destroyed) return
        sent += chunk.length
        response.write(chunk, more)
      }
      more()
    }
    expect(await refusalOf(`${api.origin}/openapi.json`)).toContain(`larger than ${LIMIT} bytes`)
    expect(sent).toBeLessThan(LIMIT * 2)
  })
})
