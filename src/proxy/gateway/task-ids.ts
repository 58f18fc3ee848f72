// The ids of tasks at a gateway: each leads to one source. A source whose id is taken shows its task under another one.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { RELATED_TASK_META_KEY } from '../../types/protocol/meta.ts'
import { taskIn } from '../tasks/drive-task.ts'

const MAX_TASKS = 100_000
/** A longer id crosses as it is, and leads nowhere. */
const MAX_LENGTH = 1_024

export interface OwnedTask {
  readonly source: string
  /** Its id at the source. */
  readonly own: string
}

type Rename = (id: string) => string | undefined

export class TaskIds {
  /** By the id at the front. */
  readonly #tasks = new Map<string, OwnedTask>()
  /** Of each source: the front ids of the tasks that have another one there. */
  readonly #renamed = new Map<string, Map<string, string>>()

  find(front: unknown): OwnedTask | undefined {
    return typeof front === 'string' ? this.#tasks.get(front) : undefined
  }

  /** The tasks of one source. */
  of(source: string): SourceTaskIds {
    return new SourceTaskIds(this, source)
  }

  /** A call of the source has become this task. */
  add(source: string, own: string): void {
    if (own.length > MAX_LENGTH) return
    const front = this.frontOf(source, own) ?? own
    const owner = this.#tasks.get(front)
    if (owner?.source === source && owner.own === own) return
    this.#makeRoom()
    if (owner === undefined) {
      this.#tasks.set(front, { source, own })
      return
    }
    const other = this.#freeId(source, own)
    this.#tasks.set(other, { source, own })
    const renamed = this.#renamed.get(source) ?? new Map<string, string>()
    this.#renamed.set(source, renamed.set(own, other))
  }

  /** `undefined` where it has the same id at both sides, or is not known. */
  frontOf(source: string, own: string): string | undefined {
    return this.#renamed.get(source)?.get(own)
  }

  hasRenamed(source: string): boolean {
    return this.#renamed.has(source)
  }

  forget(source: string): void {
    this.#renamed.delete(source)
    for (const [front, task] of this.#tasks) if (task.source === source) this.#tasks.delete(front)
  }

  #freeId(source: string, own: string): string {
    const named = `${source}_${own}`
    return this.#tasks.has(named) ? `${source}_${crypto.randomUUID()}` : named
  }

  #makeRoom(): void {
    if (this.#tasks.size < MAX_TASKS) return
    const [oldest] = this.#tasks
    if (oldest === undefined) return
    const [front, { source, own }] = oldest
    this.#tasks.delete(front)
    const renamed = this.#renamed.get(source)
    if (renamed?.get(own) === front) renamed.delete(own)
    if (renamed?.size === 0) this.#renamed.delete(source)
  }
}

export class SourceTaskIds {
  readonly #all: TaskIds
  readonly #source: string

  constructor(all: TaskIds, source: string) {
    this.#all = all
    this.#source = source
  }

  /** The result of a call, as the front gets it. */
  showResult(result: JSONObject): JSONObject {
    const id = taskIn(result)?.['taskId']
    if (typeof id === 'string') this.#all.add(this.#source, id)
    return this.show(result)
  }

  /** A message about tasks of the source, as the front gets it. */
  show<Message extends JSONObject | undefined>(message: Message): Message {
    if (message === undefined || !this.#all.hasRenamed(this.#source)) return message
    return renameIn(message, (own) => this.#all.frontOf(this.#source, own)) as Message
  }

  /** A message of the front, as the source gets it. */
  unshow<Message extends JSONObject | undefined>(message: Message): Message {
    if (message === undefined || !this.#all.hasRenamed(this.#source)) return message
    const ownOf = (front: string) => {
      const task = this.#all.find(front)
      return task?.source === this.#source ? task.own : undefined
    }
    return renameIn(message, ownOf) as Message
  }
}

/** The message itself, where nothing in it has another id. */
function renameIn(message: JSONObject, rename: Rename): JSONObject {
  const { task, _meta: meta } = message
  const renamed = renameId(message, rename)
  const inner = isPlainObject(task) ? renameId(task, rename) : task
  const related = ownMember(meta, RELATED_TASK_META_KEY)
  const shown = isPlainObject(related) ? renameId(related, rename) : related
  if (renamed === message && inner === task && shown === related) return message
  return {
    ...renamed,
    ...(inner !== task && { task: inner }),
    ...(shown !== related && { _meta: { ...(meta as JSONObject), [RELATED_TASK_META_KEY]: shown } }),
  } as JSONObject
}

function renameId(holder: JSONObject, rename: Rename): JSONObject {
  const { taskId } = holder
  const other = typeof taskId === 'string' ? rename(taskId) : undefined
  return other === undefined ? holder : { ...holder, taskId: other }
}
