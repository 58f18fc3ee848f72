// Resources and templates as authors define them, and their compiled form in the registry.
import { rangeError, typeError, withHelp } from '../../primitives/help.ts'
import { assertCount, type Some } from '../../primitives/options.ts'
import type { UriTemplateMatch } from '../../primitives/uri-template/match.ts'
import { findTemplateDoubt, readUriTemplate, type UriTemplate } from '../../primitives/uri-template/read-template.ts'
import type { Annotations } from '../../types/features/content.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import type { Context } from '../handlers/context.ts'
import { checkResourceOptions, optionsAndHandler } from '../handlers/definition-options.ts'
import { type Access, type CompiledAccess, compileAccess } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'
import type { Completer, Completers } from '../prompts/completion.ts'
import { nameOwner } from '../values/arguments.ts'
import { calling } from '../values/calling.ts'
import { checkResourceUri, checkUriTemplate } from '../values/definition-checks.ts'
import { checkListed } from '../values/listed.ts'
import { freezeJSON } from '../values/plain-json.ts'

/** A resource as a `list` function returns it. Other members come from the template. */
export type ListedResource = Some<Resource> & Pick<Resource, 'uri'>

type Several<T> = Iterable<T> | AsyncIterable<T>

/** Options of `server.resource()` and `resource()`. */
export interface ResourceOptions<Life = unknown> extends Access<Life> {
  /** Default: the uri. */
  name?: string | undefined
  /** A name for people. Hosts show it in place of `name`. */
  title?: string | undefined
  /** What the resource contains, for the model and for people. */
  description?: string | undefined
  /** Default: `text/plain` for text, `application/json` for JSON, `application/octet-stream` for bytes. */
  mimeType?: string | undefined
  /** Size in bytes. Not for templates. */
  size?: number | undefined
  /** Who the resource is for and how important it is. */
  annotations?: Annotations | undefined
  /** Icons that hosts can show beside the resource. */
  icons?: Icon[] | undefined
  /** The `_meta` of the resource in lists, for your own values. */
  meta?: MetaObject | undefined
  /** Whether lists show it (default: `true`). Clients that know the uri can read it in any case. */
  listed?: boolean | undefined
  /** Returns the resources that a template has at present, for `resources/list`. */
  list?: ((ctx: Context<Life>) => Several<ListedResource> | Promise<Several<ListedResource>>) | undefined
  /** Completers by variable of a template. */
  complete?: Completers<Life> | undefined
  /** Allows `..` in values of a template (default: `false`, such a uri is not found). */
  allowTraversal?: boolean | undefined
  /** Allows absolute paths such as `/etc/hosts` or `C:/x` in values of a template (default: `false`, such a uri is not found). */
  allowAbsolutePaths?: boolean | undefined
}

/**
 * Reads a resource. A string becomes text, bytes become a blob, contents are sent as they are, and everything else becomes JSON
 * text. `undefined` means that there is no such resource.
 */
export type ResourceReader<Uri extends string = string, Life = unknown> = (
  variables: VariablesOf<Uri>,
  ctx: Context<Life>,
) => unknown

/** A resource as a value. */
export interface ResourceDefinition {
  /** The address of the resource. */
  readonly uri: string
  /** The options that `resource()` got. */
  readonly meta?: ResourceOptions
  /** The handler that `resource()` got. `variables` is empty. */
  read(variables: UriTemplateMatch, ctx: Context): unknown
}

/** A template as a value. */
export interface ResourceTemplateDefinition {
  /** The template of the addresses, such as `notes://{id}`. */
  readonly uriTemplate: string
  /** The options that `resource()` got. */
  readonly meta?: Omit<ResourceOptions, 'list'>
  /** Lists resources that fit the template, for `resources/list` (default: none are listed). */
  list?(ctx: Context): ReturnType<NonNullable<ResourceOptions['list']>>
  /** The handler that `resource()` got. `variables` has the values from the URI. */
  read(variables: UriTemplateMatch, ctx: Context): unknown
}

/** A resource or a resource template made by `resource()`, for the option `resources`. */
export type AnyResourceDefinition = ResourceDefinition | ResourceTemplateDefinition

/** Returned by `server.resource()`: changes, disables or removes the resource. */
export type ResourceHandle<Uri extends string = string, Life = unknown> = Handle<
  Partial<ResourceOptions<Life>> & { read?: ResourceReader<Uri, Life> }
>

/**
 * Defines a resource as a value, without registering it. A `{` in the uri makes it a template.
 *
 * @example
 * ```ts
 * import { MCPServer, resource } from 'mcpwire'
 * const note = resource('notes://{id}', ({ id }) => `The text of note ${id}`)
 * const server = new MCPServer('notes', { resources: [note] })
 * ```
 */
export function resource<const Uri extends string, Life = unknown>(
  uri: Uri,
  read: ResourceReader<Uri, Life>,
): AnyResourceDefinition
export function resource<const Uri extends string, Life = unknown>(
  uri: Uri,
  options: ResourceOptions<Life>,
  read: ResourceReader<Uri, Life>,
): AnyResourceDefinition
export function resource(uri: string, given: object, reader?: unknown): AnyResourceDefinition {
  const { options, run: read } = optionsAndHandler<{ options: ResourceOptions; run: ResourceReader }>(given, reader)
  checkResourceOptions(uri, options)
  if (!isTemplate(uri)) return { uri, meta: options, read }
  const { list, ...meta } = options
  return { uriTemplate: uri, meta, ...(list !== undefined && { list }), read }
}

export function isTemplate(uri: string): boolean {
  return typeof uri === 'string' && uri.includes('{')
}

/** Options and reader together, as `update` changes them. */
export type ResourceParts = ResourceOptions & { read: ResourceReader }

/** The key, options and reader of a resource or template. */
export function definitionParts(definition: AnyResourceDefinition): { key: string; parts: ResourceParts } {
  // A definition may be an instance of a class, whose methods need `this`. A missing reader is reported when it is compiled.
  const read: ResourceReader = definition.read?.bind(definition)
  if (!('uriTemplate' in definition)) return { key: definition.uri, parts: { ...definition.meta, read } }
  const { uriTemplate, meta } = definition
  if (definition.list === undefined) return { key: uriTemplate, parts: { ...meta, read } }
  return { key: uriTemplate, parts: { ...meta, list: (ctx) => definition.list?.(ctx) ?? [], read } }
}

/** What the registry holds. */
export interface CompiledResource {
  readonly key: string
  readonly access: CompiledAccess
  readonly mimeType: string | undefined
  readonly isListed: boolean
  readonly read: (variables: UriTemplateMatch, ctx: Context) => unknown
  /** Of a resource with a uri of its own. */
  readonly listed: Resource | undefined
  readonly template: CompiledTemplate | undefined
}

export interface CompiledTemplate {
  readonly matcher: UriTemplate
  readonly listed: ResourceTemplate
  readonly list: ResourceOptions['list']
  readonly completers: ReadonlyMap<string, Completer>
  readonly allowTraversal: boolean
  readonly allowAbsolutePaths: boolean
}

export function compileResource(key: string, parts: ResourceParts): CompiledResource {
  const owner = nameOwner('resource', key)
  const { mimeType, listed: isListed = true, read } = parts
  if (typeof read !== 'function')
    throw withHelp('not-a-function', new TypeError(`The reader of ${owner} must be a function`))
  const template = isTemplate(key) ? compileTemplate(key, parts) : undefined
  if (template === undefined) checkStatic(key, owner, parts)
  return {
    key,
    access: compileAccess(owner, parts),
    mimeType,
    isListed,
    read,
    listed: template === undefined ? listResource(key, owner, parts) : undefined,
    template,
  }
}

function checkStatic(uri: string, owner: string, { list, complete, size }: ResourceParts): void {
  checkResourceUri(uri)
  // The grammar allows negative numbers.
  if (size !== undefined) assertCount(`The option size of ${owner}`, size, 0)
  if (list !== undefined || complete !== undefined) {
    throw typeError('bad-definition', `The ${owner} is not a template, so it can't have the options list and complete.`)
  }
}

function compileTemplate(text: string, parts: ResourceParts): CompiledTemplate {
  const { size, list, complete = {}, allowTraversal = false, allowAbsolutePaths = false } = parts
  const owner = nameOwner('resource', text)
  if (size !== undefined)
    throw typeError('bad-definition', `The ${owner} is a template, so it can't have the option size.`)
  const matcher = readUriTemplate(text, (parts) => calling.loaded.createMatch(parts))
  const doubt = findTemplateDoubt(text)
  if (doubt !== undefined) throw rangeError('bad-definition', `The ${owner} can't be read: ${doubt}`)
  checkUriTemplate(text)
  for (const name of Object.keys(complete)) {
    if (!matcher.variableNames.includes(name))
      throw rangeError('bad-definition', `The ${owner} has no variable ${JSON.stringify(name)} to complete.`)
  }
  const listed = freezeJSON({ uriTemplate: text, ...listedMembers(text, parts) })
  checkListed(owner, 'ResourceTemplate', listed)
  return {
    matcher,
    listed,
    list,
    completers: new Map(Object.entries(complete)),
    allowTraversal,
    allowAbsolutePaths,
  }
}

function listResource(uri: string, owner: string, parts: ResourceParts): Resource {
  const listed = freezeJSON({ uri, ...listedMembers(uri, parts) })
  checkListed(owner, 'Resource', listed)
  return listed
}

function listedMembers(key: string, parts: ResourceParts) {
  const { name = key, title, description, mimeType, size, annotations, icons, meta } = parts
  return { name, title, description, mimeType, size, annotations, icons, _meta: meta } as Omit<Resource, 'uri'>
}

/**
 * The variables of a template that is a literal: lists for exploded variables, otherwise strings. Only a variable that is alone
 * in its braces, without an operator that makes it optional, is always there.
 */
type VariablesOf<Template extends string> = string extends Template ? UriTemplateMatch : Flat<Expressions<Template>>

type Expressions<Text extends string> = Text extends `${string}{${infer Expression}}${infer Rest}`
  ? FromExpression<Expression> & Expressions<Rest>
  : unknown

type FromExpression<Expression extends string> = Expression extends `+${infer List}`
  ? FromList<List>
  : Expression extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer List}`
    ? Partial<FromList<List>>
    : FromList<Expression>

type FromList<List extends string> = List extends `${infer First},${infer Others}`
  ? FromVariable<First> & Partial<FromList<Others>>
  : FromVariable<List>

type FromVariable<Variable extends string> = Variable extends `${infer Name}*`
  ? { [N in Name]: string[] }
  : Variable extends `${infer Name}:${string}`
    ? { [N in Name]: string }
    : { [N in Variable]: string }

type Flat<T> = { [Name in keyof T]: T[Name] }
