// Calls of tools as tasks of revision 2025-11-25, for an extension that finishes them. Loaded for servers that offer such tasks.

import type { Progress } from '../../dispatcher/dispatcher.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { assertDuration } from '../../primitives/options.ts'
import type { CreateTaskResult } from '../../types/features/tasks.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { hasCoreTasks } from '../../wire/revision-facts.ts'
import type { ClientToolCallOptions } from '../client-options.ts'
import type { TaskCallRules } from '../extensions/extension.ts'
import { internalsOf } from '../session/internals.ts'
import type { ClientSession } from '../session/session.ts'
import type { ClaimedCalls } from './claimed-calls.ts'

/** A call of a tool, as the author of the client wrote it. */
export interface ToolCall {
  readonly name: string
  readonly args: JSONObject | undefined
  readonly options: ClientToolCallOptions
  /** Called where the tool could be called as a task, and the caller did not ask for it. */
  readonly onPlain?: (() => void) | undefined
}

/** Whether the server says that tools can be called as tasks. At other revisions no server can. */
export function offersTaskCalls({ protocolVersion, serverCapabilities }: ClientSession): boolean {
  return hasCoreTasks(protocolVersion) && serverCapabilities?.tasks?.requests?.tools?.call !== undefined
}

/**
 * Sends a call as a task where the listing of the tool allows it and `rules` want it. `undefined`: it is to be sent plainly.
 * Spec, Tasks: neither the capability of the server alone nor the listing alone is enough.
 */
export async function sendAsTask(
  session: ClientSession,
  { name, args, options, onPlain }: ToolCall,
  rules: Pick<TaskCallRules, 'taskFor'>,
): Promise<CreateTaskResult | CallToolResult | undefined> {
  if (!offersTaskCalls(session)) return undefined
  const internals = internalsOf(session)
  const startedAt = monotonicNow()
  const support = await internals.taskSupport(name, options)
  if (support !== 'optional' && support !== 'required') return undefined
  const task = rules.taskFor({ toolName: name, options, isRequired: support === 'required' })
  if (task === undefined) {
    onPlain?.()
    return undefined
  }
  const { maxTotalMs } = options
  const left = maxTotalMs === undefined ? {} : { maxTotalMs: Math.max(0, maxTotalMs - (monotonicNow() - startedAt)) }
  const params = { name, ...(args !== undefined && { arguments: args }), task: { ...task } }
  const result = await internals.request('tools/call', params, { ...options, ...left })
  return result as CreateTaskResult | CallToolResult
}

export function isTaskCreated(result: CreateTaskResult | CallToolResult): result is CreateTaskResult {
  return isPlainObject(ownMember(result, 'task'))
}

/** Calls tools as tasks, and has the extension finish them within the limits of each call. */
export class TaskCalls {
  readonly #session: ClientSession
  readonly #claimed: ClaimedCalls
  readonly #rules: TaskCallRules

  constructor(session: ClientSession, claimed: ClaimedCalls, rules: TaskCallRules) {
    this.#session = session
    this.#claimed = claimed
    this.#rules = rules
  }

  /** `undefined`: the call is to be sent plainly. */
  async call({ name, args, options, onPlain }: ToolCall): Promise<CallToolResult | undefined> {
    // As the request does, before the tool is looked up.
    assertDuration('timeoutMs', options.timeoutMs ?? 0)
    assertDuration('maxTotalMs', options.maxTotalMs ?? 0)
    const startedAt = options.maxTotalMs === undefined ? 0 : monotonicNow()
    const followed = new FollowedProgress(this.#session, options)
    try {
      const sent = { ...options, ...followed.options }
      const result = await sendAsTask(this.#session, { name, args, options: sent, onPlain }, this.#rules)
      if (result === undefined) return undefined
      const call = { toolName: name, options, startedAt }
      if (isTaskCreated(result)) return await this.#claimed.finish(this.#rules, result, call)
      // Against the specification, but the result that the caller wants.
      await internalsOf(this.#session).checkToolResult(name, result, options)
      return result
    } finally {
      followed.stop()
    }
  }
}

/** Spec, Tasks: the progress token of a call stays good until its task has ended, long after the answer to the request. */
class FollowedProgress {
  readonly options: Pick<ClientToolCallOptions, 'onProgress' | 'onRequestId'> = {}
  #last = Number.NEGATIVE_INFINITY
  #stop: (() => void) | undefined

  constructor(session: ClientSession, { onProgress, onRequestId }: ClientToolCallOptions) {
    if (onProgress === undefined) return
    // A notification can come to both the request and the follower.
    const report = (progress: Progress): unknown => {
      if (progress.progress <= this.#last) return undefined
      this.#last = progress.progress
      // What an async function returns is for whoever calls `report`: it may reject.
      return onProgress(progress)
    }
    this.options = {
      onProgress: report,
      onRequestId: (id) => {
        this.#stop = internalsOf(session).followProgress(id, report)
        return onRequestId?.(id)
      },
    }
  }

  stop(): void {
    this.#stop?.()
  }
}
