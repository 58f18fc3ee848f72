// The tools of a server: registers, lists and calls them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolRequestParams, CallToolResult, ListToolsResult, Tool } from '../../types/features/tools.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { createHandlerContext } from '../handlers/context.ts'
import { readToolOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import { hasScopes, isVisible } from '../lists/access.ts'
import { freezePage, Listing } from '../lists/listing.ts'
import { Registry } from '../lists/registry.ts'
import { structureOf } from '../values/listed.ts'
import { type CompiledTool, compileTool, type ToolDefinition, type ToolHandle, type ToolParts } from './tool.ts'
import { callTool } from './tool-call.ts'

export class Tools {
  readonly #host: Host
  readonly #registry: Registry<CompiledTool>
  readonly #listing: Listing<CompiledTool, ListToolsResult>

  constructor(host: Host) {
    this.#host = host
    this.#registry = new Registry({
      kind: 'tool',
      onDuplicate: host.onDuplicate,
      onChange: () => host.announce('toolsListChanged'),
    })
    this.#listing = new Listing(host, this.#registry, {
      list: 'tools',
      toResult: (items, structure, nextCursor) =>
        freezePage(
          'tools',
          items.map(({ listed }) => listed[structure]),
          nextCursor,
        ),
    })
  }

  add({ name, options, run }: ToolDefinition): ToolHandle {
    const read = (changes: Partial<ToolParts>) => readToolOptions(name, changes, this.#host.toolOptions)
    const isRegistered = (tool: CompiledTool) => this.#registry.holds(name, tool)
    const compile = (parts: ToolParts) => compileTool(this.#host, name, parts, isRegistered)
    return this.#registry.register(name, { ...read(options), run }, compile, read) as ToolHandle
  }

  list(request: ServerRequestContext, cursor: string | undefined): ListToolsResult {
    return this.#listing.page(request, cursor)
  }

  /** The arguments that HTTP headers repeat; `undefined` for a tool that the caller cannot see. */
  mirrored(name: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    const { mirrored, access } = this.#registry.find(name) ?? {}
    if (mirrored === undefined || mirrored.length === 0 || access?.visible === undefined) return mirrored
    return isVisible(access, createHandlerContext(this.#host, request), this.#host) ? mirrored : undefined
  }

  /** A tool as the caller's list shows it. */
  listed(name: string, request: ServerRequestContext): Tool | undefined {
    return this.#listing.find(name, request)?.listed[structureOf(request.protocolVersion)]
  }

  /** The enabled tool of this name. */
  find(name: string): CompiledTool | undefined {
    return this.#registry.find(name)
  }

  /** The names of the enabled tools, in order. */
  names(): string[] {
    return this.#registry.enabled.map(({ key }) => key)
  }

  /** Whether the caller sees the tool and has its scopes; false for a tool that is not there. */
  mayUse(name: string, request: ServerRequestContext): boolean {
    const access = this.#registry.find(name)?.access
    if (access === undefined || !hasScopes(access, request)) return false
    return access.visible === undefined || isVisible(access, createHandlerContext(this.#host, request), this.#host)
  }

  call(
    request: ServerRequestContext,
    params: CallToolRequestParams,
  ): MaybePromise<CallToolResult | InputRequiredResult> {
    return callTool(this.#host, this.#registry, request, params)
  }
}
