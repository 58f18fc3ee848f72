// A document as tools and resources, with a report of what became of each operation.

import type { AnyResourceDefinition } from '../mcpserver/resources/resource.ts'
import type { ToolDefinition } from '../mcpserver/tools/tool.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { ApiClient, type OperationCall } from './call/api-client.ts'
import { hasCredentials, hasValues } from './call/credentials.ts'
import type { Place } from './document/library.ts'
import { type LoadedLibrary, loadDocument, type OpenAPIDocument } from './document/load.ts'
import { objectAt, textAt } from './document/members.ts'
import { OpenAPIError } from './document/openapi-error.ts'
import { MappingProblem } from './document/problem.ts'
import { versionOf } from './document/version.ts'
import { collectInbound, collectOperations, type FoundOperation, type OpenAPIOperation } from './operations/collect.ts'
import { annotationsOf, type OperationExtension, readExtension } from './operations/extension.ts'
import { compileMatches, type Matcher } from './operations/filter.ts'
import { type MappedOperation, type MappingScope, mapOperation } from './operations/map-operation.ts'
import { describeOperation, ToolNames } from './operations/names.ts'
import { readSchemes } from './operations/security.ts'
import { Servers } from './operations/servers.ts'
import type { OpenAPITool, OpenAPIToolsOptions } from './options.ts'
import { MutableEntry, type OpenAPIReport } from './report.ts'
import { toResourceDefinition } from './resources.ts'
import { SchemaConverter } from './schemas/converter.ts'
import { toToolDefinition } from './tool-definition.ts'
import { keysOf, unfittingEntries } from './unfitting.ts'

export interface MappedDocument {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly AnyResourceDefinition[]
  readonly report: OpenAPIReport
  readonly title: string
  readonly version: string | undefined
  /** Where its credentials go, without what `authOrigins` lists; `undefined` for nowhere. */
  readonly confirmed: string | undefined
  /** The tags of each tool, to say where many of them come from. */
  readonly tags: ReadonlyMap<string, readonly string[]>
}

/**
 * Throws `OpenAPIError` for a document that cannot be used; with `strict`, also for an operation. `confirmed` is where the credentials
 * go already: another version of a document does not move them.
 */
export async function mapDocument(
  document: OpenAPIDocument,
  options: OpenAPIToolsOptions,
  confirmed?: string,
): Promise<MappedDocument> {
  const loaded = await loadDocument(document, options)
  return new DocumentMapper(loaded, options, confirmed).map()
}

class DocumentMapper {
  readonly #options: OpenAPIToolsOptions
  readonly #loaded: LoadedLibrary
  readonly #scope: MappingScope
  readonly #client: ApiClient
  readonly #names = new ToolNames()
  readonly #tools: ToolDefinition[] = []
  readonly #resources: AnyResourceDefinition[] = []
  readonly #tags = new Map<string, readonly string[]>()
  readonly #title: string
  readonly #uris = new Set<string>()
  readonly #matchers: Readonly<Record<'include' | 'exclude', Matcher>>

  constructor(loaded: LoadedLibrary, options: OpenAPIToolsOptions, confirmed: string | undefined) {
    const { library, fetchedFrom } = loaded
    this.#options = options
    const { include = [], exclude = [] } = options
    this.#matchers = { include: compileMatches('include', include), exclude: compileMatches('exclude', exclude) }
    this.#loaded = loaded
    const version = versionOf(library.root.value)
    this.#title = textAt(objectAt(library.root.value, 'info'), 'title') ?? 'openapi'
    const { auth = {}, flat = true, strictResponses = false, mediaType = {} } = options
    const root: Place = { value: library.root.value, document: library.root, pointer: '#' }
    const servers = new Servers(options, fetchedFrom, root, confirmed)
    const schemes = readSchemes(library)
    if (hasCredentials(options)) servers.checkFetchedServer(root)
    for (const { name, tokenUrl } of schemes.values()) {
      const isClient = Object.hasOwn(auth, name) && isPlainObject(auth[name]) && 'clientId' in auth[name]
      if (tokenUrl !== undefined && isClient) servers.checkTokenUrl(tokenUrl)
    }
    this.#scope = {
      library,
      converter: new SchemaConverter(library, version),
      version,
      servers,
      schemes,
      flat,
      strictResponses: strictResponses && options.responses?.pick === undefined,
      hasHeaders: (scheme) =>
        Object.hasOwn(auth, scheme) && (typeof auth[scheme] === 'function' || isPlainObject(auth[scheme])),
      mediaTypeOf: ({ operation }) => byOperation(mediaType, operation),
    }
    this.#client = new ApiClient(toSettings(options), (url) => servers.checkTokenUrl(url))
  }

  map(): MappedDocument {
    const { library } = this.#loaded
    const found = collectOperations(library, this.#scope.version)
    const entries = found.map((operation) => this.#mapOne(operation))
    if (entries.filter(({ as }) => as !== 'none').length > MAX_OPERATIONS) throw tooManyOperations()
    for (const operation of collectInbound(library)) {
      const entry = new MutableEntry(operation)
      entry.leaveOut('It is a webhook: the API calls it.', false)
      entries.push(entry)
    }
    const mapped = entries.filter(({ as }) => as !== 'none').length
    const schemes = [...this.#scope.schemes.values()]
    const unfitting = unfittingEntries(this.#options, {
      found,
      root: library.root.value,
      schemes: this.#scope.schemes.keys(),
      matchers: this.#matchers,
    })
    return {
      tools: this.#tools,
      resources: this.#resources,
      report: { operations: entries, mapped, leftOut: entries.length - mapped, schemes, unfitting },
      title: this.#title,
      version: textAt(objectAt(library.root.value, 'info'), 'version'),
      confirmed: this.#scope.servers.confirmed,
      tags: this.#tags,
    }
  }

  #mapOne(found: FoundOperation): MutableEntry {
    const { operation } = found
    const entry = new MutableEntry(operation)
    const { library } = this.#loaded
    const root = { value: library.root.value, document: library.root, pointer: '#' }
    const extension = readExtension([root, found.pathItem, found.place])
    const reason = this.#excluded(operation, extension)
    if (reason !== undefined) {
      entry.leaveOut(reason, false)
      return entry
    }
    try {
      if (found.problem !== undefined) throw new MappingProblem(found.problem, operation.pointer)
      this.#add(operation, extension, mapOperation(this.#scope, found), entry)
    } catch (error) {
      if (!(error instanceof MappingProblem)) throw error
      if (this.#options.strict === true) {
        const name = `${operation.method.toUpperCase()} ${operation.path}`
        throw new OpenAPIError(`${name} cannot become a tool: ${error.message}`, error.pointer, { cause: error })
      }
      entry.leaveOut(error.message, true)
    }
    return entry
  }

  #excluded(operation: OpenAPIOperation, { exclude, as }: OperationExtension): string | undefined {
    const { include, exclude: excluded } = this.#options
    if (include !== undefined && !this.#matchers.include.fits(operation)) return 'The option include does not have it.'
    if (excluded !== undefined && this.#matchers.exclude.fits(operation)) return 'The option exclude has it.'
    if (exclude === true || as === 'none') return 'x-mcp in the document excludes it.'
    return undefined
  }

  #add(operation: OpenAPIOperation, extension: OperationExtension, mapped: MappedOperation, entry: MutableEntry): void {
    const { auth = {}, hideWithoutAuth = false } = this.#options
    const { alternatives } = mapped
    const isOpen =
      alternatives.length === 0 || alternatives.some((alternative) => hasValues(alternative, auth, mapped.call.base))
    if (hideWithoutAuth && !isOpen) {
      entry.leaveOut('The option auth has no value for its security.', false)
      return
    }
    entry.notes.push(...mapped.notes)
    const { credentialsGoTo, origin } = mapped.call.base
    if (credentialsGoTo !== undefined && alternatives.some(({ length }) => length > 0)) {
      entry.notes.push(`${origin} gets no credentials. List it in authOrigins if it belongs to the API.`)
    }
    const kind = this.#options.as?.(operation) ?? extension.as ?? 'tool'
    if (kind === 'none') entry.leaveOut('The option as leaves it out.', false)
    else if (kind === 'tool') this.#addTool(operation, extension, mapped, entry)
    else this.#addResource(kind, operation, extension, mapped, entry)
  }

  #addTool(
    operation: OpenAPIOperation,
    extension: OperationExtension,
    mapped: MappedOperation,
    entry: MutableEntry,
  ): void {
    const made = this.#describe(operation, extension, mapped)
    const tool = this.#options.each === undefined ? made : this.#options.each(made, operation)
    if (tool === undefined) {
      entry.leaveOut('The option each leaves it out.', false)
      return
    }
    const call: OperationCall = { ...mapped.call, operation, next: tool.next, onMisfit: () => (entry.misfits += 1) }
    this.#tools.push(toToolDefinition(tool, call, this.#client))
    this.#tags.set(tool.name, operation.tags)
    entry.as = 'tool'
    entry.name = tool.name
  }

  #describe(operation: OpenAPIOperation, extension: OperationExtension, mapped: MappedOperation): OpenAPITool {
    const { names = {}, describe = 'full', requireScopes = false, auth = {} } = this.#options
    const scopes = extension.scopes ?? (requireScopes ? scopesOf(mapped, auth) : undefined)
    return {
      name: this.#names.take(operation, byOperation(names, operation) ?? extension.name),
      ...(extension.title !== undefined && { title: extension.title }),
      description: extension.description ?? describeOperation(operation, describe),
      input: mapped.input,
      ...(mapped.output !== undefined && { output: mapped.output }),
      annotations: { ...annotationsOf(operation.method), ...extension.annotations },
      ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    }
  }

  #addResource(
    kind: 'resource' | 'template',
    operation: OpenAPIOperation,
    extension: OperationExtension,
    mapped: MappedOperation,
    entry: MutableEntry,
  ): void {
    const call: OperationCall = { ...mapped.call, operation, onMisfit: () => (entry.misfits += 1) }
    const { description, scopes, title } = this.#describe(operation, extension, mapped)
    const made = toResourceDefinition(kind, call, this.#client, {
      server: this.#title,
      input: mapped.input,
      name: operation.operationId ?? `${operation.method} ${operation.path}`,
      description,
      scopes,
      title,
    })
    if (this.#uris.has(made.uri)) throw new MappingProblem('Another operation has the same address.', operation.pointer)
    this.#uris.add(made.uri)
    this.#resources.push(made.definition)
    entry.as = made.kind
    entry.name = made.uri
  }
}

const MAX_OPERATIONS = 20_000

function tooManyOperations(): OpenAPIError {
  return new OpenAPIError(
    `The document has more than ${MAX_OPERATIONS} operations. Choose some of them with the option include.`,
    '#/paths',
  )
}

/** By operation id, or by method and path. */
function byOperation(values: Readonly<Record<string, string>>, operation: OpenAPIOperation): string | undefined {
  const key = keysOf(operation).find((name) => Object.hasOwn(values, name))
  return key === undefined ? undefined : values[key]
}

/** Of the alternative that would be taken. */
function scopesOf(
  { alternatives, call }: MappedOperation,
  auth: OpenAPIToolsOptions['auth'] & object,
): readonly string[] {
  const chosen = alternatives.find((alternative) => hasValues(alternative, auth, call.base)) ?? alternatives[0] ?? []
  return [...new Set(chosen.flatMap(({ scopes }) => scopes))]
}

const DEFAULTS = { timeoutMs: 30_000, maxBytes: 100_000, maxDownloadBytes: 10 * 1024 * 1024 }

export function toSettings(options: OpenAPIToolsOptions): ConstructorParameters<typeof ApiClient>[0] {
  const { responses = {}, headers = {} } = options
  return {
    auth: options.auth ?? {},
    fetch: options.fetch,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    maxBytes: responses.maxBytes ?? DEFAULTS.maxBytes,
    maxDownloadBytes: responses.maxDownloadBytes ?? DEFAULTS.maxDownloadBytes,
    pick: responses.pick,
    strictResponses: options.strictResponses ?? false,
    allowInsecureAuth: options.allowInsecureAuth ?? false,
    style: { deepArrays: options.deepArrays ?? 'index', nullAsEmpty: options.nullAsEmpty ?? false },
  }
}
