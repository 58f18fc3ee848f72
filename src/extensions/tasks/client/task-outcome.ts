// What the end of a task is for the caller: a result, or an error.

import { withRemedy } from '../../../client/session/tool-calls.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { receivedError } from '../../../types/errors/errors.ts'
import { InvalidResultError } from '../../../types/errors/failures.ts'
import { TaskCancelledError } from '../../../types/extensions/task-errors.ts'
import type { TaskDialect, TaskState } from '../../../types/extensions/tasks.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'

/** The result of a final state, not checked against the tool yet. Rejects with the error of the server, or `TaskCancelledError`. */
export async function resultOf(state: TaskState, dialect: TaskDialect): Promise<CallToolResult> {
  const { status, result, error, statusMessage } = state
  if (status === 'cancelled') throw new TaskCancelledError(state)
  // Revision 2025-11-25 has a tool that fails end as `failed`, with its result.
  if (result !== undefined && (status === 'completed' || dialect === 'core')) return finished(result, dialect)
  if (status === 'completed') {
    throw new InvalidResultError('The server says that the task is completed, and sent no result.', 'result')
  }
  if (!isPlainObject(error) || !Number.isInteger(error.code) || typeof error.message !== 'string') {
    throw receivedError({
      code: ErrorCode.InternalError,
      message: statusMessage ?? 'The task failed without an error.',
    })
  }
  throw await withRemedy(receivedError(error))
}

/** The result inside a task has a `resultType` by its schema, and none in the examples of the specification. */
function finished(result: CallToolResult, dialect: TaskDialect): CallToolResult {
  if (!isPlainObject(result)) throw new InvalidResultError('The result of the task is not an object.', 'result')
  return dialect === 'core' || result.resultType !== undefined ? result : { ...result, resultType: 'complete' }
}
