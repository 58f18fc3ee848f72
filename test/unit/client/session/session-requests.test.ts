import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ResultClaim } from '../../../../src/client/extensions/extension.ts'
import type { ClientMiddleware } from '../../../../src/client/session/middleware.ts'
import { ClientSession } from '../../../../src/client/session/session.ts'
import type { Channel } from '../../../../src/dispatcher/channel.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { InvalidResultError, UnexpectedClaimedResult } from '../../../../src/types/errors/failures.ts'
import { ScriptedServer } from '../../../support/scripted-server.ts'
import { discoverResult, eras, openHandshake, openModern } from '../../../support/sessions.ts'

afterEach(() => vi.useRealTimers())

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

const finished = { resultType: 'complete', content: [] }
const question = {
  resultType: 'input_required',
  requestState: '',
  inputRequests: { who: { method: 'roots/list' } },
}

describe('stamps', () => {
  it('of the legacy era are one header', async () => {
    await using open = await openHandshake()
    const { session, server } = open
    server.on('prompts/get', { messages: [] })
    await session.getPrompt('greet', { name: 'Ada' }, { hints: { headers: { 'X-Trace': '1' } } })
    expect(server.paramsOf('prompts/get')).toEqual({ name: 'greet', arguments: { name: 'Ada' }, _meta: {} })
    expect(server.headersOf('prompts/get')).toEqual({ 'X-Trace': '1', 'MCP-Protocol-Version': '2025-11-25' })
  })

  it('C-META-01 of the modern era are the envelope and the routing headers', async () => {
    await using open = await openModern({ onListRoots: () => ({ roots: [] }) })
    const { session, server } = open
    server.on('resources/read', { contents: [] })
    await session.readResource('file:///ä', { hints: { headers: { 'X-Trace': '1' } } })
    expect(server.paramsOf('resources/read')).toEqual({
      uri: 'file:///ä',
      _meta: {
        [VERSION]: '2026-07-28',
        [CAPABILITIES]: { roots: {} },
        [CLIENT_INFO]: expect.objectContaining({ name: 'mcpwire' }),
      },
    })
    expect(server.headersOf('resources/read')).toEqual({
      'X-Trace': '1',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'resources/read',
      'Mcp-Name': '=?base64?ZmlsZTovLy/DpA==?=',
    })
  })

  it("let the caller's _meta survive, except for the reserved keys", async () => {
    await using open = await openModern({ logLevel: 'error' })
    const { session, server } = open
    server.on('tools/call', finished)
    await session.callTool(
      'x',
      {},
      { meta: { 'com.example/a': 1, [VERSION]: 'old', [CAPABILITIES]: { sampling: {} } } },
    )
    await session.callTool('x', {}, { meta: { [LOG_LEVEL]: 'debug' } })
    expect(server.paramsOf('tools/call', 0)['_meta']).toMatchObject({
      'com.example/a': 1,
      [VERSION]: '2026-07-28',
      [CAPABILITIES]: {},
      [LOG_LEVEL]: 'error',
    })
    expect(server.paramsOf('tools/call', 1)['_meta']).toMatchObject({ [LOG_LEVEL]: 'debug' })
  })

  it('never request log messages on a legacy connection', async () => {
    await using open = await openHandshake({ logLevel: 'debug' })
    open.server.on('tools/list', { tools: [] })
    await open.session.listTools()
    expect(open.server.paramsOf('tools/list')).toEqual({ _meta: {} })
  })

  it('are added to notifications too', async () => {
    await using open = await openModern()
    await open.session.sendNotification('acme/hello')
    expect(open.server.paramsOf('acme/hello')['_meta']).toMatchObject({ [VERSION]: '2026-07-28' })
    expect(open.server.headersOf('acme/hello')).toMatchObject({ 'Mcp-Method': 'acme/hello' })
  })

  it('fail locally when a name cannot be written in a header that the transport wants', async () => {
    const server = new ScriptedServer()
    const { channel } = server
    const http: Channel = {
      ...channel,
      send: (message, hints) => (hints?.headers === undefined ? undefined : channel.send(message, hints)),
    }
    await using session = new ClientSession(http)
    await session.start()
    session.adopt(discoverResult())
    await expect(session.readResource('x:\ud800')).rejects.toMatchObject({ code: -32602, local: true })
    expect(server.sent).toEqual([])
  })
})

describe.each(eras)('requests ($era)', ({ open }) => {
  it('carry a progress token with every tools/call, and elsewhere with onProgress', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('tools/call', finished).on('prompts/list', { prompts: [] })
    await session.callTool('x')
    await session.listPrompts()
    await session.listPrompts({ onProgress: () => {} })
    const tokens = [server.paramsOf('tools/call'), server.paramsOf('prompts/list'), server.paramsOf('prompts/list', 1)]
    const hasToken = tokens.map(({ _meta }) => (_meta as object) && 'progressToken' in (_meta as object))
    expect(hasToken).toEqual([true, false, true])
  })

  it('report progress before they resolve', async () => {
    await using connection = await open()
    const { session, server } = connection
    const seen: unknown[] = []
    server.on('tools/call', (params) => {
      const progressToken = (params['_meta'] as Record<string, unknown>)['progressToken']
      queueMicrotask(() => server.notify('notifications/progress', { progressToken, progress: 1, total: 2 }))
      return finished
    })
    await session.callTool('x', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([{ progress: 1, total: 2 }])
  })

  it('use the id that the caller chose', async () => {
    await using connection = await open()
    connection.server.on('tools/list', { tools: [] })
    await connection.session.listTools({ requestId: 'mine' })
    expect(connection.server.received('tools/list')[0]?.['id']).toBe('mine')
  })

  it('send a cursor as it is, the empty one too, and none where none is given', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('resources/list', { resources: [] })
    await session.listResources({ cursor: '' })
    await session.listResources()
    expect(server.paramsOf('resources/list')).toHaveProperty('cursor', '')
    expect(server.paramsOf('resources/list', 1)).not.toHaveProperty('cursor')
  })

  it('complete with the arguments that have a value', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('completion/complete', { completion: { values: ['a'] } })
    const ref = { type: 'ref/prompt', name: 'greet' } as const
    await session.complete(ref, { name: 'city', value: 'P' }, { country: 'FR' })
    expect(server.paramsOf('completion/complete')).toMatchObject({
      ref,
      argument: { name: 'city', value: 'P' },
      context: { arguments: { country: 'FR' } },
    })
  })

  it('reject results that the revision does not allow, with the place', async () => {
    await using connection = await open()
    connection.server.on('tools/list', { tools: [{ name: 'x' }] })
    const failure = await connection.session.listTools().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(InvalidResultError)
    expect(failure).toMatchObject({ path: 'tools[0].inputSchema' })
  })

  it('of a vendor are not changed', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('acme/search', { anything: [1] })
    await expect(session.sendRequest('acme/search', { q: 'x' }, { nameParam: 'q' })).resolves.toEqual({ anything: [1] })
    await expect(session.sendRequest('acme/search', {}, { nameParam: 'q' })).rejects.toThrow(TypeError)
    expect(server.received('acme/search')).toHaveLength(1)
  })

  it('F095 whose signal is aborted already are not sent', async () => {
    await using connection = await open()
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(connection.session.listTools({ signal })).rejects.toThrow('too late')
    expect(connection.server.received('tools/list')).toEqual([])
  })

  it('wait 60 s, and 300 s for a tool, by default', async () => {
    vi.useFakeTimers()
    await using connection = await open()
    const { session, server } = connection
    server.on('tools/list', () => undefined).on('tools/call', () => undefined)
    const settled: string[] = []
    const note = (name: string) => () => void settled.push(name)
    session.listTools().catch(note('list'))
    session.callTool('x').catch(note('call'))
    session.callTool('x', {}, { timeoutMs: 5 }).catch(note('short call'))
    await vi.advanceTimersByTimeAsync(6)
    expect(settled).toEqual(['short call'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(settled).toEqual(['short call', 'list'])
    await vi.advanceTimersByTimeAsync(240_000)
    expect(settled).toEqual(['short call', 'list', 'call'])
  })
})

it('the timeout of the session counts for every call that names none', async () => {
  vi.useFakeTimers()
  await using open = await openModern({ timeoutMs: 20 })
  open.server.on('tools/call', () => undefined)
  const failure = expect(open.session.callTool('x')).rejects.toMatchObject({ code: -32001, local: true })
  await vi.advanceTimersByTimeAsync(21)
  await failure
})

it('a nameParam is repeated in the header of a modern request', async () => {
  await using open = await openModern()
  open.server.on('acme/search', {})
  await open.session.sendRequest('acme/search', { q: 'books' }, { nameParam: 'q' })
  expect(open.server.headersOf('acme/search')).toMatchObject({ 'Mcp-Name': 'books' })
})

it('what belongs to another revision is not sent', async () => {
  await using open = await openHandshake({}, '2024-11-05')
  const { session, server } = open
  server.on('completion/complete', { completion: { values: [] } })
  await session.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }, { b: 'c' })
  expect(server.paramsOf('completion/complete')).not.toHaveProperty('context')
})

describe('a verb that the revision does not have', () => {
  it.each([
    ['sendPing', () => []],
    ['setLoggingLevel', () => ['info']],
    ['subscribeResource', () => ['x:1']],
    ['unsubscribeResource', () => ['x:1']],
    ['sendProgressNotification', () => [1, 0.5]],
    ['sendRootsListChanged', () => []],
  ] as const)('fails locally and sends nothing: %s in the modern era', async (verb, args) => {
    await using open = await openModern()
    const call = (open.session[verb] as (...args: unknown[]) => Promise<unknown>)(...args())
    const failure = await call.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MCPError)
    expect(failure).toMatchObject({ code: -32601, local: true })
    expect(open.server.sent).toEqual([])
  })

  it('fails locally in the legacy era too', async () => {
    await using open = await openHandshake()
    const listening = open.session.sendRequest('subscriptions/listen', { notifications: {} })
    await expect(listening).rejects.toMatchObject({ code: -32601, local: true })
    expect(open.server.received('subscriptions/listen')).toEqual([])
  })

  it('works where it has it', async () => {
    await using open = await openHandshake()
    const { session, server } = open
    server.on('ping', {}).on('logging/setLevel', {}).on('resources/subscribe', {}).on('resources/unsubscribe', {})
    await session.sendPing()
    await session.setLoggingLevel('warning')
    await session.subscribeResource('x:1')
    await session.unsubscribeResource('x:1')
    await session.sendProgressNotification('t', 0.5, 1, 'half')
    await session.sendRootsListChanged()
    expect(server.paramsOf('logging/setLevel')).toMatchObject({ level: 'warning' })
    expect(server.paramsOf('resources/unsubscribe')).toMatchObject({ uri: 'x:1' })
    expect(server.paramsOf('notifications/progress')).toEqual({
      progressToken: 't',
      progress: 0.5,
      total: 1,
      message: 'half',
    })
    expect(server.received('notifications/roots/list_changed')).toHaveLength(1)
  })
})

describe('a result that asks for input', () => {
  it('throws with instructions unless it is allowed', async () => {
    await using open = await openModern()
    const { session, server } = open
    server.on('tools/call', question)
    await expect(session.callTool('x')).rejects.toThrow('allowInputRequired')
    await expect(session.callTool('x', {}, { allowInputRequired: true })).resolves.toEqual(question)
  })

  it('is allowed for resources and prompts as well', async () => {
    await using open = await openModern()
    const { session, server } = open
    server.on('resources/read', question).on('prompts/get', question)
    await expect(session.readResource('x:1', { allowInputRequired: true })).resolves.toEqual(question)
    await expect(session.getPrompt('p', undefined, { allowInputRequired: true })).resolves.toEqual(question)
    await expect(session.readResource('x:1')).rejects.toThrow('allowInputRequired')
  })

  it('C-MRTR-03 is answered with the state byte for byte, an empty one too', async () => {
    await using open = await openModern()
    const { session, server } = open
    server.on('tools/call', finished)
    await session.callTool('x', { a: 1 }, { requestState: '', inputResponses: { who: { roots: [] } } })
    expect(server.paramsOf('tools/call')).toMatchObject({
      name: 'x',
      arguments: { a: 1 },
      requestState: '',
      inputResponses: { who: { roots: [] } },
    })
    await session.callTool('x', { a: 1 })
    expect(server.paramsOf('tools/call', 1)).not.toHaveProperty('requestState')
  })

  it('C-MRTR-08 is invalid for methods that do not allow it', async () => {
    await using open = await openModern()
    open.server.on('tools/list', question)
    await expect(open.session.listTools()).rejects.toBeInstanceOf(InvalidResultError)
  })
})

describe('result claims', () => {
  const claim: ResultClaim = {
    resultType: 'task',
    resolve: () => ({ content: [] }),
    isValid: (result) => 'id' in result,
  }
  const options = { extensions: { 'com.example/tasks': { v: 1 } }, resultClaims: { 'com.example/tasks': [claim] } }

  it('let a claimed result through when allowed, and carry it in the error when not', async () => {
    await using open = await openModern(options)
    const { session, server } = open
    server.on('tools/call', { resultType: 'task', id: 't1' })
    await expect(session.callTool('x', {}, { allowClaimed: true })).resolves.toEqual({ resultType: 'task', id: 't1' })
    const failure = await session.callTool('x').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnexpectedClaimedResult)
    expect(failure).toMatchObject({ resultType: 'task', result: { resultType: 'task', id: 't1' } })
  })

  it('C-META-08 make a result of any other type invalid, also one of the wrong form or for another method', async () => {
    await using open = await openModern(options)
    const { session, server } = open
    server.on('tools/call', { resultType: 'surprise' })
    await expect(session.callTool('x', {}, { allowClaimed: true })).rejects.toBeInstanceOf(InvalidResultError)
    server.on('tools/call', { resultType: 'task' })
    await expect(session.callTool('x', {}, { allowClaimed: true })).rejects.toBeInstanceOf(InvalidResultError)
    server.on('prompts/get', { resultType: 'task', id: 't1' })
    await expect(session.getPrompt('p')).rejects.toBeInstanceOf(InvalidResultError)
  })

  it('and the capability for them exist in the modern era only', async () => {
    await using modern = await openModern(options)
    modern.server.on('tools/list', { tools: [] })
    await modern.session.listTools()
    const meta = modern.server.paramsOf('tools/list')['_meta'] as Record<string, unknown>
    expect(meta[CAPABILITIES]).toEqual({ extensions: { 'com.example/tasks': { v: 1 } } })
    await using handshake = await openHandshake(options)
    expect(handshake.server.paramsOf('initialize')['capabilities']).toEqual({})
  })
})

describe('middleware', () => {
  const open = (...middleware: ClientMiddleware[]) => openModern({ middleware })

  it('observes every request, the first one outermost', async () => {
    const seen: string[] = []
    const layer =
      (name: string): ClientMiddleware =>
      async ({ method }, next) => {
        seen.push(`${name} ${method}`)
        const result = await next()
        seen.push(`${name} done`)
        return result
      }
    await using connection = await open(layer('outer'), layer('inner'))
    connection.server.on('tools/list', { tools: [] })
    await connection.session.listTools()
    expect(seen).toEqual(['outer tools/list', 'inner tools/list', 'inner done', 'outer done'])
  })

  it('rejects', async () => {
    await using connection = await open(() => {
      throw new Error('not on my watch')
    })
    await expect(connection.session.listTools()).rejects.toThrow('not on my watch')
    expect(connection.server.sent).toEqual([])
  })

  it('rewrites params, options and results', async () => {
    await using connection = await open(async ({ params, options }, next) => {
      const result = await next({ ...params, name: 'other' }, { ...options, requestId: 'chosen' })
      return { ...result, content: [{ type: 'text', text: 'rewritten' }] }
    })
    const { session, server } = connection
    server.on('tools/call', finished)
    const result = await session.callTool('x', { a: 1 })
    expect(result.content).toEqual([{ type: 'text', text: 'rewritten' }])
    expect(server.received('tools/call')[0]).toMatchObject({
      id: 'chosen',
      params: { name: 'other', arguments: { a: 1 } },
    })
  })

  it('cannot make an invalid result of a valid one, or slip in a question', async () => {
    await using spoiling = await open(async (_ctx, next) => ({ ...(await next()), tools: 'none' }))
    spoiling.server.on('tools/list', { tools: [] })
    await expect(spoiling.session.listTools()).rejects.toBeInstanceOf(InvalidResultError)
    await using asking = await open(async (_ctx, next) => ({ ...(await next()), ...question }))
    asking.server.on('tools/call', finished)
    await expect(asking.session.callTool('x')).rejects.toThrow('allowInputRequired')
  })

  it('sees an invalid result as the error that it is', async () => {
    const seen: unknown[] = []
    await using connection = await open((_ctx, next) =>
      next().catch((error: unknown) => {
        seen.push(error)
        throw error
      }),
    )
    connection.server.on('tools/list', {})
    await expect(connection.session.listTools()).rejects.toBeInstanceOf(InvalidResultError)
    expect(seen).toEqual([expect.any(InvalidResultError)])
  })

  it('stands around the handshake too', async () => {
    const methods: string[] = []
    await using connection = await openHandshake({
      middleware: [
        (ctx, next) => {
          methods.push(ctx.method)
          return next()
        },
      ],
    })
    expect(connection.session.protocolVersion).toBeDefined()
    expect(methods).toEqual(['initialize'])
  })
})
