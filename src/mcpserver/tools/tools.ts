// The tools of a server: registers, lists and calls them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolRequestParams, CallToolResult, ListToolsResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { wantedVersion } from '../../wire/component-versions.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { readToolOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import { hasScopes, isVisible } from '../lists/access.ts'
import { freezePage, Listing } from '../lists/listing.ts'
import { Registry } from '../lists/registry.ts'
import { nameOwner } from '../values/arguments.ts'
import { calling } from '../values/calling.ts'
import { structureOf } from '../values/listed.ts'
import { type CompiledTool, compileTool, type ToolDefinition, type ToolHandle, type ToolParts } from './tool.ts'
import { ToolVersions } from './tool-versions.ts'

export class Tools {
  readonly #host: Host
  readonly #registry: Registry<CompiledTool>
  readonly #listing: Listing<CompiledTool, ListToolsResult>
  readonly #versions: ToolVersions

  constructor(host: Host) {
    this.#host = host
    this.#registry = new Registry({
      kind: 'tool',
      onDuplicate: host.onDuplicate,
      onChange: () => host.announce('toolsListChanged'),
    })
    this.#listing = new Listing(host, this.#registry, {
      list: 'tools',
      choose: (request) => this.#versions.choose(request),
      toResult: (items, structure, nextCursor) =>
        freezePage(
          'tools',
          items.map(({ listed }) => listed[structure]),
          nextCursor,
        ),
    })
    this.#versions = new ToolVersions(this.#registry, (tool, request) => this.#listing.shows(tool, request))
  }

  add({ name, options, run }: ToolDefinition): ToolHandle {
    const read = (changes: Partial<ToolParts>) => readToolOptions(name, changes, this.#host.toolOptions)
    const parts = { ...read(options), run }
    const readChanges = (changes: Partial<ToolParts>) => {
      if (changes.version === undefined || changes.version === parts.version) return read(changes)
      throw rangeError(
        'wrong-option',
        `The version of ${nameOwner('tool', name)} can't change. Register the new version beside it.`,
      )
    }
    const version = this.#versions.claim(name, parts.version)
    const isRegistered = (tool: CompiledTool) => this.#registry.holds(name, tool, version)
    const compile = (given: ToolParts) => compileTool(this.#host, name, given, isRegistered)
    return this.#registry.register(name, parts, compile, readChanges, version) as ToolHandle
  }

  list(request: ServerRequestContext, cursor: string | undefined): ListToolsResult {
    return this.#listing.page(request, cursor)
  }

  /** The arguments that HTTP headers repeat; `undefined` for a tool that the caller cannot see. */
  mirrored(name: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    const { mirrored, access } = this.toCall(name, request) ?? {}
    if (mirrored === undefined || mirrored.length === 0 || access?.visible === undefined) return mirrored
    return isVisible(access, calling.loaded.createHandlerContext(this.#host, request), this.#host)
      ? mirrored
      : undefined
  }

  /** A tool as the caller's list shows it. */
  listed(name: string, request: ServerRequestContext): Tool | undefined {
    const tool = this.toCall(name, request)
    return tool !== undefined && this.#listing.shows(tool, request)
      ? tool.listed[structureOf(request.protocolVersion)]
      : undefined
  }

  /** As it is listed, whoever may see it; `undefined` where several versions have the name. */
  known(name: string): Tool | undefined {
    return this.#registry.find(name)?.listed.anything
  }

  /** The enabled tool of this name; of several versions, the highest. */
  find(name: string): CompiledTool | undefined {
    return this.#registry.find(name) ?? this.#versions.highest(name)
  }

  /** The tool that a call means: with the version that it names, if it names one. */
  toCall(name: string, request: ServerRequestContext, params?: CallToolRequestParams): CompiledTool | undefined {
    const given = (params as JSONObject | undefined) ?? (request.method === 'tools/call' ? request.params : undefined)
    const tool = this.#registry.find(name)
    if (tool === undefined) return this.#versions.find(name, request, given)
    return wantedVersion(given) === undefined ? tool : undefined
  }

  /** The names of the enabled tools, in order. */
  names(): string[] {
    return [...new Set(this.#registry.enabled.map(({ key }) => key))]
  }

  /** Whether the caller sees the tool and has its scopes; false for a tool that is not there. */
  mayUse(name: string, request: ServerRequestContext): boolean {
    const access = this.toCall(name, request)?.access
    if (access === undefined || !hasScopes(access, request)) return false
    return (
      access.visible === undefined ||
      isVisible(access, calling.loaded.createHandlerContext(this.#host, request), this.#host)
    )
  }

  call(
    request: ServerRequestContext,
    params: CallToolRequestParams,
  ): MaybePromise<CallToolResult | InputRequiredResult> {
    return calling.loaded.callTool(this.#host, this, request, params)
  }
}
