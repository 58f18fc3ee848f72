// Servers that share a store of tasks, as processes do, on the clock of a test.

import { MemoryTaskStore } from '../../src/backend/memory-task-store.ts'
import type { TaskStore } from '../../src/backend/task-store.ts'
import { Client } from '../../src/client/client.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import { type GivenTasksOptions, TASK_INTERNALS } from '../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import { withTasks } from '../../src/testing/with-tasks.ts'
import { BareTasks, WITH_TASKS } from '../interaction/kit/support-tasks.ts'

export interface TaskNode extends AsyncDisposable {
  readonly server: MCPServer
  readonly faults: Fault[]
  readonly client: Client
  readonly tasks: BareTasks
  /** From here on the process hears and says nothing: what it writes to the store does not arrive. */
  die(): void
}

/** The store as one process has it, by the number of the process. */
export type Reach = (store: TaskStore, clock: FakeClock, node: number) => TaskStore

/** A store and servers on it. `define` adds the tools of each, by its name. */
export class TaskNodes implements AsyncDisposable {
  readonly clock: FakeClock = fakeClock()
  readonly store: TaskStore = new MemoryTaskStore({ now: () => this.clock.now() })
  readonly #nodes: TaskNode[] = []
  readonly #reach: Reach

  constructor(reach: Reach = (store) => store) {
    this.#reach = reach
  }

  /** The value of the promise, while time passes; rejects where it is not there after `withinMs`. */
  async waitFor<T>(promise: Promise<T>, withinMs = 60_000): Promise<T> {
    let isSettled = false
    const settled = () => {
      isSettled = true
    }
    promise.then(settled, settled)
    const step = 100
    for (let ms = 0; ms <= withinMs && !isSettled; ms += step) await this.clock.advance(step)
    if (!isSettled) throw new Error(`Nothing came within ${withinMs} ms`)
    return promise
  }

  async add(define: (server: MCPServer) => void, options: GivenTasksOptions = {}): Promise<TaskNode> {
    const faults: Fault[] = []
    const link = new Link(this.#reach(this.store, this.clock, this.#nodes.length))
    const given: GivenTasksOptions = { ...options, [TASK_INTERNALS]: { store: link.store } }
    const server = withTasks(
      new MCPServer('reports', { extensions: [tasks(given)], onFault: (fault) => faults.push(fault) }),
      { clock: this.clock },
    )
    define(server)
    const client = await Client.connect(server, WITH_TASKS)
    const node: TaskNode = {
      server,
      faults,
      client,
      tasks: new BareTasks(client),
      die: () => link.cut(),
      [Symbol.asyncDispose]: async () => {
        link.cut()
        await client.close()
        await server.close()
      },
    }
    this.#nodes.push(node)
    return node
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node[Symbol.asyncDispose]()
  }
}

/** The way of one process to the store, which can be cut. */
class Link {
  readonly store: TaskStore
  #isCut = false

  constructor(store: TaskStore) {
    this.store = new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (this.#isCut) return name === 'watch' ? () => {} : new Promise(() => {})
          if (name === 'watch') return this.#watch(target, args[0] as Parameters<TaskStore['watch']>[0])
          return Reflect.apply(member as (...given: unknown[]) => unknown, target, args)
        }
      },
    })
  }

  cut(): void {
    this.#isCut = true
  }

  #watch(store: TaskStore, listener: Parameters<TaskStore['watch']>[0]): () => void {
    const unlessCut = (hear: () => void) => {
      if (!this.#isCut) hear()
    }
    return store.watch({
      changed: (id) => unlessCut(() => listener.changed(id)),
      work: () => unlessCut(() => listener.work()),
      missed: () => unlessCut(() => listener.missed()),
    })
  }
}
