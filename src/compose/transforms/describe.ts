// `describe`: other texts, annotations and icons for tools and prompts.
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import type { Component } from '../../server/source.ts'
import type { ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import { knownComponent } from '../sources/known.ts'
import { NAMED_LISTS } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { expectNames } from './expected-names.ts'
import { type ComponentMap, KEEPS_KEYS } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'
import { Told } from './told.ts'

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
    for (const list of NAMED_LISTS) {
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
      maps: Object.fromEntries(NAMED_LISTS.map((list) => [list, map])),
      isPerCaller: false,
      ...KEEPS_KEYS,
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
