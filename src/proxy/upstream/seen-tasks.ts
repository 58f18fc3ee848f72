// The tasks that calls of a source became, so that a gateway finds the source of a task by its id.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const MAX_TASKS = 100_000

export class SeenTasks {
  readonly #ids = new Set<string>()

  /** From a result of either dialect: a task in it, or a task itself. */
  note({ taskId, task }: JSONObject): void {
    const id = isPlainObject(task) ? task['taskId'] : taskId
    if (typeof id !== 'string' || this.#ids.has(id)) return
    const [oldest] = this.#ids
    if (this.#ids.size >= MAX_TASKS && oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.add(id)
  }

  has(id: unknown): boolean {
    return typeof id === 'string' && this.#ids.has(id)
  }
}

const KNOWN_TYPES: ReadonlySet<unknown> = new Set([undefined, 'complete', 'input_required'])

/** Whether a result is of a type that only an extension has, for a caller that declared none. */
export function isUnasked({ clientCapabilities }: ServerRequestContext, { resultType }: JSONObject): boolean {
  return !KNOWN_TYPES.has(resultType) && Object.keys(clientCapabilities.extensions ?? {}).length === 0
}
