// References of tasks: what finds a task again, after a restart too.
import { typeError } from '../../../primitives/help.ts'
import { quoteShort } from '../../../primitives/quote.ts'
import { isTaskReference } from '../../../types/extensions/task-reference.ts'
import type { TaskReference, TaskReferences, TaskState } from '../../../types/extensions/tasks.ts'

/** Tasks of one client that nobody has looked at to their end. Beyond this the oldest go. */
export const MAX_REFERENCES = 10_000

/** Keeps references for as long as the process lives. */
export class MemoryTaskReferences implements TaskReferences {
  readonly #references = new Map<string, TaskReference>()

  add(reference: TaskReference): void {
    const key = keyOf(reference)
    this.#references.delete(key)
    this.#references.set(key, reference)
    for (const oldest of this.#references.keys()) {
      if (this.#references.size <= MAX_REFERENCES) break
      this.#references.delete(oldest)
    }
  }

  remove(reference: TaskReference): void {
    this.#references.delete(keyOf(reference))
  }

  list(): TaskReference[] {
    return [...this.#references.values()]
  }
}

function keyOf({ server, taskId }: TaskReference): string {
  return JSON.stringify([server, taskId])
}

/** Throws `TypeError` for what is not a reference, or is one of another server or, where one is given, of another tool. */
export function checkReference(reference: TaskReference, server: string, tool: string = reference?.tool): void {
  if (!isTaskReference(reference)) {
    throw typeError('wrong-argument', 'resume() needs the reference of a job.')
  }
  if (reference.tool !== tool) {
    throw typeError(
      'wrong-argument',
      `The task is of the tool ${quoteShort(reference.tool)}, not ${quoteShort(String(tool))}.`,
    )
  }
  if (reference.server === server) return
  throw typeError(
    'wrong-argument',
    `The task is on ${quoteShort(reference.server, MAX_SHOWN)}, and this client is of ${quoteShort(server, MAX_SHOWN)}. Resume it with a client of that server.`,
  )
}

/** Addresses of servers differ at their end. */
const MAX_SHOWN = 200

/** What is known of a task whose state was not asked for yet. */
export function stateOfReference({ taskId, createdAt, ttlMs }: TaskReference): TaskState {
  return { taskId, status: 'working', createdAt, lastUpdatedAt: createdAt, ttlMs }
}
