// The source of an `MCPServer`: its registered tools, resources, prompts and completions, as each caller sees them.
import type { MaybePromise } from '../primitives/async/promises.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import { running } from '../server/late/running.ts'
import { methodNotFound } from '../server/results/method-not-found.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../server/source.ts'
import type { SubscriptionListener } from '../server/subscriptions/subscriptions.ts'
import { MCPError } from '../types/errors/errors.ts'
import type { CompleteRequestParams } from '../types/features/completion.ts'
import type { GetPromptRequestParams } from '../types/features/prompts.ts'
import type { ReadResourceResult } from '../types/features/resources.ts'
import type { CallToolRequestParams } from '../types/features/tools.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
import type { ListChange } from '../wire/method-rows.ts'
import { missingResourceCode } from '../wire/revision-facts.ts'
import type { Caller } from './handlers/context.ts'
import { createHost, type Host } from './handlers/host.ts'
import type { MCPServerOptions } from './options.ts'
import type { Completer } from './prompts/completion.ts'
import { type CompletionHandle, type CompletionReference, Completions } from './prompts/completions.ts'
import type { PromptDefinition, PromptHandle } from './prompts/prompt.ts'
import { Prompts } from './prompts/prompts.ts'
import type { AnyResourceDefinition, ResourceHandle } from './resources/resource.ts'
import { nestedQuestions, Resources } from './resources/resources.ts'
import type { ToolDefinition, ToolHandle } from './tools/tool.ts'
import { Tools } from './tools/tools.ts'
import { calling } from './values/calling.ts'
import { isInputRequired } from './values/input-required.ts'

/** A feature is served and declared once something of it is registered. */
type Feature = 'tools' | 'resources' | 'prompts' | 'completions'

const METHODS: Readonly<Record<Feature, readonly string[]>> = {
  tools: ['tools/call', 'tools/list'],
  resources: ['resources/read', 'resources/list', 'resources/templates/list'],
  prompts: ['prompts/get', 'prompts/list'],
  completions: ['completion/complete'],
}

export class RegistrySource implements Source {
  readonly interceptsToolCalls = true
  readonly host: Host
  readonly #server: ServerCore
  readonly #tools: Tools
  readonly #resources: Resources
  readonly #prompts: Prompts
  readonly #completions: Completions
  readonly #features = new Set<Feature>()
  readonly #changes = new ListChanges()

  constructor(server: ServerCore, options: MCPServerOptions) {
    this.#server = server
    server.parts.add(() => calling.load(() => import('./calling-parts.ts')))
    this.host = createHost(server, options, {
      announce: (change) => this.#changes.add(change),
      findTool: (name) => this.#tools.find(name),
      readResource: (request, caller, uri) => this.#readNested(request, caller, uri),
    })
    const onCompletable = () => this.#serve('completions')
    this.#tools = new Tools(this.host)
    this.#resources = new Resources(this.host, onCompletable)
    this.#prompts = new Prompts(this.host, onCompletable)
    this.#completions = new Completions(this.host, this.#prompts, this.#resources)
  }

  /** Serves the features of these capabilities, even if nothing of them is registered yet. */
  serveDeclared({ tools, resources, prompts, completions }: NonNullable<MCPServerOptions['capabilities']>): void {
    if (tools !== undefined) this.#serve('tools')
    if (resources !== undefined) this.#serve('resources')
    if (prompts !== undefined) this.#serve('prompts')
    if (completions !== undefined) this.#serve('completions')
  }

  addTool(definition: ToolDefinition): ToolHandle {
    const handle = this.#tools.add(definition)
    this.#serve('tools')
    return handle
  }

  addResource(definition: AnyResourceDefinition): ResourceHandle {
    const handle = this.#resources.add(definition)
    this.#serve('resources')
    return handle
  }

  addPrompt(definition: PromptDefinition): PromptHandle {
    const handle = this.#prompts.add(definition)
    this.#serve('prompts')
    return handle
  }

  addCompletion(ref: CompletionReference, argument: string, complete: Completer): CompletionHandle {
    const handle = this.#completions.add(ref, argument, complete)
    this.#serve('completions')
    return handle
  }

  /** Something else than the registries may have any feature from here on. */
  serveMounted(): void {
    for (const methods of Object.values(METHODS)) this.#handle(methods)
  }

  get tools(): Pick<Tools, 'find' | 'names' | 'mayUse'> {
    return this.#tools
  }

  describe(request: ServerRequestContext): SourceDescription {
    const { listChanged, subscribe } = running.loaded.changesOffered(this.#server, request.protocolVersion)
    const changes = listChanged ? { listChanged } : {}
    const has = (feature: Feature) => this.#features.has(feature)
    return {
      capabilities: {
        ...(has('tools') && { tools: changes }),
        ...(has('resources') && { resources: subscribe ? { ...changes, subscribe } : changes }),
        ...(has('prompts') && { prompts: changes }),
        ...(has('completions') && { completions: {} }),
      },
    }
  }

  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    if (!this.#features.has(list.slice(0, list.indexOf('/')) as Feature)) throw methodNotFound(list)
    switch (list) {
      case 'tools/list':
        return this.#tools.list(request, cursor)
      case 'resources/list':
        return this.#resources.list(request, cursor)
      case 'resources/templates/list':
        return this.#resources.listTemplates(request, cursor)
      case 'prompts/list':
        return this.#prompts.list(request, cursor)
      default:
        throw methodNotFound(list)
    }
  }

  find(list: ListMethod, key: string, request: ServerRequestContext): Component | undefined {
    switch (list) {
      case 'tools/list':
        return this.#tools.listed(key, request)
      case 'resources/list':
        return this.#resources.listed(key, request)
      case 'resources/templates/list':
        return this.#resources.listedTemplate(key, request)
      case 'prompts/list':
        return this.#prompts.listed(key, request)
      default:
        return undefined
    }
  }

  keys(list: ListMethod): readonly string[] {
    switch (list) {
      case 'tools/list':
        return this.#tools.names()
      case 'resources/list':
        return this.#resources.uris()
      case 'resources/templates/list':
        return this.#resources.templateTexts()
      case 'prompts/list':
        return this.#prompts.names()
      default:
        return []
    }
  }

  known(list: ListMethod, key: string): Component | undefined {
    if (list === 'tools/list') return this.#tools.known(key)
    return list === 'prompts/list' ? this.#prompts.known(key) : undefined
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    return this.#answer(request, method, params) as MaybePromise<JSONObject>
  }

  /** The kernel has checked the params of these methods. */
  #answer(request: ServerRequestContext, method: string, params: unknown): MaybePromise<object> {
    switch (method) {
      case 'tools/call':
        return this.#tools.call(request, params as CallToolRequestParams)
      case 'resources/read':
        return this.#resources.read(request, (params as { uri: string }).uri)
      case 'resources/subscribe':
        return this.#resources.checkWatch(request, (params as { uri: string }).uri)
      case 'prompts/get':
        return this.#prompts.get(request, params as GetPromptRequestParams)
      case 'completion/complete':
        return this.#completions.complete(request, params as CompleteRequestParams)
      default:
        throw methodNotFound(method)
    }
  }

  /** One of its own, or one of what is mounted. */
  async #readNested(request: ServerRequestContext, caller: Caller, uri: string): Promise<ReadResourceResult> {
    try {
      return await this.#resources.readNested(request, caller, uri)
    } catch (error) {
      const { source } = this.#server
      const isMissing = error instanceof MCPError && error.code === missingResourceCode(request.protocolVersion)
      if (source === undefined || source === this || !isMissing) throw error
      return requireFinished(uri, await source.handle(request, 'resources/read', { uri }))
    }
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.#tools.mirrored(tool, request)
  }

  /** Calls the listener for changed lists. Changes of a resource go to `Server.announce` instead. */
  watch(listener: SubscriptionListener): () => void {
    return this.#changes.watch(listener)
  }

  #serve(feature: Feature): void {
    this.#features.add(feature)
    this.#handle(METHODS[feature])
  }

  /** A handler that the author has set for one of the methods stays, whichever came first. */
  #handle(methods: readonly string[]): void {
    for (const method of methods) {
      if (this.#server.requestHandler(method) === undefined) this.#server.serveFromSource(method)
    }
  }
}

/** A handler that reads a resource can't pass on what another server asks. */
function requireFinished(uri: string, result: JSONObject): ReadResourceResult {
  if (isInputRequired(result)) throw nestedQuestions(uri)
  return result as ReadResourceResult
}

/** Calls listeners for changed lists, once for all changes of a turn: a thousand new tools are one change. */
class ListChanges {
  readonly #listeners = new Set<{ readonly notify: SubscriptionListener }>()
  readonly #pending = new Set<ListChange>()

  add(change: ListChange): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#notifyAll())
    this.#pending.add(change)
  }

  watch(notify: SubscriptionListener): () => void {
    const listener = { notify }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #notifyAll(): void {
    const changes = [...this.#pending]
    this.#pending.clear()
    for (const type of changes) for (const { notify } of [...this.#listeners]) notify({ type })
  }
}
