// client.tasks over a server in the hands of the test: what happens when the application, or what it stores, fails.
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import type { Fault } from '../../../../../src/dispatcher/fault.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import { TaskPendingError } from '../../../../../src/types/extensions/task-errors.ts'
import type { TaskReference, TaskReferences, TasksClientOptions } from '../../../../../src/types/extensions/tasks.ts'
import { heapUsed, MIB } from '../../../../support/heap.ts'
import { ScriptedServer } from '../../../../support/scripted-server.ts'
import { discoverResult } from '../../../../support/sessions.ts'

const WORKING = {
  taskId: 'T1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 100,
}
const DONE = {
  ...WORKING,
  status: 'completed',
  resultType: 'complete',
  result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
}

async function connect(options: TasksClientOptions = {}, timeoutMs?: number) {
  const server = new ScriptedServer()
    .on('server/discover', discoverResult())
    .on('tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' })
    .on('tools/call', { ...WORKING, resultType: 'task' })
    .on('tasks/get', DONE)
    .on('tasks/cancel', { resultType: 'complete' })
  const faults: Fault[] = []
  const onFault = (fault: Fault) => void faults.push(fault)
  const client = await Client.connect(server.channel, {
    extensions: [tasks({ watch: false, ...options })],
    onFault,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  return { client, server, faults, [Symbol.asyncDispose]: () => client.close() }
}

function references(members: Partial<TaskReferences>): TaskReferences {
  return { add: () => {}, remove: () => {}, list: () => [], ...members }
}

describe('client.tasks', () => {
  it('traps X-37: nothing is polled before the reference is stored', async () => {
    const stored = createDeferred()
    await using connected = await connect({ references: references({ add: () => stored.promise }) })
    const { client, server } = connected
    const call = client.callTool('any')
    await vi.waitFor(() => expect(server.received('tools/call')).toHaveLength(1))
    expect(server.received('tasks/get')).toEqual([])
    stored.resolve()
    expect((await call).content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('a reference that cannot be stored fails the call, with the reason, and cancels the task', async () => {
    const add = () => Promise.reject(new Error('disk full'))
    await using connected = await connect({ references: references({ add }) })
    const { client, server } = connected
    const error: unknown = await client.callTool('any').catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      message: 'The reference of a task could not be stored. Check the option references of tasks().',
      cause: new Error('disk full'),
    })
    expect(server.received('tasks/cancel')).toHaveLength(1)
  })

  it('a reference that cannot be stored ends a loop over the states of a job that is resumed', async () => {
    const add = () => Promise.reject(new Error('disk full'))
    await using connected = await connect({ references: references({ add }) })
    const reference: TaskReference = {
      server: 'scripted',
      taskId: 'T1',
      tool: 'any',
      createdAt: '2026-01-01T00:00:00Z',
      ttlMs: null,
      dialect: 'extension',
    }
    const job = connected.client.tasks.resume(reference)
    await expect(job[Symbol.asyncIterator]().next()).rejects.toThrow('could not be stored')
    await expect(job.result()).rejects.toThrow('could not be stored')
  })

  it('an abort is heard while a reference is being stored', async () => {
    const never = new Promise<void>(() => {})
    await using connected = await connect({ references: references({ add: () => never }) })
    const { client } = connected
    const stop = new AbortController()
    const call = client.callTool('any', {}, { signal: stop.signal })
    await vi.waitFor(() => expect(connected.server.received('tools/call')).toHaveLength(1))
    stop.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })

  it('a reference that cannot be removed is reported, and the result is returned all the same', async () => {
    const remove = () => Promise.reject(new Error('read-only'))
    await using connected = await connect({ references: references({ remove }) })
    const { client, faults } = connected
    expect((await client.callTool('any')).isError).toBeUndefined()
    expect(faults).toMatchObject([{ kind: 'callback-failed', error: new Error('read-only') }])
  })

  it('a call that failed leaves nothing of its task in memory but its reference', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tasks/get', { error: { code: -32603, message: 'no' } })
    // A loop and a call that gave up, and a job that nobody waited for.
    const attempts = [
      () => client.callTool('any'),
      async () => (await client.tasks.start('any')).result(),
      async () => {
        for await (const _state of await client.tasks.start('any'));
      },
    ]
    let count = 0
    server.on('tools/call', () => ({
      ...WORKING,
      resultType: 'task',
      taskId: `T${count++}`,
      // Of each of these some part is kept, and the other part must go.
      statusMessage: `${count}${'m'.repeat(MIB)}`,
      junk: `${count}${'j'.repeat(MIB)}`,
      result: { content: [{ type: 'text', text: `${count}${'r'.repeat(MIB)}` }] },
    }))
    const fail = async () => {
      for (const attempt of attempts) await expect(attempt()).rejects.toThrow('no')
      await client.tasks.start('any')
    }
    await fail()
    const before = await heapUsed()
    for (let i = 0; i < 5; i++) await fail()
    expect((await heapUsed()) - before).toBeLessThan(4 * MIB)
    expect(await client.tasks.pending()).toHaveLength(24)
  })

  it('a job that gave up can wait again, and shares its polls with another job of the same task', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tasks/get', { error: { code: -32603, message: 'no' } })
    const job = await client.tasks.start('any')
    await expect(job.result()).rejects.toThrow('no')
    const [reference] = await client.tasks.pending()
    const other = client.tasks.resume(reference as TaskReference)
    server.on('tasks/get', DONE)
    const polls = server.received('tasks/get').length
    const results = await Promise.all([job.result(), other.result()])
    expect(results.map(({ content }) => content)).toEqual([DONE.result.content, DONE.result.content])
    expect(server.received('tasks/get')).toHaveLength(polls + 1)
    expect([job.state, other.state]).toEqual([other.state, job.state])
    expect(await client.tasks.pending()).toEqual([])
  })

  it('onStatus that throws is reported, and does no harm to the call', async () => {
    await using connected = await connect()
    const { client, faults } = connected
    const onStatus = () => {
      throw new Error('my bug')
    }
    expect((await client.callTool('any', {}, { onStatus })).content).toHaveLength(1)
    expect(faults.map(({ error }) => error)).toEqual([new Error('my bug'), new Error('my bug')])
  })

  it('a start that is aborted when the task is there cancels it', async () => {
    const stop = new AbortController()
    const add = () => stop.abort(new Error('enough'))
    await using connected = await connect({ references: references({ add }) })
    const { client, server } = connected
    await expect(client.tasks.start('any', {}, { signal: stop.signal })).rejects.toThrow('enough')
    await vi.waitFor(() => expect(server.received('tasks/cancel')).toHaveLength(1))
    expect(server.received('tasks/get')).toEqual([])
  })

  it('an error that says nothing of the task is thrown, and its reference stays', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tasks/get', { error: { code: -32603, message: 'no database' } })
    await expect(client.callTool('any')).rejects.toThrow(new MCPError(-32603, 'no database'))
    expect(server.received('tasks/cancel')).toEqual([])
    const [reference] = await client.tasks.pending()
    server.on('tasks/get', DONE)
    const result = await client.tasks.resume(reference as TaskReference).result()
    expect(result.content).toHaveLength(1)
    expect(await client.tasks.pending()).toEqual([])
  })

  it('a task whose end tasks.get() has seen is pending no more, and its job still has the result', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tasks/get', { ...WORKING, resultType: 'complete' })
    const job = await client.tasks.start('any')
    expect((await client.tasks.get('T1')).status).toBe('working')
    expect(await client.tasks.pending()).toEqual([job.reference])
    server.on('tasks/get', DONE)
    expect((await client.tasks.get('T1')).status).toBe('completed')
    expect(await client.tasks.pending()).toEqual([])
    expect((await job.result()).content).toHaveLength(1)
    expect(await client.tasks.pending()).toEqual([])
  })

  it('a look at the end of a task takes it from nobody who waits for it', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tools/call', { ...WORKING, pollIntervalMs: 60_000, resultType: 'task' })
    const job = await client.tasks.start('any')
    const result = job.result()
    result.catch(() => {})
    expect((await client.tasks.get('T1')).status).toBe('completed')
    expect(await client.tasks.pending()).toEqual([job.reference])
    await client.close()
    await expect(result).rejects.toThrow()
  })

  it('a server that does not answer the cancel does not keep the caller, and the reference stays', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tasks/cancel', () => undefined).on('tasks/get', { ...WORKING, resultType: 'complete' })
    // The server never answers the cancel: a call that waited for that would not reject.
    await expect(client.callTool('any', {}, { maxTotalMs: 150 })).rejects.toMatchObject({ code: -32001 })
    await vi.waitFor(() => expect(server.received('tasks/cancel')).toHaveLength(1))
    expect(await client.tasks.pending()).toHaveLength(1)
  })

  it.each(['client', 'call'])('a server that falls silent is given up after the timeoutMs of the %s', async (owner) => {
    await using connected = await connect({}, owner === 'client' ? 200 : undefined)
    const { client, server } = connected
    server.on('tasks/get', () => undefined)
    const call = client.callTool('any', {}, owner === 'call' ? { timeoutMs: 200 } : {})
    await expect(call).rejects.toMatchObject({ code: -32001, local: true, message: expect.stringContaining('200 ms') })
    expect(server.received('tasks/cancel')).toHaveLength(1)
  })

  it('jobs of a connection that ended reject at once, between two polls too', async () => {
    await using connected = await connect()
    const { client, server } = connected
    server.on('tools/call', { ...WORKING, resultType: 'task', pollIntervalMs: 60_000 })
    const left: unknown = await client.callTool('any', {}, { leaveAfterMs: 0 }).catch((error: unknown) => error)
    const waiting = (left as TaskPendingError).job.result()
    server.hangUp()
    await expect(waiting).rejects.toMatchObject({ code: -32000, local: true })
    expect(left).toBeInstanceOf(TaskPendingError)
  })

  it('needs the extension, and says so', async () => {
    const server = new ScriptedServer().on('server/discover', discoverResult())
    await using client = await Client.connect(server.channel)
    expect(() => client.tasks).toThrow("Add tasks() from 'mcpwire/extensions/tasks'")
  })
})
