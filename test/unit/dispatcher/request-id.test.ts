import { expect, it } from 'vitest'
import { isRequestId } from '../../../src/dispatcher/request-id.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { createHandler } from '../../../src/server/http/handler.ts'
import { Server } from '../../../src/server/server.ts'

it('an id is an integer or a string that is not too long to be kept', () => {
  expect([0, -1, '', 'x'.repeat(1_024)].every(isRequestId)).toBe(true)
  expect([true, null, undefined, 1.5, 2 ** 53, {}, 'x'.repeat(1_025)].some(isRequestId)).toBe(false)
})

it('a request with an id that is too long is refused with the reason', async () => {
  const fetch = toFetch(createHandler(new Server('ids')))
  const id = 'x'.repeat(1_025)
  const response = await fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }),
    }),
  )
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('id must be an integer or a string of at most 1,024 characters')
})
