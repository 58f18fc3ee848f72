// Extensions: what they declare, the results and notifications that are theirs, and the methods of vendors.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import {
  advertise,
  type ClaimedResult,
  type ClientExtension,
  type NotificationBinding,
  type ResultClaim,
} from '../../../src/client/extensions/extension.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { ServerOptions } from '../../../src/server/server.ts'
import { InvalidResultError, UnexpectedClaimedResult } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { asks, ROOTS, text, textOf, toolServer } from '../kit/support-interaction.ts'

const TICKET: ClaimedResult = { resultType: 'com.example/ticket', ticket: 'T1' }

/** An extension whose calls answer with a ticket, which is then redeemed. */
function tickets(claim: Partial<ResultClaim> = {}): ClientExtension {
  return {
    identifier: 'com.example/tickets',
    settings: { version: 2 },
    claims: [{ resultType: 'com.example/ticket', resolve: ({ ticket }) => text(`redeemed ${ticket}`), ...claim }],
  }
}

function ticketServer(result: object = TICKET, options: ServerOptions = {}) {
  return toolServer(() => result as never, { resultTypes: ['com.example/ticket'], ...options })
}

requirement('extension:claim:finished-by-its-owner', async ({ connect }) => {
  const resolve = vi.fn<ResultClaim['resolve']>(() => text('redeemed'))
  await using client = await connect(ticketServer(), { extensions: [tickets({ resolve })] })
  const { signal } = new AbortController()

  expect(textOf(await client.callTool('tool', {}, { signal }))).toBe('redeemed')

  const [claimed, context] = resolve.mock.calls[0] ?? []
  expect(claimed).toMatchObject(TICKET)
  expect(context).toMatchObject({ session: client.session, toolName: 'tool', signal })
})

requirement('extension:claim:after-questions', async ({ connect }) => {
  const server = toolServer((ctx) => (ctx.inputResponses === undefined ? asks({ a: ROOTS }) : (TICKET as never)), {
    resultTypes: ['com.example/ticket'],
  })
  await using client = await connect(server, { extensions: [tickets()], onListRoots: () => ({ roots: [] }) })

  expect(textOf(await client.callTool('tool'))).toBe('redeemed T1')
})

requirement('extension:claim:ordinary-results-pass', async ({ connect }) => {
  await using client = await connect(ticketServer(text('plain')), { extensions: [tickets()] })

  expect(textOf(await client.callTool('tool'))).toBe('plain')
})

requirement('extension:claim:session-hands-it-out', async ({ connect }) => {
  await using client = await connect(ticketServer(), { extensions: [tickets()] })

  const failure = await client.session.callTool('tool').catch((error: unknown) => error)
  const claimed = await client.session.callTool('tool', {}, { allowClaimed: true })

  expect(failure).toBeInstanceOf(UnexpectedClaimedResult)
  expect(failure).toMatchObject({ resultType: 'com.example/ticket', result: TICKET })
  expect(claimed).toMatchObject(TICKET)
})

requirement('extension:claim:nobody-claims-it', async ({ connect }) => {
  await using client = await connect(ticketServer())

  await expect(client.callTool('tool')).rejects.toThrow(InvalidResultError)
})

requirement('extension:claim:wrong-form', async ({ connect }) => {
  const isValid = ({ ticket }: ClaimedResult) => typeof ticket === 'string'
  const resolve = vi.fn()
  await using client = await connect(ticketServer({ ...TICKET, ticket: 7 }), {
    extensions: [tickets({ isValid, resolve })],
  })

  await expect(client.callTool('tool')).rejects.toThrow(InvalidResultError)
  expect(resolve).not.toHaveBeenCalled()
})

requirement('extension:claim:owner-fails', async ({ connect }) => {
  const bug = new Error('the ticket office is closed')
  await using client = await connect(ticketServer(), { extensions: [tickets({ resolve: () => Promise.reject(bug) })] })

  await expect(client.callTool('tool')).rejects.toBe(bug)
})

requirement('extension:claim:output-schema-still-holds', async ({ connect }) => {
  const outputSchema = { type: 'object' as const, properties: { n: { type: 'number' } }, required: ['n'] }
  const server = ticketServer(TICKET, {
    handlers: { 'tools/list': () => ({ tools: [{ name: 'tool', inputSchema: { type: 'object' }, outputSchema }] }) },
  })
  let n: unknown = 1
  const resolve = () => ({ content: [], structuredContent: { n } })
  await using client = await connect(server, { extensions: [tickets({ resolve })] })

  await expect(client.callTool('tool')).resolves.toMatchObject({ structuredContent: { n: 1 } })
  n = 'one'
  await expect(client.callTool('tool')).rejects.toThrow(InvalidResultError)
})

requirement('extension:claim:tools-only', async ({ connect }) => {
  const server = ticketServer(TICKET, { handlers: { 'prompts/get': () => TICKET as never } })
  await using client = await connect(server, { extensions: [tickets()] })

  await expect(client.getPrompt('p')).rejects.toThrow(InvalidResultError)
})

requirement('extension:claim:server-must-name-its-types', async ({ connect }) => {
  const faults: string[] = []
  const server = toolServer(() => TICKET as never, { onFault: ({ kind }) => faults.push(kind) })
  await using client = await connect(server, { extensions: [tickets()] })

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
  expect(faults).toEqual(['handler-failed'])
})

/** The extensions that a server reads from a client of this setting. */
async function declaredBy(connect: (server: ReturnType<typeof toolServer>) => Promise<Client>): Promise<unknown> {
  let declared: unknown
  const server = toolServer(({ clientCapabilities }) => {
    declared = clientCapabilities.extensions
    return text('')
  })
  await using client = await connect(server)
  await client.callTool('tool')
  return declared
}

requirement('extension:declared:together-with-its-claims', async ({ connect, isModern }) => {
  const extensions = [tickets(), advertise('com.example/plain', { level: 1 }), advertise('com.example/bare')]
  const declared = await declaredBy((server) => connect(server, { extensions }))

  const always = { 'com.example/plain': { level: 1 }, 'com.example/bare': {} }
  expect(declared).toEqual(isModern ? { 'com.example/tickets': { version: 2 }, ...always } : always)
})

requirement('extension:declared:none-by-default', async ({ connect }) => {
  expect(await declaredBy((server) => connect(server))).toBeUndefined()
})

requirement('extension:declared:server-falls-back', async ({ connect }) => {
  const server = toolServer(({ session }) => {
    const isKnown = session.checkClientCapability({ extensions: { 'com.example/fancy': {} } })
    return text(isKnown ? 'fancy' : 'plain')
  })
  await using able = await connect(server, { extensions: [advertise('com.example/fancy')] })
  await using other = await connect(server)

  expect(textOf(await able.callTool('tool'))).toBe('fancy')
  expect(textOf(await other.callTool('tool'))).toBe('plain')
})

/** A client with one binding, and a server that sends these. */
function listening(binding: Omit<NotificationBinding, 'method'>): ClientExtension {
  return { identifier: 'com.example/news', notifications: [{ method: 'com.example/news', ...binding }] }
}

function newsServer(...news: JSONObject[]) {
  return toolServer(async ({ session }) => {
    for (const params of news) await session.sendNotification('com.example/news', params)
    return text('sent')
  })
}

requirement('extension:binding:one-at-a-time-in-order', async ({ connect }) => {
  const heard: unknown[] = []
  const done = createDeferred<void>()
  let isBusy = false
  const handle = async ({ n }: JSONObject) => {
    expect(isBusy).toBe(false)
    isBusy = true
    await Promise.resolve()
    isBusy = false
    heard.push(n)
    if (heard.length === 3) done.resolve()
  }
  await using client = await connect(newsServer({ n: 1 }, { n: 2 }, { n: 3 }), { extensions: [listening({ handle })] })

  await client.callTool('tool')
  await done.promise

  expect(heard).toEqual([1, 2, 3])
})

requirement('extension:binding:slow-handler-drops-the-oldest', async ({ connect }) => {
  const count = 300
  const heard: number[] = []
  const held = createDeferred<void>()
  const last = createDeferred<void>()
  const faults: { kind: string; suppressed?: number }[] = []
  const handle = async ({ n }: JSONObject) => {
    heard.push(n as number)
    if (n === 0) await held.promise
    if (n === count - 1) last.resolve()
  }
  const news = Array.from({ length: count }, (_, n) => ({ n }))
  await using client = await connect(newsServer(...news), {
    extensions: [listening({ handle })],
    onFault: (fault) => faults.push(fault),
  })

  expect(textOf(await client.callTool('tool'))).toBe('sent')
  // All have arrived when the answer to a later call has.
  await client.listTools()
  held.resolve()
  await last.promise

  expect(heard[0]).toBe(0)
  expect(heard.slice(1)).toEqual(Array.from({ length: 256 }, (_, index) => count - 256 + index))
  expect(faults).toHaveLength(count - 1 - 256)
  expect(faults[0]).toMatchObject({ kind: 'overflow', method: 'com.example/news' })
})

requirement('extension:binding:unsuitable-params-dropped', async ({ connect }) => {
  const heard: unknown[] = []
  const faults: unknown[] = []
  const done = createDeferred<void>()
  const parse = ({ n }: JSONObject) => {
    if (typeof n !== 'number') throw new TypeError('no number')
    return { n: n * 2 }
  }
  const handle = ({ n }: JSONObject) => {
    heard.push(n)
    if (n === 4) done.resolve()
  }
  await using client = await connect(newsServer({ n: 1 }, { n: 'x' }, { n: 2 }), {
    extensions: [listening({ parse, handle })],
    onFault: (fault) => faults.push(fault),
  })

  await client.callTool('tool')
  await done.promise

  expect(heard).toEqual([2, 4])
  expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'com.example/news' }])
})

requirement('extension:binding:failing-handler-contained', async ({ connect }) => {
  const faults: string[] = []
  const done = createDeferred<void>()
  const handle = ({ n }: JSONObject) => {
    if (n === 1) throw new Error('a bug')
    done.resolve()
  }
  await using client = await connect(newsServer({ n: 1 }, { n: 2 }), {
    extensions: [listening({ handle })],
    onFault: ({ kind }) => faults.push(kind),
  })

  await client.callTool('tool')
  await done.promise

  expect(faults).toEqual(['notification-failed'])
})

requirement('extension:binding:not-for-the-specification', async ({ connect }) => {
  const handle = vi.fn()
  const heard = createDeferred<string>()
  const binding = { method: 'notifications/message', handle }
  const server = toolServer(
    async ({ session }) => {
      await session.sendLogMessage('error', 'x')
      return text('')
    },
    { logging: true },
  )
  await using client = await connect(server, {
    extensions: [{ identifier: 'com.example/thief', notifications: [binding] }],
    logLevel: 'debug',
    onMessage: ({ method }) => heard.resolve(method),
  })

  await client.callTool('tool')

  expect(await heard.promise).toBe('notifications/message')
  expect(handle).not.toHaveBeenCalled()
})

requirement('extension:binding:unbound-goes-nowhere', async ({ connect }) => {
  const onMessage = vi.fn()
  const onFault = vi.fn()
  await using client = await connect(newsServer({ n: 1 }), { onMessage, onFault })

  expect(textOf(await client.callTool('tool'))).toBe('sent')
  expect(onMessage).not.toHaveBeenCalled()
  expect(onFault).not.toHaveBeenCalled()
})

requirement('extension:conflict:found-at-construction', () => {
  const server = toolServer(() => text(''))
  const create =
    (...extensions: ClientExtension[]) =>
    () =>
      new Client(server, { extensions })
  const other = { ...tickets(), identifier: 'com.example/other' }
  const claiming = (claim: Partial<ResultClaim>) => create(tickets(claim))

  expect(create(tickets(), tickets())).toThrow(/com\.example\/tickets/)
  expect(create(tickets(), other)).toThrow(/com\.example\/tickets.*com\.example\/other/)
  expect(create(listening({ handle: vi.fn() }), { ...listening({ handle: vi.fn() }), identifier: 'a.b/c' })).toThrow(
    /com\.example\/news.*a\.b\/c/,
  )
  for (const identifier of ['', 'bare', '/name', 'prefix/', 'has space/x']) {
    expect(create({ identifier }), identifier).toThrow(TypeError)
  }
  for (const resultType of ['', 'complete', 'input_required']) expect(claiming({ resultType })).toThrow(TypeError)
  expect(claiming({ protocolVersions: [] })).toThrow(TypeError)
  expect(claiming({ protocolVersions: ['2025-11-25' as never] })).toThrow(TypeError)
  expect(() => new Client(server, { extensions: { 'com.example/x': {} } as never })).toThrow(/advertise/)
  expect(create(tickets(), advertise('com.example/other'))).not.toThrow()
})

requirement('extension:vendor:request', async ({ connect, isModern }) => {
  const server = toolServer(() => text(''))
  server.setRequestHandler('com.example/double', (_ctx, { n }) => ({ n: (n as number) * 2 }))
  await using client = await connect(server)

  const result = await client.session.sendRequest('com.example/double', { n: 21 })

  expect(result).toMatchObject({ n: 42 })
  expect('resultType' in result).toBe(isModern)
})

requirement('extension:vendor:unknown', async ({ connect }) => {
  await using client = await connect(toolServer(() => text('')))

  for (const method of ['com.example/nothing', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    await expect(client.session.sendRequest(method, {}), method).rejects.toMatchObject({ code: -32601, local: false })
  }
})

requirement('extension:vendor:name-param', async ({ connect }) => {
  const run = vi.fn(() => ({}))
  const server = toolServer(() => text(''))
  server.setRequestHandler('com.example/named', run)
  await using client = await connect(server)
  const send = (params: JSONObject) => client.session.sendRequest('com.example/named', params, { nameParam: 'name' })

  await expect(send({ name: 'x' })).resolves.toBeDefined()
  await expect(send({})).rejects.toThrow(TypeError)
  await expect(send({ name: 7 })).rejects.toThrow(TypeError)
  expect(run).toHaveBeenCalledOnce()
})

requirement('extension:vendor:notification', async ({ connect }) => {
  const heard = createDeferred<unknown>()
  const server = toolServer(() => text(''))
  server.setNotificationHandler('com.example/told', (_ctx, params) => heard.resolve(params['n']))
  await using client = await connect(server)

  await client.session.sendNotification('com.example/told', { n: 1 })

  expect(await heard.promise).toBe(1)
})
