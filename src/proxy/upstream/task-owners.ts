// Whose the tasks of a source are. A source that knows the proxy alone would show them to every caller who has learned an id.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { principalKeyOf } from '../base/caller.ts'
import { taskIn } from '../tasks/drive-task.ts'

const MAX_TASKS = 100_000
const MAX_LENGTH = 1_024

export class TaskOwners {
  /** By the id at the front. */
  readonly #owners = new Map<string, string>()

  /**
   * A request as this caller may make it: news of another caller's tasks are not subscribed to. Throws `MCPError` -32602 for a task
   * that another caller has started here.
   */
  allow(request: ServerRequestContext, method: string, params: JSONObject): JSONObject {
    if (this.#owners.size === 0) return params
    if (method.startsWith('tasks/') && this.#isForeign(request, params['taskId'])) {
      throw new MCPError(
        ErrorCode.InvalidParams,
        'Unknown task. It does not exist, has expired, or belongs to another caller.',
      )
    }
    const { notifications } = params
    if (method !== 'subscriptions/listen' || !isPlainObject(notifications)) return params
    const { taskIds } = notifications
    if (!Array.isArray(taskIds) || !taskIds.some((id) => this.#isForeign(request, id))) return params
    const own = taskIds.filter((id) => !this.#isForeign(request, id))
    return { ...params, notifications: { ...notifications, taskIds: own } }
  }

  /** A result of the source as this caller may see it. A call that has become a task is the caller's from here on. */
  show(request: ServerRequestContext, method: string, result: JSONObject): JSONObject {
    const id = taskIn(result)?.['taskId']
    if (typeof id === 'string') this.#take(id, principalKeyOf(request))
    if (method !== 'tasks/list' || this.#owners.size === 0 || !Array.isArray(result['tasks'])) return result
    const tasks = result['tasks'].filter((task) => !isPlainObject(task) || !this.#isForeign(request, task['taskId']))
    return tasks.length === result['tasks'].length ? result : { ...result, tasks }
  }

  /** The first one keeps it: an id that a source gives twice must not open the task of somebody else. */
  #take(id: string, owner: string): void {
    if (id.length > MAX_LENGTH || this.#owners.has(id)) return
    const [oldest] = this.#owners.keys()
    if (this.#owners.size >= MAX_TASKS && oldest !== undefined) this.#owners.delete(oldest)
    this.#owners.set(id, owner)
  }

  #isForeign(request: ServerRequestContext, id: unknown): boolean {
    const owner = typeof id === 'string' ? this.#owners.get(id) : undefined
    return owner !== undefined && owner !== principalKeyOf(request)
  }
}
