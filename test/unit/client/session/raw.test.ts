// A session that passes messages on: requests and answers as they are, and every message of the server first.
import { describe, expect, it, vi } from 'vitest'
import { createDirectDispatcherPair } from '../../../../src/dispatcher/direct-dispatcher.ts'
import type { DispatchContext, Dispatcher, OnRequest } from '../../../../src/dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { ClientSession, type ClientSessionOptions, NOT_MINE, type SessionTap } from '../../../../src/exports/client.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

interface Upstream {
  readonly session: ClientSession
  readonly server: Dispatcher
  readonly requests: { method: string; params: JSONObject | undefined }[]
  readonly notifications: { method: string; params: JSONObject | undefined }[]
}

/** A session, and the bare other end of its connection. */
async function connect(
  mode: 'modern' | 'legacy',
  answer: OnRequest = () => ({}),
  options: ClientSessionOptions = {},
): Promise<Upstream> {
  const [here, there] = createMemoryChannelPair()
  const server = new JSONRPCDispatcher(there)
  const requests: Upstream['requests'] = []
  const notifications: Upstream['notifications'] = []
  void server.run(
    (context, method, params) => {
      requests.push({ method, params })
      return answer(context, method, params)
    },
    (_context, method, params) => void notifications.push({ method, params }),
  )
  const session = new ClientSession(here, options)
  await session.start()
  if (mode === 'modern') session.adopt({ supportedVersions: ['2026-07-28'], capabilities: {} })
  else session.adopt({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } })
  return { session, server, requests, notifications }
}

const ODD = { 'example.com/odd': [1, null], __proto__x: true, resultType: 'future', content: 7 }

describe('compose K08 sendRaw', () => {
  it('sends params as they are and resolves to what comes, legacy', async () => {
    const { session, requests } = await connect('legacy', () => ODD)
    expect(await session.sendRaw('tools/call', { name: 3, extra: {} })).toEqual(ODD)
    expect(requests).toEqual([{ method: 'tools/call', params: { name: 3, extra: {} } }])
    expect(await session.sendRaw('example.com/any')).toEqual(ODD)
    expect(requests[1]).toEqual({ method: 'example.com/any', params: undefined })
    await session.close()
  })

  it('keeps broken annotations in a listing, and methods of other revisions', async () => {
    const tools = [{ name: 'x', inputSchema: { type: 'object', properties: { a: { 'x-mcp-header': 'bad name!' } } } }]
    const { session } = await connect('modern', () => ({ tools }))
    expect(await session.sendRaw('tools/list', {})).toEqual({ tools })
    expect(await session.sendRaw('logging/setLevel', { level: 'odd' })).toEqual({ tools })
    await session.close()
  })

  it('sends notifications as they are', async () => {
    const { session, notifications } = await connect('modern')
    await session.sendRawNotification('notifications/example', { a: 1 })
    await vi.waitFor(() => expect(notifications).toEqual([{ method: 'notifications/example', params: { a: 1 } }]))
    await session.close()
  })
})

describe('compose K09 the envelope of a raw request', () => {
  it('is that of the caller, with the revision of the session', async () => {
    const { session, requests } = await connect('modern', () => ({}), { clientInfo: { name: 'proxy', version: '9' } })
    const envelope = {
      clientCapabilities: { sampling: {} },
      clientInfo: { name: 'ada', version: '1' },
      logLevel: 'debug' as const,
    }
    await session.sendRaw('tools/list', { _meta: { 'example.com/kept': 1 } }, { envelope })
    expect(requests[0]?.params?.['_meta']).toEqual({
      'example.com/kept': 1,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'ada', version: '1' },
      'io.modelcontextprotocol/logLevel': 'debug',
    })
    await session.sendRaw('tools/list', {})
    expect(requests[1]?.params?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientInfo': { name: 'proxy', version: '9' },
    })
    await session.close()
  })
})

it('compose K10 headers of a raw request are made from the message that is sent', async () => {
  const sent: unknown[] = []
  const [here] = createMemoryChannelPair()
  const session = new ClientSession({
    start: (receiver) => here.start(receiver),
    send: (message, hints) => {
      sent.push(hints?.headers)
      return here.send(message, hints)
    },
    close: () => here.close(),
  })
  await session.start()
  session.adopt({ supportedVersions: ['2026-07-28'], capabilities: {} })
  const annotations = [{ name: 'Region', path: ['region'], type: 'string' as const }]
  const call = { name: 'renamed', arguments: { region: 'eu' } }
  session
    .sendRaw('tools/call', call, { annotations, hints: { headers: { 'Mcp-Name': 'old', 'X-Kept': '1' } } })
    .catch(() => {})
  session.sendRaw('example.com/do', { id: 'a1' }, { nameParam: 'id' }).catch(() => {})
  expect(sent).toEqual([
    {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'renamed',
      'Mcp-Param-Region': 'eu',
      'X-Kept': '1',
    },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'example.com/do', 'Mcp-Name': 'a1' },
  ])
  await session.close()
})

it('compose K11 a message of the peer names the request that it belongs to', async () => {
  const [here, there] = createDirectDispatcherPair()
  const related: unknown[] = []
  const note = (context: DispatchContext) => void related.push(context.relatedRequestId)
  void here.run((context) => {
    note(context)
    return {}
  }, note)
  void there.run(
    async (context) => {
      await context.sendRawRequest('ask')
      await context.notify('tell')
      return {}
    },
    () => {},
  )
  await here.sendRawRequest('call', {}, { requestId: 'the-call' })
  await there.notify('alone')
  expect(related).toEqual(['the-call', 'the-call', undefined])
  await here.close()
})

describe('compose K14 a tap', () => {
  it('gets unknown notifications (K12), and progress with all its members', async () => {
    const heard: unknown[] = []
    const tap = {
      onNotify: (_context: DispatchContext, method: string, params?: JSONObject) =>
        void heard.push([method, params]) as undefined,
    }
    const answer: OnRequest = async (context) => {
      await context.notify('notifications/progress', { progressToken: 1, progress: 1, _meta: { a: 1 }, odd: true })
      await context.notify('notifications/example.com/thing', { b: 2 })
      return {}
    }
    const { session } = await connect('legacy', answer, { tap })
    await session.sendRaw('tools/call', { name: 'x' }, { wantsProgress: true })
    expect(heard).toEqual([
      ['notifications/progress', { progressToken: 1, progress: 1, _meta: { a: 1 }, odd: true }],
      ['notifications/example.com/thing', { b: 2 }],
    ])
    await session.close()
  })

  it('answers unknown requests (K13), as given; what is not its own goes on as usual', async () => {
    const tap = {
      onRequest: (_context: DispatchContext, method: string) => (method === 'ping' ? NOT_MINE : { method, odd: null }),
    }
    const { session, server } = await connect('legacy', () => ({}), { tap })
    expect(await server.sendRawRequest('example.com/ask')).toEqual({ method: 'example.com/ask', odd: null })
    expect(await server.sendRawRequest('elicitation/create', {})).toEqual({ method: 'elicitation/create', odd: null })
    expect(await server.sendRawRequest('ping')).toEqual({})
    await session.close()
  })

  it('leaves notifications that are not its own to the session', async () => {
    const onLog = vi.fn()
    const tap: SessionTap = { onNotify: (): Promise<typeof NOT_MINE> => Promise.resolve(NOT_MINE) }
    const { session, server } = await connect('legacy', () => ({}), { tap, onLog })
    await server.notify('notifications/message', { level: 'info', data: 'hello' })
    await vi.waitFor(() => expect(onLog).toHaveBeenCalledOnce())
    await session.close()
  })
})

it('compose K18 unknown members of an error object stay with the error', async () => {
  const error = { code: -32099, message: 'odd', data: { a: 1 }, 'example.com/more': [1], retryable: true }
  const [here, there] = createMemoryChannelPair()
  void there.start({
    message: (message) => {
      void there.send({ jsonrpc: '2.0', id: (message as { id: number }).id, error } as never)
      return undefined
    },
    lost: () => {},
    fault: () => {},
    closed: () => {},
  })
  const session = new ClientSession(here)
  await session.start()
  session.adopt({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } })
  const failure = await session.sendRaw('tools/call', {}).catch((reason: unknown) => reason)
  expect((failure as MCPError).toErrorData()).toEqual(error)
  expect(MCPError.from((failure as MCPError).toErrorData()).toErrorData()).toEqual(error)
  expect(Object.keys(failure as object)).not.toContain('retryable')
  await session.close()
})
