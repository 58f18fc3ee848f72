// What `tasks()` adds to a client. All that is large is loaded when the client opens.

import type { Client } from '../../client/client.ts'
import type { ClientToolCallOptions } from '../../client/client-options.ts'
import type { ClaimContext, ClientExtensionParts } from '../../client/extensions/extension.ts'
import type { Clock } from '../../primitives/async/clock.ts'
import { orderError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import type { TasksClientOptions } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { MODERN_VERSIONS } from '../../types/protocol/versions.ts'
import type { OpenTasks } from './client/open-tasks.ts'

const REQUEST = { protocolVersions: MODERN_VERSIONS, nameParam: 'taskId' } as const

export function createClientParts(client: Client, options: TasksClientOptions, clock?: Clock): ClientExtensionParts {
  let opened: OpenTasks | undefined
  const finishCall = (handle: JSONObject, context: ClaimContext) => {
    if (opened === undefined) throw orderError('The client is not open.')
    return opened.finishCall(handle, context)
  }
  return {
    claims: [
      {
        resultType: 'task',
        isValid: ({ taskId, status }) => isText(taskId) && isText(status),
        resolve: finishCall,
      },
    ],
    // At revision 2025-11-25 the client decides which calls become tasks.
    taskCalls: {
      taskFor: ({ options, isRequired }) => (isRequired || (options.task ?? needsTask(options)) ? {} : undefined),
      // Repeats toTaskState of the core dialect, which is loaded for 2025-11-25 only.
      resolve: ({ task: { ttl, pollInterval, ...rest } }, context) =>
        finishCall({ ...rest, ttlMs: ttl, pollIntervalMs: pollInterval }, context),
    },
    requests: { 'tasks/get': REQUEST, 'tasks/update': REQUEST, 'tasks/cancel': REQUEST },
    filters: { taskIds: { notification: 'notifications/tasks', keyParam: 'taskId' } },
    async open(session) {
      const { openTasks } = await loading(import('./open-client-tasks.ts'))
      opened = await openTasks(client, session, options, clock)
      return opened
    },
  }
}

/** A call that is left, or whose work goes on when it stops, can only be a task. */
function needsTask({ leaveAfterMs, onStop }: ClientToolCallOptions): boolean {
  return leaveAfterMs !== undefined || onStop === 'leave'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
