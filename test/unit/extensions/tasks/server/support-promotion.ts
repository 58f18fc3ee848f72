// A server with tasks and a clock that the test moves, and a client that sends and reads what is on the wire.
import type { Client } from '../../../../../src/client/client.ts'
import type { Fault } from '../../../../../src/dispatcher/fault.ts'
import type { TasksOptions } from '../../../../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import type { TaskOption } from '../../../../../src/mcpserver/extensions/task-options.ts'
import type { Context } from '../../../../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../../../src/mcpserver/options.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { type ConnectForTestOptions, connect } from '../../../../../src/testing/connect.ts'
import { fakeClock } from '../../../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../../../src/testing/with-tasks.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import { PATIENCE_META_KEY } from '../../../../../src/types/protocol/meta.ts'

export interface Setup {
  readonly task?: TaskOption
  readonly tasks?: TasksOptions
  readonly server?: MCPServerOptions
  readonly timeoutMs?: number
}

/** A server whose tool `work` is this handler. */
export function serverWith(run: (ctx: Context, clock: ReturnType<typeof fakeClock>) => unknown, setup: Setup = {}) {
  const { task = true, timeoutMs } = setup
  const clock = fakeClock()
  const faults: Fault[] = []
  const server = withTasks(
    new MCPServer('s', { onFault: (fault) => faults.push(fault), extensions: [tasks(setup.tasks)], ...setup.server }),
    { clock },
  )
  const options = { task, ...(timeoutMs !== undefined && { timeoutMs }) }
  server.tool('work', options, (_args, ctx) => run(ctx, clock) as string)
  return { server, clock, faults }
}

/** A client that declares the extension, and sees results as they come. */
export function rawClient(server: MCPServer, options: ConnectForTestOptions = {}): Promise<Client> {
  const extensions = [tasks()]
  return connect(server, { raiseExceptions: false, extensions, mode: 'modern', ...options }) as Promise<Client>
}

export interface CallOptions {
  readonly patienceMs?: unknown
  readonly signal?: AbortSignal
  readonly meta?: JSONObject
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void
}

/** One call as it is on the wire. */
export function callWork(client: Client, { patienceMs, signal, meta, onProgress }: CallOptions = {}) {
  return client.session.callTool('work', {}, {
    allowClaimed: true,
    allowInputRequired: true,
    timeoutMs: 86_400_000,
    meta: { ...(patienceMs !== undefined && { [PATIENCE_META_KEY]: patienceMs }), ...meta },
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress }),
  } as never) as unknown as Promise<JSONObject>
}

/** The state of a task. */
export async function getTask(server: MCPServer, taskId: unknown): Promise<JSONObject> {
  await using client = await connect(server, { raiseExceptions: false, extensions: [tasks()], mode: 'modern' })
  return (await client.tasks.get(String(taskId))) as JSONObject
}

/** Work that ends when the test says so, and how often it ran. */
export function heldWork() {
  const runs: { ctx: Context; end: (value: unknown) => void; fail: (error: unknown) => void }[] = []
  const run = (ctx: Context) => {
    const end = createDeferred<unknown>()
    runs.push({ ctx, end: end.resolve, fail: end.reject })
    return end.promise
  }
  return { run, runs }
}

/** The first text of a result. */
export function textOf(result: unknown): string | undefined {
  return (result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text
}
