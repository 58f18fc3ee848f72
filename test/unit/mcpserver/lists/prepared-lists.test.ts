// Lists are written once: the same bytes go out until something changes, for each set of callers and each page.
import { describe, expect, it } from 'vitest'
import { InboundContext } from '../../../../src/dispatcher/context.ts'
import { encodePieces } from '../../../../src/dispatcher/encode.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../../src/mcpserver/options.ts'
import type { ToolOptions } from '../../../../src/mcpserver/tools/tool.ts'
import { encodeBase64UrlText } from '../../../../src/primitives/base64.ts'
import { openRequest, serveRequest } from '../../../../src/server/era-drivers.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { NO_BACK_CHANNEL } from '../../../../src/server/outbound.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { loadParts } from '../../../support/load-parts.ts'

await loadParts()

const PADDING = 'x'.repeat(20_000)
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function createServer(options: MCPServerOptions = {}, tool: ToolOptions = {}) {
  const server = new MCPServer('test', options)
  for (const name of ['a', 'b', 'c', 'd']) server.tool(name, { description: PADDING, ...tool }, () => name)
  return server
}

async function list(server: MCPServer, options: { cursor?: string; subject?: string } = {}) {
  const { cursor, subject } = options
  const params: JSONObject = { ...(cursor !== undefined && { cursor }), _meta: META }
  const auth = subject === undefined ? {} : { auth: { clientId: 'c', scopes: [], subject } }
  const dispatch = new InboundContext(NO_BACK_CHANNEL, { kind: 'test', canSendRequest: false, ...auth }, 1, params)
  const envelope = { protocolVersion: '2026-07-28', clientCapabilities: {} } as const
  const result = await serveRequest(openRequest(coreOf(server.server), envelope, dispatch, 'tools/list', params))
  const encoded = encodePieces({ jsonrpc: '2.0', id: 1, result })
  if (typeof encoded === 'string') return { body: encoded, message: JSON.parse(encoded), result }
  const { head, body } = encoded
  return { body, message: JSON.parse(head + new TextDecoder().decode(body)), result }
}

const namesIn = ({ result }: { result: JSONObject }) => (result['tools'] as { name: string }[]).map(({ name }) => name)

describe('the bytes of a list', () => {
  it('are made once, and say what the result says, stamps and cache hints included', async () => {
    const server = createServer({ cacheHints: { 'tools/list': { ttlMs: 7 } } })
    const [first, second] = [await list(server), await list(server)]

    expect(second.body).toBe(first.body)
    expect(first.message).toEqual({ jsonrpc: '2.0', id: 1, result: first.result })
    expect(first.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 7,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test' } },
    })
  })

  it('are made anew when something changes', async () => {
    const server = createServer()
    const before = await list(server)
    server.tool('e', {}, () => 'e')
    const after = await list(server)

    expect(after.body).not.toBe(before.body)
    expect(namesIn(after)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('are shared by callers who see the same, and by nobody else', async () => {
    const server = createServer()
    server.tool('secret', { visible: ({ auth }) => auth?.subject?.startsWith('admin') === true }, () => 'x')
    const [ada, bob, eve] = [
      await list(server, { subject: 'admin-ada' }),
      await list(server, { subject: 'admin-bob' }),
      await list(server, { subject: 'eve' }),
    ]

    expect(bob.body).toBe(ada.body)
    expect(JSON.stringify(ada.message)).toContain('secret')
    expect(JSON.stringify(eve.message)).not.toContain('secret')
  })

  it('are kept for each page that a client reaches from the first one', async () => {
    const server = createServer({ pageSize: 2 })
    const turn = async () => list(server, { cursor: (await list(server)).result['nextCursor'] as string })
    const [once, again] = [await turn(), await turn()]

    expect(namesIn(once)).toEqual(['c', 'd'])
    expect(again.body).toBe(once.body)
  })

  it('are not kept for cursors that a caller has invented', async () => {
    const server = createServer({ pageSize: 2 })
    const cursor = encodeBase64UrlText(JSON.stringify(['tools', 0, 0, 'a']))
    const [once, again] = [await list(server, { cursor }), await list(server, { cursor })]

    expect(namesIn(once)).toEqual(['b', 'c'])
    expect(again.result).toEqual(once.result)
    expect(again.result).not.toBe(once.result)
  })

  it('can not be changed by a client in the same process', async () => {
    const { result } = await list(createServer())
    const meta = result['_meta'] as JSONObject

    expect(() => Object.assign(result, { resultType: 'other' })).toThrow(TypeError)
    expect(() => Object.assign(meta, { mine: true })).toThrow(TypeError)
  })
})
