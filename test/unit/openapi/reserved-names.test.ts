// compose O55: no argument sets what the credential of the call is called.
import { openAPIServer } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, documentOf, sendJSON, startApi, textOf } from './support.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  api.answer = (_request, response) => sendJSON(response, {})
})
afterAll(() => api.close())

const KEY = 'KEY-OF-THE-AUTHOR'
const FREE = { type: 'object', additionalProperties: { type: 'string' } }

function serverOf(where: 'query' | 'cookie' | 'header', parameter: object, name = 'api key') {
  const paths = { '/items': { get: { operationId: 'list', parameters: [{ name: 'filter', ...parameter }] } } }
  const securitySchemes = { key: { type: 'apiKey', in: where, name } }
  const more = { security: [{ key: [] }], components: { securitySchemes } }
  return openAPIServer(documentOf(paths, more, '3.2.0'), { baseUrl: api.origin, auth: { key: KEY } })
}

const form = { 'application/x-www-form-urlencoded': { schema: FREE } }
const query = { in: 'query', schema: FREE }
const cookie = { in: 'cookie', schema: FREE }

const CASES: readonly [string, 'query' | 'cookie', object, object, string?][] = [
  ['a query', 'query', query, { 'api key': 'x' }],
  ['a query, reserved characters stay', 'query', { ...query, allowReserved: true }, { 'key=x;y': 'z' }, 'key'],
  ['a value, reserved characters stay', 'query', { ...query, allowReserved: true }, { y: 'a;key=x' }, 'key'],
  ['a query, encoded by the caller', 'query', { ...query, allowReserved: true }, { '%6bey': 'x' }, 'key'],
  ['a query with spaces', 'query', { ...query, style: 'spaceDelimited', explode: true }, { 'api key': 'x' }],
  ['a deep object', 'query', { ...query, style: 'deepObject' }, { key: 'x' }, 'filter[key]'],
  ['a whole query', 'query', { in: 'querystring', content: form }, { 'api key': 'x' }],
  ['cookies', 'cookie', cookie, { session: 'x' }, 'session'],
  ['cookies as they are', 'cookie', { ...cookie, style: 'cookie' }, { 'session=y': 'x' }, 'session'],
]

describe("compose O55: the credential's name is reserved", () => {
  it.each(CASES)('%s', async (_case, where, parameter, filter, name = 'api key') => {
    const before = api.requests.length
    const refused = await (await serverOf(where, parameter, name)).callTool('list', { filter })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toBe(
      `The argument "filter" sets ${JSON.stringify(name)}, which is where the credential goes.`,
    )
    expect(api.requests).toHaveLength(before)
  })

  it('other names, and names of another place, are sent beside it', async () => {
    const inQuery = await serverOf('query', query)
    expect(textOf(await inQuery.callTool('list', { filter: { api_key: 'x', session: 'y' } }))).toBe('{}')
    expect(api.last().url).toBe(`/items?api_key=x&session=y&api%20key=${KEY}`)
    const inHeader = await serverOf('header', query, 'key')
    expect(textOf(await inHeader.callTool('list', { filter: { key: 'x' } }))).toBe('{}')
    expect(api.last()).toMatchObject({ url: '/items?key=x', headers: { key: KEY } })
  })
})
