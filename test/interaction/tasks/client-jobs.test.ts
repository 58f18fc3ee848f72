// What client.tasks gives: jobs, references and the bare methods.
import { expect, vi } from 'vitest'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { TaskCancelledError } from '../../../src/types/extensions/task-errors.ts'
import type { Job, TaskReference, TaskReferences } from '../../../src/types/extensions/tasks.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { createTaskServer } from '../kit/support-client-tasks.ts'
import { textOf } from '../kit/support-interaction.ts'

async function statusesOf(job: Job): Promise<string[]> {
  const statuses: string[] = []
  for await (const { status } of job) statuses.push(status)
  return statuses
}

requirement('client-tasks:job:start', async ({ connect }) => {
  const { server, gate, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks({ watch: false })] })
  const plain = await client.tasks.start('plain')
  expect([plain.taskId, plain.reference, plain.state.status]).toEqual([undefined, undefined, 'completed'])
  expect(textOf(await plain.result())).toBe('plain')
  expect(await statusesOf(plain)).toEqual(['completed'])
  await plain.cancel()

  const job = await client.tasks.start('slow')
  expect(methods()).not.toContain('tasks/get')
  expect(job.state).toMatchObject({ taskId: job.taskId, status: 'working' })
  for await (const { status } of job) {
    expect(status).toBe('working')
    break
  }
  const loops = [statusesOf(job), statusesOf(job)]
  gate.resolve()
  for (const statuses of await Promise.all(loops)) expect(statuses).toEqual(['working', 'completed'])
  expect(await statusesOf(job)).toEqual(['completed'])
  expect(textOf(await job.result())).toBe('slow')
  expect(textOf(await job.result())).toBe('slow')
  expect(methods()).not.toContain('tasks/cancel')
})

requirement('client-tasks:job:wait-options', async ({ connect }) => {
  const { server, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks({ watch: false })] })
  const job = await client.tasks.start('slow')
  const wrong = [
    [{ timeoutMs: -1 }, RangeError, 'timeoutMs is -1'],
    [{ timeoutMs: Number.NaN }, RangeError, 'timeoutMs is NaN'],
    [{ maxTotalMs: '5' }, RangeError, 'maxTotalMs is a string'],
    [{ onStatus: true }, TypeError, 'onStatus of result() must be a function, not a boolean'],
  ] as const
  for (const [options, kind, message] of wrong) {
    const failure = job.result(options as never)
    await expect(failure, JSON.stringify(options)).rejects.toThrow(message)
    await expect(failure).rejects.toBeInstanceOf(kind)
  }
  expect(methods()).not.toContain('tasks/get')
  await job.cancel()
})

requirement('client-tasks:job:cancel', async ({ connect }) => {
  const { server, aborted } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const job = await client.tasks.start('slow')
  const waiting = job.result()
  const caught = waiting.catch((error: unknown) => error)
  await job.cancel()
  await aborted.promise
  expect(await caught).toBeInstanceOf(TaskCancelledError)
  expect(job.state.status).toBe('cancelled')
  await job.cancel()
  expect(await client.tasks.pending()).toEqual([])
})

/** References as a program would keep them: as text. */
class TextReferences implements TaskReferences {
  text = '[]'
  readonly log: string[] = []

  async add(reference: TaskReference): Promise<void> {
    this.log.push('add')
    this.text = JSON.stringify([...(await this.list()), reference])
  }

  async remove({ taskId }: TaskReference): Promise<void> {
    this.log.push('remove')
    this.text = JSON.stringify((await this.list()).filter((each) => each.taskId !== taskId))
  }

  async list(): Promise<TaskReference[]> {
    return JSON.parse(this.text) as TaskReference[]
  }
}

requirement('client-tasks:reference:resume', async ({ connect }) => {
  const { server, gate, methods } = createTaskServer()
  const references = new TextReferences()
  const first = await connect(server, { extensions: [tasks({ references })] })
  const { reference } = await first.tasks.start('slow')
  expect(references.log).toEqual(['add'])
  expect(methods()).not.toContain('tasks/get')
  expect(reference).toEqual({
    server: expect.any(String),
    taskId: expect.any(String),
    tool: 'slow',
    createdAt: expect.any(String),
    ttlMs: 3_600_000,
    dialect: 'extension',
  })
  await first.close()

  await using second = await connect(server, { extensions: [tasks({ references })] })
  const [kept] = await second.tasks.pending()
  expect(kept).toEqual(reference)
  const job = second.tasks.resume(kept as TaskReference)
  expect(job.state).toMatchObject({ status: 'working', taskId: reference?.taskId })
  const result = job.result()
  gate.resolve()
  expect(textOf(await result)).toBe('slow')
  expect(await second.tasks.pending()).toEqual([])
  expect(references.log.at(-1)).toBe('remove')
})

requirement('client-tasks:reference:wrong', async ({ connect }) => {
  const { server } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const { reference } = await client.tasks.start('slow')
  const other = { ...reference, server: 'https://other.example/mcp' } as TaskReference
  expect(() => client.tasks.resume(other)).toThrow(
    /The task is on "https:\/\/other\.example\/mcp", and this client is of/,
  )
  const older = { ...reference, dialect: 'core' } as TaskReference
  expect(() => client.tasks.resume(older)).toThrow("mode: '2025-11-25'")
  for (const wrong of [undefined, null, 'id', {}, { ...reference, taskId: 5 }]) {
    expect(() => client.tasks.resume(wrong as never)).toThrow(TypeError)
    expect(() => client.tasks.resume(wrong as never, 'slow')).toThrow('resume() needs the reference of a job.')
  }
  expect(() => client.tasks.resume(reference as TaskReference, 'other')).toThrow(
    new TypeError('The task is of the tool "slow", not "other".'),
  )
  expect(client.tasks.resume(reference as TaskReference, 'slow').taskId).toBe(reference?.taskId)
})

requirement('tasks T-41: the state of a task is never cached', async ({ connect }) => {
  const { server, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const { taskId = '' } = await client.tasks.start('slow')
  for (let count = 0; count < 3; count += 1) await client.tasks.get(taskId)
  expect(methods().filter((method) => method === 'tasks/get')).toHaveLength(3)
})

requirement('client-tasks:bare', async ({ connect }) => {
  const { server, received } = createTaskServer()
  const onElicitation = () => ({ action: 'cancel' }) as const
  await using client = await connect(server, { extensions: [tasks()], onElicitation })
  const { taskId = '' } = await client.tasks.start('asks')
  const asking = await vi.waitFor(async () => {
    const state = await client.tasks.get(taskId)
    expect(state.status).toBe('input_required')
    return state
  })
  const keys = Object.keys(asking.inputRequests ?? {})
  expect(keys).toHaveLength(2)
  const answers = Object.fromEntries(keys.map((key) => [key, { action: 'decline' } as const]))
  await client.tasks.update(taskId, answers)
  await vi.waitFor(async () => expect(await client.tasks.get(taskId)).toMatchObject({ status: 'completed' }))
  await client.tasks.cancel(taskId)
  expect(received.filter(({ method }) => method.startsWith('tasks/')).at(-1)?.params).toMatchObject({ taskId })
  await expect(client.tasks.get('unknown')).rejects.toMatchObject({ code: -32602 })
  await expect(client.tasks.get('')).rejects.toThrow(TypeError)
  await expect(client.tasks.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: -32601, local: true })
})

requirement('client-tasks:watch', async ({ connect }) => {
  const { server, gate, methods, received } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks({ watch: true })] })
  const [first, second] = await Promise.all([client.tasks.start('slow'), client.tasks.start('steps')])
  const results = Promise.all([first.result(), second.result()])
  const watched = () =>
    received
      .filter(({ method }) => method === 'subscriptions/listen')
      .map(({ params }) => (params['notifications'] as { taskIds: string[] }).taskIds)
  await vi.waitFor(() => expect(watched().at(-1)?.length).toBe(2))
  await vi.waitFor(() => expect(methods().filter((method) => method === 'tasks/get').length).toBeGreaterThanOrEqual(2))
  gate.resolve()
  const [slow, steps] = await results
  expect([textOf(slow), textOf(steps)]).toEqual(['slow', 'steps'])
  expect(watched().length).toBeLessThanOrEqual(2)
})

requirement('client-tasks:older-revisions', async ({ connect, version }) => {
  const { server } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  expect(textOf(await client.callTool('quick'))).toBe('quick')
  if (isVersionAtLeast(version, '2025-11-25')) return
  await expect(client.tasks.get('any')).rejects.toThrow(MCPError)
  await expect(client.tasks.get('any')).rejects.toMatchObject({ code: -32601, local: true })
  expect(textOf(await (await client.tasks.start('quick')).result())).toBe('quick')
})
