// A source whose calls can become tasks of the proxy, where its own tasks do not cross or it has none.
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { hasCoreTasks } from '../../wire/revision-facts.ts'
import { frontClientOf } from '../base/caller.ts'
import type { Upstream } from '../pool/upstream.ts'
import type { FrontTasks } from './front-tasks.ts'

export class TaskedSource implements Source {
  readonly #source: Source
  readonly #upstream: Upstream
  readonly #tasks: FrontTasks
  /** Whether callers get tasks where the source has none at all. */
  readonly #always: boolean

  constructor(source: Source, upstream: Upstream, tasks: FrontTasks, always: boolean) {
    this.#source = source
    this.#upstream = upstream
    this.#tasks = tasks
    this.#always = always
  }

  /** Whether tasks of this caller are those of the proxy. Tasks of one kind on both sides cross as they are. */
  isBridged(request: ServerRequestContext): boolean {
    const { era, offersTasks, forward } = this.#upstream
    if (!this.#tasks.serves(request) || !forward.tasks || era === undefined) return false
    const { era: front, offered } = frontClientOf(request)
    if (front === 'legacy' && (offered === undefined || !hasCoreTasks(offered))) return false
    return front === era ? this.#always && !offersTasks : this.#always || offersTasks
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const description = await this.#source.describe(request)
    if (!this.isBridged(request)) return description
    const { capabilities, extensions } = description
    if (frontClientOf(request).era === 'modern') {
      return { ...description, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
    }
    const tasks = { cancel: {}, requests: { tools: { call: {} } } }
    return { ...description, capabilities: { ...capabilities, tasks } }
  }

  async list(list: ListMethod, request: ServerRequestContext, cursor?: string): Promise<ListPage> {
    const page = await this.#source.list(list, request, cursor)
    if (list !== 'tools/list' || frontClientOf(request).era === 'modern' || !this.isBridged(request)) return page
    const { tools = [] } = page as unknown as { tools?: JSONObject[] }
    const optional = tools.map((tool) => ({ ...tool, execution: { taskSupport: 'optional' } }))
    return { ...page, tools: optional } as unknown as ListPage
  }

  async handle(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    if (method !== 'tools/call' || !this.isBridged(request)) return this.#source.handle(request, method, params)
    const { task: _task, ...own } = params
    return this.#tasks.call(request, params, async (given) => this.#source.handle(given, method, own))
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    await this.#source.notify?.(request, method, params)
  }

  mirrored(tool: string, request: ServerRequestContext) {
    return this.#source.mirrored?.(tool, request)
  }

  watch(listener: Parameters<Source['watch']>[0]) {
    return this.#source.watch(listener)
  }

  hold(request: ServerRequestContext) {
    return this.#source.hold?.(request)
  }

  async close(): Promise<void> {
    await this.#source.close?.()
  }
}
