// The requests of the tasks extension (2026-07-28 and later) over a session.
import { internalsOf } from '../../../client/session/internals.ts'
import type { ClientSession } from '../../../client/session/session.ts'
import type { TaskPort } from './port.ts'
import { readTaskState } from './task-state.ts'

export function createExtensionTaskPort(session: ClientSession): TaskPort {
  const internals = internalsOf(session)
  return {
    dialect: 'extension',
    endSignal: internals.endSignal,
    async get(taskId, options) {
      return readTaskState(await internals.request('tasks/get', { taskId }, options), taskId)
    },
    async update(taskId, inputResponses, options) {
      await internals.request('tasks/update', { taskId, inputResponses }, options)
    },
    async cancel(taskId, options) {
      await internals.request('tasks/cancel', { taskId }, options)
    },
  }
}
