// Decides for each call of a tool with the option `task` whether it becomes a task.
import type { Task } from '../../../backend/task-store.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { TaskPlan } from '../options/plan.ts'
import type { DialectRules } from './dialect.ts'
import type { TaskRuntime } from './runtime.ts'

export interface CallAround {
  readonly runtime: TaskRuntime
  readonly plan: TaskPlan
  readonly dialects: readonly DialectRules[]
}

/** Runs the tool, or answers with a task that runs it. */
export function callAsTask(
  { runtime, plan, dialects }: CallAround,
  request: ServerRequestContext,
  params: CallToolRequestParams,
  next: () => MaybePromise<JSONObject>,
): MaybePromise<JSONObject> {
  // The run of a task: it is one already.
  if (request.task !== undefined) return next()
  const rules = dialects.find(({ protocolVersions }) => protocolVersions.includes(request.protocolVersion))
  if (rules?.takesTask(request, params) !== true) {
    if (plan.mode === 'required') return rules === undefined ? next() : rules.refuse(request, params)
    return next()
  }
  const isAtOnce = plan.mode === 'always' || plan.mode === 'required' || rules.isAskedFor(params)
  return isAtOnce ? createTask(runtime, plan, rules, request, params) : next()
}

async function createTask(
  runtime: TaskRuntime,
  plan: TaskPlan,
  rules: DialectRules,
  request: ServerRequestContext,
  params: CallToolRequestParams,
): Promise<JSONObject> {
  const ttlMs = rules.ttlMs(plan, params)
  const onCreated = (task: Task) => rules.created?.(request, task)
  const { task } = await runtime.create(request, params.name, { dialect: rules.name, plan, ttlMs, onCreated })
  return rules.toHandle(task, runtime.now)
}
