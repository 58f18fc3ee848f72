// How a client finds out the era of an HTTP server: by its first response, and never from an inconclusive status.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  type Answer,
  accepted,
  COMPLETE,
  ENDPOINT,
  error,
  json,
  never,
  refused,
  result,
  ScriptedHttp,
  type SeenRequest,
  welcome,
} from './scripted-http.ts'

/** A server that answers the question for its era like this, and a handshake as servers do. */
function serve(probe: (request: SeenRequest, http: ScriptedHttp) => Answer): ScriptedHttp {
  const http = new ScriptedHttp((request) => {
    const { method, id } = request.message
    if (method === 'server/discover') return probe(request, http)
    if (method === 'initialize') return welcome(request, 'session-1')
    if (request.method === 'GET') return new Response(null, { status: 405 })
    return id === undefined ? accepted() : result(request, COMPLETE)
  })
  return http
}

async function connect(http: ScriptedHttp, probeTimeoutMs = 10_000): Promise<Client> {
  const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), { probeTimeoutMs })
  onTestFinished(() => client.close())
  return client
}

const discovered = {
  resultType: 'complete',
  supportedVersions: [LATEST_MODERN_VERSION],
  capabilities: {},
  ttlMs: 0,
  cacheScope: 'private',
}
const versions = (request: SeenRequest, supported: string[]) =>
  json(
    {
      jsonrpc: '2.0',
      id: request.message['id'],
      error: { code: -32022, message: 'no', data: { supported, requested: 'x' } },
    },
    400,
  )

describe('C-VER-07 C-VER-08 F154 F220 the handshake follows', () => {
  it.each<[string, (request: SeenRequest) => Answer]>([
    ['400 without a body', () => new Response(null, { status: 400 })],
    ['400 with HTML', () => new Response('<h1>Bad</h1>', { status: 400, headers: { 'content-type': 'text/html' } })],
    ['400 with other JSON', () => json({ oops: true }, 400)],
    ['400 with an error of the legacy era', (request) => error(request, -32000, 400, null)],
    ['404 without a body', () => new Response(null, { status: 404 })],
    ['404 with a JSON-RPC error', (request) => error(request, -32601, 404)],
    ['405', () => new Response(null, { status: 405 })],
    ['406', () => new Response(null, { status: 406 })],
    ['422', () => json({ detail: [] }, 422)],
    ['202', () => accepted()],
    ['200 with an error of any code', (request) => error(request, 7, 200)],
    ['200 with a result of another form', (request) => result(request, { tools: [] })],
    ['500 with a JSON-RPC error', (request) => error(request, -32603, 500)],
    ['a refusal that lists legacy revisions alone', (request) => versions(request, [LATEST_LEGACY_VERSION])],
  ])('%s', async (_what, probe) => {
    const http = serve(probe)
    const client = await connect(http)
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    await client.callTool('x')
    expect(http.sent('server/discover')).toHaveLength(1)
    expect(http.sent('initialize')).toHaveLength(1)
    // The revision of the probe must not leak into the handshake.
    expect(http.sent('initialize')[0]?.headers).not.toHaveProperty('mcp-protocol-version')
  })

  it('silence, and the probe is aborted', async () => {
    const http = serve(never)
    const client = await connect(http, 5)
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    await vi.waitFor(() => expect(http.sent('server/discover')[0]?.signal?.aborted).toBe(true))
  })
})

describe('C-VER-07 C-VER-10 F154 no handshake follows', () => {
  it.each<[string, (request: SeenRequest) => Answer, object]>([
    ['401', () => new Response(null, { status: 401 }), { status: 401 }],
    ['401 with a JSON-RPC error', (request) => error(request, -32000, 401), { status: 401, cause: { code: -32000 } }],
    ['403', () => new Response(null, { status: 403 }), { status: 403 }],
    ['429', () => new Response(null, { status: 429 }), { status: 429 }],
    ['500', () => new Response('oops', { status: 500 }), { status: 500 }],
    ['503', () => new Response(null, { status: 503 }), { status: 503 }],
    ['a connection that is refused', refused, { status: undefined }],
    ['400 for a header of ours', (request) => error(request, -32020, 400), { cause: { code: -32020 } }],
    ['400 for a capability of ours', (request) => error(request, -32021, 400), { cause: { code: -32021 } }],
    [
      '400 for a revision, and none that we know',
      (request) => versions(request, ['2031-01-01']),
      { cause: { code: -32022 } },
    ],
  ])('%s', async (_what, probe, expected) => {
    const http = serve(probe)
    await expect(connect(http)).rejects.toMatchObject(expected)
    expect(http.sent('initialize')).toHaveLength(0)
    expect(http.sent('tools/call')).toHaveLength(0)
  })
})

describe('the modern era', () => {
  it('is used without a handshake if the server supports it', async () => {
    const http = serve((request) => result(request, discovered))
    const client = await connect(http)
    await client.callTool('x')
    expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
    expect(http.requests.map(({ message }) => message['method'])).toEqual(['server/discover', 'tools/call'])
  })

  it('F154 is probed once more with a revision that the error lists, and not a third time', async () => {
    const http = serve((request) => versions(request, [LATEST_MODERN_VERSION]))
    await expect(connect(http)).rejects.toMatchObject({ cause: { code: -32022 } })
    expect(http.sent('server/discover')).toHaveLength(2)
    expect(http.sent('initialize')).toHaveLength(0)
  })

  it('F218 a tool whose schema stays outdated is listed and called once more, and then fails', async () => {
    const listing = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }
    const http = new ScriptedHttp((request) => {
      const { method } = request.message
      if (method === 'server/discover') return result(request, { ...discovered, capabilities: { tools: {} } })
      return method === 'tools/list' ? result(request, listing) : error(request, -32020, 400)
    })
    const client = await connect(http)
    await expect(client.callTool('x')).rejects.toMatchObject({ code: -32020 })
    expect(http.requests.map(({ message }) => message['method'])).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/call',
    ])
  })
})

it('a connection failure is explained, not translated', async () => {
  const http = serve(refused)
  await expect(connect(http)).rejects.toBeInstanceOf(TransportError)
})
