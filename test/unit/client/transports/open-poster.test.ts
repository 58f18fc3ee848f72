import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseServerUrl } from '../../../../src/client/transports/http-options.ts'
import { openPoster } from '../../../../src/client/transports/open-poster.ts'
import { lowerCaseHeaders } from '../../../../src/http/header-fields.ts'
import { platform as webPlatform } from '../../../../src/primitives/platform-web.ts'
import { serveLocally } from '../../http/local-server.ts'

describe('the poster', () => {
  it('is the runtime’s own, follows redirects within the origin, and carries the token', async () => {
    const seen: unknown[] = []
    const server = await serveLocally((request, response) => {
      seen.push([request.url, request.headers.authorization])
      if (request.url === '/mcp') response.writeHead(308, { location: '/mcp/' })
      response.end('ok')
    })
    const url = `${server.origin}/mcp`
    const { post, close } = await openPoster(new URL(url), { auth: 'abc' })
    onTestFinished(close)
    const response = await post({ method: 'POST', url, headers: {}, body: '{}' })
    expect(await response.text(10)).toBe('ok')
    expect(seen).toEqual([
      ['/mcp', 'Bearer abc'],
      ['/mcp/', 'Bearer abc'],
    ])
    close()
    await vi.waitFor(() => expect(server.open.size).toBe(0))
  })

  it('is the given fetch, or the runtime’s fetch if there is nothing better', async () => {
    const fetch = vi.fn(async () => new Response('ok'))
    const { post, close } = await openPoster(new URL('http://localhost/mcp'), { fetch })
    await post({ method: 'GET', url: 'http://localhost/mcp', headers: {} })
    close()
    expect(fetch).toHaveBeenCalledOnce()
    expect(await webPlatform.createPoster()).toBeUndefined()
  })
})

describe('server URLs', () => {
  it('are accepted as text or URL, without their fragment', () => {
    expect(parseServerUrl('https://example.com/mcp?a=b#c').href).toBe('https://example.com/mcp?a=b')
    expect(parseServerUrl(new URL('http://localhost:1/')).href).toBe('http://localhost:1/')
  })

  it.each(['', 'localhost:3000', '/mcp', 'file:///etc/passwd', 'https://a:b@example.com/'])(
    '%j is rejected',
    (text) => {
      expect(() => parseServerUrl(text)).toThrow(TypeError)
    },
  )
})

describe('headers', () => {
  it('are kept by lower-case name', () => {
    expect(lowerCaseHeaders({ 'X-Tenant': 'ä b', Accept: '' })).toEqual({ 'x-tenant': 'ä b', accept: '' })
    expect(lowerCaseHeaders()).toEqual({})
  })

  it.each(['a b', '', 'a:b', 'ä', 'Content-Length', 'transfer-encoding', 'Connection'])('%j is no name', (name) => {
    expect(() => lowerCaseHeaders({ [name]: 'x' })).toThrow(TypeError)
  })

  it.each(['a\r\nb: c', 'a\0', '€'])('%j is no value, and is not repeated', (value) => {
    const attempt = () => lowerCaseHeaders({ 'x-secret': value })
    expect(attempt).toThrow('x-secret')
    expect(attempt).not.toThrow(value)
  })
})
