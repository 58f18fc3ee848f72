// Calls and answers, and the rules of JSON-RPC as seen through them.
import { expect, expectTypeOf } from 'vitest'
import { createDeferred, type Deferred } from '../../../src/primitives/async/promises.ts'
import { InvalidResultError, LimitError } from '../../../src/types/errors/failures.ts'
import type { ListToolsResult } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import {
  codeOf,
  connectScripted,
  DONE,
  FaultLog,
  type Message,
  RawClient,
  sentOf,
  serverWith,
  text,
} from '../kit/support-lifecycle.ts'

const simple = () => serverWith(() => DONE)
requirement('fault:F049:answer-with-both-or-neither', async (setting) => {
  const error = { code: 1, message: 'no' }
  for (const answer of [{ result: {}, error }, {}, { error: 'no' }, { error: { message: 'no' } }, { result: 'text' }]) {
    await using scripted = await connectScripted(setting, (server) => {
      server.on('tools/call', (_params, id) => {
        queueMicrotask(() => server.deliver({ jsonrpc: '2.0', id, ...answer }))
        return undefined
      })
    })
    await expect(scripted.client.callTool('run')).rejects.toBeInstanceOf(InvalidResultError)
  }
})

requirement('fault:F041:unmatched-response', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', DONE as JSONObject))
  scripted.server.respond('never-sent', {})
  expect(await scripted.log.until('unmatched-response')).toMatchObject({ requestId: 'never-sent' })
  expect(await scripted.client.callTool('run')).toEqual(DONE)
})

requirement('fault:F042:second-response', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, id) => {
      queueMicrotask(() => {
        server.respond(id, text('first'))
        server.respond(id, text('second'))
      })
      return undefined
    })
  })
  expect(await scripted.client.callTool('run')).toMatchObject(text('first'))
  await scripted.log.until('unmatched-response')
})

requirement('fault:F048:error-without-id', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => server.on('tools/call', DONE as JSONObject))
  for (const id of [undefined, null]) {
    scripted.server.deliver({ jsonrpc: '2.0', id, error: { code: -32700, message: 'Parse error' } })
  }
  expect(await scripted.log.until('peer-error')).toMatchObject({ error: { code: -32700 } })
  expect(await scripted.client.callTool('run')).toEqual(DONE)
})

requirement('rpc:answer:during-the-write', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, id) => {
      server.respond(id, text('at once'))
      return undefined
    })
  })
  expect(await scripted.client.callTool('run')).toMatchObject(text('at once'))
})

requirement('fault:F050:other-jsonrpc', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  for (const jsonrpc of ['1.0', 2, undefined]) {
    raw.peer.send({ jsonrpc, id: 1, method: 'tools/list', params: raw.params() })
    expect(await raw.next()).toMatchObject({ id: 1, error: { code: -32600 } })
  }
})

requirement('fault:F054:methods-that-are-none', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  for (const method of [7, '', null, {}, ['tools/list']]) {
    raw.send({ id: 1, method, params: raw.params() })
    expect(codeOf(await raw.next()), JSON.stringify(method)).toBe(-32600)
  }
  const { error } = await raw.ask('x'.repeat(1_000_000))
  expect(error).toMatchObject({ code: -32601 })
  expect((error as Error).message.length).toBeLessThan(256)
})

requirement('fault:F055:methods-named-like-members', async ({ connect }) => {
  await using client = await connect(simple())
  for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    await expect(client.session.sendRequest(method as 'vendor/x')).rejects.toMatchObject({ code: -32601 })
  }
})

requirement('fault:F056:params-that-are-none', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  for (const params of [[], 'text', null, 7]) {
    raw.send({ id: 1, method: 'tools/list', params })
    expect(codeOf(await raw.next())).toBe(-32602)
  }
})

requirement('fault:F059:prototype-keys-are-data', async ({ connect }) => {
  const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as JSONObject
  const server = serverWith((_ctx, { arguments: args = {} }) => text(Object.keys(args).join()))
  await using client = await connect(server)

  expect(await client.callTool('run', hostile, { meta: hostile })).toMatchObject(text('__proto__,constructor'))
  expect(({} as JSONObject)['polluted']).toBeUndefined()
})

requirement('rpc:params:absent-count-as-empty', async (setting) => {
  const server = simple()
  const seen: unknown[] = []
  server.setRequestHandler('vendor/bare', (_ctx, params) => {
    seen.push(params)
    return {}
  })
  await using raw = await RawClient.connect(server, setting)
  if (!setting.isModern) {
    raw.send({ id: 1, method: 'vendor/bare' })
    expect(await raw.next()).toHaveProperty('result')
    expect(seen).toEqual([{}])
  }
  expect(codeOf(await raw.ask('tools/call'))).toBe(-32602)
})

requirement('rpc:params:malformed-before-unknown', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  expect(codeOf(await raw.ask('prompts/get', { name: 7 }))).toBe(-32602)
  expect(codeOf(await raw.ask('prompts/get', { name: 'x' }))).toBe(-32601)
})

requirement('rpc:params:peer-content-stays-out-of-errors', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  const { error } = await raw.ask('tools/call', { name: ['hunter2'], arguments: { password: 'hunter2' } })
  expect(error).toMatchObject({ code: -32602 })
  expect(JSON.stringify(error)).not.toContain('hunter2')
})

requirement('rpc:notification:never-answered', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  raw.send({ method: 'vendor/unknown' })
  raw.send({ method: 'tools/call', params: { name: 'run' } })
  raw.send({ method: 'notifications/progress', params: { progress: 'much' } })
  raw.send({ method: 'notifications/cancelled', params: [] })
  raw.send({ method: '' })
  expect(await raw.ask('tools/list', {}, 'first')).toHaveProperty('id', 'first')
  expect(raw.peer.unread).toBe(0)
})

requirement('rpc:batch:one-revision-only', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  raw.peer.send([
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: raw.params() },
    { jsonrpc: '2.0', method: 'vendor/told' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: raw.params({ name: 'run' }) },
  ])
  const answer: unknown = await raw.next()

  if (setting.version !== '2025-03-26') expect(answer).toMatchObject({ error: { code: -32600 } })
  else expect((answer as Message[]).map(({ id }) => id).sort()).toEqual([1, 2])
  expect(await raw.ask('tools/list', {}, 3)).toHaveProperty('id', 3)
})

requirement('fault:F052:batch-with-a-bad-element', async (setting) => {
  await using raw = await RawClient.connect(simple(), setting)
  raw.peer.send([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: raw.params() }, 7])
  const answer: unknown = await raw.next()

  if (setting.version !== '2025-03-26') return expect(answer).toMatchObject({ error: { code: -32600 } })
  expect(answer).toHaveLength(2)
  expect(answer).toEqual(expect.arrayContaining([expect.objectContaining({ id: 1, result: expect.anything() })]))
  return expect((answer as Message[]).map(codeOf)).toContain(-32600)
})

requirement('fault:F053:batch-with-initialize', async (setting) => {
  const raw = await RawClient.open(simple())
  const params = { protocolVersion: setting.version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  raw.peer.send([
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', id: 'two', method: 'tools/list' },
  ])
  const answers: unknown = await raw.next()
  expect(answers).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 'two', error: { code: -32600 } },
  ])
  expect((await raw.initialize(setting.version))['result']).toHaveProperty('protocolVersion', setting.version)
  raw.peer.send([])
  expect(codeOf(await raw.next())).toBe(-32600)
  await raw[Symbol.asyncDispose]()
})

requirement('fault:F069:result-of-the-wrong-form', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', { content: [{ type: 'text', text: { secret: 'hunter2' } }] })
  })
  const error = await scripted.client.callTool('run').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InvalidResultError)
  expect((error as InvalidResultError).path).toMatch(/^content\[0\]/)
  expect(String(error)).not.toContain('hunter2')
})

requirement('fault:F065:result-that-json-cannot-say', async ({ connect }) => {
  const cycle: JSONObject = {}
  cycle['self'] = cycle
  const bad = new Map<unknown, () => unknown>([
    ['cycle', () => cycle],
    ['bigint', () => ({ n: 1n })],
    [
      'getter',
      () => ({
        get boom() {
          throw new Error('hunter2')
        },
      }),
    ],
    [
      'toJSON',
      () => ({
        toJSON: () => {
          throw new Error('hunter2')
        },
      }),
    ],
    ['nothing', () => undefined],
    ['text', () => 'text'],
  ])
  const log = new FaultLog()
  const server = serverWith(() => DONE, { onFault: log.onFault })
  server.setRequestHandler('vendor/bad', (_ctx, { kind }) => bad.get(kind)?.() as JSONObject)
  await using client = await connect(server)

  for (const kind of bad.keys()) {
    const error = await client.session.sendRequest('vendor/bad', { kind: kind as string }).catch((e: unknown) => e)
    expect(error, String(kind)).toMatchObject({ code: -32603, local: false })
    expect(String(error)).not.toContain('hunter2')
  }
  expect(log.faults.length).toBeGreaterThanOrEqual(bad.size)
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('rpc:raw:messages-past-the-bookkeeping', async ({ connect, wire }) => {
  const log = new FaultLog()
  const server = serverWith(
    async ({ connection }) => {
      await connection.sendRaw({ jsonrpc: '2.0', id: 'by-hand', method: 'ping' })
      return DONE
    },
    { onFault: log.onFault },
  )
  await using client = await connect(server)
  await client.callTool('run')

  expect(await log.until('unmatched-response')).toMatchObject({ requestId: 'by-hand' })
  expect((wire.sent as unknown as Message[]).find(({ id }) => id === 'by-hand')).toHaveProperty('result', {})
})

requirement('rpc:vendor:both-ways', async ({ connect }) => {
  const server = simple()
  server.setRequestHandler('vendor/sum', (_ctx, { numbers }) => ({
    sum: (numbers as number[]).reduce((a, b) => a + b, 0),
  }))
  await using client = await connect(server)
  const result = await client.session.sendRequest('vendor/sum', { numbers: [1, 2, 3] })
  expectTypeOf(result).toEqualTypeOf<JSONObject>()
  expect(result).toMatchObject({ sum: 6 })
})

requirement('rpc:vendor:name-param', async ({ connect, wire }) => {
  const server = simple()
  server.setRequestHandler('vendor/named', (_ctx, { thing }) => ({ thing }))
  await using client = await connect(server)

  const named = client.session.sendRequest('vendor/named', { thing: 'x' }, { nameParam: 'thing' })
  expect(await named).toMatchObject({ thing: 'x' })
  const unnamed = client.session.sendRequest('vendor/named', { thing: 7 }, { nameParam: 'thing' })
  await expect(unnamed).rejects.toBeInstanceOf(TypeError)
  expect(sentOf(wire, 'vendor/named').length).toBeLessThanOrEqual(1)
})

requirement('rpc:spec:typed-by-method', async ({ connect }) => {
  await using client = await connect(simple())
  const result = await client.session.sendRequest('tools/list', {})
  expectTypeOf(result).toEqualTypeOf<ListToolsResult>()
  expect(result.tools).toHaveLength(1)
})

requirement('rpc:method:unknown', async ({ connect }) => {
  await using client = await connect(simple())
  await expect(client.session.sendRequest('vendor/none')).rejects.toMatchObject({ code: -32601, local: false })
  await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601, local: false })
})

requirement('rpc:answers:find-their-calls', async ({ connect }) => {
  const gates = new Map<unknown, Deferred<void>>()
  const allEntered = createDeferred()
  const server = serverWith(async (_ctx, { arguments: args }) => {
    const gate = createDeferred()
    gates.set(args?.['n'], gate)
    if (gates.size === 10) allEntered.resolve()
    await gate.promise
    return text(String(args?.['n']))
  })
  await using client = await connect(server)
  const calls = Array.from({ length: 10 }, (_, n) => client.callTool('run', { n }))
  await allEntered.promise
  for (const n of [9, 0, 5, 3, 1, 8, 2, 7, 4, 6]) gates.get(n)?.resolve()

  const results = await Promise.all(calls)
  for (const [n, result] of results.entries()) expect(result).toMatchObject(text(String(n)))
})

requirement('rpc:answers:clients-do-not-mix', async ({ connect }) => {
  const server = serverWith(async ({ clientInfo, requestId }, { arguments: args }) => {
    await Promise.resolve()
    return text(`${clientInfo?.name} ${requestId} ${args?.['n']}`)
  })
  await using first = await connect(server, { clientInfo: { name: 'first', version: '1' } })
  await using second = await connect(server, { clientInfo: { name: 'second', version: '1' } })

  for (let n = 0; n < 50; n++) {
    const requestId = `R06-${n}`
    const results = await Promise.all([
      first.callTool('run', { n }, { requestId }),
      second.callTool('run', { n }, { requestId }),
    ])
    expect(results).toMatchObject([text(`first ${requestId} ${n}`), text(`second ${requestId} ${n}`)])
  }
})

requirement('calls:crowd:waits-by-weight', async ({ connect }) => {
  const gate = createDeferred()
  const server = serverWith(async () => {
    await gate.promise
    return DONE
  })
  await using client = await connect(server)
  const calls = Array.from({ length: 10_000 }, (_, n) => client.callTool('run', { n }))
  gate.resolve()
  expect(await Promise.all(calls)).toHaveLength(10_000)
})

requirement('calls:crowd:cancellation-is-heard', async ({ connect, isModern }) => {
  let aborted = 0
  const server = serverWith((ctx, params) => {
    if (params.arguments?.['hangs'] !== true) return DONE
    ctx.signal.addEventListener('abort', () => {
      aborted += 1
    })
    // Whatever the signal says.
    return new Promise(() => {})
  })
  await using client = await connect(server)
  const controller = new AbortController()
  const hanging = Array.from({ length: 800 }, () =>
    client.callTool('run', { hangs: true }, { signal: controller.signal }).catch(() => 'cancelled'),
  )
  // The line is settled before anything is cancelled; the oldest era has a word for that.
  if (!isModern) await client.sendPing()
  controller.abort()
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['cancelled']))
  expect(await client.callTool('run')).toMatchObject(DONE)
  expect(aborted).toBeGreaterThanOrEqual(256)
})

requirement('calls:limits:long-argument', async ({ connect, transport, wire }) => {
  await using client = await connect(simple())
  const limit = transport === 'stdio' ? 'maxLineBytes' : 'maxBodyBytes'
  const long = { text: 'x'.repeat(5 * 1024 * 1024) }
  const max = 4 * 1024 * 1024
  await expect(client.callTool('run', long)).rejects.toMatchObject({ code: -32600, data: { limit, max } })
  const refused = await client.callTool('run', long).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(LimitError)
  expect(refused).toMatchObject({ limit, max })
  // Exactly at the limit it is a matter of bytes, not of characters.
  await expect(client.callTool('run', { text: 'ü'.repeat(2.2 * 1024 * 1024) })).rejects.toBeInstanceOf(LimitError)
  expect(await client.callTool('run', { text: 'x'.repeat(3 * 1024 * 1024) })).toMatchObject(DONE)
  expect(wire.sent.length).toBeGreaterThan(0)
})
