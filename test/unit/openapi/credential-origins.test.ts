// compose O55: credentials go to the origins that the author confirmed, whatever a document names besides.
import { OpenAPIError, type OpenAPIServerOptions, openAPIServer } from 'mcpwire/openapi'
import { describe, expect, it } from 'vitest'
import { documentOf, textOf } from './support.ts'

const SECRET = 's3cret-token'
const API = 'https://api.example.com'
const EVIL = 'https://evil.example'

/** An HTTP client that records, so that each name can be asked and none has to exist. */
function recorder(answer: (url: string) => Response = () => Response.json({ ok: true })) {
  const sent: { url: string; headers: Headers; text: string }[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    const text = await request.clone().text()
    sent.push({ url: request.url, headers: request.headers, text })
    return answer(request.url)
  }
  const leaked = () =>
    sent.filter(
      ({ url, headers, text }) =>
        new URL(url).origin !== API &&
        [url, text, ...[...headers].flat()].some((value) => value.includes(SECRET) || decoded(value).includes(SECRET)),
    )
  return { fetch, sent, leaked }
}

function decoded(value: string): string {
  return Buffer.from(value.replace(/^Basic /, ''), 'base64').toString()
}

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
  inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  oauth: { type: 'oauth2', flows: {} },
}
const components = { securitySchemes: SCHEMES }
const auth: NonNullable<OpenAPIServerOptions['auth']> = {
  bearer: SECRET,
  basic: { username: 'u', password: SECRET },
  inHeader: { headers: { 'X-Key': SECRET } },
  inQuery: SECRET,
  inCookie: () => SECRET,
  oauth: {
    authorize: (poster) => (request) =>
      poster({ ...request, headers: { ...request.headers, authorization: `Bearer ${SECRET}` } }),
  },
}

/** One operation at these servers, and one at the server of the document. */
function twoPlaces(server: object, { security = [{ bearer: [] }] as object[], at = 'operation', more = {} } = {}) {
  const servers = [server]
  const operation = (operationId: string) => ({ operationId, security })
  const elsewhere =
    at === 'operation' ? { get: { ...operation('elsewhere'), servers } } : { servers, get: operation('elsewhere') }
  return documentOf({ '/here': { get: operation('here') }, '/there': elsewhere }, { components, ...more })
}

describe('compose O55: another server in the document gets no credential', () => {
  it.each(Object.keys(SCHEMES).flatMap((scheme) => ['operation', 'path'].map((at) => [scheme, at] as const)))(
    'a %s at a server of the %s: refused with the origin and the option',
    async (scheme, at) => {
      const { fetch, sent, leaked } = recorder()
      const document = twoPlaces({ url: `${EVIL}/v1` }, { security: [{ [scheme]: [] }], at })
      const server = await openAPIServer(document, { auth, fetch })
      const refused = await server.callTool('elsewhere')
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toBe(
        `The credential for "${scheme}" was not sent to ${EVIL}: it goes to ${API} only. List the origin in authOrigins if it belongs to the API.`,
      )
      expect(sent).toEqual([])
      expect((await server.callTool('here')).isError).toBeUndefined()
      expect(
        JSON.stringify([sent[0]?.url, [...(sent[0]?.headers ?? [])].map(([, value]) => [value, decoded(value)])]),
      ).toContain(SECRET)
      expect(leaked()).toEqual([])
    },
  )

  it.each<[string, string, object?]>([
    ['another host', `${EVIL}/v1`],
    ['a longer name', `${API}.evil.example`],
    ['a name below', 'https://uploads.api.example.com'],
    ['a name above', 'https://example.com'],
    ['another port', `${API}:8443`],
    ['http', 'http://api.example.com'],
    ['a trailing dot', 'https://api.example.com.'],
    ['letters that look alike', 'https://\u0430pi.example.com'],
    ['backslashes', 'https:\\\\evil.example\\@api.example.com'],
    ['a tab in the name', 'https://evil.example\t/v1'],
    ['a host as a variable', 'https://{host}/v1', { host: { default: 'evil.example' } }],
    ['a user name as a variable', 'https://{api}evil.example/v1', { api: { default: 'api.example.com.' } }],
    ['a port as a variable', `${API}:{port}`, { port: { default: '8443' } }],
    ['a whole address as a variable', '{base}', { base: { default: EVIL } }],
  ])('%s is another origin', async (_name, url, variables = {}) => {
    const { fetch, leaked } = recorder()
    const document = twoPlaces({ url, variables })
    const server = await openAPIServer(document, { auth, fetch, variables: { region: 'eu' } })
    expect((await server.callTool('elsewhere')).isError).toBe(true)
    expect(leaked()).toEqual([])
  })

  it.each([
    ['a user name before the host', 'https://api.example.com@evil.example/v1'],
    ['a user name out of a variable', 'https://{x}evil.example/v1'],
    ['a relative address', '//evil.example/v1'],
    ['another scheme', 'ftp://api.example.com'],
  ])('%s makes no tool', async (_name, url) => {
    const { fetch, sent } = recorder()
    const variables = { x: { default: 'api.example.com@' } }
    const server = await openAPIServer(twoPlaces({ url, variables }), { auth, fetch })
    expect(server.report.operations[1]).toMatchObject({ as: 'none', isProblem: true })
    expect(sent).toEqual([])
  })

  it.each<[string, string, object?]>([
    ['capital letters', 'HTTPS://API.Example.COM/v2'],
    ['the port of the scheme', `${API}:443/v2`],
    ['a variable', 'https://{host}/v2', { host: { default: 'api.example.com' } }],
  ])('%s is the same origin', async (_name, url, variables = {}) => {
    const { fetch, sent } = recorder()
    const server = await openAPIServer(twoPlaces({ url, variables }), { auth, fetch })
    expect((await server.callTool('elsewhere')).isError).toBeUndefined()
    expect(sent[0]).toMatchObject({ url: `${API}/v2/there` })
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`)
  })

  it('a path cannot rewrite the authority', async () => {
    const { fetch, sent } = recorder()
    const paths = Object.fromEntries(
      [
        '@evil.example/a',
        '.evil.example/b',
        ':8443/c',
        '//evil.example/d',
        '/\\\\evil.example/e',
        '/../..//evil.example/f',
      ].map((path) => [path, { get: { operationId: `op${path.at(-1)}`, security: [{ bearer: [] }] } }]),
    )
    const server = await openAPIServer(documentOf(paths, { servers: [{ url: API }], components }), { auth, fetch })
    for (const { name } of (await server.listTools()).tools) await server.callTool(name)
    expect(sent.length).toBeGreaterThan(0)
    expect(new Set(sent.map(({ url }) => new URL(url).origin))).toEqual(new Set([API]))
  })

  it('a redirect to another origin is refused, for a credential and for headers', async () => {
    for (const location of [
      `${EVIL}/x`,
      '//evil.example/x',
      'https://api.example.com@evil.example/x',
      `${API}:8443/x`,
    ]) {
      const { fetch, sent, leaked } = recorder(() => new Response(null, { status: 307, headers: { location } }))
      const server = await openAPIServer(twoPlaces({ url: API }), { auth, headers: { 'x-api-key': SECRET }, fetch })
      expect((await server.callTool('elsewhere')).isError).toBe(true)
      expect(sent).toHaveLength(1)
      expect(leaked()).toEqual([])
    }
  })

  it('an operation that can do without runs without, and neither functions nor providers are asked', async () => {
    const { fetch, sent, leaked } = recorder()
    let asked = 0
    const document = twoPlaces({ url: EVIL }, { security: [{ bearer: [] }, {}] })
    const server = await openAPIServer(document, {
      auth: {
        bearer: () => {
          asked += 1
          return SECRET
        },
      },
      headers: { 'x-api-key': SECRET, 'User-Agent': 'me' },
      fetch,
    })
    expect((await server.callTool('elsewhere')).isError).toBeUndefined()
    expect(asked).toBe(0)
    expect(sent[0]?.headers.get('user-agent')).toBe('me')
    expect(leaked()).toEqual([])
    expect((await server.callTool('here')).isError).toBeUndefined()
    expect(sent[1]?.headers.get('x-api-key')).toBe(SECRET)
  })

  it('the report says which operations get none, and hideWithoutAuth leaves them out', async () => {
    const { operations } = (await openAPIServer(twoPlaces({ url: EVIL }), { auth })).report
    expect(operations[0]?.notes).toEqual([])
    expect(operations[1]?.notes.join()).toContain(`${EVIL} gets no credentials`)
    const hidden = await openAPIServer(twoPlaces({ url: EVIL }), { auth, hideWithoutAuth: true })
    expect(hidden.report.operations.map(({ as }) => as)).toEqual(['tool', 'none'])
  })

  it('authOrigins lists further origins, and takes origins only', async () => {
    const { fetch, sent } = recorder()
    const server = await openAPIServer(twoPlaces({ url: `${EVIL}/v1` }), { auth, fetch, authOrigins: [`${EVIL}/`] })
    expect((await server.callTool('elsewhere')).isError).toBeUndefined()
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`)
    for (const origin of [`${EVIL}/v1`, 'https://u@evil.example', 'evil.example', '*', 'https://*', 'file:///x', '']) {
      await expect(openAPIServer(twoPlaces({ url: EVIL }), { auth, authOrigins: [origin] })).rejects.toThrow(RangeError)
    }
  })

  it('baseUrl replaces all servers, so that nothing goes anywhere else', async () => {
    const { fetch, sent } = recorder()
    const server = await openAPIServer(twoPlaces({ url: EVIL }), { auth, fetch, baseUrl: `${API}/v3` })
    await server.callTool('elsewhere')
    await server.callTool('here')
    expect(sent.map(({ url }) => url)).toEqual([`${API}/v3/there`, `${API}/v3/here`])
  })

  it('another version of the document does not move the credentials', async () => {
    const { fetch, sent, leaked } = recorder()
    const server = await openAPIServer(twoPlaces({ url: API }), { auth, fetch, authOrigins: [] })
    await server.reload(twoPlaces({ url: API }, { more: { servers: [{ url: EVIL }] } }))
    expect(textOf(await server.callTool('here'))).toContain(`was not sent to ${EVIL}: it goes to ${API} only`)
    expect((await server.callTool('elsewhere')).isError).toBeUndefined()
    await server.reload(twoPlaces({ url: EVIL }, { more: { servers: [{ url: `${API}/v9` }] } }))
    expect((await server.callTool('here')).isError).toBeUndefined()
    expect(sent.map(({ url }) => url)).toEqual([`${API}/there`, `${API}/v9/here`])
    expect(leaked()).toEqual([])
  })

  it('a document without a server of its own confirms none', async () => {
    const { fetch, sent } = recorder()
    const server = await openAPIServer(twoPlaces({ url: EVIL }, { more: { servers: undefined } }), { auth, fetch })
    expect(textOf(await server.callTool('elsewhere'))).toContain('it goes to no origin only')
    expect(sent).toEqual([])
  })
})

describe('compose O52, O55: the secret of a client goes to a tokenUrl that the author confirmed', () => {
  const withToken = (tokenUrl: string) => {
    const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } }
    const security = [{ oauth: [] }]
    return documentOf({ '/a': { get: { operationId: 'a', security } } }, { components: { securitySchemes: { oauth } } })
  }
  const client = { clientId: 'id', clientSecret: SECRET }

  it.each([`${EVIL}/token`, 'https://api.example.com.evil.example/token', `${API}:8443/token`])(
    '%s is refused at once, or at the call if a function gives the secret',
    async (tokenUrl) => {
      const { fetch, sent } = recorder()
      const opening = openAPIServer(withToken(tokenUrl), { auth: { oauth: client }, fetch })
      await expect(opening).rejects.toThrow(OpenAPIError)
      await expect(opening).rejects.toThrow('authOrigins')
      const server = await openAPIServer(withToken(tokenUrl), { auth: { oauth: () => client }, fetch })
      const refused = await server.callTool('a')
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toContain('authOrigins')
      expect(sent).toEqual([])
    },
  )

  it('goes to the origin of the API, and to one that is listed', async () => {
    for (const [tokenUrl, authOrigins] of [
      [`${API}/token`, []],
      ['https://login.example.com/token', ['https://login.example.com']],
    ] as const) {
      const { fetch, sent } = recorder((url) => Response.json(url === tokenUrl ? { access_token: 'fresh' } : {}))
      const server = await openAPIServer(withToken(tokenUrl), { auth: { oauth: client }, fetch, authOrigins })
      await server.callTool('a')
      expect(sent.map(({ url }) => url)).toEqual([tokenUrl, `${API}/v1/a`])
      expect(sent[1]?.headers.get('authorization')).toBe('Bearer fresh')
    }
  })
})

describe('compose O55, A13: a document from outside confirms its own origin', () => {
  const DOCS = 'https://docs.example.com'
  const fetched = (document: object) => {
    const { sent, leaked, fetch } = recorder((url) => Response.json(url === `${DOCS}/openapi.json` ? document : {}))
    const open = (options: OpenAPIServerOptions) => openAPIServer(`${DOCS}/openapi.json`, { ...options, fetch })
    return { sent, leaked, open }
  }

  it('names another server: an error at once that names both and the options', async () => {
    const { open, sent } = fetched(twoPlaces({ url: EVIL }))
    for (const options of [{ auth }, { headers: { 'x-api-key': SECRET } }]) {
      await expect(open(options)).rejects.toThrow(
        `The document from ${DOCS} names the server ${API}, and credentials do not go there by its word alone. Set baseUrl to the address of the API, or list the origin in authOrigins.`,
      )
    }
    expect(sent.every(({ url }) => url === `${DOCS}/openapi.json`)).toBe(true)
  })

  it('without credentials it may name any public server', async () => {
    const { open, sent } = fetched(twoPlaces({ url: EVIL }, { security: [] }))
    const server = await open({ headers: { 'User-Agent': 'me' } })
    await server.callTool('here')
    await server.callTool('elsewhere')
    expect(sent.slice(1).map(({ url }) => url)).toEqual([`${API}/v1/here`, `${EVIL}/there`])
  })

  it('authOrigins and baseUrl confirm it; a relative server is its own', async () => {
    const listed = fetched(twoPlaces({ url: EVIL }))
    const server = await listed.open({ auth, authOrigins: [API] })
    expect((await server.callTool('here')).isError).toBeUndefined()
    expect((await server.callTool('elsewhere')).isError).toBe(true)
    expect(listed.leaked()).toEqual([])
    const own = fetched(twoPlaces({ url: '//evil.example/v1' }, { more: { servers: [{ url: '/v1' }] } }))
    const relative = await own.open({ auth })
    expect((await relative.callTool('here')).isError).toBeUndefined()
    expect((await relative.callTool('elsewhere')).isError).toBe(true)
    expect(own.sent.slice(1).map(({ url }) => url)).toEqual([`${DOCS}/v1/here`])
  })
})
