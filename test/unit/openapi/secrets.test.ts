// compose O55: an API that writes a credential back, in whatever form, does not tell the caller.
import { Client } from 'mcpwire'
import { type OpenAPIServerOptions, openAPIServer } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, documentOf, sendJSON, startApi, textOf } from './support.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const SCHEMES = {
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
}

async function serverOf(scheme: keyof typeof SCHEMES, options: OpenAPIServerOptions) {
  const paths = { '/items': { get: { operationId: 'list' }, post: { operationId: 'add' } } }
  const more = { security: [{ [scheme]: [] }], components: { securitySchemes: SCHEMES } }
  return openAPIServer(documentOf(paths, more), { baseUrl: api.origin, ...options })
}

const upper = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
const escaped = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
const special = (text: string, encode: (mark: string) => string) => text.replace(/[^A-Za-z0-9\-._~]/g, encode)
const htmlName: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

/** The ways in which programs write a text. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': (text) => special(text, upper),
  'percent-encoded in lower case': (text) => special(text, (mark) => upper(mark).toLowerCase()),
  'percent-encoded twice': (text) => special(text, upper).replaceAll('%', '%25'),
  'as JavaScript encodes it': encodeURIComponent,
  'as a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'escaped in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'escaped in JSON, slashes too': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'escaped in JSON by code': escaped,
  'escaped in JSON by code in capitals': (text) =>
    escaped(text).replace(/(?<=\\u)[\da-f]{4}/g, (digits) => digits.toUpperCase()),
  'escaped in HTML by name': (text) => text.replace(/[&<"]/g, (mark) => htmlName[mark] as string),
  'escaped in HTML by number': (text) => special(text, (mark) => `&#${mark.charCodeAt(0)};`),
  'escaped in HTML by hexadecimal number': (text) => special(text, (mark) => `&#x${mark.charCodeAt(0).toString(16)};`),
}
const KEYS = ['SECRET-KEY-123456', 'SECRET+/key=', 'SEC RET&"<x>\\\\y%2Fz', '((a+)+$|.*[b]{2}', '12345678']

describe('compose O55: a key is hidden in each form that an API may give it', () => {
  it.each(KEYS.flatMap((key) => Object.keys(FORMS).map((form) => [key, form] as const)))(
    '%s, %s',
    async (key, form) => {
      const written = (FORMS[form] as (text: string) => string)(key)
      const marker = written === key || !written.includes(key) ? written : key
      const server = await serverOf('query', { auth: { query: key } })
      for (const status of [200, 500]) {
        api.answer = (_request, response) =>
          response.writeHead(status, { 'content-type': 'text/plain' }).end(`before ${written} after`)
        const text = textOf(await server.callTool('list'))
        expect(text).not.toContain(marker)
        expect(text).toContain('before *** after')
      }
    },
  )

  it('in the link to the next page and in Location', async () => {
    for (const key of KEYS) {
      for (const write of Object.values(FORMS)) {
        const written = write(key)
        if (/[<>]/.test(written)) continue
        const server = await serverOf('query', { auth: { query: key } })
        api.answer = (_request, response) => {
          const address = `https://api.example/items?page=2&api_key=${written}`
          sendJSON(response, {}, 201, { link: `<${address}>; rel="next"`, location: address })
        }
        const { _meta } = await server.callTool('add')
        const hidden = 'https://api.example/items?page=2&api_key=***'
        expect(_meta?.['mcpwire/http']).toEqual({ status: 201, location: hidden, next: hidden })
      }
    }
  })

  it('in values and keys of JSON, and in numbers, which stay JSON', async () => {
    for (const key of ['SECRET+/key=', '12345678']) {
      const server = await serverOf('query', { auth: { query: key } })
      const value = /^\d+$/.test(key) ? Number(key) : key
      api.answer = ({ url }, response) => sendJSON(response, { self: url, [key]: [value, 5], other: 'kept' })
      const result = await server.callTool('list')
      const shown = { self: '/items?api_key=***', '***': ['***', 5], other: 'kept' }
      expect(result.structuredContent).toEqual(shown)
      expect(JSON.parse(textOf(result))).toEqual(shown)
      api.answer = ({ url }, response) => sendJSON(response, { title: 'No', detail: url, key: value }, 400)
      expect(textOf(await server.callTool('list'))).toContain(
        '{"title":"No","detail":"/items?api_key=***","key":"***"}',
      )
    }
  })

  it('in items of a stream, and in the progress that tells them', async () => {
    const server = await serverOf('query', { auth: { query: 'SECRET+/key=' } })
    const client = await Client.connect(server)
    api.answer = ({ url }, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`{"url":"${url}"}\n${url}\n`)
    const progress: unknown[] = []
    const result = await client.callTool('list', {}, { onProgress: ({ message }) => void progress.push(message) })
    expect(progress).toEqual(['{"url":"/items?api_key=***"}', '/items?api_key=***'])
    expect(textOf(result)).toBe('[{"url":"/items?api_key=***"},"/items?api_key=***"]')
    await client.close()
  })

  it('in bytes, which keep their number', async () => {
    const server = await serverOf('query', { auth: { query: 'SECRET+/key=' } })
    api.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('\u0001SECRET+/key=\u0002')
    const { content } = await server.callTool('list')
    const [block] = content as { resource: { blob: string } }[]
    expect(Buffer.from(block?.resource.blob ?? '', 'base64').toString()).toBe(`\u0001${'*'.repeat(12)}\u0002`)
  })

  it('in what pick and next see, and in resources', async () => {
    const seen: unknown[] = []
    const see = <Value>(value: Value): Value => {
      seen.push(value)
      return value
    }
    const server = await serverOf('query', {
      auth: { query: 'SECRET+/key=' },
      responses: { pick: see },
      each: (tool) => ({ ...tool, next: ({ header }) => (see(header('link')) === '' ? {} : undefined) }),
    })
    api.answer = ({ url }, response) => sendJSON(response, { url }, 200, { link: `<${url}>; rel=next` })
    await server.callTool('list')
    expect(seen).toEqual([{ url: '/items?api_key=***' }, '</items?api_key=***>; rel=next'])
    const paths = { '/items': { get: { operationId: 'list' } } }
    const more = { security: [{ query: [] }], components: { securitySchemes: SCHEMES } }
    const resources = await openAPIServer(documentOf(paths, more), {
      baseUrl: api.origin,
      auth: { query: 'SECRET+/key=' },
      as: () => 'resource',
    })
    const client = await Client.connect(resources)
    const { contents } = await client.readResource((await client.listResources()).resources[0]?.uri as string)
    expect(contents).toMatchObject([{ text: '{"url":"/items?api_key=***"}' }])
    await client.close()
  })

  it('also where a limit cuts it in two', async () => {
    const server = await serverOf('query', {
      auth: { query: 'SECRET-KEY-123456' },
      responses: { maxDownloadBytes: 1_012 },
    })
    api.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${'x'.repeat(1_000)}SECRET-KEY-123456 and more`)
    expect(textOf(await server.callTool('list'))).toContain('xxx***')
    expect(textOf(await server.callTool('list'))).not.toContain('SECRET')
  })

  it('a long key takes no time that grows with the answer', async () => {
    const key = '\\+'.repeat(4_500)
    const server = await serverOf('query', { auth: { query: () => ({ headers: { 'x-key': key } }) } })
    api.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${'\\'.repeat(50_000)} key ${key}`)
    const started = process.cpuUsage()
    expect(textOf(await server.callTool('list'))).toMatch(/^\\+ key \*\*\*$/)
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000)
  })
})

describe('compose O55: what else is a credential', () => {
  const echo = () => {
    api.answer = ({ headers }, response) => sendJSON(response, headers, 200, { location: JSON.stringify(headers) })
  }

  it.each<[string, keyof typeof SCHEMES, OpenAPIServerOptions, string[]]>([
    [
      'a user with a password',
      'basic',
      { auth: { basic: { username: 'ada', password: 'pass word/1' } } },
      ['pass word/1', Buffer.from('ada:pass word/1').toString('base64')],
    ],
    [
      'the same as a text',
      'basic',
      { auth: { basic: 'ada:pass word/1' } },
      ['pass word/1', Buffer.from('ada:pass word/1').toString('base64')],
    ],
    [
      'the same as a header',
      'basic',
      { auth: { basic: { headers: { Authorization: `Basic ${Buffer.from('ada:pass/1').toString('base64')}` } } } },
      ['pass/1', Buffer.from('ada:pass/1').toString('base64')],
    ],
    ['a cookie', 'cookie', { auth: { cookie: 'cookie/value' } }, ['cookie/value', 'cookie%2Fvalue']],
    [
      'a cookie in a header',
      'bearer',
      { auth: { bearer: { headers: { Cookie: 'a=cookie-value; b=c' } } } },
      ['cookie-value'],
    ],
    [
      'a header of every request',
      'bearer',
      { auth: { bearer: 't' }, headers: { 'X-Api-Key': 'own+secret' } },
      ['own+secret'],
    ],
    [
      'a token that a provider adds',
      'bearer',
      {
        auth: {
          bearer: {
            authorize: (poster) => (request) =>
              poster({ ...request, headers: { ...request.headers, authorization: 'Bearer provided+token' } }),
          },
        },
      },
      ['provided+token'],
    ],
  ])('%s', async (_name, scheme, options, secrets) => {
    const server = await serverOf(scheme, options)
    echo()
    const result = JSON.stringify(await server.callTool('list'))
    expect(result).toContain('***')
    for (const secret of secrets) {
      expect(result).not.toContain(secret)
      api.answer = (_request, response) => sendJSON(response, { text: `${secret} ${encodeURIComponent(secret)}` }, 400)
      expect(textOf(await server.callTool('list'))).toContain('{"text":"*** ***"}')
    }
  })

  it('the version of an API in a header is none', async () => {
    const server = await serverOf('bearer', { auth: { bearer: 't' }, headers: { 'X-Api-Version': '2022-11-28' } })
    echo()
    expect(JSON.stringify(await server.callTool('list'))).toContain('2022-11-28')
  })

  it('a message of the author', async () => {
    const { ToolError } = await import('mcpwire')
    const server = await serverOf('query', {
      auth: { query: 'SECRET+/key=' },
      fetch: (url) => Promise.reject(new ToolError(`No way to ${String(url)}.`)),
    })
    expect(textOf(await server.callTool('list'))).not.toContain('SECRET')
  })
})
