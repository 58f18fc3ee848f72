import { describe, expect, it } from 'vitest'
import { explainResponse } from '../../../src/http/failures.ts'
import type { PostResponse } from '../../../src/http/poster.ts'
import { TransportError } from '../../../src/types/errors/failures.ts'

interface Fake extends PostResponse {
  isCancelled: boolean
}

function respond(status: number, headers: Record<string, string>, chunks: () => AsyncIterable<Uint8Array>): Fake {
  return {
    status,
    url: 'https://example.com/mcp?key=secret',
    header: (name) => headers[name],
    text: () => Promise.reject(new Error('not read this way')),
    chunks,
    cancel() {
      this.isCancelled = true
    },
    isCancelled: false,
  }
}

const saying = (text: string) =>
  async function* () {
    yield new TextEncoder().encode(text)
  }

describe('explaining a response', () => {
  it('F151 names status, type, request id, a bounded excerpt and what to do', async () => {
    const html = `<html>\n\t<h1>Bad   Gateway</h1>${'x'.repeat(5_000)}`
    const response = respond(502, { 'content-type': 'text/html', 'x-request-id': 'r-1' }, saying(html))
    const error = await explainResponse(response, 'The call failed')
    expect(error).toBeInstanceOf(TransportError)
    expect(error.status).toBe(502)
    expect(error.message).toMatch(
      /^The call failed: https:\/\/example\.com\/mcp answered HTTP 502 \(text\/html, request id r-1\); a proxy did not reach/,
    )
    expect(error.message).toContain('"<html> <h1>Bad Gateway</h1>xxx')
    expect(error.message.length).toBeLessThan(500)
    expect(error.message).not.toContain('secret')
    expect(response.isCancelled).toBe(true)
  })

  it('F151 an empty body and no content type are said too', async () => {
    const error = await explainResponse(respond(204, {}, saying('')), 'The call failed')
    expect(error.message).toBe('The call failed: https://example.com/mcp answered HTTP 204 (no content type)')
  })

  it('has how long the server asks to wait', async () => {
    const error = await explainResponse(respond(429, { 'retry-after': '7' }, saying('')), 'The call failed')
    expect(error.retryAfterMs).toBe(7_000)
    expect((await explainResponse(respond(429, {}, saying('')), 'The call failed')).retryAfterMs).toBeUndefined()
  })

  it('F151 control characters and long headers do not reach the message', async () => {
    const headers = { 'content-type': `a\u001b[2J${'y'.repeat(1_000)}`, 'x-request-id': '\u202eevil' }
    const { message } = await explainResponse(respond(500, headers, saying('\u001b]0;pwned\u0007 \u202e')), 'Failed')
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(message.length).toBeLessThan(400)
  })

  it('R49 F151 a token that the server echoes is masked, and prose about tokens is not', async () => {
    const echo =
      'authorization: Bearer canary-token.1\nproxy-authorization: Basic Y2FuYXJ5OnRva2Vu\ndpop: DPoP ca_nary~2'
    const { message } = await explainResponse(respond(500, {}, saying(echo)), 'Failed')
    expect(message).toContain('Bearer *** proxy-authorization: Basic *** dpop: DPoP ***')
    expect(message).not.toMatch(/canary|ca_nary|Y2Fu/)
    const prose = 'Bearer authentication, not Basic authentication. Sorry. Bearer resource_metadata=x'
    expect((await explainResponse(respond(401, {}, saying(prose)), 'Failed')).message).toContain(prose)
  })

  it('F151 reads no more of an endless body than the excerpt needs', async () => {
    let chunks = 0
    async function* endless() {
      for (;;) {
        chunks += 1
        yield new Uint8Array(512).fill(0x61)
      }
    }
    const response = respond(500, {}, endless)
    await explainResponse(response, 'Failed')
    expect(chunks).toBe(2)
    expect(response.isCancelled).toBe(true)
  })

  it('F151 does not wait for a body that never comes', async () => {
    const silent = (): AsyncIterable<Uint8Array> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    })
    const response = respond(503, {}, silent)
    expect((await explainResponse(response, 'Failed')).status).toBe(503)
    expect(response.isCancelled).toBe(true)
  })

  it('a body that fails costs only the excerpt', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('half')
      throw new Error('cut')
    }
    expect((await explainResponse(respond(500, {}, broken), 'Failed')).message).toContain('"half"')
  })
})
