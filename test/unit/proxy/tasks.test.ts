// Tools that run as tasks, between clients and sources of different eras.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { tasks } from '../../../src/exports/extensions/tasks.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

type Mode = 'modern' | 'legacy'
const VERSIONS = { modern: '2026-07-28', legacy: '2025-11-25' } as const
const CROSSINGS = [
  ['modern', 'legacy'],
  ['legacy', 'modern'],
] as const

/** A source whose tools run as tasks only. */
function source(mode: Mode) {
  const server = new MCPServer('source', { supportedVersions: [VERSIONS[mode]], extensions: [tasks()] })
  const form = { type: 'object', properties: { name: { type: 'string' } } } as const
  const [started, aborted] = [vi.fn(), vi.fn()]
  server.tool('report', { task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    await ctx.reportProgress(1, 3, 'Reading')
    const { content } = (await ctx.elicit('Who?', form)) as { content?: { name?: string } }
    await ctx.reportProgress(2, 3, 'Writing')
    return `for ${content?.name}`
  })
  server.tool('endless', { task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    started()
    await new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => {
        aborted()
        reject(ctx.signal.reason)
      })
    })
    return ''
  })
  server.tool('broken', { task: { mode: 'required', pollIntervalMs: 100 } }, () => {
    throw new Error('It broke.')
  })
  return { server, started, aborted }
}

async function through(mode: Mode, sourceMode: Mode, options: ProxyOptions = {}, further: object = {}) {
  const { server, started, aborted } = source(sourceMode)
  const proxy = createProxy(server, { onFault: () => {}, ...options })
  const client = await Client.connect(proxy, { mode, ...further })
  open.push(server, proxy, client)
  return { client, proxy, server, started, aborted }
}

describe.each(CROSSINGS)('a %s client without tasks, and a %s source that requires them', (mode, sourceMode) => {
  it('compose P22 compose X48 gets the result, with progress and questions on the way', async () => {
    const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ada' } }))
    const { client } = await through(mode, sourceMode, {}, { onElicitation })
    const heard: (string | undefined)[] = []
    const result = await client.callTool('report', {}, { onProgress: ({ message }) => void heard.push(message) })
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'for Ada' }] })
    expect(JSON.stringify(result)).not.toContain('related-task')
    expect(onElicitation).toHaveBeenCalledOnce()
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.join()).toMatch(/Reading|Writing/)
  })

  it('compose P22 cancels the task with its caller', async () => {
    const { client, started, aborted } = await through(mode, sourceMode)
    const abort = new AbortController()
    const call = client.callTool('endless', {}, { signal: abort.signal, onProgress: () => {} })
    call.catch(() => {})
    await vi.waitFor(() => expect(started).toHaveBeenCalled())
    abort.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled())
  })

  it('compose P22 reads what a tool that failed says', async () => {
    const { client } = await through(mode, sourceMode)
    const result = await client.callTool('broken').catch((error: unknown) => error)
    expect(result).toMatchObject({ isError: true })
  })

  it('compose P22 reads the refusal of the source where tasks do not cross', async () => {
    const { client } = await through(mode, sourceMode, { forward: { tasks: false } })
    await expect(client.callTool('report')).rejects.toMatchObject({ code: expect.any(Number) })
  })
})

/** A source with a tool that takes its time and asks, without tasks of its own unless given. */
function slowSource(mode: Mode, hasTasks: boolean) {
  const server = new MCPServer('source', {
    supportedVersions: [VERSIONS[mode]],
    ...(hasTasks && { extensions: [tasks()] }),
  })
  const form = { type: 'object', properties: { name: { type: 'string' } } } as const
  const [started, aborted] = [vi.fn(), vi.fn()]
  const release = createDeferred()
  server.tool('greet', hasTasks ? { task: true } : {}, async (_args, ctx) => {
    started()
    await release.promise
    const { content } = (await ctx.elicit('Who?', form)) as { content?: { name?: string } }
    return `Hello ${content?.name}`
  })
  server.tool('endless', hasTasks ? { task: true } : {}, async (_args, ctx) => {
    started()
    await new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => {
        aborted()
        reject(ctx.signal.reason)
      })
    })
    return ''
  })
  return { server, started, aborted, release: () => release.resolve() }
}

const ALL_PAIRS = [
  ['modern', 'modern', false],
  ['modern', 'legacy', false],
  ['modern', 'legacy', true],
  ['legacy', 'legacy', false],
  ['legacy', 'modern', false],
  ['legacy', 'modern', true],
] as const

describe.each(ALL_PAIRS)(
  'a %s client with tasks, and a %s source (with tasks of its era: %s)',
  (mode, sourceMode, own) => {
    async function connected(target = slowSource(sourceMode, own), asGateway = false) {
      // Between the eras tasks are translated without being asked to.
      const options = { onFault: () => {}, ...(!own && { tasks: true }) }
      const proxy = asGateway ? createGateway({ one: target.server }, options) : createProxy(target.server, options)
      const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ada' } }))
      const client = await Client.connect(proxy, { mode, extensions: [tasks()], onElicitation })
      open.push(target.server, proxy, client)
      return { ...target, client, proxy, onElicitation }
    }

    it.each([false, true])(
      'compose P22 compose X48 the proxy holds the call as a task; a gateway: %s',
      async (asGateway) => {
        const { client, started, release, onElicitation } = await connected(undefined, asGateway)
        const prefix = asGateway ? 'one_' : ''
        if (mode === 'legacy') {
          expect((await client.listTools()).tools[0]).toMatchObject({ execution: { taskSupport: 'optional' } })
        }
        const job = await client.tasks.start(`${prefix}greet`, {})
        await vi.waitFor(() => expect(started).toHaveBeenCalled())
        release()
        expect(await job.result()).toMatchObject({ content: [{ text: 'Hello Ada' }] })
        expect(onElicitation).toHaveBeenCalledOnce()
      },
    )

    it('compose P22 cancelling the task cancels the call', async () => {
      const { client, started, aborted } = await connected()
      const job = await client.tasks.start('endless', {})
      await vi.waitFor(() => expect(started).toHaveBeenCalled())
      await job.cancel()
      await vi.waitFor(() => expect(aborted).toHaveBeenCalled())
    })
  },
)
