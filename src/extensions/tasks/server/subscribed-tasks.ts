// The member `taskIds` of the filter of `subscriptions/listen`: who may watch which tasks, and what is announced of them.

import type { Task } from '../../../backend/task-store.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../../server/context.ts'
import type { ServerCore } from '../../../server/core.ts'
import type { ExtensionWatch } from '../../../server/extensions/extension.ts'
import type { ChangeNotification } from '../../../server/subscriptions/subscriptions.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskRuntime } from './runtime.ts'
import { toDetailedTask } from './values/wire.ts'

/** A task that clients of this process watch. */
interface Subscribed {
  /** The revision of the task when the first of them came. */
  readonly revision: number
  /** The number of clients that watch it. */
  count: number
  forget(): void
}

export class SubscribedTasks implements ExtensionWatch {
  readonly #server: ServerCore
  readonly #runtime: TaskRuntime
  readonly #subscribed = new Map<string, Subscribed>()

  constructor(server: ServerCore, runtime: TaskRuntime) {
    this.#server = server
    this.#runtime = runtime
  }

  async grant(ctx: ServerRequestContext, ids: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(ids.map((id) => this.#find(id, ctx)))
    const granted = new Set<string>()
    for (const task of found) {
      if (task === undefined || granted.has(task.id)) continue
      granted.add(task.id)
      this.#add(task)
    }
    connectionOfRequest(ctx).defer(() => {
      for (const id of granted) this.#remove(id)
    })
    return [...granted]
  }

  /** What changed before the subscription was open. A task that has ended changes no more: without this, its client would wait for ever. */
  async findMissed(ids: readonly string[]): Promise<readonly string[]> {
    // What can't be read now is looked at again with the changes.
    const read = (id: string) => this.#runtime.store.get(id).catch((error: unknown) => this.#runtime.report(error))
    const found = await Promise.all(ids.map(read))
    const isMissed = (task: Task) =>
      isFinal(task) || task.revision > (this.#subscribed.get(task.id)?.revision ?? Infinity)
    return found.flatMap((task) => (task && isMissed(task) ? [task.id] : []))
  }

  /** Looked up anew each time: the caller may have lost the tool since. */
  async describe(id: string, ctx: ServerRequestContext): Promise<ChangeNotification | undefined> {
    const task = await this.#find(id, ctx)
    if (task === undefined) return undefined
    return { method: 'notifications/tasks', params: toDetailedTask(task, this.#runtime.now) }
  }

  #add({ id, revision }: Task): void {
    const known = this.#subscribed.get(id)
    if (known !== undefined) {
      known.count += 1
      return
    }
    const forget = this.#runtime.watched.add(id, { onTask: () => this.#announce(id) }, revision)
    this.#subscribed.set(id, { revision, count: 1, forget })
  }

  #remove(id: string): void {
    const known = this.#subscribed.get(id)
    if (known === undefined) return
    known.count -= 1
    if (known.count > 0) return
    this.#subscribed.delete(id)
    known.forget()
  }

  #announce(id: string): void {
    const event = { type: 'extensionChanged', filter: 'taskIds', key: id } as const
    // Each node hears of it from the store.
    this.#server.subscriptions?.announceHere(event).catch((error: unknown) => this.#runtime.report(error))
  }

  async #find(id: string, ctx: ServerRequestContext): Promise<Task | undefined> {
    try {
      return await this.#runtime.access.lookUp(ctx, id, 'extension')
    } catch (error) {
      if (error instanceof MCPError && error.code === ErrorCode.InvalidParams) return undefined
      throw error
    }
  }
}
