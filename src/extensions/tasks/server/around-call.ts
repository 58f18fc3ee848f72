// Decides for each call of a tool with the option `task` whether it becomes a task: at once, when it takes long, or not at all.
import type { Task } from '../../../backend/task-store.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import { patienceMsOf } from '../../../mcpserver/handlers/patience.ts'
import { createDeferred, type MaybePromise } from '../../../primitives/async/promises.ts'
import { extrasOf, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../../types/protocol/versions.ts'
import type { DialectRules } from './dialect.ts'
import { InlineCall, isPatienceFinal } from './inline-call.ts'
import { Promotion, type PromotionSetting } from './promotion.ts'
import type { TaskRuntime } from './runtime.ts'

export interface CallSetting extends PromotionSetting {
  readonly dialects: readonly DialectRules[]
}

type RunTool = (request?: ServerRequestContext) => MaybePromise<JSONObject>

/** Intermediaries cut requests that are silent for about a minute. */
const LONGEST_WAIT_MS = 25_000

/** The rest is for the answer to arrive in. */
const SHARE_OF_PATIENCE = 0.8

/** Runs the tool, or answers with a task that runs it. */
export function callAsTask(
  setting: CallSetting,
  plan: TaskPlan,
  request: ServerRequestContext,
  params: CallToolRequestParams,
  next: RunTool,
): MaybePromise<JSONObject> {
  // The run of a task: it is one already.
  if (request.task !== undefined) return next()
  const rules = rulesAt(setting.dialects, request.protocolVersion)
  if (rules?.takesTask(request, params) !== true) {
    if (plan.mode === 'required') refuse(rules, request, params)
    return runInline(setting, request, next)
  }
  const isAtOnce = plan.mode === 'always' || plan.mode === 'required' || rules.isAskedFor(params)
  if (isAtOnce) return createTask(setting.runtime, plan, rules, request, params)
  return new Promotion(setting, plan, rules, request, params, waitMsOf(plan, request)).run(next)
}

function rulesAt(dialects: readonly DialectRules[], version: ProtocolVersion): DialectRules | undefined {
  for (const rules of dialects) if (rules.protocolVersions.includes(version)) return rules
  return undefined
}

function refuse(rules: DialectRules | undefined, request: ServerRequestContext, params: CallToolRequestParams): never {
  if (rules !== undefined) return rules.refuse(request, params)
  const what = `The tool ${JSON.stringify(params.name)} runs as a task only, and revision ${request.protocolVersion} has no tasks.`
  throw new MCPError(ErrorCode.MethodNotFound, `${what} Connect with revision 2025-11-25 or later.`)
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
  const { task } = await runtime.creation.create(request, params.name, { dialect: rules.name, plan, ttlMs, onCreated })
  return rules.toHandle(task, runtime.now)
}

/** How long the caller waits for the result before it gets a task. With `manual`, only the handler decides. */
function waitMsOf({ mode, promoteAfterMs }: TaskPlan, request: ServerRequestContext): number {
  if (mode === 'manual') return Infinity
  const patienceMs = patienceMsOf(request) ?? Infinity
  return Math.min(promoteAfterMs, LONGEST_WAIT_MS, patienceMs * SHARE_OF_PATIENCE)
}

function runInline({ deadlines }: CallSetting, request: ServerRequestContext, next: RunTool): MaybePromise<JSONObject> {
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
  // Created before the handler starts, if its questions are to stop the clock.
  const early = mayBeStopped ? create() : undefined
  const outcome = next()
  if (!(outcome instanceof Promise)) return outcome
  const inline = early ?? create()
  inline.begin()
  outcome.then(answer.resolve, answer.reject)
  return answer.promise.finally(() => inline.end())
}
