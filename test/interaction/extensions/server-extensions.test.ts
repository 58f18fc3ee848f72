// Extensions on the server: declared, answered to those who declared them too, and around the calls of tools.
import { expect, vi } from 'vitest'
import { advertise, type ClientExtension } from '../../../src/client/extensions/extension.ts'
import type { MCPServerExtension } from '../../../src/mcpserver/extensions/extension-parts.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { prompt } from '../../../src/mcpserver/prompts/prompt.ts'
import { resource } from '../../../src/mcpserver/resources/resource.ts'
import { tool } from '../../../src/mcpserver/tools/tool.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { clientExtension } from '../../../src/server/extensions/declared-extension.ts'
import type { ToolCallInterceptor } from '../../../src/server/extensions/extension.ts'
import type { MCPError } from '../../../src/types/errors/errors.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, namesOf, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

const ID = 'com.example/tickets'
const METHOD = 'com.example/redeem'
const TICKET = { resultType: 'com.example/ticket', ticket: 'T1' }

const redeem = (_ctx: unknown, { ticket }: JSONObject) => ({ redeemed: ticket ?? null })

function serverWith(...extensions: MCPServerExtension[]) {
  return createServer({ extensions })
}

/** A client's half, which redeems what it gets. */
const tickets: ClientExtension = {
  identifier: ID,
  claims: [
    {
      resultType: TICKET.resultType,
      resolve: ({ ticket }) => ({ content: [{ type: 'text', text: `redeemed ${ticket}` }] }),
    },
  ],
}

requirement('server-extension:declared', async ({ connect }) => {
  const server = new MCPServer('s', {
    extensions: [{ identifier: ID, settings: { version: 2 } }, { identifier: 'com.example/bare' }],
    capabilities: { extensions: { 'com.example/by-hand': { a: 1 } } },
  })
  await using client = await connect(server)

  expect(client.serverCapabilities.extensions).toEqual({
    [ID]: { version: 2 },
    'com.example/bare': {},
    'com.example/by-hand': { a: 1 },
  })
})

requirement('server-extension:none-by-default', async ({ connect }) => {
  await using client = await connect(createServer().server)

  expect(client.serverCapabilities.extensions).toBeUndefined()
})

requirement('server-extension:requests', async ({ connect }) => {
  const { server } = serverWith({ identifier: ID, requests: { [METHOD]: { handle: redeem } } })
  await using client = await connect(server, { extensions: [advertise(ID)] })

  await expect(client.session.sendRequest(METHOD, { ticket: 'T1' })).resolves.toMatchObject({ redeemed: 'T1' })
})

requirement('server-extension:client-must-declare', async ({ connect }) => {
  const handle = vi.fn(redeem)
  const { server } = serverWith({
    identifier: ID,
    requests: { [METHOD]: { handle }, 'com.example/open': { handle: redeem, isOpenToAll: true } },
  })
  await using client = await connect(server, { extensions: [advertise('com.example/other')] })
  const refusal = await refusalOf(client.session.sendRequest(METHOD, {}))

  expect(refusal.code).toBe(-32021)
  expect(refusal.data).toEqual({ requiredCapabilities: { extensions: { [ID]: {} } } })
  expect(handle).not.toHaveBeenCalled()
  await expect(client.session.sendRequest('com.example/open', {})).resolves.toMatchObject({ redeemed: null })
})

requirement('server-extension:revisions', async ({ connect, isModern }) => {
  const { server } = serverWith({
    identifier: ID,
    requests: { [METHOD]: { handle: redeem, protocolVersions: ['2026-07-28'] } },
  })
  await using client = await connect(server, { extensions: [advertise(ID)] })
  const call = client.session.sendRequest(METHOD, {})

  if (isModern) await expect(call).resolves.toMatchObject({ redeemed: null })
  else expect((await refusalOf(call)).code).toBe(-32601)
})

requirement('server-extension:notifications', async ({ connect }) => {
  const heard = createDeferred<unknown>()
  const { server } = serverWith({
    identifier: ID,
    notifications: { 'com.example/lost': { handle: (_ctx, { ticket }) => heard.resolve(ticket) } },
  })
  await using client = await connect(server)
  await client.session.sendNotification('com.example/lost', { ticket: 'T1' })

  expect(await heard.promise).toBe('T1')
})

requirement('server-extension:client-settings', async ({ connect }) => {
  const settings = { mimeTypes: ['text/html;profile=mcp-app'] }
  const { server } = serverWith({ identifier: ID })
  const seen = vi.fn()
  server.tool('look', {}, (_args, ctx) => seen(clientExtension(ctx, ID), clientExtension(ctx, 'com.example/other')))
  await using client = await connect(server, { extensions: [advertise(ID, settings)] })
  await client.callTool('look')

  expect(seen).toHaveBeenCalledWith(settings, undefined)
})

requirement('server-extension:registrations', async ({ connect, version }) => {
  const ui = { resourceUri: 'ui://clock', visibility: ['app'] }
  const { server } = serverWith({
    identifier: ID,
    tools: [tool('clock', { meta: { ui } }, () => 'noon')],
    resources: [resource('ui://clock', { mimeType: 'text/html;profile=mcp-app', meta: { ui: {} } }, () => '<p>')],
    prompts: [prompt('ask', {}, () => 'What time is it?')],
  })
  await using client = await connect(server)
  const { tools } = await client.listTools()

  expect(namesOf(tools)).toEqual(['clock'])
  expect(textsOf(await client.callTool('clock'))).toEqual(['noon'])
  expect((await client.readResource('ui://clock')).contents[0]).toMatchObject({
    mimeType: 'text/html;profile=mcp-app',
    text: '<p>',
  })
  expect(namesOf((await client.listPrompts()).prompts)).toEqual(['ask'])
  expect(tools[0]?._meta).toEqual(isVersionAtLeast(version, '2025-06-18') ? { ui } : undefined)
})

requirement('server-extension:declared:revisions', async ({ connect, version }) => {
  const around: ToolCallInterceptor = async () => ({ content: [{ type: 'text', text: 'intercepted' }] })
  const { server } = serverWith({
    identifier: ID,
    protocolVersions: ['2025-06-18', '2026-07-28'],
    requests: { [METHOD]: { handle: redeem, isOpenToAll: true } },
    interceptToolCall: around,
  })
  server.tool('plain', () => 'plain')
  await using client = await connect(server)

  const isThere = version === '2025-06-18' || version === '2026-07-28'
  expect(client.serverCapabilities.extensions).toEqual(isThere ? { [ID]: {} } : undefined)
  expect(textsOf(await client.callTool('plain'))).toEqual([isThere ? 'intercepted' : 'plain'])
  const call = client.session.sendRequest(METHOD, { ticket: 'T1' })
  if (isThere) expect(await call).toMatchObject({ redeemed: 'T1' })
  else await expect(call).rejects.toMatchObject({ code: -32601 })
})

requirement('server-extension:other-params', async ({ connect }) => {
  const { server } = serverWith({
    identifier: ID,
    interceptToolCall: async (ctx, params, next) => {
      // The round that a client would have sent after it was asked.
      const inputResponses = { name: { action: 'accept' as const, content: { name: 'Ada' } } }
      return ctx.inputResponses === undefined ? next({ ...params, inputResponses }) : next()
    },
  })
  server.tool('greet', (_args, ctx) => `Hello, ${JSON.stringify(ctx.request.inputResponses)}`)
  await using client = await connect(server)

  expect(textsOf(await client.callTool('greet'))[0]).toContain('Ada')
})

requirement('server-extension:tool-calls', async ({ connect }) => {
  const seen: string[] = []
  const around = (name: string): ToolCallInterceptor => {
    return async (_ctx, params, next) => {
      seen.push(`${name} ${params.name}`)
      return next({ ...params, arguments: { text: `${params.arguments?.['text']}${name}` } })
    }
  }
  const { server } = serverWith(
    { identifier: 'com.example/a', interceptToolCall: around('a') },
    { identifier: 'com.example/b', interceptToolCall: around('b') },
  )
  const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
  server.tool('echo', { input }, ({ text }) => text)
  server.use((ctx, next) => {
    if (ctx.method === 'tools/call') seen.push('middleware')
    return next()
  })
  await using client = await connect(server)

  expect(textsOf(await client.callTool('echo', { text: '-' }))).toEqual(['-ab'])
  await expect(client.session.sendRequest('tools/call' as string, { name: 7 })).rejects.toMatchObject({ code: -32602 })
  expect(seen).toEqual(['middleware', 'a echo', 'b echo', 'middleware'])
})

requirement('server-extension:tool-calls:checked-first', async ({ connect }) => {
  const seen: unknown[] = []
  const { server } = serverWith({
    identifier: ID,
    interceptToolCall: async (_ctx, params, next) => {
      seen.push(params.arguments)
      return next(params.arguments?.['n'] === 2 ? { ...params, arguments: { n: 'two' } } : undefined)
    },
  })
  const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
  server.tool('count', { input }, ({ n }) => `counted ${n}`)
  server.tool('hidden', { visible: () => false }, () => 'seen')
  server.tool('scoped', { scopes: ['admin'] }, () => 'scoped')
  await using client = await connect(server)
  const outcomeOf = (call: Promise<CallToolResult>) => call.then(textsOf, (error: MCPError) => error.message)

  expect(String(await outcomeOf(client.callTool('count', { n: 'one' })))).toContain('n')
  expect(await outcomeOf(client.callTool('hidden'))).toContain('Unknown tool')
  expect(await outcomeOf(client.callTool('scoped'))).toContain('scopes')
  expect(await outcomeOf(client.callTool('missing'))).toContain('Unknown tool')
  expect(seen).toEqual([])

  expect(await outcomeOf(client.callTool('count', { n: 1 }))).toEqual(['counted 1'])
  expect(String(await outcomeOf(client.callTool('count', { n: 2 })))).not.toContain('counted')
  expect(seen).toEqual([{ n: 1 }, { n: 2 }])
})

requirement('server-extension:tool-calls:result-checked', async ({ connect }) => {
  const { server, faults } = serverWith({ identifier: ID, interceptToolCall: () => ({ content: 'none' }) as never })
  server.tool('any', {}, () => 'x')
  await using client = await connect(server)

  expect((await refusalOf(client.callTool('any'))).code).toBe(-32603)
  expect(faults.map(({ kind }) => kind)).toEqual(['handler-failed'])
})

requirement('server-extension:middleware', async ({ connect }) => {
  const seen: string[] = []
  const server = new MCPServer('s', {
    middleware: [
      (ctx, next) => {
        seen.push(`author ${ctx.method}`)
        return next()
      },
    ],
    extensions: [
      {
        identifier: ID,
        middleware: [
          (ctx, next) => {
            seen.push(`extension ${ctx.method}`)
            return next()
          },
        ],
      },
    ],
    capabilities: { tools: {} },
  })
  await using client = await connect(server)
  seen.length = 0
  await client.listTools()

  expect(seen.filter((line) => line.endsWith('tools/list'))).toEqual(['author tools/list', 'extension tools/list'])
})

requirement('server-extension:result-types', async ({ connect }) => {
  const later: ToolCallInterceptor = () => TICKET
  const { server } = serverWith({ identifier: ID, resultTypes: [TICKET.resultType], interceptToolCall: later })
  server.tool('slow', {}, () => 'never')
  await using knowing = await connect(server, { extensions: [tickets] })
  await using other = await connect(server)

  expect(textsOf(await knowing.callTool('slow'))).toEqual(['redeemed T1'])
  const refusal = await refusalOf(other.callTool('slow'))
  expect(refusal.code).toBe(-32021)
  expect(refusal.data).toEqual({ requiredCapabilities: { extensions: { [ID]: {} } } })
})

requirement('server-extension:result-types:tools-only', async ({ connect }) => {
  const { server } = serverWith({ identifier: ID, resultTypes: [TICKET.resultType] })
  server.tool('slow', { output: { type: 'object', required: ['n'] } }, () => TICKET as never)
  server.prompt('ask', {}, () => 'Well?')
  server.server.setRequestHandler('prompts/get', () => TICKET as never)
  await using client = await connect(server, { extensions: [tickets] })

  expect(await client.session.callTool('slow', {}, { allowClaimed: true })).toMatchObject(TICKET)
  expect((await refusalOf(client.getPrompt('ask'))).code).toBe(-32603)
})

requirement('server-extension:result-types:modern-only', async ({ connect }) => {
  const { server, faults } = serverWith({ identifier: ID, resultTypes: [TICKET.resultType] })
  server.tool('slow', {}, () => TICKET)
  await using client = await connect(server, { extensions: [tickets] })

  expect((await refusalOf(client.callTool('slow'))).code).toBe(-32603)
  expect(faults[0]?.message).toContain(ID)
})

requirement('server-extension:conflicts', () => {
  const handle = redeem
  const a = { identifier: 'com.example/a' }
  const b = { identifier: 'com.example/b' }
  const making = (...extensions: object[]) => {
    return () => serverWith(...(extensions as MCPServerExtension[]))
  }

  expect(making({ identifier: 'bare' })).toThrow(TypeError)
  expect(making(a, a)).toThrow("'com.example/a' is given twice. Remove one.")
  expect(making({ ...a, requests: { 'tools/list': { handle } } })).toThrow('belongs to the specification')
  expect(making({ ...a, notifications: { 'notifications/cancelled': { handle } } })).toThrow('the specification')
  expect(making({ ...a, requests: { [METHOD]: {} } })).toThrow('has no handle function')
  expect(making({ ...a, requests: { '': { handle } } })).toThrow('without a name')
  expect(making({ ...a, requests: { [METHOD]: { handle, protocolVersions: [] } } })).toThrow('at least one')
  expect(making({ ...a, requests: { [METHOD]: { handle, protocolVersions: ['2000-01-01'] } } })).toThrow('at least one')
  expect(making({ ...a, resultTypes: ['complete'] })).toThrow("'complete' belongs to the specification")
  expect(making({ ...a, resultTypes: ['t'] }, { ...b, resultTypes: ['t'] })).toThrow(
    "Both 'com.example/a' and 'com.example/b' claim the resultType 't'",
  )
  expect(making({ ...a, requests: { [METHOD]: { handle } } }, { ...b, requests: { [METHOD]: { handle } } })).toThrow(
    `Both 'com.example/a' and 'com.example/b' answer '${METHOD}'`,
  )
  expect(() => new MCPServer('s', { extensions: { [ID]: {} } as never })).toThrow('must be an array')
  const { server } = serverWith({ ...a, requests: { [METHOD]: { handle } } })
  expect(() => server.server.setRequestHandler(METHOD, handle)).toThrow('belongs to an extension')
})
