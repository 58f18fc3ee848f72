// The transforms that change components one by one.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component } from '../../server/source.ts'
import type { Prompt } from '../../types/features/prompts.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { Tool, ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import { knownComponent } from '../sources/known.ts'
import { COMPONENT_LISTS, type ComponentList } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { expectNames } from './expected-names.ts'
import type { ComponentMap } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'
import { type ComponentMatch, type Matcher, readMatch } from './match.ts'
import { Told } from './told.ts'
import { UnlistedLayer } from './unlisted-layer.ts'

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

/** Hides components: they are in no list, and using them fails as if they did not exist. */
export function hide(match: ComponentMatch): Transform {
  const matcher = readMatch('hide()', match)
  return filterLayer('hide()', matcher, false)
}

/** Shows nothing but these components; kinds of components that the match says nothing about stay as they are. */
export function only(match: ComponentMatch): Transform {
  const matcher = readMatch('only()', match)
  return filterLayer('only()', matcher, true)
}

/**
 * Leaves components out of lists, and lets callers use them all the same, by the names that they know from elsewhere. What nobody must
 * use is a matter of `hide()`.
 */
export function unlisted(match: ComponentMatch): Transform {
  const matcher = readMatch('unlisted()', match)
  return (source) => new UnlistedLayer(source, matcher, expectNames('unlisted()', source, matcher.exact))
}

function filterLayer(owner: string, matcher: Matcher, showsMatching: boolean): Transform {
  const { testKey } = matcher
  const lists = COMPONENT_LISTS.filter((list) => matcher.concerns(list))
  const maps = Object.fromEntries(
    lists.map((list): [ComponentList, ComponentMap] => [
      list,
      (item, request) => (matcher.test(list, item, request) === showsMatching ? item : undefined),
    ]),
  )
  return (source) => {
    return new MapLayer(source, {
      maps,
      expected: expectNames(owner, source, matcher.exact),
      isPerCaller: matcher.isPerCaller,
      ...(testKey !== undefined && {
        keyOf: (list, key) => (testKey(list, key) === showsMatching ? key : undefined),
        isDecidedByKey: true,
      }),
    })
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
  return (source) => {
    const expected = expectNames('describe()', source, Object.keys(changes))
    for (const list of ['tools/list', 'prompts/list'] as const) {
      for (const [name, change] of Object.entries(changes)) {
        const item = knownComponent(source, list, name)
        const [absent] = item === undefined ? [] : absentArguments(item, change)
        if (absent !== undefined) throw rangeError('wrong-argument', noArgument(name, absent))
      }
    }
    const told = new Told()
    const map: ComponentMap = (item, request) => {
      const change = Object.hasOwn(changes, item.name) ? changes[item.name] : undefined
      if (change === undefined) return item
      for (const absent of absentArguments(item, change))
        told.tell(request, `${noArgument(item.name, absent)} That is ignored.`)
      return applyDescription(item, change)
    }
    return new MapLayer(source, {
      maps: { 'tools/list': map, 'prompts/list': map },
      isPerCaller: false,
      keyOf: (_list, key) => key,
      isDecidedByKey: true,
      expected,
    })
  }
}

function noArgument(name: string, argument: string): string {
  return `describe() names the argument ${quote(argument)} of ${quote(name)}, which is not there.`
}

/** Arguments that are described and that it does not have. */
function absentArguments(item: Component, { arguments: texts = {} }: NewDescription): readonly string[] {
  const { arguments: listed, inputSchema } = item as unknown as JSONObject
  const own = isPlainObject(inputSchema) && isPlainObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const there = new Set(Array.isArray(listed) ? listed.map((one: JSONObject) => one['name']) : Object.keys(own))
  return Object.keys(texts).filter((name) => !there.has(name))
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
  if (!isPlainObject(item['inputSchema'])) return
  const properties = { ...(item['inputSchema']['properties'] as JSONObject) }
  for (const [name, description] of Object.entries(texts)) {
    if (Object.hasOwn(properties, name)) properties[name] = { ...(properties[name] as object), description }
  }
  item['inputSchema'] = { ...item['inputSchema'], properties }
}
