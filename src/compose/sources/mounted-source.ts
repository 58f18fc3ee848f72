// A server as a source: its middleware and handlers answer for the client of the server that it is mounted in.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { declareInstead, nestContext, type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { ServerCore } from '../../server/core.ts'
import { running } from '../../server/late/running.ts'
import { fillCacheHints } from '../../server/results/caching.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { SubscriptionListener } from '../../server/subscriptions/subscriptions.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { ClientCapabilities, ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { CacheableMethod } from '../../wire/methods.ts'
import { knownComponent } from './known.ts'
import type { ComponentList } from './lists.ts'
import { PreparedPages } from './prepared-pages.ts'
import { searchLists } from './whole-list.ts'

export class MountedSource implements Source {
  readonly core: ServerCore
  readonly #pages = new PreparedPages()

  constructor(core: ServerCore) {
    this.core = core
  }

  /** Tasks are left out: their ids would be known to the mounted server alone. */
  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const { core } = this
    await serverOfRequest(request).startNested(core)
    const description = await running.loaded.describeServer(request, request.protocolVersion, core)
    const { capabilities, instructions, further } = description
    const { tasks: _tasks, logging: _logging, ...offered } = capabilities as JSONObject
    return {
      capabilities: withoutTasks(offered) as ServerCapabilities,
      ...(instructions !== undefined && { instructions }),
      ...(further?.['cacheScope'] === 'private' && { further: { cacheScope: 'private' } }),
    }
  }

  /** Where no middleware of the author's sees the list, the page itself: it is the same one every time. */
  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    const { core } = this
    const { source } = core
    const params = cursor === undefined ? {} : { cursor }
    return this.#whenRunning(request, () => {
      if (source === undefined || !core.chain.isOurs || !core.isFromSource(list)) {
        return running.loaded.runNested(request, this.#nest(request, list, params)) as MaybePromise<ListPage>
      }
      return whenDone(source.list(list, this.#nest(request, list, params), cursor), (page) => this.#hinted(list, page))
    })
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    const given = params['task'] === undefined ? params : withoutTask(params)
    const starting = serverOfRequest(request).startNested(this.core)
    if (starting !== undefined)
      return starting.then(() => running.loaded.runNested(request, this.#nest(request, method, given)))
    // `resources/subscribe` asks whether the caller may watch: the mounted server need not have the method.
    if (method === 'resources/subscribe') return this.#mayWatch(request, given)
    return running.loaded.runNested(request, this.#nest(request, method, given))
  }

  find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    const { source } = this.core
    if (source?.find === undefined) return searchLists(this, list as ComponentList, key, request)
    return this.#whenRunning(request, () => source.find?.(list, key, this.#nest(request, list, {})))
  }

  keys(list: ListMethod): readonly string[] | undefined {
    return this.core.source?.keys?.(list)
  }

  known(list: ListMethod, key: string): Component | undefined {
    return this.core.source && knownComponent(this.core.source, list, key)
  }

  fullName(list: ListMethod, name: string): string | undefined {
    return this.core.source?.fullName?.(list, name)
  }

  /** Without a turn in between where the server runs: what the client sends next must not overtake it. */
  notify(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<void> {
    return this.#whenRunning(request, () =>
      this.core.notificationHandler(method)?.(this.#nest(request, method, params), params),
    )
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.core.source?.mirrored?.(tool, this.#nest(request, request.method, request.params))
  }

  /** The bus has the changes of resources too, which authors announce there. */
  watch(listener: SubscriptionListener): () => void {
    const { subscriptions, source } = this.core
    return subscriptions?.bus.subscribe(listener) ?? source?.watch(listener) ?? (() => {})
  }

  hold(request: ServerRequestContext): MaybePromise<(() => void) | undefined> {
    const { source } = this.core
    if (source?.hold === undefined) return undefined
    return this.#whenRunning(request, () => source.hold?.(this.#nest(request, request.method, request.params)))
  }

  /** What the author of the mounted server says of its list counts beside what is said of the whole. */
  #hinted(list: ListMethod, page: ListPage): ListPage {
    const { cacheHints } = this.core
    if (cacheHints[list as CacheableMethod] === undefined) return page
    return this.#pages.get(
      [page],
      list,
      () => Object.freeze(fillCacheHints(list, page as JSONObject, cacheHints)) as ListPage,
    )
  }

  #mayWatch(request: ServerRequestContext, params: JSONObject): MaybePromise<JSONObject> {
    return (
      this.core.source?.handle(this.#nest(request, 'resources/subscribe', params), 'resources/subscribe', params) ?? {}
    )
  }

  #whenRunning<T>(request: ServerRequestContext, run: () => MaybePromise<T>): MaybePromise<T> {
    return whenDone(serverOfRequest(request).startNested(this.core), run)
  }

  #nest(request: ServerRequestContext, method: string, params: JSONObject | undefined): ServerRequestContext {
    const nested = nestContext(request, this.core, method, params)
    if (request.clientCapabilities.extensions?.[TASKS_EXTENSION] !== undefined) {
      declareInstead(nested, withoutTasks(request.clientCapabilities as JSONObject) as ClientCapabilities)
    }
    return nested
  }
}

function withoutTasks(capabilities: JSONObject): JSONObject {
  const { extensions, ...others } = capabilities
  if (extensions === undefined) return others
  const { [TASKS_EXTENSION]: _tasks, ...rest } = extensions as JSONObject
  return Object.keys(rest).length === 0 ? others : { ...others, extensions: rest }
}

function withoutTask(params: JSONObject): JSONObject {
  const { task: _task, ...others } = params
  return others
}
