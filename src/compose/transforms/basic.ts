// The transforms that change components one by one.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys, checkKind, type KnownKeys } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component } from '../../server/source.ts'
import type { Prompt } from '../../types/features/prompts.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { Tool, ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import { checkNamespace, cutName, joinName, type NamingOptions, readNaming } from '../composite/names.ts'
import { COMPONENT_LISTS, type ComponentList } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { type ComponentMap, MapLayer } from './map-layer.ts'
import { type ComponentMatch, checkNames, type Matcher, readMatch } from './match.ts'

/** Maps of `transform()`. Each returns another form of what it is given, or `undefined` to hide it; it changes nothing in place. */
export interface TransformMaps {
  /** Tools. With a second parameter it is called for each caller, and lists become private. */
  tool?: ((tool: Tool, request: ServerRequestContext) => Tool | undefined) | undefined
  /** Resources, as `tool`. */
  resource?: ((resource: Resource, request: ServerRequestContext) => Resource | undefined) | undefined
  /** Resource templates, as `tool`. */
  template?: ((template: ResourceTemplate, request: ServerRequestContext) => ResourceTemplate | undefined) | undefined
  /** Prompts, as `tool`. */
  prompt?: ((prompt: Prompt, request: ServerRequestContext) => Prompt | undefined) | undefined
  /** Runs around each call of a tool. `params` have the name that the inner source knows. */
  call?:
    | ((
        params: JSONObject,
        next: (params: JSONObject) => MaybePromise<JSONObject>,
        request: ServerRequestContext,
      ) => MaybePromise<JSONObject>)
    | undefined
}

/**
 * A transform of your own, made of small maps.
 *
 * @example
 * ```ts
 * import { transform } from 'mcpwire/transforms'
 * server.transform(transform({ tool: (tool) => ({ ...tool, title: tool.name.toUpperCase() }) }))
 * ```
 */
export function transform(maps: TransformMaps): Transform {
  const keys = {
    tool: 'function',
    resource: 'function',
    template: 'function',
    prompt: 'function',
    call: 'function',
  } as const
  checkKeys('transform()', maps, keys)
  const { tool, resource, template, prompt, call } = maps
  const given = {
    'tools/list': tool,
    'resources/list': resource,
    'resources/templates/list': template,
    'prompts/list': prompt,
  }
  const defined = Object.fromEntries(Object.entries(given).filter(([, map]) => map !== undefined))
  const isPerCaller = Object.values(defined).some((map) => (map?.length ?? 0) > 1)
  return (source) =>
    new MapLayer(source, { maps: defined as Partial<Record<ComponentList, ComponentMap>>, call, isPerCaller })
}

/** Options of `rename()`. */
export interface RenameOptions {
  /** Lets callers use the old names too; only the new ones are listed (default: `false`). */
  keepOld?: boolean | undefined
}

export const RENAME_KEYS: KnownKeys<RenameOptions> = { keepOld: 'boolean' }

/** Renames tools and prompts: by a record from old to new names, or by a function of the old name. The old name is unknown afterwards. */
export function rename(
  names: Readonly<Record<string, string>> | ((name: string) => string),
  options: RenameOptions = {},
): Transform {
  checkKeys('rename()', options, RENAME_KEYS)
  const record = typeof names === 'function' ? undefined : new Map(Object.entries(names))
  if (record === undefined) checkKind('The argument of rename()', names, 'function')
  for (const name of record?.values() ?? []) requireName(name)
  const toNew = typeof names === 'function' ? names : (name: string) => record?.get(name) ?? name
  return (source) => {
    if (record !== undefined) checkNames('rename()', source, [...record.keys()])
    return renameLayer(toNew, { expected: [...(record?.keys() ?? [])], keepsOld: options.keepOld === true })(source)
  }
}

function requireName(name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  throw rangeError('bad-name', `rename() needs a new name of at least one character, not ${JSON.stringify(name)}.`)
}

function renameLayer(
  toNew: (name: string) => string,
  options: { expected?: readonly string[]; keepsOld?: boolean } = {},
): Transform {
  const map: ComponentMap = (item) => {
    const name = toNew(item.name)
    return name === item.name ? item : { ...item, name }
  }
  return (source) =>
    new MapLayer(source, {
      maps: { 'tools/list': map, 'prompts/list': map },
      isPerCaller: false,
      keyOf: (_list, key) => toNew(key),
      keepsOld: options.keepsOld,
      expected:
        options.expected === undefined || options.expected.length === 0 ? undefined : expectedIn(options.expected),
    })
}

function expectedIn(names: readonly string[]) {
  return { 'tools/list': names }
}

/** Puts a namespace in front of the names of tools and prompts, as `mount` does. */
export function namespace(name: string, options: Pick<NamingOptions, 'separator' | 'maxLength'> = {}): Transform {
  checkNamespace('namespace()', name)
  const naming = readNaming('namespace()', options)
  return renameLayer((own) => cutName(joinName(name, own, naming), naming.maxLength))
}

/** Hides components: they are in no list, and using them fails as if they did not exist. */
export function hide(match: ComponentMatch): Transform {
  const matcher = readMatch('hide()', match)
  return filterLayer('hide()', matcher, (list, item, request) => !matcher.test(list, item, request))
}

/** Shows nothing but these components; kinds of components that the match says nothing about stay as they are. */
export function only(match: ComponentMatch): Transform {
  const matcher = readMatch('only()', match)
  return filterLayer('only()', matcher, (list, item, request) => matcher.test(list, item, request))
}

function filterLayer(
  owner: string,
  matcher: Matcher,
  shows: (list: ComponentList, item: Component, request: ServerRequestContext) => boolean,
): Transform {
  const lists = COMPONENT_LISTS.filter((list) => matcher.concerns(list))
  const maps = Object.fromEntries(
    lists.map((list): [ComponentList, ComponentMap] => [
      list,
      (item, request) => (shows(list, item, request) ? item : undefined),
    ]),
  )
  return (source) => {
    checkNames(owner, source, matcher.exact)
    return new MapLayer(source, { maps, isPerCaller: matcher.isPerCaller })
  }
}

/** What `describe()` changes of a tool or prompt. */
export interface NewDescription {
  /** The name for people. */
  title?: string | undefined
  /** What the model reads. */
  description?: string | undefined
  /** Go over those that are there. */
  annotations?: ToolAnnotations | undefined
  /** In the place of those that are there. */
  icons?: Icon[] | undefined
  /** The descriptions of arguments, by name. */
  arguments?: Readonly<Record<string, string>> | undefined
}

/** Changes titles, descriptions, annotations and icons of tools and prompts, and the descriptions of their arguments. */
export function describe(changes: Readonly<Record<string, NewDescription>>): Transform {
  if (!isPlainObject(changes)) throw typeError('wrong-argument', 'describe() takes an object of changes by name.')
  for (const [name, change] of Object.entries(changes)) {
    const keys = {
      title: 'string',
      description: 'string',
      annotations: 'object',
      icons: 'array',
      arguments: 'object',
    } as const
    checkKeys(`describe() of '${name}'`, change, keys)
  }
  const map: ComponentMap = (item) => {
    const change = Object.hasOwn(changes, item.name) ? changes[item.name] : undefined
    return change === undefined ? item : applyDescription(item, change)
  }
  return (source) => {
    checkNames('describe()', source, Object.keys(changes))
    return new MapLayer(source, {
      maps: { 'tools/list': map, 'prompts/list': map },
      isPerCaller: false,
      keyOf: (_list, key) => key,
    })
  }
}

function applyDescription(item: Component, { annotations, arguments: texts, ...given }: NewDescription): Component {
  const described: JSONObject = { ...item }
  for (const [key, value] of Object.entries(given)) if (value !== undefined) described[key] = value
  if (annotations !== undefined) described['annotations'] = { ...(described['annotations'] as object), ...annotations }
  if (texts !== undefined) describeArguments(described, texts)
  return described as unknown as Component
}

function describeArguments(item: JSONObject, texts: Readonly<Record<string, string>>): void {
  if (Array.isArray(item['arguments'])) {
    item['arguments'] = item['arguments'].map((one: JSONObject) => {
      const text = texts[one['name'] as string]
      return text === undefined ? one : { ...one, description: text }
    })
    return
  }
  const schema = item['inputSchema'] as JSONObject
  const properties = { ...(schema['properties'] as JSONObject) }
  for (const [name, description] of Object.entries(texts)) {
    if (!Object.hasOwn(properties, name))
      throw rangeError('wrong-argument', `describe() names the argument '${name}', which is not there.`)
    properties[name] = { ...(properties[name] as object), description }
  }
  item['inputSchema'] = { ...schema, properties }
}
