// The requests about tasks in the words of revision 2025-11-25, for the driver that both dialects share.
import { eachItem } from '../../../client/session/pages.ts'
import type { ClientSession } from '../../../client/session/session.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskRequestOptions, TaskState } from '../../../types/extensions/tasks.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { checkResult } from '../../../wire/check.ts'
import { CORE_TASKS_VERSION } from '../../../wire/revision-facts.ts'
import type { TaskPort } from '../client/port.ts'
import { readTaskState } from '../client/task-state.ts'
import { TaskResult } from './task-result.ts'
import { toTaskState } from './task-state.ts'

/** Spec, Tasks: `taskId` in the params says it all, so that none of these requests carries the related-task tag. */
export function createCoreTaskPort(session: ClientSession, endSignal: AbortSignal): TaskPort {
  const get = async (taskId: string, options: TaskRequestOptions = {}) =>
    readTaskState(toTaskState(await session.sendRequest('tasks/get', { taskId }, options)), taskId)
  const askForResult = async (taskId: string, signal: AbortSignal, hasEnded: boolean) => {
    // It stays open until the task has ended. After that it is a request as any other.
    const limits = hasEnded ? { signal } : { timeoutMs: Number.POSITIVE_INFINITY, signal }
    const result = await session.sendRequest('tasks/result', { taskId }, limits)
    checkResult('tools/call', CORE_TASKS_VERSION, result, {})
    return result as unknown as CallToolResult
  }
  return {
    dialect: 'core',
    endSignal,
    get,
    async cancel(taskId, options = {}) {
      try {
        await session.sendRequest('tasks/cancel', { taskId }, options)
      } catch (error) {
        // The same code for an unknown task and for one that has ended.
        if (!isInvalidParams(error) || !isFinal(await get(taskId, options))) throw error
      }
    },
    createResultSource: (taskId, onFetched) =>
      new TaskResult((signal, hasEnded) => askForResult(taskId, signal, hasEnded), onFetched),
    list: (options) => listTasks(session, options),
  }
}

async function* listTasks(session: ClientSession, options: TaskRequestOptions = {}): AsyncGenerator<TaskState, void> {
  if (session.serverCapabilities?.tasks?.list === undefined) throw listNotOffered()
  const fetchPage = (cursor: string | undefined) =>
    session.sendRequest('tasks/list', cursor === undefined ? {} : { cursor }, options)
  yield* eachItem(fetchPage, ({ tasks }) => tasks.map((task) => readTaskState(toTaskState(task))))
}

function listNotOffered(): MCPError {
  const message = 'This server does not list tasks. Use client.tasks.pending() for those that this client started.'
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.InvalidParams
}
