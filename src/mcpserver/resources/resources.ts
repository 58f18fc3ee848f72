// The resources of a server: listed, found by uri or template, and read.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { UriTemplateMatch } from '../../primitives/uri-template/uri-template.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../../types/features/resources.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import { missingResourceCode } from '../../wire/revision-facts.ts'
import type { Caller } from '../handlers/context.ts'
import { checkResourceOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import { type HandlerCall, runHandler, runNested } from '../handlers/run-handler.ts'
import { admit } from '../lists/access.ts'
import { freezePage, Listing } from '../lists/listing.ts'
import { Registry, type Slot } from '../lists/registry.ts'
import { isInputRequired, toReadResult } from '../values/results.ts'
import { listWithTemplates } from './listing.ts'
import {
  type AnyResourceDefinition,
  type CompiledResource,
  type CompiledTemplate,
  compileResource,
  partsOf,
  type ResourceHandle,
  type ResourceParts,
} from './resource.ts'

const SEPARATOR = /[/\\]/

/** Whether a value holds a NUL, or steps out of where it starts. Values have been percent-decoded once already. */
export function climbsOut(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(climbsOut) || climbsOut(value.join('/'))
  if (value.includes('\0')) return true
  let depth = 0
  for (const segment of value.split(SEPARATOR)) {
    if (segment === '..') depth -= 1
    else if (segment !== '' && segment !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** A slash of either kind, encoded any number of times for whoever decodes once more, or a drive. */
const ABSOLUTE = /^(?:[/\\]|%(?:25)*(?:2f|5c)|[a-z]:)/i

/** Whether a value names a place of its own instead of one below the folder that it is joined to. */
export function isAbsolutePath(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(isAbsolutePath) || isAbsolutePath(value.join('/'))
  return ABSOLUTE.test(value)
}

/** A resource that was found, and what its uri says. */
interface Found {
  readonly resource: CompiledResource
  readonly variables: UriTemplateMatch
}

const NO_VARIABLES: UriTemplateMatch = Object.freeze(Object.create(null))

export class Resources {
  readonly #host: Host
  readonly #onCompletable: () => void
  readonly #registry: Registry<CompiledResource>
  readonly #listing: Listing<CompiledResource, ListResourcesResult>
  readonly #templateListing: Listing<CompiledResource, ListResourceTemplatesResult>
  #slots: readonly Slot<CompiledResource>[] = []
  #templates: readonly CompiledResource[] = []

  /** `onCompletable` is told when a template brings suggestions along. */
  constructor(host: Host, onCompletable: () => void) {
    this.#host = host
    this.#onCompletable = onCompletable
    this.#registry = new Registry({
      kind: 'resource',
      onDuplicate: host.onDuplicate,
      onChange: () => host.announce('resourcesListChanged'),
    })
    this.#listing = new Listing(host, this.#registry, {
      list: 'resources',
      includes: ({ listed }) => listed !== undefined,
      toResult: (items, _structure, nextCursor) =>
        freezePage(
          'resources',
          items.map(({ listed }) => listed as Resource),
          nextCursor,
        ),
    })
    this.#templateListing = new Listing(host, this.#registry, {
      list: 'templates',
      includes: ({ template }) => template !== undefined,
      toResult: (items, _structure, nextCursor) =>
        freezePage(
          'resourceTemplates',
          items.map(({ template }) => template?.listed as ResourceTemplate),
          nextCursor,
        ),
    })
  }

  add(definition: AnyResourceDefinition): ResourceHandle {
    const { key, parts } = partsOf(definition)
    const read = (changes: Partial<ResourceParts>) => {
      checkResourceOptions(key, changes)
      return changes
    }
    return this.#registry.register(
      key,
      { ...read(parts), read: parts.read },
      (changed) => this.#compile(key, changed),
      read,
    )
  }

  list(request: ServerRequestContext, cursor: string | undefined): MaybePromise<ListResourcesResult> {
    const listingTemplates = this.#templateListing
      .visible(request)
      .filter(({ item }) => item.template?.list !== undefined)
    if (listingTemplates.length === 0) return this.#listing.page(request, cursor)
    return listWithTemplates(this.#host, request, this.#listing.visible(request), listingTemplates, cursor)
  }

  listTemplates(request: ServerRequestContext, cursor: string | undefined): ListResourceTemplatesResult {
    return this.#templateListing.page(request, cursor)
  }

  /** The template of this text, if the caller can see it. */
  findTemplate(request: ServerRequestContext, text: string): CompiledTemplate | undefined {
    return admit(this.#registry.find(text), request, this.#host)?.template
  }

  /** What a template takes, whoever may see it; `undefined` if there is none of this text. */
  variablesOf(text: string): readonly string[] | undefined {
    return this.#registry.find(text)?.template?.matcher.variableNames
  }

  read(request: ServerRequestContext, uri: string): MaybePromise<ReadResourceResult | InputRequiredResult> {
    const { resource, variables } = this.#find(request, uri)
    const outcome = runHandler(this.#callOf(request, resource, variables))
    return whenDone(outcome, (value) => (isInputRequired(value) ? value : conclude(request, uri, resource, value)))
  }

  /** As part of another request, which cannot be answered with questions that it did not ask itself. */
  async readNested(request: ServerRequestContext, caller: Caller, uri: string): Promise<ReadResourceResult> {
    const { resource, variables } = this.#find(request, uri)
    const value = await runNested(this.#callOf(request, resource, variables), caller)
    if (isInputRequired(value)) throw new TypeError('A resource that is read by a handler cannot return questions')
    return conclude(request, uri, resource, value)
  }

  /**
   * Throws, as reading does, where the caller must not watch a resource. One that nobody has registered can be watched: the
   * server may announce it all the same.
   */
  checkWatch(request: ServerRequestContext, uri: string): EmptyResult {
    let isKnown = false
    for (const { resource } of this.#matches(uri)) {
      if (admit(resource, request, this.#host) !== undefined) return {}
      isKnown = true
    }
    if (isKnown) throw notFound(request, uri)
    return {}
  }

  #callOf(
    request: ServerRequestContext,
    { read }: CompiledResource,
    input: UriTemplateMatch,
  ): HandlerCall<UriTemplateMatch> {
    return { host: this.#host, request, run: read, input, limit: undefined, collectsItems: false }
  }

  #compile(key: string, parts: ResourceParts): CompiledResource {
    const compiled = compileResource(key, parts)
    if (compiled.template !== undefined && compiled.template.completers.size > 0) this.#onCompletable()
    return compiled
  }

  #find(request: ServerRequestContext, uri: string): Found {
    for (const found of this.#matches(uri)) {
      if (admit(found.resource, request, this.#host) !== undefined) return found
    }
    throw notFound(request, uri)
  }

  /** Resources with this very uri go before templates, templates go in order. */
  *#matches(uri: string): Generator<Found, void, undefined> {
    const exact = this.#registry.find(uri)
    if (exact !== undefined && exact.template === undefined) yield { resource: exact, variables: NO_VARIABLES }
    for (const resource of this.#currentTemplates()) {
      const variables = matchSafely(resource.template, uri)
      if (variables !== undefined) yield { resource, variables }
    }
  }

  #currentTemplates(): readonly CompiledResource[] {
    const { enabled } = this.#registry
    if (enabled !== this.#slots) {
      this.#slots = enabled
      this.#templates = enabled.map(({ item }) => item).filter(({ template }) => template !== undefined)
    }
    return this.#templates
  }
}

function matchSafely(template: CompiledTemplate | undefined, uri: string): UriTemplateMatch | undefined {
  const variables = template?.matcher.match(uri)
  if (template === undefined || variables === undefined) return undefined
  const values = Object.values(variables)
  if (!template.allowTraversal && values.some(climbsOut)) return undefined
  return !template.allowAbsolutePaths && values.some(isAbsolutePath) ? undefined : variables
}

function conclude(
  request: ServerRequestContext,
  uri: string,
  { mimeType }: CompiledResource,
  value: unknown,
): ReadResourceResult {
  const result = toReadResult(value, uri, mimeType)
  if (result === undefined) throw notFound(request, uri)
  return result
}

/** The same whether there is no such resource or none that the caller may see. */
function notFound({ protocolVersion }: ServerRequestContext, uri: string): MCPError {
  return new MCPError(missingResourceCode(protocolVersion), 'Resource not found', { uri })
}
