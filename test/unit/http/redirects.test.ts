import { describe, expect, it, onTestFinished } from 'vitest'
import type { Poster } from '../../../src/http/poster.ts'
import { followRedirects } from '../../../src/http/redirects.ts'
import { createNodePoster } from '../../../src/node/http/poster.ts'
import { TransportError } from '../../../src/types/errors/failures.ts'
import { bodyOf, serveLocally } from './local-server.ts'

function create(): Poster {
  const poster = followRedirects(createNodePoster())
  onTestFinished(() => poster.close?.())
  return poster
}

const secret = { authorization: 'Bearer secret' }
const get = (url: string) => ({ method: 'GET' as const, url, headers: secret })
const post = (url: string) => ({ method: 'POST' as const, url, headers: secret, body: '{"a":1}' })

const redirectingTo = (status: number, location: string | undefined) =>
  serveLocally((_request, response) => response.writeHead(status, location === undefined ? {} : { location }).end())

/** A server that must not see anything. */
const serveNobody = () => serveLocally((_request, response) => response.end('seen'))

describe('following redirects', () => {
  it.each([307, 308])('%i within the origin repeats method, headers and body', async (status) => {
    const server = await serveLocally(async (request, response) => {
      const { method, url, headers } = request
      if (url === '/mcp') response.writeHead(status, { location: '/mcp/?a=b' }).end()
      else response.end(JSON.stringify([method, url, headers.authorization, await bodyOf(request)]))
    })
    const response = await create()(post(`${server.origin}/mcp`))
    expect(JSON.parse(await response.text(1_000))).toEqual(['POST', '/mcp/?a=b', 'Bearer secret', '{"a":1}'])
    expect(response.url).toBe(`${server.origin}/mcp/?a=b`)
  })

  it.each([301, 302])('%i within the origin is followed by a GET, and rejected for a POST', async (status) => {
    const server = await serveLocally((request, response) => {
      if (request.url === '/mcp') response.writeHead(status, { location: 'other' }).end()
      else response.end(request.url)
    })
    const poster = create()
    expect(await (await poster(get(`${server.origin}/mcp`))).text(100)).toBe('/other')
    await expect(poster(post(`${server.origin}/mcp`))).rejects.toThrow('turn a POST into a GET')
  })

  it.each([301, 302, 303, 307, 308])(
    'F155 R12 %i to another port, host or scheme: nobody else is asked',
    async (status) => {
      const other = await serveNobody()
      const locations = [
        other.origin,
        `//127.0.0.1:${other.port}/mcp`,
        `http://localhost:${other.port}/`,
        `https://127.0.0.1:${other.port}/`,
        'javascript:alert(1)',
        'file:///etc/passwd',
      ]
      for (const location of locations) {
        const server = await redirectingTo(status, location)
        for (const request of [get(server.origin), post(server.origin)]) {
          const failure = await create()(request).catch((error: unknown) => error)
          expect(failure).toBeInstanceOf(TransportError)
          expect(failure).toMatchObject({ status })
        }
      }
      expect(other.connections).toBe(0)
    },
  )

  it.each([undefined, '', 'http://', 'http://[', `/${'x'.repeat(9_000)}`, 'http://user:pw@127.0.0.1/'])(
    'F155 the location %j is refused',
    async (location) => {
      const server = await redirectingTo(307, location)
      await expect(create()(get(server.origin))).rejects.toBeInstanceOf(TransportError)
    },
  )

  it('F155 a 303 is rejected even within the origin', async () => {
    const server = await redirectingTo(303, '/other')
    await expect(create()(get(server.origin))).rejects.toThrow('instead of answering')
  })

  it('F155 five hops are followed, a loop ends after the sixth request', async () => {
    let requests = 0
    let hops = 5
    const server = await serveLocally((_request, response) => {
      requests += 1
      if (hops-- > 0) response.writeHead(307, { location: '/next' }).end()
      else response.end('there')
    })
    expect(await (await create()(post(server.origin))).text(100)).toBe('there')
    requests = 0
    hops = Infinity
    await expect(create()(post(server.origin))).rejects.toThrow('more than 5 times')
    expect(requests).toBe(6)
  })

  it('F155 credentials in the location are no secret of ours, but are not repeated in the message', async () => {
    const server = await serveLocally((request, response) => {
      response.writeHead(307, { location: `http://user:hunter2@${request.headers.host}/` }).end()
    })
    const failure = await create()(get(server.origin)).catch((error: unknown) => String(error))
    expect(failure).toContain('Location header has credentials')
    expect(failure).not.toContain('hunter2')
  })

  it('other statuses pass', async () => {
    const server = await serveLocally((_request, response) => response.writeHead(304).end())
    expect((await create()(get(server.origin))).status).toBe(304)
  })
})
