// Which calls become tasks at revision 2025-11-25: those that ask for it with `task` in their params.
import { offersTaskCalls } from '../../../server/task-calls.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { CORE_TASKS_VERSION } from '../../../wire/revision-facts.ts'
import type { DialectRules } from '../server/dialect.ts'
import { toWireTask } from './wire-task.ts'

/** A client that asks for less gets this: a task that waits for a free worker must not be over before it has begun. */
const MIN_TTL_MS = 1_000

export const coreDialect: DialectRules = {
  name: 'core',
  protocolVersions: [CORE_TASKS_VERSION],
  takesTask: (request, { task }) => task !== undefined && offersTaskCalls(request),
  isAskedFor: ({ task }) => task !== undefined,
  refuse(_request, { name }) {
    throw new MCPError(
      ErrorCode.MethodNotFound,
      `The tool ${JSON.stringify(name)} must be called as a task. Add task to the params of tools/call.`,
    )
  },
  ttlMs: ({ ttlMs }, { task }) => (task?.ttl === undefined ? ttlMs : Math.max(MIN_TTL_MS, task.ttl)),
  // Spec, Tasks: a task begins as `working`, whatever a worker has made of it since.
  toHandle: (task, now) => ({ task: toWireTask(task, now, 'working') }) as unknown as JSONObject,
}
