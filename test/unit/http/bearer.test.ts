import { describe, expect, it, vi } from 'vitest'
import { type HttpAuth, withAuth } from '../../../src/http/bearer.ts'
import { isLoopbackHost } from '../../../src/http/hosts.ts'
import type { Poster, PostRequest } from '../../../src/http/poster.ts'
import { TransportError } from '../../../src/types/errors/failures.ts'

const resource = new URL('https://example.com/mcp')

function recorder() {
  const requests: PostRequest[] = []
  const poster: Poster = async (request) => {
    requests.push(request)
    return {
      status: 200,
      url: request.url,
      header: () => undefined,
      text: async () => '',
      async *chunks() {},
      cancel() {},
    }
  }
  return { requests, poster }
}

const get = (url: string, headers = {}) => ({ method: 'GET' as const, url, headers })

async function headerSent(auth: HttpAuth | undefined, request = get('https://example.com/mcp')) {
  const { requests, poster } = recorder()
  await withAuth(poster, auth, resource)(request)
  return requests[0]?.headers['authorization']
}

describe('tokens on the way out', () => {
  it('a token goes along with every request to the origin, whatever its path', async () => {
    expect(await headerSent('abc')).toBe('Bearer abc')
    expect(await headerSent('abc', get('https://example.com/other?x=1'))).toBe('Bearer abc')
  })

  it('keeps method, body, signal and the other headers', async () => {
    const { requests, poster } = recorder()
    const { signal } = new AbortController()
    const request = { method: 'POST' as const, url: resource.href, headers: { a: 'b' }, body: '{}', signal }
    await withAuth(poster, 'abc', resource)(request)
    expect(requests).toEqual([{ ...request, headers: { a: 'b', authorization: 'Bearer abc' } }])
  })

  it('a function is asked before every request, and may have no token yet', async () => {
    const tokens = ['one', undefined, 'two']
    const { requests, poster } = recorder()
    const authorized = withAuth(poster, async () => tokens.shift(), resource)
    for (let i = 0; i < 3; i++) await authorized(get(resource.href))
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer one', undefined, 'Bearer two'])
  })

  it('a function that fails fails the request, and nothing is sent', async () => {
    const { requests, poster } = recorder()
    const failing = () => {
      throw new Error('vault closed')
    }
    await expect(withAuth(poster, failing, resource)(get(resource.href))).rejects.toThrow('vault closed')
    expect(requests).toEqual([])
  })

  it('R12 a request to another origin, port or scheme carries no token', async () => {
    for (const url of ['https://evil.example/mcp', 'https://example.com:8443/mcp', 'http://example.com/mcp']) {
      expect(await headerSent('abc', get(url))).toBeUndefined()
      expect(await headerSent(() => 'abc', get(url))).toBeUndefined()
    }
  })

  it('a header that the caller wrote goes before the token', async () => {
    expect(await headerSent('abc', get(resource.href, { authorization: 'Basic x' }))).toBe('Basic x')
  })

  it('a provider stands around the poster itself', () => {
    const { poster } = recorder()
    const wrapped: Poster = async () => Promise.reject(new Error('not called'))
    const provider = { authorize: vi.fn(() => wrapped) }
    expect(withAuth(poster, provider, resource)).toBe(wrapped)
    expect(provider.authorize).toHaveBeenCalledWith(poster, resource)
  })

  it('without auth the poster stays as it is', () => {
    const { poster } = recorder()
    expect(withAuth(poster, undefined, resource)).toBe(poster)
  })

  it.each(['', 'two words', 'line\r\nbreak', 'ünicode'])(
    'a token that no header can carry is refused unsaid: %j',
    async (token) => {
      const { poster } = recorder()
      expect(() => withAuth(poster, token, resource)).toThrow(TypeError)
      const failure = await withAuth(poster, () => token, resource)(get(resource.href)).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TypeError)
      if (token !== '') expect(String(failure)).not.toContain(token)
    },
  )
})

describe('plain http', () => {
  const { poster } = recorder()

  it('a token does not travel in the clear to another machine', () => {
    for (const auth of ['abc', () => 'abc', { authorize: () => poster }]) {
      expect(() => withAuth(poster, auth, new URL('http://example.com/mcp'))).toThrow(TransportError)
    }
  })

  it('unless that was asked for, or the machine is this one', () => {
    const insecure = new URL('http://example.com/mcp')
    expect(() => withAuth(poster, 'abc', insecure, { allowInsecureAuth: true })).not.toThrow()
    expect(() => withAuth(poster, 'abc', new URL('http://localhost:3000/mcp'))).not.toThrow()
  })

  it.each([
    ['localhost', true],
    ['LOCALHOST', true],
    ['app.localhost', true],
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['[::1]', true],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
    ['notlocalhost', false],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['[::ffff:7f00:1]', false],
  ])('%s is this machine: %s', (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected)
  })
})
