// Decides for each call of a tool with the option `task` whether it becomes a task: at once, when it takes long, or not at all.
import type { Task } from '../../../backend/task-store.ts'
import { patienceMsOf } from '../../../mcpserver/handlers/patience.ts'
import type { Deadlines } from '../../../primitives/async/deadlines.ts'
import { createDeferred, type MaybePromise } from '../../../primitives/async/promises.ts'
import { extrasOf, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { TaskPlan } from '../options/plan.ts'
import type { DialectRules } from './dialect.ts'
import { InlineCall, isPatienceFinal } from './inline-call.ts'
import { type PromotableCall, Promotion } from './promotion.ts'
import type { TaskRuntime } from './runtime.ts'

export interface CallAround {
  readonly runtime: TaskRuntime
  readonly plan: TaskPlan
  readonly dialects: readonly DialectRules[]
  /** One timer for all calls of the server. */
  readonly deadlines: Deadlines
}

type RunTool = (request?: ServerRequestContext) => MaybePromise<JSONObject>

/** Intermediaries cut requests that are silent for about a minute. */
const LONGEST_WAIT_MS = 25_000

/** The rest is for the answer to arrive in. */
const SHARE_OF_PATIENCE = 0.8

/** Runs the tool, or answers with a task that runs it. */
export function callAsTask(
  around: CallAround,
  request: ServerRequestContext,
  params: CallToolRequestParams,
  next: RunTool,
): MaybePromise<JSONObject> {
  // The run of a task: it is one already.
  if (request.task !== undefined) return next()
  const { runtime, plan, dialects } = around
  const rules = dialects.find(({ protocolVersions }) => protocolVersions.includes(request.protocolVersion))
  if (rules?.takesTask(request, params) !== true) {
    if (plan.mode === 'required' && rules !== undefined) rules.refuse(request, params)
    return runInline(around, request, next)
  }
  const isAtOnce = plan.mode === 'always' || plan.mode === 'required' || rules.isAskedFor(params)
  if (isAtOnce) return createTask(runtime, plan, rules, request, params)
  return runPromotable(around, { runtime, plan, rules, request, params }, next)
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

/** With `manual`, only the handler decides. */
function runPromotable({ deadlines }: CallAround, call: PromotableCall, next: RunTool): MaybePromise<JSONObject> {
  const { mode, promoteAfterMs } = call.plan
  if (mode === 'manual') return new Promotion(call, deadlines, Infinity).run(next)
  const patienceMs = patienceMsOf(call.request) ?? Infinity
  const waitMs = Math.min(promoteAfterMs, LONGEST_WAIT_MS, patienceMs * SHARE_OF_PATIENCE)
  return new Promotion(call, deadlines, waitMs).run(next)
}

function runInline({ deadlines }: CallAround, request: ServerRequestContext, next: RunTool): MaybePromise<JSONObject> {
  const { clock } = serverOfRequest(request)
  const startedAt = clock.monotonic()
  const answer = createDeferred<JSONObject>()
  const mayBeStopped = patienceMsOf(request) !== undefined && isPatienceFinal(request)
  const abort = mayBeStopped ? extrasOf(request).makeAbortable() : undefined
  const stop = (result: JSONObject, reason: unknown) => {
    answer.resolve(result)
    abort?.(reason)
  }
  const create = () => new InlineCall(request, clock, deadlines, { startedAt, stop })
  // Before the handler starts, where its questions are to stop the clock.
  const early = mayBeStopped ? create() : undefined
  const outcome = next()
  if (!(outcome instanceof Promise)) return outcome
  const inline = early ?? create()
  inline.begin()
  outcome.then(answer.resolve, answer.reject)
  return answer.promise.finally(() => inline.end())
}
