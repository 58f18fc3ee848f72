// mcpwire openapi: a server from a document, its credentials, what is left out, and what cannot be served.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { MAIN, mcpwire, startCommand } from '../../test/support/command-line.ts'

interface Seen {
  readonly url: string
  readonly authorization: string | undefined
}

const seen: Seen[] = []
let api: Server
let origin = ''
let folder = ''

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  responses: { 200: { description: 'ok' } },
  ...more,
})
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

function documentOf(more: object = {}) {
  return {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: `${origin}/v1` }],
    paths: {
      '/pets': { get: operation('list_pets'), post: operation('add_pet', { tags: ['admin'] }) },
      '/pets/{id}': { parameters: [id], get: operation('get_pet'), delete: operation('drop_pet', { tags: ['admin'] }) },
      '/me': { get: operation('who_am_i', { security: [{ login: [] }] }) },
      '/broken': { get: operation('broken', { parameters: [{ $ref: '#/nowhere' }] }) },
    },
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' }, login: { type: 'http', scheme: 'basic' } },
    },
    ...more,
  }
}

function fileWith(content: unknown, name = `document-${seen.length}-${Math.random()}.json`): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** The URL of the server that the command serves. */
async function serve(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ url: string; shown: string }> {
  const child = startCommand(['openapi', ...args, '--http', '--port', '0'], { env })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let shown = ''
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    shown += String(text)
    const [, url] = /Listening on (\S+)/.exec(shown) ?? []
    if (url !== undefined) return { url, shown }
  }
  throw new Error(`It ended: ${shown}`)
}

const namesAt = async (url: string) =>
  (await mcpwire(['list', url, '--tools', '--names'])).stdout.trim().split('\n').toSorted()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-openapi-'))
  api = createServer((request, response) => {
    const { authorization } = request.headers
    if (request.url === '/openapi.json') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(documentOf()))
      return
    }
    seen.push({ url: `${request.method} ${request.url}`, authorization })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true }))
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})

afterAll(() => {
  api.close()
  api.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

describe('mcpwire openapi', () => {
  it('compose X100 serves each operation as a tool, over stdio, and says what is left out', async () => {
    const { stdout, stderr, code } = await mcpwire([
      'call',
      'get_pet',
      'id=a/b',
      '--quiet',
      '--',
      process.execPath,
      MAIN,
      'openapi',
      fileWith(documentOf({ security: [] })),
    ])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toEqual({ ok: true })
    expect(seen.at(-1)).toEqual({ url: 'GET /v1/pets/a%2Fb', authorization: undefined })
    const { shown, url } = await serve([fileWith(documentOf())])
    expect(shown).toContain('GET /broken is left out')
    expect(await namesAt(url)).toEqual(['add_pet', 'drop_pet', 'get_pet', 'list_pets', 'who_am_i'])
  })

  it('compose X100 reads credentials from the environment, and shows none', async () => {
    const args = [fileWith(documentOf()), '--auth', 'key=PET_TOKEN', '--auth', 'login=PET_LOGIN']
    const { url, shown } = await serve(args, { PET_TOKEN: 'geheim-1', PET_LOGIN: 'ann:geheim-2' })
    expect((await mcpwire(['call', url, 'list_pets'])).code).toBe(0)
    expect(seen.at(-1)?.authorization).toBe('Bearer geheim-1')
    expect((await mcpwire(['call', url, 'who_am_i'])).code).toBe(0)
    expect(seen.at(-1)?.authorization).toBe(`Basic ${Buffer.from('ann:geheim-2').toString('base64')}`)
    expect(shown).not.toContain('geheim')
  })

  it('compose O55 credentials go to the server of the document, and elsewhere by --auth-origin only', async () => {
    // The same machine by another name: another origin.
    const other = origin.replace('127.0.0.1', 'localhost')
    const servers = [{ url: other }]
    const document = fileWith(documentOf({ paths: { '/there': { get: operation('there', { servers }) } } }))
    const args = [document, '--auth', 'key=PET_TOKEN']
    const env = { PET_TOKEN: 'geheim-1' }
    const { url, shown } = await serve(args, env)
    expect(shown).toContain(`${other} gets no credentials. Name it with --auth-origin if it belongs to the API.`)
    const before = seen.length
    expect((await mcpwire(['call', url, 'there'])).stdout).toContain(`was not sent to ${other}`)
    expect(seen.length).toBe(before)
    const listed = await serve([...args, '--auth-origin', other], env)
    expect((await mcpwire(['call', listed.url, 'there'])).code).toBe(0)
    expect(seen.at(-1)).toEqual({ url: 'GET /there', authorization: 'Bearer geheim-1' })
    const fetched = ['openapi', `${other}/openapi.json`, '--auth', 'key=PET_TOKEN']
    const refused = await mcpwire(fetched, { env })
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`names the server ${origin}`) })
    expect(refused.stderr).toContain('--base-url, or its origin with --auth-origin')
  })

  it.each([
    [
      ['--include', 'GET /pets/**'],
      ['get_pet', 'list_pets'],
    ],
    [
      ['--include', '/pets', '--include', 'who_am_i'],
      ['add_pet', 'list_pets', 'who_am_i'],
    ],
    [['--include', '*_pet', '--exclude', 'tag:admin'], ['get_pet']],
  ])('compose X100 %j', async (args, expected) => {
    expect(await namesAt((await serve([fileWith(documentOf()), ...args])).url)).toEqual(expected)
  })

  it('compose X100 --base-url goes over the servers of the document; a document may be fetched', async () => {
    const elsewhere = documentOf({ servers: [{ url: 'https://nowhere.invalid' }], security: [] })
    const { url } = await serve([fileWith(elsewhere), '--base-url', `${origin}/v2`])
    expect((await mcpwire(['call', url, 'list_pets'])).code).toBe(0)
    expect(seen.at(-1)?.url).toBe('GET /v2/pets')
    expect(await namesAt((await serve([`${origin}/openapi.json`])).url)).toContain('get_pet')
  })

  it.each<[string, () => readonly string[], number, string]>([
    ['no document', () => [], 2, 'document'],
    ['a file that is not there', () => ['nothing.yaml'], 3, 'The file nothing.yaml does not exist.\nCheck the path.'],
    [
      'an address where nothing is',
      () => ['http://127.0.0.1:1/x.json'],
      3,
      '\nCheck the URL, or download the document',
    ],
    [
      'a filter that leaves nothing',
      () => [fileWith(documentOf()), '--include', 'x'],
      0,
      'No operation became a tool.',
    ],
    ['no OpenAPI', () => [fileWith({ hello: 1 })], 3, 'are supported.\nCorrect the document.'],
    ['neither JSON nor YAML', () => [fileWith('{"openapi": ')], 3, 'JSON'],
    ['Swagger 2.0', () => [fileWith({ swagger: '2.0', paths: {} })], 3, 'npx swagger2openapi'],
    ['another version', () => [fileWith({ openapi: '4.0.0', paths: {} })], 3, 'Use 3.0, 3.1 or 3.2. (at #/openapi)'],
    [
      '--auth without a variable',
      () => [fileWith(documentOf()), '--auth', 'key'],
      2,
      'not of the form scheme=VARIABLE',
    ],
    ['--auth with the secret itself', () => [fileWith(documentOf()), '--auth', 'key=geheim!'], 2, 'for "key" is not'],
    [
      'a variable that is not set',
      () => [fileWith(documentOf()), '--auth', 'key=PET_X'],
      2,
      'PET_X of --auth is not set',
    ],
    ['an unknown scheme', () => [fileWith(documentOf()), '--auth', 'nokey=HOME'], 2, 'no security scheme "nokey"'],
    ['one scheme twice', () => [fileWith(documentOf()), '--auth', 'key=HOME', '--auth', 'key=HOME'], 2, '"key" twice'],
    ['a base URL that is none', () => [fileWith(documentOf()), '--base-url', 'ftp://x'], 2, '--base-url must be'],
    ['a base URL with a password', () => [fileWith(documentOf()), '--base-url', 'http://a:geheim@x'], 2, 'user name'],
    [
      'an origin with a path',
      () => [fileWith(documentOf()), '--auth-origin', 'https://x.test/v1'],
      2,
      '--auth-origin must be',
    ],
    ['a match that is none', () => [fileWith(documentOf()), '--include', 'a b'], 2, '"a b" is not an operation.'],
    ['--port without --http', () => [fileWith(documentOf()), '--port', '1'], 2, '--port needs --http.'],
    [
      'a server that is no address',
      () => [fileWith(documentOf({ servers: [{ url: '/v1' }], paths: { '/a': { get: operation('a') } } }))],
      0,
      'Set the option baseUrl',
    ],
  ])('compose X100 %s', async (_what, args, code, message) => {
    const result = await mcpwire(['openapi', ...args()])
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toMatch(/geheim| at .*\.js:/)
  })
})
