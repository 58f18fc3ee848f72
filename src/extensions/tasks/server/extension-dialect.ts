// Tasks on the wire of the extension: who gets one, and the methods on tasks.
import type { Task } from '../../../backend/task-store.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import { requireClientExtension } from '../../../server/extensions/client-extension.ts'
import { clientExtension } from '../../../server/extensions/declared-extension.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { invalidParams } from '../../../types/errors/invalid-params.ts'
import { TASKS_EXTENSION } from '../../../types/extensions/tasks.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { MODERN_VERSIONS } from '../../../types/protocol/versions.ts'
import type { DialectRules } from './dialect.ts'
import type { TaskRuntime } from './runtime.ts'
import { toDetailedTask, toHandle } from './values/wire.ts'

const DIALECT = 'extension'

export const extensionDialect: DialectRules = {
  name: DIALECT,
  protocolVersions: MODERN_VERSIONS,
  takesTask: (request) => clientExtension(request, TASKS_EXTENSION) !== undefined,
  isAskedFor: () => false,
  refuse(request) {
    requireClientExtension(request, TASKS_EXTENSION)
    throw new MCPError(ErrorCode.InternalError, 'The tool could not be run as a task.')
  },
  ttlMs: ({ ttlMs }) => ttlMs,
  toHandle: (task, now) => toHandle(task, now),
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. The client has declared the extension. */
export function answerTaskRequest(
  runtime: TaskRuntime,
  method: string,
  ctx: ServerRequestContext,
  params: JSONObject,
): MaybePromise<JSONObject> {
  if (method !== 'tasks/get') return changeTask(runtime, method, ctx, params)
  const found = runtime.access.lookUpNow(ctx, readId(ctx, params), DIALECT)
  if (!(found instanceof Promise)) return toDetailedTask(found, runtime.now)
  return found.then((task) => toDetailedTask(task, runtime.now))
}

async function changeTask(
  runtime: TaskRuntime,
  method: string,
  ctx: ServerRequestContext,
  params: JSONObject,
): Promise<JSONObject> {
  if (method === 'tasks/cancel') {
    await runtime.cancel(await find(runtime, ctx, params, true))
    return {}
  }
  const answers = readAnswers(params)
  await runtime.answer(await find(runtime, ctx, params), answers)
  return {}
}

function find(runtime: TaskRuntime, ctx: ServerRequestContext, params: JSONObject, toCancel = false): Promise<Task> {
  return runtime.access.lookUp(ctx, readId(ctx, params), DIALECT, toCancel)
}

function readId({ method }: ServerRequestContext, { taskId }: JSONObject): string {
  if (typeof taskId === 'string') return taskId
  throw invalidParams(method, 'taskId must be a string')
}

function readAnswers({ taskId, inputResponses }: JSONObject): Record<string, unknown> {
  if (typeof taskId !== 'string') throw invalidParams('tasks/update', 'taskId must be a string')
  const isMap = isPlainObject(inputResponses) && Object.values(inputResponses).every(isPlainObject)
  if (!isMap)
    throw invalidParams('tasks/update', 'inputResponses must be an object of results, by the keys of questions')
  return inputResponses
}
