// Which headers a page may send: those of MCP and of the author, and of a long list only as many as anybody would ask for.
import { describe, expect, it } from 'vitest'
import { createCors } from '../../../../../src/server/http/guards/cors.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'

function allowedOf(asked: string, options: Parameters<typeof createCors>[0] = true): string[] {
  const exchange = new FakeExchange({
    method: 'OPTIONS',
    headers: {
      origin: 'http://localhost',
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  })
  expect(createCors(options)?.answerPreflight(exchange, 'POST')).toBe(true)
  return String(exchange.replyHeaders['access-control-allow-headers'] ?? '').split(', ')
}

describe('the headers of a preflight', () => {
  it('are those that the server knows, in any case', () => {
    expect(allowedOf('Content-Type, MCP-Session-Id, X-Evil, mcp-param-city')).toEqual([
      'content-type',
      'mcp-session-id',
      'mcp-param-city',
    ])
  })

  it('are those of the author, too', () => {
    expect(allowedOf('x-tenant, x-other', { allowedHeaders: ['X-Tenant'] })).toEqual(['x-tenant'])
  })

  it('are looked at up to the hundredth', () => {
    const names = Array.from({ length: 101 }, (_, index) => `mcp-param-n${index}`)
    expect(allowedOf(names.join(','))).toEqual(names.slice(0, 100))
  })
})
