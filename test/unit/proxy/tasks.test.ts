// Tools that run as tasks, between clients and sources of different eras.
import { describe, expect, it, vi } from 'vitest'
import { memory, type TaskStore } from '../../../src/exports/backend.ts'
import { Client } from '../../../src/exports/client.ts'
import { tasks } from '../../../src/exports/extensions/tasks.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { BareTasks, WITH_TASKS } from '../../interaction/kit/support-tasks.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

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

/** Pairs in which the client has no tasks of the kind of the source. */
const WITHOUT_TASKS = [...CROSSINGS, ['modern', 'modern']] as const

describe.each(WITHOUT_TASKS)('a %s client without tasks, and a %s source that requires them', (mode, sourceMode) => {
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

it.each(['modern', 'legacy'] as const)('compose P22 questions of a %s source are answered one by one', async (back) => {
  const server = new MCPServer('source', { supportedVersions: [VERSIONS[back]], extensions: [tasks()] })
  const form = { type: 'object', properties: { name: { type: 'string' } } } as const
  server.tool('both', { task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    const answers = await Promise.all([ctx.elicit('First', form), ctx.elicit('Second', form)])
    return JSON.stringify(answers.map((answer) => (answer as { content?: unknown }).content))
  })
  const faults: unknown[] = []
  const proxy = createProxy(server, { onFault: (fault) => faults.push(fault) })
  const client = await Client.connect(proxy, { mode: 'modern', ...WITH_TASKS })
  open.push(server, proxy, client)
  const bare = new BareTasks(client)
  const { taskId } = await bare.start('both')
  const untilOpen = (count: number) =>
    vi.waitFor(async () => {
      const { inputRequests = {} } = await bare.get(taskId)
      expect(Object.keys(inputRequests)).toHaveLength(count)
      return Object.keys(inputRequests) as [string, string?]
    })
  const [first, second] = await untilOpen(2)
  await bare.update(taskId, { [first]: { action: 'accept', content: { name: 'a' } } })
  expect(await untilOpen(1)).toEqual([second])
  // Time in which rounds would be counted that nobody asked for.
  for (let turn = 0; turn < 50; turn += 1) await bare.get(taskId)
  expect(faults).toEqual([])
  await bare.update(taskId, { [second as string]: { action: 'accept', content: { name: 'b' } } })
  const { result } = await bare.ended(taskId)
  expect(result).toMatchObject({ content: [{ text: '[{"name":"a"},{"name":"b"}]' }] })
})

it('compose P22 over HTTP, where requests about a task have its id in a header', async () => {
  const { server } = source('modern')
  const serving = await serveHttp(server, { port: 0 })
  const proxy = createProxy(serving.url, { onFault: () => {} })
  const front = await serveHttp(proxy.server, { port: 0 })
  open.push(serving, proxy, front)
  for (const mode of ['modern', 'legacy'] as const) {
    const client = await Client.connect(front.url, { mode })
    open.push(client)
    expect(await client.callTool('broken')).toMatchObject({ isError: true })
  }
})

it.each(CROSSINGS)('compose P22 a %s client with tasks has one at once where its %s source has', async (mode, back) => {
  const { client } = await through(
    mode,
    back,
    {},
    { extensions: [tasks()], onElicitation: () => ({ action: 'decline' }) },
  )
  const job = await client.tasks.start('report', {})
  expect(job.taskId).toBeTypeOf('string')
  expect(await job.result()).toMatchObject({ content: [{ type: 'text' }] })
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

    it('compose P22 tells what the call is at, as the status of the task', async () => {
      const target = slowSource(sourceMode, own)
      const [isTask, heard] = [createDeferred(), createDeferred()]
      target.server.tool('report', own ? { task: true } : {}, async (_args, ctx) => {
        await isTask.promise
        await ctx.reportProgress(1, 3, 'Reading')
        await heard.promise
        return 'done'
      })
      const { client } = await connected(target)
      const job = await client.tasks.start('report', {})
      isTask.resolve()
      const result = job.result({
        onStatus: ({ statusMessage = '' }) => {
          if (statusMessage.includes('Reading')) heard.resolve()
        },
      })
      expect(await result).toMatchObject({ content: [{ text: 'done' }] })
    })
  },
)

describe('the tasks of a proxy', () => {
  it('compose P22 a call that outlasts what its caller has agreed to wait becomes a task', async () => {
    const { server, started, release } = slowSource('modern', false)
    const proxy = createProxy(server, { onFault: () => {}, tasks: true })
    const client = await Client.connect(proxy, {
      mode: 'modern',
      extensions: [tasks()],
      onElicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    open.push(server, proxy, client)
    const result = client.callTool('greet', {}, { timeoutMs: 3_000, onStatus: () => release() })
    await vi.waitFor(() => expect(started).toHaveBeenCalled())
    expect(await result).toMatchObject({ content: [{ text: 'Hello Ada' }] })
  })

  it('compose P22 are kept in the backend, where one is given', async () => {
    const backend = memory()
    const { server, release } = slowSource('modern', false)
    const proxy = createProxy(server, { onFault: () => {}, tasks: true, backend })
    const client = await Client.connect(proxy, {
      mode: 'modern',
      extensions: [tasks()],
      onElicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    open.push(server, proxy, client)
    const create = vi.spyOn(backend.tasks as TaskStore, 'create')
    const job = await client.tasks.start('greet', {})
    release()
    expect(await job.result()).toMatchObject({ content: [{ text: 'Hello Ada' }] })
    expect(create).toHaveBeenCalledOnce()
  })
})
