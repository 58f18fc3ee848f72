// What a source asks of a client that said it can't be asked it.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { META, RawClient, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

async function connect(
  front: RawEra,
  back: RawEra,
  capabilities: RawMessage | undefined,
  options: ProxyOptions = {},
  more: RawMessage = {},
) {
  const server = rawServer(back, more).on('tools/list', {
    tools: [],
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
  })
  const proxy = createProxy(targetOf(server), { mode: back, onFault: () => {}, ...options })
  const client = await RawClient.open(proxy, front, capabilities === undefined ? {} : { capabilities })
  client.onRequest = () => ({ result: {} })
  open.push(proxy, client)
  return { server, client }
}

const QUESTIONS = [
  ['sampling', 'sampling/createMessage'],
  ['elicitation', 'elicitation/create'],
  ['roots', 'roots/list'],
] as const

describe.each(QUESTIONS)('compose G020 %s: a source that asks a client without it', (capability, method) => {
  it.each(['legacy', 'modern'] as const)('a legacy source reads -32601, and a %s client nothing', async (front) => {
    const { server, client } = await connect(front, 'legacy', {})
    let answer: RawMessage | undefined
    server.on('tools/call', (_params, id) => {
      void server.request(method, {}).then((given) => {
        answer = given
        server.respond(id, { content: [] })
      })
      return undefined
    })
    expect(await client.request('tools/call', { name: 'a' })).toMatchObject({ result: { content: [] } })
    expect(answer).toMatchObject({ error: { code: -32601, message: expect.stringContaining(method) } })
    expect(client.told(method)).toEqual([])
  })

  it('what a modern source asks of a legacy client is an error that names the capability', async () => {
    const { server, client } = await connect('legacy', 'modern', {})
    server.on('tools/call', { resultType: 'input_required', inputRequests: { q: { method, params: {} } } })
    expect(await client.error('tools/call', { name: 'a' })).toMatchObject({
      code: -32600,
      data: { requiredCapabilities: { [capability]: {} } },
    })
    expect(client.told(method)).toEqual([])
  })

  it('where such questions do not cross, nobody is asked, whatever the client can do', async () => {
    const options = { forward: { [capability]: false } }
    const legacy = await connect('legacy', 'legacy', undefined, options)
    const asked = legacy.server.request(method, {})
    expect(await asked).toMatchObject({ error: { code: -32601 } })
    expect(legacy.client.told(method)).toEqual([])
    const question = { resultType: 'input_required', inputRequests: { q: { method, params: {} } } }
    for (const [front, code] of [
      ['modern', -32021],
      ['legacy', -32600],
    ] as const) {
      const { server, client } = await connect(front, 'modern', undefined, options)
      server.on('tools/call', question)
      const error = await client.error('tools/call', { name: 'a' })
      expect(error).toMatchObject({ code, data: { requiredCapabilities: { [capability]: {} } } })
      expect(client.told(method)).toEqual([])
    }
  })

  it('of many clients on one connection nobody is asked', async () => {
    const { server, client } = await connect('legacy', 'legacy', undefined, { sessions: 'shared' })
    await client.result('tools/list')
    expect(server.paramsOf('initialize')).toMatchObject({ capabilities: {} })
    expect(await server.request(method, {})).toMatchObject({ error: { code: -32601 } })
  })
})

describe('compose G020 a modern source hears what the client can be asked', () => {
  it('and refuses the call itself, with -32021 for a modern client and -32600 for a legacy one', async () => {
    const server = new MCPServer('source', { supportedVersions: ['2026-07-28'] })
    server.tool('ask', async (_args, ctx) => String(await ctx.elicit('Who?', { type: 'object', properties: {} })))
    open.push(server)
    for (const [mode, code] of [
      ['modern', -32021],
      ['legacy', -32600],
    ] as const) {
      const proxy = createProxy(server)
      const client = await Client.connect(proxy, { mode })
      open.push(proxy, client)
      await expect(client.callTool('ask')).rejects.toMatchObject({
        code,
        data: { requiredCapabilities: { elicitation: expect.anything() } },
      })
    }
  })

  it.each([
    ['legacy', -32600],
    ['modern', -32021],
  ] as const)(
    'compose P22 a %s client: the task whose question nobody can answer is cancelled',
    async (front, code) => {
      const { extension, required } = { extension: 'io.modelcontextprotocol/tasks', required: 'requiredCapabilities' }
      const capabilities = { tools: {}, extensions: { [extension]: {} } }
      const { server, client } = await connect(front, 'modern', {}, {}, { capabilities })
      server.on('tools/call', ({ _meta }) => {
        const { extensions } = (_meta as RawMessage)[META.capabilities] as { extensions?: RawMessage }
        if (extensions?.[extension] !== undefined)
          return { resultType: 'task', taskId: 't', status: 'working', pollIntervalMs: 50 }
        return { error: { code: -32021, message: 'no', data: { [required]: { extensions: { [extension]: {} } } } } }
      })
      const inputRequests = { q: { method: 'elicitation/create', params: {} } }
      server.on('tasks/get', { resultType: 'complete', taskId: 't', status: 'input_required', inputRequests })
      server.on('tasks/cancel', { resultType: 'complete' })
      expect(await client.error('tools/call', { name: 'a' })).toMatchObject({
        code,
        data: { requiredCapabilities: { elicitation: {} } },
      })
      expect(client.told('elicitation/create')).toEqual([])
      expect(server.paramsOf('tasks/cancel')).toMatchObject({ taskId: 't' })
    },
  )
})
