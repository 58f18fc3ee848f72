// What the tests of tasks on a server share: a client that sends the bare requests, and waiting for a state.
import type { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { ClientExtension } from '../../../src/client/extensions/extension.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import type { TasksOptions } from '../../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import type { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import { TASKS_EXTENSION, type TaskHandle, type TaskState } from '../../../src/types/extensions/tasks.ts'
import type { InputResponses } from '../../../src/types/features/input-required.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { createServer } from './support-mcpserver.ts'

const OWN = { protocolVersions: ['2026-07-28'], nameParam: 'taskId' } as const

/** Declares tasks and drives none. */
const BARE: ClientExtension = {
  identifier: TASKS_EXTENSION,
  settings: {},
  claims: [{ resultType: 'task', resolve: () => Promise.reject(new Error('The test drives the task')) }],
  requests: { 'tasks/get': OWN, 'tasks/update': OWN, 'tasks/cancel': OWN, 'tasks/list': OWN, 'tasks/result': OWN },
  filters: { taskIds: { notification: 'notifications/tasks', keyParam: 'taskId' } },
}

/** Can send the requests, and does not declare the extension. */
const UNDECLARED: ClientExtension = { ...BARE, identifier: 'com.example/undeclared', claims: [] }

const CALLBACKS: ClientOptions = { onElicitation: () => ({ action: 'decline' }) }

/** Options of a client that takes tasks and can be asked forms. */
export const WITH_TASKS: ClientOptions = { ...CALLBACKS, extensions: [BARE] }

/** Options of a client that does not take tasks. */
export const WITHOUT_TASKS: ClientOptions = { ...CALLBACKS, extensions: [UNDECLARED] }

export function taskServer(
  options: TasksOptions = {},
  others: MCPServerOptions = {},
): { server: MCPServer; faults: Fault[] } {
  return createServer({ ...others, extensions: [tasks(options)] })
}

/** The bare requests about tasks. */
export class BareTasks {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Calls a tool that becomes a task. */
  async start(name: string, args: object = {}): Promise<TaskHandle> {
    const result = (await this.call(name, args)) as TaskHandle
    if (result.resultType !== 'task') throw new Error(`Expected a task, got ${JSON.stringify(result)}`)
    return result
  }

  call(name: string, args: object = {}): Promise<JSONObject> {
    return this.#client.session.callTool(name, args as JSONObject, { allowClaimed: true }) as Promise<JSONObject>
  }

  get(taskId: string): Promise<TaskState> {
    return this.send('tasks/get', { taskId }) as Promise<TaskState>
  }

  update(taskId: string, inputResponses: InputResponses): Promise<JSONObject> {
    return this.send('tasks/update', { taskId, inputResponses })
  }

  cancel(taskId: string): Promise<JSONObject> {
    return this.send('tasks/cancel', { taskId })
  }

  send(method: string, params: object): Promise<JSONObject> {
    return this.#client.session.sendRequest(method, params as JSONObject) as Promise<JSONObject>
  }

  /** Asks until the task is in one of these states. */
  async until(taskId: string, ...statuses: string[]): Promise<TaskState> {
    for (;;) {
      const state = await this.get(taskId)
      if (statuses.includes(state.status)) return state
      await nextTurn()
    }
  }

  ended(taskId: string): Promise<TaskState> {
    return this.until(taskId, 'completed', 'failed', 'cancelled')
  }

  /** The result of a call that becomes a task and ends. */
  async finish(name: string, args: object = {}): Promise<TaskState> {
    const { taskId } = await this.start(name, args)
    return this.ended(taskId)
  }
}

/** Lets timers and input happen, which resolved promises alone do not. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

/** The only key of the open questions. */
export function onlyKey({ inputRequests = {} }: TaskState): string {
  const keys = Object.keys(inputRequests)
  if (keys.length !== 1) throw new Error(`Expected one question, got ${JSON.stringify(keys)}`)
  return keys[0] as string
}
