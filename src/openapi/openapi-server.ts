// A server whose tools are the operations of a document.
import { staysOutermost } from '../compose/transforms/below.ts'
import { searchTools } from '../compose/transforms/search-tools.ts'
import type { Handle } from '../mcpserver/lists/registry.ts'
import { MCPServer } from '../mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../mcpserver/options.ts'
import type { AnyResourceDefinition } from '../mcpserver/resources/resource.ts'
import type { ToolDefinition } from '../mcpserver/tools/tool.ts'
import { coreOf } from '../server/internals.ts'
import type { OpenAPIDocument } from './document/load.ts'
import { type MappedDocument, mapDocument } from './map-document.ts'
import { checkToolCount } from './openapi-tools.ts'
import { checkServerOptions, type OpenAPIServerOptions } from './options.ts'
import type { OpenAPIReport } from './report.ts'

/** What `reload()` changed, by name of the tool or URI of the resource. */
export interface OpenAPIChanges {
  /** What was not there before. */
  readonly added: readonly string[]
  /** What is different now. */
  readonly changed: readonly string[]
  /** What is gone. */
  readonly removed: readonly string[]
}

interface Registered {
  readonly handle: Handle<never>
  readonly definition: ToolDefinition | AnyResourceDefinition
}

/** A server made by `openAPIServer()`: like any other, with a report, and a way to take a new version of the document. */
export class OpenAPIServer extends MCPServer {
  readonly #given: OpenAPIServerOptions
  readonly #registered = new Map<string, Registered>()
  #report: OpenAPIReport
  #confirmed: string | undefined
  #hasSearch = false

  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: `openAPIServer` uses it.
  private static readonly create = (mapped: MappedDocument, options: OpenAPIServerOptions) => new this(mapped, options)

  private constructor(mapped: MappedDocument, options: OpenAPIServerOptions) {
    const { name = nameOf(mapped.title), version = mapped.version, server = {} } = options
    // Declared from the start: a document without operations may get some when it is reloaded.
    const capabilities = { tools: { listChanged: true }, ...server.capabilities }
    const settings: MCPServerOptions = { ...server, capabilities, ...(version !== undefined && { version }) }
    super(name, settings)
    this.#given = options
    this.#report = mapped.report
    this.#confirmed = mapped.confirmed
    this.#take(mapped)
    this.#tellUnfitting()
  }

  /** Every operation of the document: what it became and under which name, or why it is left out. */
  get report(): OpenAPIReport {
    return this.#report
  }

  /**
   * Takes another version of the document. What is the same stays as it is, the rest is added, changed or removed, and clients
   * get one notification. Credentials go to the origin that they went to before. Rejects, and changes nothing, for a document that
   * cannot be used.
   */
  async reload(document: OpenAPIDocument): Promise<OpenAPIChanges> {
    const mapped = await mapDocument(document, this.#given, this.#confirmed)
    checkCount(mapped, this.#given)
    const changes = this.#take(mapped)
    this.#confirmed = mapped.confirmed
    this.#report = mapped.report
    this.#tellUnfitting()
    return changes
  }

  #tellUnfitting(): void {
    const { faults } = coreOf(this.server)
    for (const message of this.#report.unfitting) faults.report({ kind: 'configuration-warning', message })
  }

  #take({ tools, resources }: MappedDocument): OpenAPIChanges {
    const added: string[] = []
    const changed: string[] = []
    const wanted = new Map<string, ToolDefinition | AnyResourceDefinition>()
    for (const definition of tools) wanted.set(`tool ${definition.name}`, definition)
    for (const definition of resources) wanted.set(`resource ${uriOf(definition)}`, definition)
    const removed = [...this.#registered.keys()].filter((key) => !wanted.has(key))
    for (const key of removed) this.#remove(key)
    for (const [key, definition] of wanted) {
      const known = this.#registered.get(key)
      if (known === undefined) {
        added.push(nameIn(key))
        this.#registered.set(key, { handle: this.#register(definition), definition })
        continue
      }
      // The request may differ where the listing does not: its function is always the new one.
      const isChanged = textOf(known.definition) !== textOf(definition)
      this.#update(known, definition, isChanged)
      if (isChanged) changed.push(nameIn(key))
      this.#registered.set(key, { handle: known.handle, definition })
    }
    this.#search(tools.length)
    return { added, changed, removed: removed.map(nameIn) }
  }

  /** A small server has its list as it is; one that grows gets the search when it is needed. */
  #search(count: number): void {
    const { search = {} } = this.#given
    if (search === false || this.#hasSearch || count <= (search.above ?? DEFAULT_ABOVE)) return
    this.#hasSearch = true
    this.transform(staysOutermost(searchTools({ above: DEFAULT_ABOVE, ...search })))
  }

  #remove(key: string): void {
    this.#registered.get(key)?.handle.remove()
    this.#registered.delete(key)
  }

  #register(definition: ToolDefinition | AnyResourceDefinition): Handle<never> {
    if (!('options' in definition)) return this.resource(definition) as Handle<never>
    const current = { run: definition.run as (args: never, ctx: never) => unknown }
    runs.set(definition, current)
    const run = (args: never, ctx: never) => current.run(args, ctx)
    return this.tool(definition.name, definition.options as never, run as never) as unknown as Handle<never>
  }

  #update({ handle, definition }: Registered, next: ToolDefinition | AnyResourceDefinition, isListed: boolean): void {
    const current = runs.get(definition)
    if (current === undefined || !('options' in next)) {
      ;(handle as unknown as Handle<object>).update({
        ...('meta' in next ? next.meta : {}),
        read: (next as { read: unknown }).read,
      })
      return
    }
    current.run = next.run as (args: never, ctx: never) => unknown
    runs.set(next, current)
    if (!isListed) return
    const cleared = {
      title: undefined,
      description: undefined,
      output: undefined,
      annotations: undefined,
      meta: undefined,
    }
    ;(handle as unknown as Handle<object>).update({
      ...cleared,
      visible: undefined,
      scopes: undefined,
      ...next.options,
    })
  }
}

/** The function that each registered tool calls now, so that a new one needs no announcement. */
const runs = new WeakMap<ToolDefinition | AnyResourceDefinition, { run: (args: never, ctx: never) => unknown }>()

function uriOf(definition: AnyResourceDefinition): string {
  return 'uri' in definition ? definition.uri : definition.uriTemplate
}

function nameIn(key: string): string {
  return key.slice(key.indexOf(' ') + 1)
}

/** What lists show of it. */
function textOf(definition: ToolDefinition | AnyResourceDefinition): string {
  if (!('options' in definition)) return JSON.stringify(definition.meta ?? {})
  const { input, output, ...others } = definition.options
  return JSON.stringify([others, schemaOf(input), schemaOf(output)])
}

function schemaOf(schema: object | undefined): unknown {
  const standard = (schema as { '~standard'?: { jsonSchema?: { input(options: object): unknown } } } | undefined)?.[
    '~standard'
  ]
  return standard === undefined ? schema : standard.jsonSchema?.input({ target: 'draft-2020-12' })
}

const DEFAULT_ABOVE = 40
const MAX_SERVER_NAME = 100

function nameOf(title: string): string {
  return title.replace(/\s+/g, ' ').trim().slice(0, MAX_SERVER_NAME) || 'openapi'
}

/** With a search in place of the list, any number of tools will do. */
function checkCount(mapped: MappedDocument, { search, maxTools }: OpenAPIServerOptions): void {
  if (search === false) checkToolCount(mapped, maxTools)
}

/**
 * A server from an OpenAPI document (3.0, 3.1 or 3.2): one tool per operation. `document` is an object, JSON or YAML text, a path
 * or a URL. Rejects with `OpenAPIError` for a document that cannot be used.
 *
 * @example
 * ```ts
 * import { openAPIServer } from 'mcpwire/openapi'
 * const server = await openAPIServer('./petstore.yaml', { auth: { bearerAuth: () => process.env.TOKEN } })
 * await server.run()
 * ```
 */
export async function openAPIServer(
  document: OpenAPIDocument,
  options: OpenAPIServerOptions = {},
): Promise<OpenAPIServer> {
  checkServerOptions(options)
  const mapped = await mapDocument(document, options)
  checkCount(mapped, options)
  return OpenAPIServer['create'](mapped, options)
}
