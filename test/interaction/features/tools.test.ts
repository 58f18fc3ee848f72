// Tools: listing them, calling them, and what becomes of calls that cannot be served.
import { expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { CallToolResult, Tool } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { answerRaw, failureOf, noteMethods, refusalOf, tool, toolServer } from '../kit/support-features.ts'

requirement('tools:call:text', async ({ connect }) => {
  const server = new Server('greeter', {
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }),
      'tools/call': (_ctx, { arguments: args }) => ({ content: [{ type: 'text', text: `Hello, ${args?.['name']}.` }] }),
    },
  })

  await using client = await connect(server)
  const result = await client.callTool('greet', { name: 'Ada' })

  expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada.' }])
})

requirement('tools:list:definitions', async ({ connect }) => {
  const listed: Tool = {
    name: 'weather.today',
    title: 'Weather',
    description: 'Tells the weather of today.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    outputSchema: { type: 'object', properties: { celsius: { type: 'number' } } },
    annotations: { title: 'Weather', readOnlyHint: true, openWorldHint: false },
    icons: [{ src: 'https://example.com/sun.png', mimeType: 'image/png', sizes: ['48x48'] }],
    _meta: { 'example.com/group': 'nature' },
  }
  await using client = await connect(toolServer([listed]))

  expect((await client.listTools()).tools).toEqual([listed])
})

requirement('tools:list:empty', async ({ connect }) => {
  await using client = await connect(toolServer([]))

  expect(client.serverCapabilities.tools).toBeDefined()
  expect((await client.listTools()).tools).toEqual([])
})

requirement('tools:list:order', async ({ connect }) => {
  const names = ['zebra', 'ape', '10', '9', 'Zebra']
  await using client = await connect(toolServer(names.map((name) => tool(name))))

  for (let round = 0; round < 2; round += 1) {
    const { tools } = await client.listTools({ cacheMode: 'bypass' })
    expect(tools.map(({ name }) => name)).toEqual(names)
  }
})

requirement('tools:list:same-for-all', async ({ connect }) => {
  const server = toolServer([tool('one'), tool('two')])
  await using first = await connect(server)
  await using second = await connect(server)
  const before = await first.listTools({ cacheMode: 'bypass' })
  await first.callTool('one')

  expect(await first.listTools({ cacheMode: 'bypass' })).toEqual(before)
  expect((await second.listTools()).tools).toEqual(before.tools)
})

requirement('tools:list:schema-keywords', async ({ connect }) => {
  const inputSchema = {
    type: 'object' as const,
    properties: { kind: { $ref: '#/$defs/kind' }, size: { $anchor: 'size', type: 'integer', exclusiveMinimum: 0 } },
    required: ['kind'],
    $defs: { kind: { enum: ['a', 'b', null] } },
    allOf: [JSON.parse('{"if":{"required":["size"]},"then":{"properties":{"kind":{"const":"a"}}},"else":true}')],
    additionalProperties: false,
    unevaluatedProperties: false,
    'x-vendor': { deep: [1, { two: null }] },
  }
  await using client = await connect(toolServer([tool('rich', { inputSchema })]))

  const { tools } = await client.listTools()

  expect(tools[0]?.inputSchema).toEqual(inputSchema)
})

requirement('tools:list:input-schema-is-an-object', async ({ connect }) => {
  const faults: Fault[] = []
  const broken = { name: 'broken', inputSchema: null } as unknown as Tool
  const server = toolServer([broken], undefined, { onFault: (fault) => faults.push(fault) })
  await using client = await connect(server)

  expect(await refusalOf(client.listTools())).toEqual({ code: -32603, local: false })
  expect(faults.map(({ kind, message }) => `${kind}: ${message}`).join()).toMatch(/handler-failed.*inputSchema/)
})

requirement('tools:call:arguments-verbatim', async ({ connect }) => {
  const args = JSON.parse(
    '{"text":"line\\nbreak \\u2028 世界 \\ud83d\\ude00","n":-0.5,"none":null,"list":[[],{}],"__proto__":{"x":1},"constructor":"c"}',
  ) as JSONObject
  const seen: unknown[] = []
  const server = toolServer([tool('echo')], (_ctx, params) => {
    seen.push(params.arguments)
    return { content: [] }
  })
  await using client = await connect(server)
  await client.callTool('echo', args)

  expect(JSON.stringify(seen[0])).toBe(JSON.stringify(args))
  expect(({} as JSONObject)['x']).toBeUndefined()
})

requirement('tools:call:without-arguments', async ({ connect }) => {
  const seen: boolean[] = []
  const server = toolServer([tool('now')], (_ctx, params) => {
    seen.push('arguments' in params)
    return { content: [] }
  })
  await using client = await connect(server)
  await client.callTool('now')
  await client.callTool('now', {})

  expect(seen).toEqual([false, true])
})

requirement('tools:call:unknown-tool', async ({ connect }) => {
  const server = toolServer([tool('known')], (_ctx, { name }) => {
    if (name !== 'known') throw new MCPError(-32602, `Unknown tool: ${name}`)
    return { content: [] }
  })
  await using client = await connect(server)

  const error = await failureOf(client.callTool('unknown'))

  expect(error).toBeInstanceOf(MCPError)
  expect(error).toMatchObject({ code: -32602, message: 'Unknown tool: unknown', local: false })
  expect((await client.callTool('known')).content).toEqual([])
})

requirement('tools:call:error-data', async ({ connect }) => {
  const data = { retryAfterMs: 50, hints: ['later', null] }
  const server = toolServer([tool('busy')], () => {
    throw new MCPError(-31999, 'Busy', data)
  })
  await using client = await connect(server)

  expect(await failureOf(client.callTool('busy'))).toMatchObject({ code: -31999, message: 'Busy', data })
})

requirement('tools:call:failure-is-a-result', async ({ connect }) => {
  const failed: CallToolResult = { content: [{ type: 'text', text: 'The disk is full.' }], isError: true }
  await using client = await connect(toolServer([tool('write')], () => failed))

  expect(await client.callTool('write')).toMatchObject(failed)
})

requirement('tools:call:malformed-arguments', async ({ connect }) => {
  const call = vi.fn(() => ({ content: [] }))
  await using client = await connect(toolServer([tool('any')], call))
  const params = { name: 'any', arguments: ['not', 'an', 'object'] } as unknown as { name: string }

  expect(await refusalOf(client.session.sendRequest('tools/call', params))).toEqual({ code: -32602, local: false })
  expect(call).not.toHaveBeenCalled()
})

requirement('tools:call:missing-name', async ({ connect }) => {
  const call = vi.fn(() => ({ content: [] }))
  await using client = await connect(toolServer([tool('any')], call))
  const params = {} as unknown as { name: string }

  expect(await refusalOf(client.session.sendRequest('tools/call', params))).toEqual({ code: -32602, local: false })
  expect(call).not.toHaveBeenCalled()
})

requirement('tools:call:annotations-prove-nothing', async ({ connect }) => {
  const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }
  const call = vi.fn(() => ({ content: [] }))
  const server = toolServer([tool('harmless', { annotations })], call)
  await using client = await connect(server)
  await client.listTools()
  await Promise.all([client.callTool('harmless'), client.callTool('harmless')])

  expect(call).toHaveBeenCalledTimes(2)
})

requirement('tools:call:invalid-result-of-a-handler', async ({ connect }) => {
  const faults: Fault[] = []
  const broken = { content: [{ type: 'text' }] } as unknown as CallToolResult
  const server = toolServer([tool('broken')], () => broken, { onFault: (fault) => faults.push(fault) })
  await using client = await connect(server)

  const error = await failureOf(client.callTool('broken'))

  expect(error).toMatchObject({ code: -32603, message: 'Handler returned an invalid result' })
  const message = expect.stringContaining('content[0].text: expected string')
  expect(faults).toContainEqual(expect.objectContaining({ kind: 'handler-failed', message }))
})

requirement('tools:call:invalid-result-of-a-server', async ({ connect }) => {
  const server = toolServer([tool('broken')])
  answerRaw(server, 'tools/call', () => ({
    content: [
      { type: 'text', text: 'fine' },
      { type: 'text', text: 5 },
    ],
  }))
  await using client = await connect(server)

  const error = await failureOf(client.callTool('broken'))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect(error).toMatchObject({ path: 'content[1].text' })
})

requirement('tools:call:result-meta', async ({ connect }) => {
  const server = toolServer([tool('meta')], () => ({ content: [], _meta: { 'example.com/cost': 3 } }))
  await using client = await connect(server)

  expect((await client.callTool('meta'))._meta).toMatchObject({ 'example.com/cost': 3 })
})

requirement('tools:call:guarded-by-middleware', async ({ connect }) => {
  const call = vi.fn(() => ({ content: [] }))
  const server = toolServer([tool('open'), tool('secret')], call)
  server.use((ctx, next) => {
    if (ctx.method === 'tools/call' && ctx.params?.['name'] === 'secret') throw new MCPError(-32602, 'Not for you')
    return next()
  })
  await using client = await connect(server)

  expect(await failureOf(client.callTool('secret'))).toMatchObject({ code: -32602, message: 'Not for you' })
  expect(call).not.toHaveBeenCalled()
  await client.callTool('open')
  expect(call).toHaveBeenCalledOnce()
})

requirement('tools:call:time-limit', async ({ connect }) => {
  vi.useFakeTimers()
  try {
    const called = createDeferred<AbortSignal>()
    const server = toolServer([tool('slow')], ({ signal }) => {
      called.resolve(signal)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const client = await connect(server)
    const settled = vi.fn()
    const call = client.callTool('slow')
    call.then(settled, settled)
    const signal = await called.promise
    await vi.advanceTimersByTimeAsync(299_000)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2_000)

    expect(await refusalOf(call)).toEqual({ code: -32001, local: true })
    expect(signal.aborted).toBe(true)
    await client.close()
  } finally {
    vi.useRealTimers()
  }
})

requirement('fault:F104:handler-replaced-during-a-call', async ({ connect }) => {
  const called = createDeferred<void>()
  const release = createDeferred<void>()
  const server = toolServer([tool('old')], async () => {
    called.resolve()
    await release.promise
    return { content: [{ type: 'text', text: 'old' }] }
  })
  await using client = await connect(server)
  const first = client.callTool('old')
  await called.promise
  server.setRequestHandler('tools/call', () => {
    throw new MCPError(-32602, 'Unknown tool: old')
  })
  release.resolve()

  expect((await first).content).toEqual([{ type: 'text', text: 'old' }])
  expect(await refusalOf(client.callTool('old'))).toEqual({ code: -32602, local: false })
})

requirement('fault:F104:tool-removed-after-listing', async ({ connect }) => {
  const names = new Set(['stays', 'goes'])
  const server = new Server('registry', {
    handlers: {
      'tools/list': () => ({ tools: [...names].map((name) => tool(name)) }),
      'tools/call': (_ctx, { name }) => {
        if (!names.has(name)) throw new MCPError(-32602, 'Unknown tool')
        return { content: [] }
      },
    },
  })
  const seen = noteMethods(server)
  await using client = await connect(server)
  const { tools: listed } = await client.listTools()
  names.delete('goes')

  expect(listed.map(({ name }) => name)).toEqual(['stays', 'goes'])
  expect(await refusalOf(client.callTool('goes'))).toEqual({ code: -32602, local: false })
  expect(seen.count('tools/call')).toBe(1)
})
