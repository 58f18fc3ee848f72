// What `tasks()` does on a server: the methods on tasks and the calls that become tasks, on one runtime. Loaded when a server starts.

import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import { Deadlines } from '../../../primitives/async/deadlines.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { ServerCore } from '../../../server/core.ts'
import type { ExtensionWatch, StartedExtension } from '../../../server/extensions/extension.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { GivenTasksOptions } from '../options/tasks-options.ts'
import { type CallSetting, callAsTask } from './around-call.ts'
import type { DialectRules } from './dialect.ts'
import { answerTaskRequest, extensionDialect } from './extension-dialect.ts'
import { type TaskPlans, TaskRuntime } from './runtime.ts'
import { SubscribedTasks } from './subscribed-tasks.ts'

export class ServerTasks {
  readonly runtime: TaskRuntime
  readonly watch: ExtensionWatch
  readonly #dialects: DialectRules[] = [extensionDialect]
  readonly #setting: CallSetting

  constructor(server: ServerCore, options: GivenTasksOptions, plans: TaskPlans) {
    this.runtime = new TaskRuntime(server, options, plans)
    const deadlines = new Deadlines(server.clock, { keepsAlive: false })
    this.#setting = { runtime: this.runtime, dialects: this.#dialects, deadlines }
    this.watch = new SubscribedTasks(server, this.runtime)
  }

  /** Serves tasks in one more flow. */
  addDialect(rules: DialectRules): void {
    this.#dialects.push(rules)
  }

  start(): StartedExtension {
    return this.runtime.start()
  }

  /** A request about a task, in the form of the extension. */
  answer(method: string, ctx: ServerRequestContext, params: JSONObject): MaybePromise<JSONObject> {
    return answerTaskRequest(this.runtime, method, ctx, params)
  }

  /** A call of a tool with the option `task`. */
  call(
    plan: TaskPlan,
    request: ServerRequestContext,
    params: CallToolRequestParams,
    next: (request?: ServerRequestContext) => MaybePromise<JSONObject>,
  ): MaybePromise<JSONObject> {
    return callAsTask(this.#setting, plan, request, params, next)
  }
}
