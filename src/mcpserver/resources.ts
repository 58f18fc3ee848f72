// The resources of a server: listed, found by uri or template, and read.
import type { UriTemplateMatch } from '../primitives/uri-template.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { MaybePromise } from '../server/handlers.ts'
import { MCPError } from '../types/errors.ts'
import type { InputRequiredResult } from '../types/input-required.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../types/resources.ts'
import { missingResourceCode } from '../wire/revision-facts.ts'
import { admit } from './access.ts'
import type { Caller } from './context.ts'
import { checkResourceOptions } from './definition-keys.ts'
import type { Host } from './host.ts'
import { freezePage, Listing } from './listing.ts'
import { whenDone } from './maybe-promise.ts'
import { Registry, type Slot } from './registry.ts'
import {
  type AnyResourceDefinition,
  type CompiledResource,
  type CompiledTemplate,
  compileResource,
  partsOf,
  type ResourceHandle,
  type ResourceParts,
} from './resource.ts'
import { toReadResult } from './resource-contents.ts'
import { listWithTemplates } from './resource-listing.ts'
import { isInputRequired } from './results.ts'
import { runHandler, runNested } from './run-handler.ts'
import { climbsOut, isAbsolutePath } from './traversal.ts'

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
    host.server.mayWatch = (uri, request) => this.#mayWatch(request, uri)
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
    const outcome = runHandler({ host: this.#host, request, handle: (ctx) => resource.read(variables, ctx) })
    return whenDone(outcome, (value) => (isInputRequired(value) ? value : conclude(request, uri, resource, value)))
  }

  /** As part of another request, which cannot be answered with questions that it did not ask itself. */
  readNested(request: ServerRequestContext, caller: Caller, uri: string): MaybePromise<ReadResourceResult> {
    const { resource, variables } = this.#find(request, uri)
    const outcome = runNested({ host: this.#host, request, handle: (ctx) => resource.read(variables, ctx) }, caller)
    return whenDone(outcome, (value) => {
      if (isInputRequired(value)) throw new TypeError('A resource that is read by a handler cannot return questions')
      return conclude(request, uri, resource, value)
    })
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

  /** As for reading; only that what nobody has registered can be announced all the same. */
  #mayWatch(request: ServerRequestContext, uri: string): boolean {
    let isKnown = false
    for (const { resource } of this.#matches(uri)) {
      if (admit(resource, request, this.#host) !== undefined) return true
      isKnown = true
    }
    return !isKnown
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
