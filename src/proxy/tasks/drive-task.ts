// Sees a task of a source through, for a caller that waits for the result: asks how it goes, tells of it as progress, puts its questions
// to the caller, and cancels it with the caller.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Ask } from '../back/back-call.ts'
import type { Era } from '../base/caller.ts'
import { isPeerError } from '../base/failures.ts'

/** Sends a request about the call. Rejects with the error of the source. */
export type SendAboutTask = (method: string, params: JSONObject, signal?: AbortSignal) => Promise<JSONObject>

export interface DrivenCall {
  /** The era of the source. */
  readonly era: Era
  readonly send: SendAboutTask
  readonly ask: Ask
  readonly signal: AbortSignal
  /** Called with each new status message. */
  readonly onStatus: (message: string) => void
}

const DEFAULT_POLL_MS = 1_000
const MIN_POLL_MS = 50
const MAX_POLL_MS = 60_000
const CANCEL_MS = 5_000
const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

interface State {
  readonly id: string
  readonly status: string
  readonly message: string | undefined
  readonly pollMs: number
  readonly whole: JSONObject
}

/** The task that a call became; `undefined` where the result is one of its own. */
export function taskIn(result: JSONObject): JSONObject | undefined {
  const { task, resultType } = result
  if (resultType === 'task') return result
  return isPlainObject(task) && typeof task['taskId'] === 'string' && result['content'] === undefined ? task : undefined
}

/** Whether a source runs a tool as a task only: it refuses a call that does not ask for one. */
export function isTaskRequired(era: Era, error: unknown): boolean {
  if (!isPeerError(error)) return false
  if (era === 'legacy') return error.code === ErrorCode.MethodNotFound
  if (error.code !== ErrorCode.MissingRequiredClientCapability) return false
  const required = ownMember(error.data, 'requiredCapabilities')
  return ownMember(ownMember(required, 'extensions'), TASKS_EXTENSION) !== undefined
}

/** Resolves to the result of the call. */
export async function driveTask(driven: DrivenCall, handle: JSONObject): Promise<JSONObject> {
  const { era, send } = driven
  const { taskId } = handle
  let hasEnded = false
  const seen = (state: State) => {
    hasEnded = ENDS.has(state.status)
  }
  try {
    return await (era === 'modern' ? follow(driven, handle, seen) : followLegacy(driven, handle, seen))
  } catch (error) {
    // Whoever stops waiting wants no task to go on: its caller does not know of it.
    if (!hasEnded) {
      await send('tasks/cancel', { taskId: String(taskId) }, AbortSignal.timeout(CANCEL_MS)).catch(() => {})
    }
    throw error
  }
}

type OnState = (state: State) => void

async function follow(driven: DrivenCall, handle: JSONObject, seen: OnState): Promise<JSONObject> {
  const { send, onStatus, signal } = driven
  const answered = new Set<string>()
  let state = readState(handle)
  let told: string | undefined
  for (;;) {
    seen(state)
    if (state.message !== undefined && state.message !== told) onStatus(state.message)
    told = state.message
    if (state.status === 'completed') return resultOf(state)
    if (state.status === 'failed') throw failureOf(state)
    if (state.status === 'cancelled') throw cancelled()
    if (state.status === 'input_required') await answer(driven, state, answered)
    else await pause(state.pollMs, signal)
    state = readState(await send('tasks/get', { taskId: state.id }))
  }
}

/** Questions of a legacy source come while its result is waited for. */
async function followLegacy(driven: DrivenCall, handle: JSONObject, seen: OnState): Promise<JSONObject> {
  const { send, onStatus, signal } = driven
  let state = readState(handle)
  let told: string | undefined
  for (;;) {
    seen(state)
    if (state.message !== undefined && state.message !== told) onStatus(state.message)
    told = state.message
    if (state.status === 'cancelled') throw cancelled()
    if (state.status !== 'working' && state.status !== 'submitted') {
      return withoutRelation(await send('tasks/result', { taskId: state.id }))
    }
    await pause(state.pollMs, signal)
    state = readState(await send('tasks/get', { taskId: state.id }))
  }
}

async function answer({ send, ask, signal }: DrivenCall, state: State, answered: Set<string>): Promise<void> {
  const questions = state.whole['inputRequests']
  const open = Object.entries(isPlainObject(questions) ? questions : {}).filter(([key]) => !answered.has(key))
  // The source knows the answers already, and goes on in a moment.
  if (open.length === 0) return pause(state.pollMs, signal)
  const answers = await Promise.all(
    open.map(async ([key, question]) => {
      const { method, params } = question as { method: string; params?: JSONObject }
      return [key, await ask(method, params, signal)] as const
    }),
  )
  for (const [key] of answers) answered.add(key)
  await send('tasks/update', { taskId: state.id, inputResponses: Object.fromEntries(answers) })
}

/** Both dialects, in one form. */
function readState(given: JSONObject): State {
  const { taskId, status, statusMessage, pollIntervalMs, pollInterval } = given
  if (typeof taskId !== 'string' || typeof status !== 'string') {
    throw new MCPError(ErrorCode.InternalError, 'The source answered with a task that is none.')
  }
  const wanted = pollIntervalMs ?? pollInterval
  const pollMs = typeof wanted === 'number' && wanted >= 0 ? wanted : DEFAULT_POLL_MS
  return {
    id: taskId,
    status,
    message: typeof statusMessage === 'string' ? statusMessage : undefined,
    pollMs: Math.min(Math.max(pollMs, MIN_POLL_MS), MAX_POLL_MS),
    whole: given,
  }
}

function resultOf({ whole }: State): JSONObject {
  const { result } = whole
  if (isPlainObject(result)) return result
  throw new MCPError(ErrorCode.InternalError, 'The task of the source has ended without a result.')
}

function failureOf({ whole }: State): MCPError {
  const { error, statusMessage } = whole
  const code = ownMember(error, 'code')
  const message = ownMember(error, 'message')
  if (typeof code === 'number' && typeof message === 'string') {
    return new MCPError(code, message, ownMember(error, 'data'))
  }
  const why = typeof statusMessage === 'string' ? statusMessage : 'no reason given'
  return new MCPError(ErrorCode.InternalError, `The task of the source has failed: ${why}`)
}

function cancelled(): MCPError {
  return new MCPError(ErrorCode.InternalError, 'The task of the source was cancelled.')
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** The caller knows of no task. */
function withoutRelation(result: JSONObject): JSONObject {
  const meta = result['_meta']
  if (!isPlainObject(meta) || !Object.hasOwn(meta, RELATED_TASK)) return result
  const { [RELATED_TASK]: _task, ...own } = meta
  if (Object.keys(own).length > 0) return { ...result, _meta: own }
  const { _meta: _left, ...bare } = result
  return bare
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      forgetAbort(signal, end)
      resolve()
    }, ms)
    if (signal.aborted) end()
    else listenForAbort(signal, end)
  })
}
