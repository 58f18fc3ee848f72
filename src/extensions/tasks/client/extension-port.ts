// The requests of the tasks extension (2026-07-28 and later) over the connection of a client.
import type { Client } from '../../../client/client.ts'
import type { SessionInternals } from '../../../client/session/internals.ts'
import type { Subscription } from '../../../client/subscriptions/subscription.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { TaskPort, TaskWatchReceiver } from './port.ts'
import { readTaskState } from './task-state.ts'

export function createExtensionTaskPort(client: Client, internals: SessionInternals): TaskPort {
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
    async watch(taskIds, receiver) {
      const subscription = await client.listen({ taskIds: [...taskIds] })
      void deliver(subscription, receiver)
      return { granted: new Set(subscription.honored.taskIds), close: () => void subscription.close() }
    },
  }
}

async function deliver(subscription: Subscription, receiver: TaskWatchReceiver): Promise<void> {
  try {
    for await (const event of subscription) {
      if (event.type !== 'extension') continue
      const state = readOrSkip(event.params, event.key)
      if (state === undefined) receiver.missed(event.key)
      else receiver.changed(state)
    }
  } catch {
    // Whatever ended it, the tasks are polled from now on.
  }
  receiver.ended()
}

/** Returns `undefined` for a change that was not announced, or that can't be read. A poll tells more. */
function readOrSkip(params: JSONObject | undefined, taskId: string): TaskState | undefined {
  try {
    return params && readTaskState(params, taskId)
  } catch {
    return undefined
  }
}
