// Which calls a client sends as tasks of revision 2025-11-25, and what an extension gets to finish them. The server is a low-level
// one, so that it can offer what it likes.
import { expect, vi } from 'vitest'
import type { ClientExtension, TaskCallRules } from '../../../src/client/extensions/extension.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server } from '../../../src/server/server.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { Task } from '../../../src/types/features/tasks.ts'
import type { CallToolResult, Tool, ToolExecution } from '../../../src/types/features/tools.ts'
import type { ServerCapabilities } from '../../../src/types/protocol/capabilities.ts'
import { requirement } from '../kit/requirement.ts'
import { connectScripted, text } from '../kit/support-interaction.ts'

const OFFERED: ServerCapabilities = { tasks: { requests: { tools: { call: {} } } } }
const TASK: Task = {
  taskId: 'T1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 60_000,
}

function toolsOf(supports: Record<string, ToolExecution['taskSupport'] | 'absent'>): Tool[] {
  return Object.entries(supports).map(([name, taskSupport]) => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport !== 'absent' && { execution: taskSupport === undefined ? {} : { taskSupport } }),
  }))
}

const TOOLS = toolsOf({ absent: 'absent', empty: undefined, no: 'forbidden', may: 'optional', must: 'required' })

/** A server that makes a task of every call that asks for one. */
function createServer(capabilities: ServerCapabilities) {
  const called: [string, unknown][] = []
  const server = new Server('host', {
    capabilities,
    handlers: {
      'tools/list': () => ({ tools: TOOLS }),
      'tools/call': (_ctx, { name, task }) => {
        called.push([name, task])
        return task === undefined ? text('plain') : ({ task: TASK } as unknown as CallToolResult)
      },
    },
  })
  return { server, called }
}

/** The client's half, of whichever extension: wants tasks always, and is done at once. */
function taskCalls(rules: Partial<TaskCallRules> = {}): ClientExtension {
  return {
    identifier: 'com.example/tasks',
    taskCalls: { taskFor: () => ({ ttl: 5_000 }), resolve: ({ task }) => text(`task ${task.taskId}`), ...rules },
  }
}

requirement('tasks L-03: only where the server offers it', async ({ connect }) => {
  const { server, called } = createServer(OFFERED)
  const taskFor = vi.fn<TaskCallRules['taskFor']>(({ isRequired }) => (isRequired ? { ttl: 5_000 } : undefined))
  await using client = await connect(server, { extensions: [taskCalls({ taskFor })] })
  const results: unknown[] = []
  for (const { name } of TOOLS) results.push((await client.callTool(name)).content[0])

  expect(called).toEqual([
    ['absent', undefined],
    ['empty', undefined],
    ['no', undefined],
    ['may', undefined],
    ['must', { ttl: 5_000 }],
  ])
  expect(results.at(-1)).toEqual({ type: 'text', text: 'task T1' })
  expect(taskFor.mock.calls.map(([{ toolName, isRequired }]) => [toolName, isRequired])).toEqual([
    ['may', false],
    ['must', true],
  ])

  // Without the capability, whatever is listed.
  for (const capabilities of [{}, { tasks: {} }, { tasks: { requests: {} } }]) {
    const other = createServer(capabilities)
    await using plain = await connect(other.server, { extensions: [taskCalls()] })
    await plain.callTool('must')
    expect(other.called).toEqual([['must', undefined]])
  }
})

requirement('tasks L-03: other revisions', async (setting) => {
  if (setting.version === '2025-11-25') return
  await using peer = await connectScripted(setting, { extensions: [taskCalls()] })
  peer.server
    .on('tools/list', () => ({ tools: TOOLS }))
    .on('tools/call', (params) => text(Object.hasOwn(params ?? {}, 'task') ? 'as a task' : 'plainly'))

  expect((await peer.client.callTool('must')).content).toEqual(text('plainly').content)
})

requirement('tasks L-03: answers of odd servers', async ({ connect }) => {
  const output = { type: 'object' as const, properties: { n: { type: 'number' } }, required: ['n'] }
  const answers: Record<string, unknown> = {
    plain: { content: [], structuredContent: { n: 1 } },
    misfit: { content: [], structuredContent: { n: 'one' } },
    nothing: {},
    formless: { task: { taskId: 'T1' } },
    completed: { task: { ...TASK, pollInterval: 100 } },
    vague: { task: { ...TASK, taskId: 'T2', pollInterval: 100 } },
  }
  const server = new Server('host', {
    capabilities: OFFERED,
    handlers: {
      'tools/list': () => ({
        tools: Object.keys(answers).map((name) => ({
          name,
          inputSchema: { type: 'object' as const },
          outputSchema: output,
          execution: { taskSupport: 'required' as const },
        })),
      }),
      'tasks/get': (_ctx, { taskId }) => ({ ...TASK, taskId, status: 'completed' }),
      'tasks/result': (_ctx, { taskId }) =>
        taskId === 'T1' ? { content: 'text' } : { content: [], structuredContent: {} },
    },
    // Around the handler, whose results a server checks.
    middleware: [
      (ctx, next) => (ctx.method === 'tools/call' ? (answers[ctx.params?.['name'] as string] as never) : next()),
    ],
  })
  await using client = await connect(server, { extensions: [tasks()] })

  expect((await client.callTool('plain')).structuredContent).toEqual({ n: 1 })
  for (const name of ['misfit', 'nothing', 'formless', 'completed', 'vague']) {
    await expect(client.callTool(name), name).rejects.toBeInstanceOf(InvalidResultError)
  }
})

requirement('tasks L-11: progress of the original token', async ({ connect }) => {
  const heard = createDeferred()
  let token = ''
  const server = new Server('host', {
    capabilities: OFFERED,
    handlers: {
      'tools/list': () => ({ tools: TOOLS }),
      'tools/call': async ({ meta, session }) => {
        token = String(meta.progressToken)
        await session.sendProgressNotification(meta.progressToken as string, 1)
        return { task: TASK } as unknown as CallToolResult
      },
      'tasks/get': async ({ session }) => {
        const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'T1' } } }
        for (const progress of [2, 2, 1, 3]) {
          await session.sendNotification('notifications/progress', { progressToken: token, progress, ...related })
        }
        return TASK
      },
    },
  })
  const resolve: TaskCallRules['resolve'] = async (_result, { session }) => {
    await session.sendRequest('tasks/get', { taskId: 'T1' })
    await heard.promise
    return text('done')
  }
  const seen: number[] = []
  const onProgress = ({ progress }: { progress: number }) => {
    seen.push(progress)
    if (progress === 3) heard.resolve()
  }
  await using client = await connect(server, { extensions: [taskCalls({ resolve })] })
  await client.callTool('must', {}, { onProgress })
  expect(seen).toEqual([1, 2, 3])

  await client.session.sendRequest('tasks/get', { taskId: 'T1' })
  expect(seen).toEqual([1, 2, 3])
})
