// What the page does with a task: ask for its state, cancel it, wait for its result.
import { TaskGoneError } from 'mcpwire/extensions/tasks'
import type { Requests } from '../../protocol/requests.ts'
import type { Connection } from '../connection/connection.ts'
import { BadRequest } from '../log/bad-request.ts'
import type { Calls } from './calls.ts'

export async function runTaskAction(
  calls: Calls,
  connection: Connection,
  id: string,
  action: Requests['task']['body']['action'],
): Promise<Requests['task']['answer']> {
  const { client, tasks } = connection
  try {
    if (action === 'result') return { call: waitForResult(calls, connection, id) }
    if (action === 'cancel') await client.tasks.cancel(id)
    const state = await client.tasks.get(id)
    tasks.update(state)
    return { state }
  } catch (error) {
    if (!(error instanceof TaskGoneError)) throw error
    tasks.setStatus(id, 'gone')
    throw new BadRequest('The server no longer has this task.', { status: 410 })
  }
}

function waitForResult(calls: Calls, connection: Connection, id: string): string {
  const { client, tasks } = connection
  const row = tasks.find(id)
  const call = { kind: 'tool', name: row?.tool ?? id, args: {} } as const
  return calls.run(connection, call, async (signal, callId) => {
    const references = await client.tasks.pending()
    const reference = references.find(({ taskId }) => taskId === id)
    const state = await client.tasks.get(id)
    tasks.update(state, { call: callId, isWatched: true })
    if (reference === undefined) {
      if (state.result !== undefined) return state.result
      throw new BadRequest(`The task is ${state.status} and has no result.`)
    }
    return client.tasks.resume(reference).result({
      signal,
      onStatus: (changed) => tasks.update(changed, { call: callId, isWatched: true }),
    })
  })
}
