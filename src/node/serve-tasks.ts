// `serveTasks`: a process that only runs tasks, which others create and answer about.

import { createDeferred } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import { assertCount, assertDuration, checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { ServerCore } from '../server/core.ts'
import { type ServerTarget, serverOf } from '../server/http/handler.ts'
import { TASKS_EXTENSION } from '../types/extensions/tasks.ts'
import { ShutdownSignals } from './process/signals.ts'

/** Options of `serveTasks()`. */
export interface ServeTasksOptions {
  /** Runs at once in this process (default: `workers` of `tasks()`, or 16 where that is 0). */
  workers?: number | undefined
  /** The tools whose tasks run in this process (default: all). Other processes run those of other tools. */
  only?: readonly string[] | undefined
  /** Time for runs to end by themselves before they are given back or stopped, in milliseconds (default: 5,000). */
  drainMs?: number | undefined
  /** Ends gracefully at SIGINT and SIGTERM, and at once at the second of them (default: `false`). */
  handleSignals?: boolean | undefined
}

export const SERVE_TASKS_KEYS: KnownKeys<ServeTasksOptions> = {
  workers: true,
  only: true,
  drainMs: true,
  handleSignals: 'boolean',
}

/** A process that runs tasks of a backend, made by `serveTasks()`. */
export interface TasksServing extends AsyncDisposable {
  /** Resolves when `close()` is done. */
  readonly closed: Promise<void>
  /** Takes no more tasks, and gives back what may be repeated elsewhere. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

const DRAIN_MS = 5_000

/** Timers of the tasks do not keep a process alive, nor does a file. */
const KEEP_ALIVE_MS = 3_600_000

/** Runs the tasks of a server until it is closed. Rejects with `TypeError` for a server whose tasks no other process can reach. */
export async function serveTasks(server: ServerTarget, options: ServeTasksOptions = {}): Promise<TasksServing> {
  checkKeys('serveTasks()', options, SERVE_TASKS_KEYS)
  const { workers, only, drainMs = DRAIN_MS, handleSignals = false } = options
  if (workers !== undefined) assertCount('workers', workers, 1)
  assertDuration('drainMs', drainMs)
  const core = serverOf(server)
  checkTasks(core)
  checkOnly(only, core)
  core.onlyWorks = { ...(workers !== undefined && { workers }), ...(only !== undefined && { only: [...only] }) }
  const serving = await start(core, drainMs)
  if (handleSignals) closeOnSignals(core, serving)
  return serving
}

/** A misspelt tool would wait for tasks that never come. A low-level `Server` has no names to compare with. */
function checkOnly(only: readonly string[] | undefined, { ownSource }: ServerCore): void {
  if (only === undefined) return
  if (!Array.isArray(only) || only.length === 0) {
    throw typeError('wrong-option', 'only must be an array with at least one name of a tool.')
  }
  const names = (ownSource as { tools?: { names?(): readonly string[] } }).tools?.names?.()
  const unknown = only.find((name) => names !== undefined && !names.includes(name))
  if (unknown === undefined) return
  throw typeError(
    'wrong-option',
    `The server has no tool ${JSON.stringify(unknown)}. Its tools are: ${names?.join(', ')}.`,
  )
}

function checkTasks({ extensions, backend }: ServerCore): void {
  if (extensions?.find(TASKS_EXTENSION) === undefined) {
    throw typeError(
      'extension-missing',
      "The server has no tasks to work on. Add tasks() from 'mcpwire/extensions/tasks' to its extensions.",
    )
  }
  if (backend?.tasks === undefined) {
    const problem = backend === undefined ? 'has no backend' : 'has a backend that keeps no tasks'
    throw typeError(
      'extension-missing',
      `The server ${problem}, so that no task of another process can be found. Set backend, as in backend: redis(url).`,
    )
  }
}

async function start(core: ServerCore, drainMs: number): Promise<TasksServing> {
  const lease = await core.start()
  const keepAlive = setInterval(() => {}, KEEP_ALIVE_MS)
  const closed = createDeferred()
  const hurry = createDeferred()
  const end = async (givenMs: number) => {
    try {
      const ended = core.background.endBefore(lease, givenMs)
      if (ended !== undefined) await Promise.race([ended, hurry.promise])
      await lease.release()
      await core.background.left(lease)
    } finally {
      clearInterval(keepAlive)
      closed.resolve()
    }
  }
  let ending: Promise<void> | undefined
  const close = async ({ drainMs: givenMs = drainMs }: { drainMs?: number } = {}) => {
    if (ending !== undefined && givenMs === 0) hurry.resolve()
    ending ??= end(givenMs)
    await ending
  }
  const serving: TasksServing = { closed: closed.promise, close, [Symbol.asyncDispose]: () => close() }
  void closed.promise.then(core.closeAlong(serving))
  return serving
}

function closeOnSignals(core: ServerCore, serving: TasksServing): void {
  const signals = new ShutdownSignals(
    () => {
      core.background.endWithProcess()
      void serving.close()
    },
    () => void serving.close({ drainMs: 0 }),
  )
  void serving.closed.then(() => signals.finish())
}
