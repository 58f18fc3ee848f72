// The high-level server: tools, resources and prompts as plain functions, in every revision.

import type { Transform } from '../compose/sources/transform.ts'
import type { Channel, Connectable, ConnectOptions, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { withHelp } from '../primitives/help.ts'
import type { AnyArguments, StringMembers } from '../primitives/json/objects.ts'
import { loading } from '../primitives/loading.ts'
import { checkKind } from '../primitives/options.ts'
import { type ServerSettings, SOURCE } from '../server/core.ts'
import type { Middleware } from '../server/handlers.ts'
import { coreOf } from '../server/internals.ts'
import type { Lease } from '../server/lifespan/lifespan.ts'
import type { ServedConnection } from '../server/serve.ts'
import { checkServerName, Server } from '../server/server.ts'
import type { SkillSource } from '../types/extensions/skills.ts'
import type { CompleteResult } from '../types/features/completion.ts'
import type { GetPromptResult, ListPromptsResult } from '../types/features/prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../types/features/resources.ts'
import type { CallToolResult, ListToolsResult } from '../types/features/tools.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ClientRequestParamsByMethod, ClientRequestResultByMethod } from '../types/protocol/methods.ts'
import type { DirectCallOptions, DirectListOptions } from './direct-calls.ts'
import type { AppHandle, AppOptions } from './extensions/app-options.ts'
import { askExtension } from './extensions/extension-parts.ts'
import type { DynamicSkillOptions, SkillHandle, SkillOptions } from './extensions/skill-options.ts'
import type { Context } from './handlers/context.ts'
import { optionsAndHandler } from './handlers/definition-options.ts'
import type { MountHandle, ServerMountOptions } from './mounting/mount-options.ts'
import type { Mountable } from './mounting/mountable.ts'
import { Mounts } from './mounts.ts'
import { checkOptions, type MCPServerOptions, serverOptions } from './options.ts'
import type { Completer } from './prompts/completion.ts'
import type { CompletionHandle, CompletionReference } from './prompts/completions.ts'
import type { PromptDefinition, PromptHandle, PromptHandler, PromptOptions } from './prompts/prompt.ts'
import { RegistrySource } from './registry-source.ts'
import {
  type AnyResourceDefinition,
  type ResourceHandle,
  type ResourceOptions,
  type ResourceReader,
  resource,
} from './resources/resource.ts'
import { type RunOptions, type RunOptionsOf, type RunOutcome, type RunTransport, runServer } from './run.ts'
import type { InlineToolHandler, ToolDefinition, ToolHandle, ToolHandler, ToolOptions } from './tools/tool.ts'
import type { HandlerValue, Schema, ToolTypesOf } from './tools/typed.ts'

/**
 * A server with tools, resources and prompts. One server serves all connections. `Definitions` are the tools given to the
 * constructor, `Life` is the type of the lifespan.
 *
 * @example
 * ```ts
 * import { MCPServer } from 'mcpwire'
 * import { z } from 'zod'
 * const server = new MCPServer('calculator')
 * server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)
 * await server.run()
 * ```
 */
export class MCPServer<const Definitions extends readonly ToolDefinition[] = readonly ToolDefinition[], Life = unknown>
  implements Connectable, AsyncDisposable
{
  /** The types of the tools, for typed clients. Does not exist at run time. */
  declare readonly '~tools'?: ToolTypesOf<Definitions>
  /** The low-level server, to handle methods yourself. */
  readonly server: Server
  readonly #source: RegistrySource
  #mounts: Mounts | undefined

  constructor(name: string, options: MCPServerOptions<Definitions, Life> = {}) {
    checkServerName('MCPServer', name)
    const given = options as MCPServerOptions
    checkOptions(given)
    const settings: ServerSettings = {
      ...serverOptions(name, given, () => coreOf(this.server)),
      [SOURCE]: (core) => new RegistrySource(core, given),
    }
    this.server = new Server(name, settings)
    this.#source = coreOf(this.server).source as RegistrySource
    const { capabilities = {}, extensions = [] } = options
    this.#source.serveDeclared(capabilities)
    for (const definitions of [options, ...extensions]) this.#addAll(definitions)
  }

  /** The name that clients see in `serverInfo`. */
  get name(): string {
    return this.server.info.name
  }

  /** The context of the handler that is running. Needs the option `ambientContext`. */
  get currentContext(): Context<Life> | undefined {
    const { ambient } = this.#source.host
    if (ambient === undefined)
      throw withHelp(
        'wrong-option',
        new Error(
          'server.currentContext was read without the option ambientContext. Set ambientContext: true in new MCPServer().',
        ),
      )
    return ambient.get() as Context<Life> | undefined
  }

  /** Registers a tool. Throws if something is wrong with the definition. */
  tool(name: string, run: ToolHandler<undefined, undefined, Life>): ToolHandle<undefined, undefined, Life>
  tool<
    const Input extends Schema | undefined = undefined,
    const Output extends Schema | undefined = undefined,
    const Value extends HandlerValue<Output> = HandlerValue<Output>,
  >(
    name: string,
    options: ToolOptions<Input, Output, Life>,
    run: InlineToolHandler<Input, Output, Value, Life>,
  ): ToolHandle<Input, Output, Life>
  tool(name: string, options: object, run?: unknown): unknown {
    this.#mounts?.claim('tools/list', name)
    return this.#source.addTool({ name, ...optionsAndHandler<ToolDefinition>(options, run) })
  }

  /** Registers a resource. A `{` in the uri makes it an RFC 6570 template, whose variables are passed to the reader. */
  resource<const Uri extends string>(uri: Uri, read: ResourceReader<Uri, Life>): ResourceHandle<Uri, Life>
  resource<const Uri extends string>(
    uri: Uri,
    options: ResourceOptions<Life>,
    read: ResourceReader<Uri, Life>,
  ): ResourceHandle<Uri, Life>
  resource(definition: AnyResourceDefinition): ResourceHandle
  resource(uri: string | AnyResourceDefinition, options: object = {}, read?: unknown): unknown {
    return this.#addResource(typeof uri === 'string' ? resource(uri, options, read as ResourceReader) : uri)
  }

  /** Registers a prompt. Throws if something is wrong with the definition. */
  prompt(name: string, run: PromptHandler<undefined, Life>): PromptHandle<undefined, Life>
  prompt<const Input extends Schema | undefined = undefined>(
    name: string,
    options: PromptOptions<Input, Life>,
    run: PromptHandler<Input, Life>,
  ): PromptHandle<Input, Life>
  prompt(name: string, options: object, run?: unknown): unknown {
    this.#mounts?.claim('prompts/list', name)
    return this.#source.addPrompt({ name, ...optionsAndHandler<PromptDefinition>(options, run) })
  }

  /** Registers a completer for an argument of a prompt or a variable of a template. It goes before the one in their definition. */
  completion(ref: CompletionReference, argument: string, complete: Completer<Life>): CompletionHandle<Life> {
    return this.#source.addCompletion(ref, argument, complete as Completer) as CompletionHandle<Life>
  }

  /** Registers an app: an HTML view that hosts show for the tools that name it. Needs `apps()` among the extensions. */
  app(uri: string, options: AppOptions<Life>): AppHandle<Life> {
    const add = askExtension(coreOf(this.server).extensions, 'app')
    return add(this as unknown as MCPServer, uri, options as AppOptions) as AppHandle<Life>
  }

  /** Registers a skill: instructions, with their files, that a model loads when it needs them. Needs `skills()` among the extensions. */
  skill(source: SkillSource, options?: SkillOptions<Life>): SkillHandle<Life>
  skill(name: string, options: DynamicSkillOptions<Life>): SkillHandle<Life>
  skill(source: SkillSource | string, options: SkillOptions<Life> | DynamicSkillOptions<Life> = {}): SkillHandle<Life> {
    const add = askExtension(coreOf(this.server).extensions, 'skill')
    return add(this as unknown as MCPServer, source, options as SkillOptions) as SkillHandle<Life>
  }

  /**
   * Shows what another server of this process has as part of this one: `main.mount(weather, { as: 'weather' })`. Live in both
   * directions; the other server keeps its middleware, its lifespan and its access rules, and may be served by itself as well.
   */
  mount(source: Mountable, options: ServerMountOptions<Life> = {}): MountHandle {
    return this.#composed.mount(source, options as ServerMountOptions)
  }

  /** Changes what clients see of this server and of what is mounted in it. In order, the last outermost. */
  transform(...transforms: readonly Transform[]): this {
    this.#composed.transform(transforms)
    return this
  }

  /** Adds a middleware, inside the existing ones. */
  use(middleware: Middleware): this {
    this.server.use(middleware)
    return this
  }

  /** Notifies all subscribers of a resource that it has changed. */
  notifyResourceUpdated(uri: string): Promise<void> {
    return this.server.announce({ type: 'resourceUpdated', uri })
  }

  /** Runs the server. Over stdio this resolves when the client has disconnected, over HTTP as soon as the server listens. */
  run<Transport extends RunTransport = 'stdio'>(options?: RunOptionsOf<Transport>): Promise<RunOutcome<Transport>>
  run(options: RunOptions = {}): Promise<unknown> {
    return runServer(this.server, options)
  }

  /** Serves one client over a channel or transport, legacy or modern. */
  connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    return this.server.connect(target, onFault)
  }

  /** Connects a dispatcher to this server without a transport. `Client.connect(server)` does this for you. */
  connectInProcess(options?: ConnectOptions): Promise<Dispatcher> {
    return this.server.connectInProcess(options)
  }

  /** Starts the lifespan and keeps it until the lease is released, also between connections. */
  start(): Promise<Lease> {
    return this.server.start()
  }

  /** Closes all connections. Running requests get `drainMs` to finish. */
  close(options?: { drainMs?: number }): Promise<void> {
    return this.server.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  // The methods below are for unit tests: they call the handlers without a client and without middleware.

  /** Lists tools without a client, as a connected client gets them. */
  listTools(options: DirectListOptions = {}): Promise<ListToolsResult> {
    return this.#call('tools/list', cursorOf(options), options)
  }

  /** Calls a tool without a client. A failed tool resolves to a result with `isError: true`. */
  callTool(name: string, args: AnyArguments = {}, options?: DirectCallOptions): Promise<CallToolResult> {
    return this.#call('tools/call', { name, arguments: args as JSONObject }, options)
  }

  /** Lists resources without a client. Templates are in `listResourceTemplates`. */
  listResources(options: DirectListOptions = {}): Promise<ListResourcesResult> {
    return this.#call('resources/list', cursorOf(options), options)
  }

  /** Lists resource templates without a client. */
  listResourceTemplates(options: DirectListOptions = {}): Promise<ListResourceTemplatesResult> {
    return this.#call('resources/templates/list', cursorOf(options), options)
  }

  /** Reads a resource without a client. An unknown URI is an `MCPError`. */
  readResource(uri: string, options?: DirectCallOptions): Promise<ReadResourceResult> {
    return this.#call('resources/read', { uri }, options)
  }

  /** Lists prompts without a client. */
  listPrompts(options: DirectListOptions = {}): Promise<ListPromptsResult> {
    return this.#call('prompts/list', cursorOf(options), options)
  }

  /** Renders a prompt without a client. */
  getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options?: DirectCallOptions,
  ): Promise<GetPromptResult> {
    return this.#call('prompts/get', { name, arguments: { ...args } as Record<string, string> }, options)
  }

  /** Completes an argument of a prompt or a variable of a resource template without a client. */
  complete<Arguments extends StringMembers<Arguments>>(
    ref: CompletionReference,
    argument: { name: string; value: string },
    contextArguments?: Arguments,
    options?: DirectCallOptions,
  ): Promise<CompleteResult> {
    const params = { ref, argument, context: { arguments: { ...contextArguments } as Record<string, string> } }
    return this.#call('completion/complete', params, options)
  }

  /** Loaded here: only tests call a server like this. */
  async #call<Method extends keyof ClientRequestParamsByMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
    options?: DirectCallOptions,
  ): Promise<ClientRequestResultByMethod[Method]> {
    const { callDirectly } = await loading(import('./direct-calls.ts'))
    return callDirectly(this.#source.host.server, method, params, options)
  }

  get #composed(): Mounts {
    this.#mounts ??= new Mounts(this.#source.host, this.#source)
    return this.#mounts
  }

  #addAll({
    tools = [],
    resources = [],
    prompts = [],
  }: Pick<MCPServerOptions, 'tools' | 'resources' | 'prompts'>): void {
    for (const definition of tools) {
      checkKind('Each of the tools', definition, 'object', "tool('add', options, run)")
      this.#source.addTool(definition)
    }
    for (const definition of resources) this.#addResource(definition)
    for (const definition of prompts) {
      checkKind('Each of the prompts', definition, 'object', "prompt('greet', options, run)")
      this.#source.addPrompt(definition)
    }
  }

  #addResource(definition: AnyResourceDefinition): ResourceHandle {
    checkKind('A resource', definition, 'object', "resource('notes://today', options, read)")
    return this.#source.addResource(definition)
  }
}

function cursorOf({ cursor }: DirectListOptions): { cursor?: string } {
  return cursor === undefined ? {} : { cursor }
}
