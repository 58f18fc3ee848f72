// Whatever a call causes lives within the limits of that call.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { InMemoryResponseCacheStore } from '../../../../src/client/cache/response-store.ts'
import { Client } from '../../../../src/client/client.ts'
import type { ClientCallOptions, ClientOptions } from '../../../../src/client/client-options.ts'
import type { ClaimContext } from '../../../../src/client/extensions/extension.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { type Call, cacheable, listOf, ScriptedServer, text } from '../session/scripted-server.ts'

afterEach(() => {
  vi.useRealTimers()
})

const never = () => new Promise<never>(() => {})
const structured = { resultType: 'complete', content: [], structuredContent: { n: 1 } }
const limits: [string, ClientCallOptions][] = [
  ['timeoutMs', { timeoutMs: 40 }],
  ['maxTotalMs', { maxTotalMs: 40 }],
]

function signalOf(server: ScriptedServer, method: string): AbortSignal | undefined {
  return server.calls.find((call: Call) => call.method === method)?.signal
}

describe.each(['auto', 'legacy'] as const)('the listing that a result is checked with (%s)', (mode) => {
  it.each(limits)('ends with the %s of the call, which gets its result all the same', async (_name, options) => {
    const server = new ScriptedServer({ 'tools/call': structured, 'tools/list': never })
    const onFault = vi.fn()
    await using client = await Client.connect(server, { mode, onFault })
    await expect(client.callTool('x', {}, options)).resolves.toMatchObject({ structuredContent: { n: 1 } })
    expect(onFault).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('tools/list was not answered in time') }),
    )
    await vi.waitFor(() => expect(signalOf(server, 'tools/list')?.aborted).toBe(true))
  })

  it('ends with the signal of the call, with its reason', async () => {
    const server = new ScriptedServer({ 'tools/call': structured, 'tools/list': never })
    await using client = await Client.connect(server, { mode })
    const controller = new AbortController()
    const calling = client.callTool('x', {}, { signal: controller.signal })
    await vi.waitFor(() => expect(signalOf(server, 'tools/list')).toBeDefined())
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
  })

  it('continues for the other calls when one of them leaves', async () => {
    const answer = createDeferred<JSONObject>()
    const server = new ScriptedServer({ 'tools/call': structured, 'tools/list': () => answer.promise })
    await using client = await Client.connect(server, { mode })
    const controller = new AbortController()
    const leaving = client.callTool('x', {}, { signal: controller.signal })
    const staying = client.callTool('y')
    await vi.waitFor(() => expect(signalOf(server, 'tools/list')).toBeDefined())
    controller.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    answer.resolve(listOf('x', 'y') as JSONObject)
    await expect(staying).resolves.toMatchObject({ structuredContent: { n: 1 } })
    expect(server.calls.filter(({ method }) => method === 'tools/list')).toHaveLength(1)
  })

  it('ends validateToolResult as well', async () => {
    const server = new ScriptedServer({ 'tools/list': never })
    await using client = await Client.connect(server, { mode })
    const checking = client.session.validateToolResult('x', { content: [] }, { timeoutMs: 20 })
    await expect(checking).rejects.toMatchObject({ code: -32001, local: true })
  })

  it('has a limit where the call has none', async () => {
    const server = new ScriptedServer({ 'tools/call': structured, 'tools/list': never })
    await using client = await Client.connect(server, { mode, timeoutMs: 30 })
    await expect(client.callTool('x')).resolves.toMatchObject({ structuredContent: { n: 1 } })
  })
})

describe('the listing after a header mismatch', () => {
  it.each(limits)('ends with the %s of the call, which then fails as it did', async (_name, options) => {
    const server = new ScriptedServer({
      'tools/call': () => {
        throw new MCPError(-32020, 'stale')
      },
      'tools/list': never,
    })
    await using client = await Client.connect(server)
    await expect(client.callTool('x', {}, options)).rejects.toMatchObject({ code: -32020 })
    await vi.waitFor(() => expect(signalOf(server, 'tools/list')?.aborted).toBe(true))
  })
})

describe('what an extension does to finish a call', () => {
  const resolve = vi.fn((_result: unknown, { signal }: ClaimContext) => {
    const waiting = createDeferred<never>()
    signal?.addEventListener('abort', () => waiting.reject(signal.reason))
    return waiting.promise
  })
  const stubborn = vi.fn(never)
  const claimed = { resultType: 'com.example.task', id: 1 }

  it.each([
    ['that listens to its signal', resolve],
    ['that listens to nobody', stubborn],
  ])('ends with the maxTotalMs of the call: one %s', async (_what, finish) => {
    const extension = { identifier: 'com.example/task', claims: [{ resultType: 'com.example.task', resolve: finish }] }
    const server = new ScriptedServer({ 'tools/call': claimed })
    await using client = await Client.connect(server, { extensions: [extension] })
    await expect(client.callTool('x', {}, { maxTotalMs: 30 })).rejects.toMatchObject({ code: -32001, local: true })
    const controller = new AbortController()
    const calling = client.callTool('x', {}, { signal: controller.signal })
    await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(2))
    controller.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
  })
})

describe('a store of the response cache that hangs', () => {
  function hanging(operation: 'get' | 'set'): ClientOptions {
    const store = new InMemoryResponseCacheStore()
    vi.spyOn(store, operation).mockImplementation(never)
    return { cache: { store, partition: 'ada', targetId: 'here' } }
  }
  const read = cacheable({ contents: [{ uri: 'a:', text: 'hello' }] }, 60_000)

  it.each(['get', 'set'] as const)('on %s costs a call no more than its timeoutMs', async (operation) => {
    const server = new ScriptedServer({ 'resources/read': read, 'tools/list': listOf('a') })
    await using client = await Client.connect(server, hanging(operation))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const reading = client.readResource('a:', { timeoutMs: 100 })
    const listing = client.listTools({ timeoutMs: 100 })
    await vi.advanceTimersByTimeAsync(100)
    await expect(reading).resolves.toMatchObject({ contents: [{ text: 'hello' }] })
    await expect(listing).resolves.toMatchObject({ tools: [{ name: 'a' }] })
  })

  it.each(['get', 'set'] as const)('on %s ends with the maxTotalMs and the signal of the call', async (operation) => {
    const server = new ScriptedServer({ 'resources/read': read })
    await using client = await Client.connect(server, hanging(operation))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const late = expect(client.readResource('a:', { maxTotalMs: 100 })).rejects.toMatchObject({ code: -32001 })
    await vi.advanceTimersByTimeAsync(100)
    await late
    const controller = new AbortController()
    const aborted = expect(client.readResource('a:', { signal: controller.signal })).rejects.toThrow('enough')
    await vi.advanceTimersByTimeAsync(10)
    controller.abort(new Error('enough'))
    await aborted
  })
})

it('all pages of a listing share one maxTotalMs, without the time of the reader', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let pages = 0
  const server = new ScriptedServer({
    'tools/list': async () => {
      await new Promise((resolve) => setTimeout(resolve, 40))
      pages += 1
      return { ...listOf(`t${pages}`), nextCursor: String(pages) } as JSONObject
    },
    'tools/call': text('x'),
  })
  const client = await Client.connect(server)
  const tools = client.tools({ maxTotalMs: 100, cacheMode: 'bypass' })
  const take = async () => {
    const taking = tools.next().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60)
    return taking
  }
  expect(await take()).toMatchObject({ value: { name: 't1' } })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await take()).toMatchObject({ value: { name: 't2' } })
  expect(await take()).toMatchObject({ code: -32001 })
  vi.useRealTimers()
  await client.close()
})
