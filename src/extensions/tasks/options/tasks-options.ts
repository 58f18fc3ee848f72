// The options of `tasks()`, checked, with their defaults.

import type { TaskExecutor, TaskStore } from '../../../backend/task-store.ts'
import type { AroundTool } from '../../../mcpserver/extensions/tool-options.ts'
import { rangeError } from '../../../primitives/help.ts'
import { assertCount, checkKeys, checkKind, type KnownKeys } from '../../../primitives/options.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { RequestStateSecret } from '../../../server/state/secrets.ts'
import type { TasksClientOptions } from '../../../types/extensions/tasks.ts'

/** Limits on the tasks of a server. */
export interface TaskLimits {
  /** Tasks of one owner that have not ended (default: 100). Callers that nobody verified have no limit of their own. */
  perOwner?: number | undefined
  /** Tasks of all owners that have not ended (default: 10,000). */
  total?: number | undefined
  /** The longest `ttlMs` that a task gets (default: 7 days). */
  maxTtlMs?: number | undefined
  /** Maximum size of a result as JSON (default: 1 MiB). A larger one fails the task; return a link to a resource instead. */
  maxResultBytes?: number | undefined
  /**
   * What the tasks of one owner may take in memory or in the engine, with arguments, answers and results, until they are gone (default:
   * 64 MiB). Callers that nobody verified have no limit of their own.
   */
  maxBytesPerOwner?: number | undefined
  /** What all tasks may take in memory or in the engine (default: 512 MiB). */
  maxBytes?: number | undefined
  /** How long a run with `holds` waits in memory for an answer (default: 60 s). */
  parkAfterMs?: number | undefined
}

/** Options of `tasks()`, for servers and for clients. */
export interface TasksOptions extends TasksClientOptions {
  /** Runs at once in this process (default: 16). With 0 it only serves, and other processes run the tasks. */
  workers?: number | undefined
  /** Runs tasks in a job system of yours instead of in this process. */
  executor?: TaskExecutor | undefined
  /** A text that identifies the caller, who alone can use its tasks (default: client, issuer and subject of the token). */
  owner?: ((ctx: ServerRequestContext) => string | undefined) | undefined
  /** Limits on the tasks of this server. Each has its own default. */
  limits?: TaskLimits | undefined
  /**
   * Keeps the header `authorization` of the request that created a task, encrypted with the first of these keys, so that its runs
   * have it in `ctx.http`. By default no token is kept.
   */
  keepTokens?:
    | {
        /** The keys that encrypt tokens. The first one encrypts, all of them decrypt. */
        readonly keys: readonly RequestStateSecret[]
      }
    | undefined
}

/** Settings for tests, which no option of the public API sets. */
export const TASK_INTERNALS: unique symbol = Symbol()

export interface TaskInternals {
  /** A store in place of that of the backend, or in memory. */
  readonly store?: TaskStore | undefined
  /** Where the tools are, on a server that registers none itself. */
  readonly tools?: TaskTools
}

/** What the runtime asks about the tools of a server. */
export interface TaskTools {
  /** Those whose tasks this process may run. */
  names(): readonly string[]
  find(name: string): { readonly arounds: readonly AroundTool[] } | undefined
  mayUse(name: string, request: ServerRequestContext): boolean
}

export interface GivenTasksOptions extends TasksOptions {
  readonly [TASK_INTERNALS]?: TaskInternals
}

export const TASKS_KEYS: KnownKeys<TasksOptions> = {
  workers: true,
  executor: 'object',
  owner: 'function',
  limits: 'object',
  keepTokens: 'object',
  references: true,
  watch: true,
}

export const LIMIT_KEYS: KnownKeys<TaskLimits> = {
  perOwner: true,
  total: true,
  maxTtlMs: true,
  maxResultBytes: true,
  maxBytesPerOwner: true,
  maxBytes: true,
  parkAfterMs: true,
}

const KEEP_TOKENS_KEYS: KnownKeys<NonNullable<TasksOptions['keepTokens']>> = { keys: 'array' }

/** Throws `TypeError` for unknown options, and `RangeError` for values out of range. */
export function checkTasksOptions(options: TasksOptions): void {
  checkKeys('tasks()', options, TASKS_KEYS)
  const { workers, limits, executor, keepTokens, watch, references } = options
  if (workers !== undefined) assertCount('workers', workers, 0)
  if (limits !== undefined) {
    checkKeys('tasks(): limits', limits, LIMIT_KEYS)
    for (const [name, value] of Object.entries(limits)) if (value !== undefined) assertCount(name, value, 1)
  }
  if (executor !== undefined) checkKind('executor.start of tasks()', executor.start, 'function')
  if (references !== undefined) {
    checkKind('The option references of tasks()', references, 'object', "fileTaskReferences(path), from 'mcpwire/node'")
  }
  if (keepTokens !== undefined) checkKeys('tasks(): keepTokens', keepTokens, KEEP_TOKENS_KEYS)
  if (watch !== undefined && watch !== 'auto' && typeof watch !== 'boolean') {
    throw rangeError(
      'wrong-option',
      `The option watch of tasks() must be true, false or 'auto', not ${JSON.stringify(watch)}.`,
    )
  }
}
