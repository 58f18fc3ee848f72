// Calls of tools across the eras, for callers that wait: a source that runs a tool as a task only gets its task, and the caller the result.
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { tellProgress } from '../back/back-connection.ts'
import { offersTasks } from '../pool/offers-tasks.ts'
import type { SourceCall, SourceCalls } from '../upstream/source-calls.ts'
import { driveTask, isTaskRequired, type SendAboutTask, taskIn } from './drive-task.ts'

const WITH_TASKS = { [TASKS_EXTENSION]: {} }

/** Resolves to the result of the call, never to a task. */
export async function callThroughTask(calls: SourceCalls, one: SourceCall, params: JSONObject): Promise<JSONObject> {
  const { era } = one.held.connection
  const asTask = era === 'modern' ? { ...one, extensions: WITH_TASKS } : one
  const first = await calls.send(one, 'tools/call', params).catch((error: unknown) => {
    if (!offersTasks(one.held.connection) || !isTaskRequired(era, error)) throw error
    return calls.send(asTask, 'tools/call', era === 'modern' ? params : { ...params, task: {} })
  })
  const task = taskIn(first)
  if (task === undefined) return first
  const { call } = one
  const send: SendAboutTask = (method, about, signal = one.signal) => {
    // Modern requests each say what their caller can do.
    const given = era === 'modern' ? { ...about, _meta: params['_meta'] ?? {} } : about
    return calls.send({ ...asTask, signal }, method, given)
  }
  let told = 0
  const leave = one.held.connection.follow(call)
  try {
    return await driveTask(
      {
        era,
        send,
        ask: call.ask,
        signal: one.signal,
        onStatus: (message) => tellProgress(call, ++told, undefined, message),
      },
      task,
    )
  } finally {
    leave()
  }
}
