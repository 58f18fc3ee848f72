// Calls of tools across the eras, for callers that wait: a source that runs a tool as a task only gets its task, and the caller the result.
import { findExtras } from '../../server/context.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type Ask, tellProgress } from '../back/back-call.ts'
import { frontClientOf } from '../base/caller.ts'
import { canBeAsked, notAskable } from '../base/questions.ts'
import { offersTasks } from '../pool/offers-tasks.ts'
import type { SourceCall, SourceCalls } from '../upstream/source-calls.ts'
import { driveTask, isTaskRequired, type SendAboutTask, taskIn } from './drive-task.ts'

const WITH_TASKS = { [TASKS_EXTENSION]: {} }

/** Resolves to the result of the call, never to a task. `isRequired` where the source has refused the call without one. */
export async function callThroughTask(
  calls: SourceCalls,
  one: SourceCall,
  params: JSONObject,
  isRequired = false,
): Promise<JSONObject> {
  const { era } = one.held.connection
  const asTask = era === 'modern' ? { ...one, extensions: WITH_TASKS } : one
  const start = () => calls.send(asTask, 'tools/call', era === 'modern' ? params : { ...params, task: {} })
  const first = isRequired
    ? await start()
    : await calls.send(one, 'tools/call', params).catch((error: unknown) => {
        if (!offersTasks(one.held.connection) || !isTaskRequired(era, error)) throw error
        return start()
      })
  const task = taskIn(first)
  if (task === undefined) return first
  const { call, signal: end = call.request.signal } = one
  // A caller that takes tasks gets its own at once, as the source has made one at once.
  await findExtras(call.request)?.detachable?.background(undefined)
  const send: SendAboutTask = (method, about, signal = end) => {
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
        ask: askable(one, calls.capabilitiesOf(one)),
        signal: end,
        onStatus: (message) => tellProgress(call, ++told, undefined, message),
      },
      task,
    )
  } finally {
    leave()
  }
}

/** Modern sources ask within the state of a task, where nobody else looks whether the caller can be asked. */
function askable({ call, held, request }: SourceCall, declared: ClientCapabilities): Ask {
  if (held.connection.era === 'legacy') return call.ask
  return async (method, params, signal) => {
    if (!canBeAsked(declared, method)) throw notAskable(method, frontClientOf(request).era)
    return call.ask(method, params, signal)
  }
}
