// Calls that a server answers with a task, seen through to their result by callTool().
import { expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { TaskCancelledError, TaskGoneError, TaskPendingError } from '../../../src/types/extensions/task-errors.ts'
import { TASKS_EXTENSION, type TaskState } from '../../../src/types/extensions/tasks.ts'
import type { ElicitRequestParams } from '../../../src/types/features/elicitation.ts'
import { requirement } from '../kit/requirement.ts'
import { createTaskServer } from '../kit/support-client-tasks.ts'
import { textOf } from '../kit/support-interaction.ts'

requirement('tasks T-31: a call takes a result or a task', async ({ connect }) => {
  const { server, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  expect(textOf(await client.callTool('plain'))).toBe('plain')
  expect(methods()).not.toContain('tasks/get')
  expect(textOf(await client.callTool('quick'))).toBe('quick')
  expect(methods()).toContain('tasks/get')
  const failed = await client.callTool('tool-error')
  expect(failed.isError).toBe(true)
})

requirement('client-tasks:options:values', async ({ connect }) => {
  const { server, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const wrong: [unknown, ErrorConstructor, string][] = [
    ...[-1, Number.NaN, '5', null, {}].map((leaveAfterMs): [unknown, ErrorConstructor, string] => [
      { leaveAfterMs },
      RangeError,
      'leaveAfterMs is ',
    ]),
    [{ onStop: 'stop' }, RangeError, `onStop of a call must be 'cancel' or 'leave', not "stop"`],
    [{ onStatus: 'log' }, TypeError, 'onStatus of a call must be a function, not a string'],
    [{ task: 'yes' }, TypeError, 'task of a call must be a boolean, not a string'],
    [{ timeoutMs: '5' }, RangeError, 'timeoutMs is a string. Use a number of milliseconds'],
    [{ maxTotalMs: -1 }, RangeError, 'maxTotalMs is -1'],
  ]
  for (const [options, kind, message] of wrong) {
    const failure = client.callTool('plain', {}, options as never)
    await expect(failure, JSON.stringify(options)).rejects.toThrow(message)
    await expect(failure).rejects.toBeInstanceOf(kind)
  }
  expect(methods().filter((method) => method.startsWith('tools/'))).toEqual([])
})

requirement('client-tasks:options:unused', async ({ connect }) => {
  const { server } = createTaskServer()
  const faults: Fault[] = []
  await using client = await connect(server, { onFault: (fault) => faults.push(fault) })
  const options = { onStatus: () => {}, leaveAfterMs: 60_000, task: true, onStop: 'leave' } as const
  await client.callTool('plain', {}, { task: false, onStatus: undefined })
  for (let count = 0; count < 3; count += 1) expect(textOf(await client.callTool('plain', {}, options))).toBe('plain')
  const warnings = faults.filter(({ kind }) => kind === 'configuration-warning').map(({ message }) => message)
  const add = "Add tasks() from 'mcpwire/extensions/tasks' to the option extensions of the client."
  const expected = ['task', 'onStatus', 'onStop', 'leaveAfterMs'].map(
    (name) => `The option ${name} of a call has no effect, because the client has no tasks. ${add}`,
  )
  expect(warnings).toEqual(expected)
})

requirement('client-tasks:options:plain-call', async ({ connect }) => {
  const server = new MCPServer('s', { extensions: [tasks()] })
  server.tool('report', { task: 'always' }, () => 'done')
  server.tool('plain', () => 'plain')
  const faults: Fault[] = []
  await using client = await connect(server, { extensions: [tasks()], onFault: (fault) => faults.push(fault) })
  const options = { onStatus: () => {}, leaveAfterMs: 60_000 }
  expect(textOf(await client.callTool('plain', {}, options))).toBe('plain')
  expect(textOf(await client.callTool('report', {}, { ...options, task: true }))).toBe('done')
  expect(faults).toEqual([])
  const plainly = { ...options, task: false }
  for (let count = 0; count < 2; count += 1) expect(textOf(await client.callTool('report', {}, plainly))).toBe('done')
  const reason = 'because at revision 2025-11-25 only a call with task: true becomes a task. Set task: true.'
  expect(faults.map(({ kind, message }) => `${kind}: ${message}`)).toEqual(
    ['onStatus', 'leaveAfterMs'].map(
      (name) => `configuration-warning: The option ${name} of a call has no effect, ${reason}`,
    ),
  )
})

requirement('client-tasks:options:ask-for-a-task', async ({ connect }) => {
  const server = new MCPServer('s', { extensions: [tasks()] })
  const aborted = createDeferred()
  server.tool('endless', { task: true }, (_args, { signal }) => {
    if (signal.aborted) aborted.resolve()
    signal.addEventListener('abort', () => aborted.resolve())
    return new Promise(() => {})
  })
  server.tool('report', { task: true }, (_args, { task }) => (task === undefined ? 'plain' : 'task'))
  const faults: Fault[] = []
  await using client = await connect(server, { extensions: [tasks()], onFault: (fault) => faults.push(fault) })

  const left = await client.callTool('endless', {}, { leaveAfterMs: 1 }).catch((error: unknown) => error)

  expect(left).toBeInstanceOf(TaskPendingError)
  await (left as TaskPendingError).job.cancel()
  await aborted.promise
  expect(textOf(await client.callTool('report', {}, { onStop: 'leave' }))).toBe('task')
  expect(textOf(await client.callTool('report', {}, { onStop: 'cancel' }))).toBe('plain')
  expect(textOf(await client.callTool('report', {}, { onStop: 'leave', task: false }))).toBe('plain')
  expect(faults.map(({ kind }) => kind)).toEqual(['configuration-warning'])
})

requirement('tasks T-33: the extension is declared on every request about tasks', async ({ connect }) => {
  const { server, received } = createTaskServer()
  const onElicitation = () => ({ action: 'accept', content: { yes: true } }) as const
  await using client = await connect(server, { extensions: [tasks({ watch: true })], onElicitation })
  await client.callTool('asks')
  const job = await client.tasks.start('slow')
  // The client subscribes while somebody waits, and the task may end before it has come to that.
  const end = job.result().catch(() => {})
  await vi.waitFor(() => expect(received.map(({ method }) => method)).toContain('subscriptions/listen'))
  await client.tasks.get(job.taskId ?? '')
  await job.cancel()
  await end
  const about = received.filter(({ method }) => /^tasks\/|^subscriptions\//.test(method))
  expect([...new Set(about.map(({ method }) => method))].sort()).toEqual([
    'subscriptions/listen',
    'tasks/cancel',
    'tasks/get',
    'tasks/update',
  ])
  for (const { extensions } of about) expect(extensions).toContain(TASKS_EXTENSION)
})

requirement('tasks T-34: Mcp-Name is the id of the task', async ({ connect }) => {
  const { server, received } = createTaskServer()
  const onElicitation = () => ({ action: 'decline' }) as const
  await using client = await connect(server, { extensions: [tasks({ watch: false })], onElicitation })
  await client.callTool('asks')
  const job = await client.tasks.start('slow')
  await job.cancel()
  const about = received.filter(({ method }) => method.startsWith('tasks/'))
  expect(new Set(about.map(({ method }) => method)).size).toBe(3)
  for (const { nameHeader, params } of about) expect(nameHeader).toBe(params['taskId'])
})

requirement('tasks T-35 and T-36: polls until the end, each change once', async ({ connect }) => {
  const { server, gate, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks({ watch: false })] })
  const seen: TaskState[] = []
  const result = await client.callTool(
    'steps',
    {},
    {
      onStatus: (state) => {
        seen.push(state)
        if (state.statusMessage === 'half') gate.resolve()
      },
    },
  )
  expect(textOf(result)).toBe('steps')
  const changes = seen.map(({ status, statusMessage }) => `${status} ${statusMessage ?? ''}`)
  expect(new Set(changes).size).toBe(changes.length)
  expect(changes[0]).toBe('working ')
  expect(changes).toContain('working half')
  expect(seen.at(-1)?.status).toBe('completed')
  const polls = methods().filter((method) => method === 'tasks/get').length
  expect(polls).toBeGreaterThanOrEqual(2)
})

requirement('tasks T-37 and T-38: questions of a task are answered by the callbacks, once', async ({ connect }) => {
  const { server, methods } = createTaskServer()
  const asked: string[] = []
  const second = createDeferred()
  const onElicitation = async ({ message }: ElicitRequestParams) => {
    asked.push(message)
    // The first answer is on its way, and the task is polled, while the second question waits for the user.
    if (message === 'second') await second.promise
    return message === 'first'
      ? ({ action: 'accept', content: { yes: true } } as const)
      : ({ action: 'decline' } as const)
  }
  await using client = await connect(server, { extensions: [tasks({ watch: false })], onElicitation })
  const result = client.callTool('asks')
  await vi.waitFor(() => expect(methods()).toContain('tasks/update'))
  const polls = () => methods().filter((method) => method === 'tasks/get').length
  const before = polls()
  await vi.waitFor(() => expect(polls()).toBeGreaterThanOrEqual(before + 2), { timeout: 5_000 })
  second.resolve()
  expect(textOf(await result)).toBe('accept decline')
  expect(asked.sort()).toEqual(['first', 'second'])
  expect(methods().filter((method) => method === 'tasks/update')).toHaveLength(2)
  expect(methods()).not.toContain('tasks/cancel')
})

requirement('tasks T-39: an abort cancels the task, and nothing else', async ({ connect, wire }) => {
  const { server, aborted, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const stop = new AbortController()
  const started = createDeferred()
  const call = client.callTool('slow', {}, { signal: stop.signal, onStatus: () => started.resolve() })
  await started.promise
  stop.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await aborted.promise
  expect(methods().filter((method) => method === 'tasks/cancel')).toHaveLength(1)
  expect(JSON.stringify(wire.sent)).not.toContain('notifications/cancelled')
  await vi.waitFor(async () => expect(await client.tasks.pending()).toEqual([]))
})

requirement('client-tasks:call:outcomes', async ({ connect }) => {
  const { server } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const failure: unknown = await client.callTool('fails').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(MCPError)
  expect(failure).toMatchObject({ code: -32050, message: 'no paper', data: { tray: 2 }, local: false })
  const cancelling = (state: TaskState) => {
    if (state.status === 'working') void client.tasks.cancel(state.taskId)
  }
  const cancelled: unknown = await client
    .callTool('slow', {}, { onStatus: cancelling })
    .catch((error: unknown) => error)
  expect(cancelled).toBeInstanceOf(TaskCancelledError)
  expect(cancelled).toMatchObject({ state: { status: 'cancelled' } })
  const job = await client.tasks.start('slow')
  const reference = { ...job.reference, taskId: 'lost' } as NonNullable<typeof job.reference>
  const lost = client.tasks.resume(reference)
  await expect(lost.result()).rejects.toThrow(TaskGoneError)
  await job.cancel()
  // Its time is not over, so it may be found again.
  expect(await client.tasks.pending()).toEqual([reference])
})

requirement('client-tasks:call:on-stop', async ({ connect }) => {
  const { server, gate, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const stop = new AbortController()
  const onStatus = () => stop.abort(new Error('enough'))
  const call = client.callTool('slow', {}, { signal: stop.signal, onStatus, onStop: 'leave' })
  await expect(call).rejects.toThrow('enough')
  const [reference] = await client.tasks.pending()
  gate.resolve()
  if (reference === undefined) throw new Error('There is no reference.')
  expect(textOf(await client.tasks.resume(reference).result())).toBe('slow')
  expect(methods()).not.toContain('tasks/cancel')
})

requirement('client-tasks:call:leave-after', async ({ connect }) => {
  const { server, gate, methods } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const left: unknown = await client.callTool('slow', {}, { leaveAfterMs: 50 }).catch((error: unknown) => error)
  if (!(left instanceof TaskPendingError)) throw left
  expect(left.job.state.status).toBe('working')
  expect(await client.tasks.pending()).toEqual([left.job.reference])
  gate.resolve()
  expect(textOf(await left.job.result())).toBe('slow')
  expect(methods()).not.toContain('tasks/cancel')
  // A call that is done before that returns as ever.
  expect(textOf(await client.callTool('plain', {}, { leaveAfterMs: 0 }))).toBe('plain')
})

requirement('client-tasks:call:time-in-all', async ({ connect }) => {
  const { server, aborted } = createTaskServer()
  await using client = await connect(server, { extensions: [tasks()] })
  const call = client.callTool('slow', {}, { maxTotalMs: 250 })
  await expect(call).rejects.toMatchObject({ code: -32001, local: true })
  await aborted.promise
})

requirement('client-tasks:call:close', async ({ connect }) => {
  const { server, aborted, methods } = createTaskServer()
  const client = await connect(server, { extensions: [tasks()] })
  const started = createDeferred()
  const call = client.callTool('slow', {}, { onStatus: () => started.resolve() })
  call.catch(() => {})
  const job = await client.tasks.start('steps')
  const waiting = job.result()
  waiting.catch(() => {})
  await started.promise
  await client.close()
  await expect(call).rejects.toThrow('closed')
  await expect(waiting).rejects.toThrow('closed')
  await aborted.promise
  expect(methods().filter((method) => method === 'tasks/cancel')).toHaveLength(1)
})
