// The resources of a server: registers and lists them, finds them by uri or template, and reads them.

import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import type { UriTemplateMatch } from '../../primitives/uri-template/uri-template.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { forCallerAlone } from '../../server/results/caching.ts'
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
import type { HandlerCall } from '../handlers/run-handler.ts'
import { checkAccess, isGuarded } from '../lists/access.ts'
import { freezePage, Listing } from '../lists/listing.ts'
import { Registry, type Slot } from '../lists/registry.ts'
import { calling } from '../values/calling.ts'
import { isInputRequired } from '../values/input-required.ts'
import {
  type AnyResourceDefinition,
  type CompiledResource,
  type CompiledTemplate,
  compileResource,
  definitionParts,
  type ResourceHandle,
  type ResourceParts,
} from './resource.ts'

const SEPARATOR = /[/\\]/

/** Whether a value contains NUL, or leaves its base folder with `..`. Values are percent-decoded already. */
export function escapesBase(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(escapesBase) || escapesBase(value.join('/'))
  if (value.includes('\0')) return true
  let depth = 0
  for (const segment of value.split(SEPARATOR)) {
    if (segment === '..') depth -= 1
    else if (segment !== '' && segment !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** A slash or backslash, even if it is encoded several times and a reader decodes it again, or a drive letter. */
const ABSOLUTE = /^(?:[/\\]|%(?:25)*(?:2f|5c)|[a-z]:)/i

/** Whether a value is an absolute path, which would replace the folder that it is joined to. */
export function isAbsolutePath(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(isAbsolutePath) || isAbsolutePath(value.join('/'))
  return ABSOLUTE.test(value)
}

/** A resource that was found, and the variables of its uri. */
interface Found {
  readonly resource: CompiledResource
  readonly variables: UriTemplateMatch
}

/** What a caller gets for a uri. */
interface FoundForCaller extends Found {
  /** Whether another caller gets something else, or nothing. */
  readonly isPerCaller: boolean
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

  /** `onCompletable` is called when a template has completers. */
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
      includes: ({ isListed, listed }) => isListed && listed !== undefined,
      extendedBy: ({ isListed, template }) => isListed && template?.list !== undefined,
      toResult: (items, _structure, nextCursor) =>
        freezePage(
          'resources',
          items.map(({ listed }) => listed as Resource),
          nextCursor,
        ),
    })
    this.#templateListing = new Listing(host, this.#registry, {
      list: 'templates',
      includes: ({ isListed, template }) => isListed && template !== undefined,
      toResult: (items, _structure, nextCursor) =>
        freezePage(
          'resourceTemplates',
          items.map(({ template }) => template?.listed as ResourceTemplate),
          nextCursor,
        ),
    })
  }

  add(definition: AnyResourceDefinition): ResourceHandle {
    const { key, parts } = definitionParts(definition)
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
    const listed = calling.loaded.listWithTemplates(
      this.#host,
      request,
      this.#listing.visible(request),
      listingTemplates,
      cursor,
    )
    return this.#listing.isPerCaller
      ? listed.then((page): ListResourcesResult => forCallerAlone(page, request.protocolVersion))
      : listed
  }

  listTemplates(request: ServerRequestContext, cursor: string | undefined): ListResourceTemplatesResult {
    return this.#templateListing.page(request, cursor)
  }

  /** A resource as the caller's list shows it. */
  listed(uri: string, request: ServerRequestContext): Resource | undefined {
    return this.#listing.find(uri, request)?.listed
  }

  /** A template as the caller's list shows it. */
  listedTemplate(text: string, request: ServerRequestContext): ResourceTemplate | undefined {
    return this.#templateListing.find(text, request)?.template?.listed
  }

  uris(): readonly string[] {
    return this.#listing.keys()
  }

  templateTexts(): readonly string[] {
    return this.#templateListing.keys()
  }

  /** The template with this text, if the caller can use it. */
  findTemplate(request: ServerRequestContext, text: string): CompiledTemplate | undefined {
    return checkAccess(this.#registry.find(text), request, this.#host)?.template
  }

  /** The variables of a template, for any caller; `undefined` if there is no template with this text. */
  variablesOf(text: string): readonly string[] | undefined {
    return this.#registry.find(text)?.template?.matcher.variableNames
  }

  read(request: ServerRequestContext, uri: string): MaybePromise<ReadResourceResult | InputRequiredResult> {
    const { resource, variables, isPerCaller } = this.#find(request, uri)
    const outcome = calling.loaded.runHandler(this.#callOf(request, resource, variables))
    return whenDone(outcome, (value) => {
      if (isInputRequired(value)) return value
      const result = requireContents(request, uri, resource, value)
      return isPerCaller ? forCallerAlone(result, request.protocolVersion) : result
    })
  }

  /** Reads a resource as part of another request, whose result can't carry the questions that a reader returns. */
  async readNested(request: ServerRequestContext, caller: Caller, uri: string): Promise<ReadResourceResult> {
    const { resource, variables } = this.#find(request, uri)
    const value = await calling.loaded.runNested(this.#callOf(request, resource, variables), caller)
    if (isInputRequired(value)) throw nestedQuestions(uri)
    return requireContents(request, uri, resource, value)
  }

  /**
   * Throws, as reading does, if the caller can't subscribe to a resource. A uri that is not registered is allowed, since the server
   * may still announce it.
   */
  checkWatch(request: ServerRequestContext, uri: string): EmptyResult {
    let isKnown = false
    for (const { resource } of this.#matches(uri)) {
      if (checkAccess(resource, request, this.#host) !== undefined) return {}
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

  #find(request: ServerRequestContext, uri: string): FoundForCaller {
    let isPerCaller = false
    for (const found of this.#matches(uri)) {
      isPerCaller ||= isGuarded(found.resource.access)
      if (checkAccess(found.resource, request, this.#host) !== undefined) return { ...found, isPerCaller }
    }
    throw notFound(request, uri)
  }

  /** The resource with this uri goes before templates, and templates go in order of registration. */
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
  if (!template.allowTraversal && values.some(escapesBase)) return undefined
  return !template.allowAbsolutePaths && values.some(isAbsolutePath) ? undefined : variables
}

function requireContents(
  request: ServerRequestContext,
  uri: string,
  { mimeType }: CompiledResource,
  value: unknown,
): ReadResourceResult {
  const result = calling.loaded.toReadResult(value, uri, mimeType)
  if (result === undefined) throw notFound(request, uri)
  return result
}

/** The same error for a missing resource and a hidden one. */
function notFound({ protocolVersion }: ServerRequestContext, uri: string): MCPError {
  return new MCPError(missingResourceCode(protocolVersion), 'Resource not found', { uri })
}

export function nestedQuestions(uri: string): TypeError {
  return typeError(
    'wrong-result',
    `The resource ${quote(uri)}, read by a handler, returned an InputRequiredResult. Ask with ctx.elicit() in its reader instead.`,
  )
}
