// Tasks of the proxy itself, for callers that take tasks where the source has none, or those of the other era. One runtime for a front.

import type { Backend } from '../../backend/backend.ts'
import { type GivenTasksOptions, TASK_INTERNALS } from '../../extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../extensions/tasks/tasks.ts'
import type { MCPServerExtensionParts } from '../../mcpserver/extensions/extension-parts.ts'
import type { TaskPlan } from '../../mcpserver/extensions/task-plan.ts'
import { planTask } from '../../mcpserver/extensions/task-plan.ts'
import type { AroundTool } from '../../mcpserver/extensions/tool-options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ServerExtension } from '../../server/extensions/extension.ts'
import type { Server } from '../../server/server.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { actFor, peerOf } from '../base/caller.ts'
import { taskIn } from './drive-task.ts'

const MAX_NAMES = 10_000
const MAX_PEERS = 10_000

type CallTool = (request: ServerRequestContext) => Promise<JSONObject>

export class FrontTasks {
  readonly extension: ServerExtension
  readonly #plan: TaskPlan = planTask('the proxy', true, undefined)
  /** Names of tools that have become tasks: the runtime takes up waiting ones by name. */
  readonly #names = new Set<string>()
  /** The client that each task acts for, while it is known here. */
  readonly #peers = new Map<string, object>()
  readonly #creating = new Set<Promise<unknown>>()
  #around: AroundTool | undefined
  #server: Server | undefined

  constructor(backend: Backend | undefined) {
    const options: GivenTasksOptions = {
      [TASK_INTERNALS]: {
        store: backend?.tasks,
        tools: {
          names: () => [...this.#names],
          find: () => (this.#around === undefined ? undefined : { arounds: [this.#around] }),
          mayUse: () => true,
        },
      },
    }
    this.extension = { identifier: TASKS_EXTENSION, forServer: (server) => this.#partsOf(server, options) }
  }

  /** Whether a request came to this front, and not to a server that one of its sources is mounted in. */
  serves({ server }: ServerRequestContext): boolean {
    return server === this.#server
  }

  /** Runs a call, or answers with a task that runs it, as the client and its patience want it. */
  async call(request: ServerRequestContext, params: JSONObject, next: CallTool): Promise<JSONObject> {
    const around = this.#around as AroundTool
    if (request.task !== undefined) {
      await this.#adopt(request, request.task.id)
      return next(request)
    }
    const name = String(request.params?.['name'])
    if (this.#names.size < MAX_NAMES) this.#names.add(name)
    // A run finds its tool by the name that it has at the front.
    const own = { ...params, name } as unknown as Parameters<AroundTool>[1]
    const answer = Promise.resolve(around(request, own, (given = request) => next(given)))
    const isAtOnce = !isModernVersion(request.protocolVersion)
    if (isAtOnce) this.#creating.add(answer)
    try {
      const result = await answer
      const task = taskIn(result)
      if (task !== undefined) this.#keepPeer(String(task['taskId']), peerOf(request))
      return result
    } finally {
      this.#creating.delete(answer)
    }
  }

  async #adopt(request: ServerRequestContext, id: string): Promise<void> {
    // A run may begin before the call that became a task was answered.
    if (!this.#peers.has(id)) await Promise.allSettled(this.#creating)
    const peer = this.#peers.get(id)
    if (peer !== undefined) actFor(peer, request)
  }

  #keepPeer(id: string, peer: object): void {
    const [oldest] = this.#peers.keys()
    if (this.#peers.size >= MAX_PEERS && oldest !== undefined) this.#peers.delete(oldest)
    this.#peers.set(id, peer)
  }

  #partsOf(server: Server, options: GivenTasksOptions) {
    this.#server = server
    const parts = tasks(options).forServer?.(server) as MCPServerExtensionParts
    const tool = { name: 'any', owner: 'any tool', annotations: undefined, isRegistered: () => true }
    this.#around = parts.toolOptions?.task?.(this.#plan, tool)?.around
    const { toolOptions: _options, ...rest } = parts
    // Each source declares them for the callers that it has them for.
    return { ...rest, isDeclared: () => false, capabilities: () => ({}) }
  }
}
