// Calls that the server answers with questions, or with results of extensions, through a client.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { advertise, type ClientExtension, type ResultClaim } from '../../../../src/client/extensions/extension.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { InputRequiredRoundsExceededError, InvalidResultError } from '../../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { settle } from '../../../support/peers.ts'
import { cacheable, listOf, type Script, ScriptedServer, text, tool } from '../session/scripted-server.ts'

const elicit = (message: string): JSONObject => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
})
const asks = (inputRequests: JSONObject, requestState?: string): JSONObject => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
})
const onElicitation: ClientOptions['onElicitation'] = (params) => ({
  action: 'accept',
  content: { name: `answer to ${params.message}` },
})
const accepted = (message: string) => ({ action: 'accept', content: { name: `answer to ${message}` } })

afterEach(() => {
  vi.useRealTimers()
})

describe('a call that the server answers with questions', () => {
  it.each([
    ['tools/call', (client: Client) => client.callTool('t', { a: 1 }), text('done')],
    ['prompts/get', (client: Client) => client.getPrompt('p', { a: '1' }), { resultType: 'complete', messages: [] }],
    ['resources/read', (client: Client) => client.readResource('file:///r'), cacheable({ contents: [] })],
  ] as const)('is seen through: %s', async (method, call, result) => {
    const script: Script = {
      [method]: (params) => (params['inputResponses'] === undefined ? asks({ q: elicit('who?') }, 'state') : result),
    }
    const server = new ScriptedServer(script)
    await using client = await Client.connect(server, { onElicitation })
    expect(await call(client)).toEqual(result)
    const [first, second] = server.callsOf(method)
    expect(second!.params).toMatchObject({ inputResponses: { q: accepted('who?') }, requestState: 'state' })
    expect(second!.id).not.toBe(first!.id)
    const { inputResponses: _responses, requestState: _state, _meta: _second, ...rest } = second!.params
    const { _meta: _first, ...original } = first!.params
    expect(rest).toEqual(original)
  })

  it('goes through several rounds, each with what the latest one gave', async () => {
    const server = new ScriptedServer({
      'tools/call': ({ requestState }) => {
        if (requestState === undefined) return asks({ one: elicit('one') }, 'first')
        if (requestState === 'first') return asks({ two: elicit('two') }, 'second')
        return text('done')
      },
    })
    await using client = await Client.connect(server, { onElicitation })
    await client.callTool('t')
    expect(server.callsOf('tools/call').map(({ params }) => Object.keys(params['inputResponses'] ?? {}))).toEqual([
      [],
      ['one'],
      ['two'],
    ])
  })

  it('F098 fails after the allowed rounds', async () => {
    const server = new ScriptedServer({ 'tools/call': asks({ q: elicit('again') }) })
    await using client = await Client.connect(server, { onElicitation, inputRequiredMaxRounds: 3 })
    await expect(client.callTool('t')).rejects.toThrow(InputRequiredRoundsExceededError)
    expect(server.count('tools/call')).toBe(4)
  })

  it('can continue an interrupted call', async () => {
    const server = new ScriptedServer({ 'tools/call': text('done') })
    await using client = await Client.connect(server)
    const inputResponses = { q: { action: 'decline' as const } }
    await client.callTool('t', {}, { inputResponses, requestState: '' })
    expect(server.callsOf('tools/call')[0]!.params).toMatchObject({ inputResponses, requestState: '' })
  })

  it('uses an id that the caller chose once', async () => {
    const server = new ScriptedServer({
      'tools/call': (params) => (params['inputResponses'] === undefined ? asks({ q: elicit('?') }) : text('done')),
    })
    await using client = await Client.connect(server, { onElicitation })
    await client.callTool('t', {}, { requestId: 'mine' })
    const ids = server.callsOf('tools/call').map(({ id }) => id)
    expect(ids[0]).toBe('mine')
    expect(ids[1]).not.toBe('mine')
  })

  it('reports progress in every round', async () => {
    const server = new ScriptedServer({
      'tools/call': async (params, context) => {
        await context.reportProgress(params['inputResponses'] === undefined ? 5 : 1)
        return params['inputResponses'] === undefined ? asks({ q: elicit('?') }) : text('done')
      },
    })
    await using client = await Client.connect(server, { onElicitation })
    const progress: number[] = []
    await client.callTool('t', {}, { onProgress: (each) => progress.push(each.progress) })
    expect(progress).toEqual([5, 1])
  })

  it('fails locally when a callback rejects, and not as an error of the server', async () => {
    const server = new ScriptedServer({ 'tools/call': asks({ q: elicit('?') }) })
    const refusal = new MCPError(-1, 'the user said no', { why: 'because' })
    await using client = await Client.connect(server, {
      onElicitation: () => {
        throw refusal
      },
    })
    const calling = client.callTool('t')
    await expect(calling).rejects.toMatchObject({ code: -1, message: 'the user said no', local: true, cause: refusal })
    expect(server.count('tools/call')).toBe(1)
  })

  it('fails locally when there is no callback', async () => {
    const server = new ScriptedServer({ 'tools/call': asks({ q: { method: 'roots/list' } }) })
    await using client = await Client.connect(server)
    await expect(client.callTool('t')).rejects.toMatchObject({ local: true })
    expect(server.count('tools/call')).toBe(1)
  })

  it('does not count the time that callbacks take', async () => {
    vi.useFakeTimers()
    const server = new ScriptedServer({
      'tools/call': (params) => (params['inputResponses'] === undefined ? asks({ q: elicit('?') }) : text('done')),
    })
    await using client = await Client.connect(server, {
      onElicitation: async () => {
        await vi.advanceTimersByTimeAsync(60_000)
        return { action: 'decline' }
      },
    })
    await expect(client.callTool('t', {}, { timeoutMs: 100 })).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it('counts all time toward maxTotalMs', async () => {
    vi.useFakeTimers()
    const server = new ScriptedServer({ 'tools/call': asks({ q: elicit('?') }) })
    let signalOfCallback: AbortSignal | undefined
    await using client = await Client.connect(server, {
      onElicitation: (_params, ctx) => {
        signalOfCallback = ctx.signal
        return new Promise(() => {})
      },
    })
    const outcome = expect(client.callTool('t', {}, { maxTotalMs: 500 })).rejects.toMatchObject({
      code: -32001,
      local: true,
    })
    await vi.advanceTimersByTimeAsync(500)
    await outcome
    expect(signalOfCallback?.aborted).toBe(true)
  })

  it('ends when the caller aborts while a callback runs', async () => {
    const server = new ScriptedServer({ 'tools/call': asks({ q: elicit('?') }) })
    const controller = new AbortController()
    await using client = await Client.connect(server, { onElicitation: () => new Promise(() => {}) })
    const calling = client.callTool('t', {}, { signal: controller.signal, maxTotalMs: 10_000 })
    await settle()
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
  })

  it('is not cached, and removes what was', async () => {
    let isAsking = false
    const server = new ScriptedServer({
      'resources/read': (params) => {
        const answer = cacheable({ contents: [] }, 60_000)
        return isAsking && params['inputResponses'] === undefined ? asks({ q: elicit('?') }) : answer
      },
    })
    await using client = await Client.connect(server, { onElicitation })
    await client.readResource('file:///r')
    isAsking = true
    await client.readResource('file:///r')
    expect(server.count('resources/read')).toBe(1)
    await client.readResource('file:///r', { cacheMode: 'refresh' })
    expect(server.count('resources/read')).toBe(3)
    await client.readResource('file:///r')
    expect(server.count('resources/read')).toBe(5)
  })

  it('is an ordinary result in the legacy era, whatever its resultType', async () => {
    const server = new ScriptedServer({
      'tools/call': { content: [], ...asks({ q: elicit('?') }, 'state') },
    })
    await using client = await Client.connect(server, { mode: 'legacy', onElicitation })
    expect(await client.callTool('t')).toMatchObject({ content: [] })
    expect(server.count('tools/call')).toBe(1)
  })

  it('is rejected where the specification does not allow it', async () => {
    const server = new ScriptedServer({ 'tools/list': asks({ q: elicit('?') }) })
    await using client = await Client.connect(server, { onElicitation })
    await expect(client.listTools()).rejects.toThrow(InvalidResultError)
  })
})

describe('a result of an extension', () => {
  const ticket: JSONObject = { resultType: 'ticket', number: 7 }
  const claim: ResultClaim = {
    resultType: 'ticket',
    resolve: async (result) => ({ content: [{ type: 'text', text: `ticket ${String(result['number'])}` }] }),
  }
  const extension: ClientExtension = { identifier: 'com.example/tickets', settings: { color: 'red' }, claims: [claim] }

  it('is finished by the extension', async () => {
    const server = new ScriptedServer({ 'tools/call': ticket })
    await using client = await Client.connect(server, { extensions: [extension] })
    expect((await client.callTool('t')).content).toEqual([{ type: 'text', text: 'ticket 7' }])
    const declared = server.calls.at(-1)!.params['_meta'] as JSONObject
    expect(declared['io.modelcontextprotocol/clientCapabilities']).toMatchObject({
      extensions: { 'com.example/tickets': { color: 'red' } },
    })
  })

  it('is checked against the output schema of the tool', async () => {
    const outputSchema = { type: 'object', required: ['n'] }
    const server = new ScriptedServer({
      'tools/call': ticket,
      'tools/list': cacheable({ tools: [{ ...tool('t'), outputSchema }] }),
    })
    await using client = await Client.connect(server, { extensions: [extension] })
    await client.listTools()
    await expect(client.callTool('t')).rejects.toThrow(InvalidResultError)
  })

  it('that no extension claims is invalid', async () => {
    const server = new ScriptedServer({ 'tools/call': ticket })
    await using client = await Client.connect(server)
    await expect(client.callTool('t')).rejects.toThrow(InvalidResultError)
  })

  it('does not exist in the legacy era', async () => {
    const server = new ScriptedServer({ 'tools/call': { ...ticket, content: [] } })
    await using client = await Client.connect(server, { mode: 'legacy', extensions: [extension] })
    expect(await client.callTool('t')).toMatchObject({ content: [] })
  })
})

describe('extensions', () => {
  const claiming = (identifier: string): ClientExtension => ({
    identifier,
    claims: [{ resultType: 'ticket', resolve: () => ({ content: [] }) }],
  })
  const binding = (identifier: string): ClientExtension => ({
    identifier,
    notifications: [{ method: 'com.example/changed', handle: () => {} }],
  })

  it('get their notifications', async () => {
    const server = new ScriptedServer({ 'tools/list': listOf() })
    const heard = vi.fn()
    const extension = {
      identifier: 'com.example/news',
      notifications: [{ method: 'com.example/changed', handle: heard }],
    }
    await using _client = await Client.connect(server, { extensions: [extension] })
    await server.announce('com.example/changed', { what: 'all' })
    await settle()
    expect(heard).toHaveBeenCalledTimes(1)
  })

  it.each<[string, ClientExtension[], RegExp]>([
    ['stand twice', [advertise('a.b/c'), advertise('a.b/c')], /'a.b\/c' is given twice/],
    ['claim the same', [claiming('a.b/c'), claiming('a.b/d')], /'a.b\/c' and 'a.b\/d' claim/],
    ['bind the same', [binding('a.b/c'), binding('a.b/d')], /'a.b\/c' and 'a.b\/d' bind/],
    ['have no proper name', [{ identifier: 'nonsense' }], /is not an extension identifier/],
  ])('that %s are rejected at once', (_what, extensions, message) => {
    expect(() => new Client(new ScriptedServer(), { extensions })).toThrow(message)
    expect(() => new Client(new ScriptedServer(), { extensions })).toThrow(TypeError)
  })

  it('as a map are rejected with advice', () => {
    const extensions = { 'a.b/c': {} } as unknown as ClientExtension[]
    expect(() => new Client(new ScriptedServer(), { extensions })).toThrow(/advertise/)
  })
})
