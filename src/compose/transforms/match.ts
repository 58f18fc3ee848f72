// Which components a transform means: names, patterns, URIs, tags, annotations, or a function.
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys } from '../../primitives/options.ts'
import { list as joinList, quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component, Source } from '../../server/source.ts'
import type { ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ComponentList, factsOf } from '../sources/lists.ts'

/** What a component must have: all that is given. */
export interface ComponentFacts {
  /** Names of tools and prompts. `*` stands for any characters. */
  names?: readonly string[] | undefined
  /** URIs of resources and texts of templates. `*` stands for any characters. */
  uris?: readonly string[] | undefined
  /** One of these is among its tags: `_meta.tags` or `_meta['mcpwire/tags']`. */
  tags?: readonly string[] | undefined
  /** The annotations of a tool have these values. */
  annotations?: Partial<ToolAnnotations> | undefined
}

/** Decides for one component. With a second parameter it is asked for each caller. */
export type ComponentTest = (component: Component, request: ServerRequestContext) => boolean

/** Names or patterns of tools and prompts, facts of components, or a function. */
export type ComponentMatch = string | readonly string[] | ComponentFacts | ComponentTest

export interface Matcher {
  readonly isPerCaller: boolean
  /** Whether the match says anything about components of this list. */
  readonly concerns: (list: ComponentList) => boolean
  readonly test: (list: ComponentList, item: Component, request: ServerRequestContext) => boolean
  /** As `test`, where the key of a component says it all; `undefined` where it does not. */
  readonly testKey?: ((list: ComponentList, key: string) => boolean) | undefined
  /** Names without `*`. */
  readonly exact: readonly string[]
}

const isNamed = (list: ComponentList) => list === 'tools/list' || list === 'prompts/list'

export function readMatch(owner: string, match: ComponentMatch): Matcher {
  if (typeof match === 'function') {
    return {
      isPerCaller: match.length > 1,
      concerns: () => true,
      test: (_list, item, request) => match(item, request),
      exact: [],
    }
  }
  const facts: ComponentFacts =
    typeof match === 'string' ? { names: [match] } : Array.isArray(match) ? { names: match } : (match as ComponentFacts)
  if (typeof facts !== 'object' || facts === null)
    throw typeError(
      'wrong-argument',
      `${owner} takes names, an object with names, uris, tags or annotations, or a function.`,
    )
  checkKeys(owner, facts, { names: 'array', uris: 'array', tags: 'array', annotations: 'object' })
  const { names, uris, tags, annotations } = facts
  const byName = names && patternsOf(names)
  const byUri = uris && patternsOf(uris)
  const fits = (list: ComponentList, key: string) => (isNamed(list) ? byName : byUri)?.(key) !== false
  return {
    isPerCaller: false,
    testKey: tags === undefined && annotations === undefined ? fits : undefined,
    concerns: (list) => {
      if (annotations !== undefined && list !== 'tools/list') return false
      if (tags !== undefined && names === undefined && uris === undefined) return true
      return isNamed(list) ? names !== undefined || annotations !== undefined : uris !== undefined
    },
    test: (list, item) => {
      const key = isNamed(list)
        ? item.name
        : ((item as { uri?: string }).uri ?? (item as { uriTemplate: string }).uriTemplate)
      if (!fits(list, key)) return false
      if (tags !== undefined && !tagsOf(item).some((tag) => (tags as readonly unknown[]).includes(tag))) return false
      return annotations === undefined || hasAnnotations(item, annotations)
    },
    exact: (names ?? []).filter((name) => !name.includes('*')),
  }
}

/** Throws for names that the source does not have. `false` where it does not say which it has. */
export function checkNames(
  owner: string,
  source: Source,
  names: readonly string[],
  lists: readonly ComponentList[],
): boolean {
  const known = lists.map((list) => source.keys?.(list))
  if (known.some((keys) => keys === undefined)) return false
  const kinds = lists.map((list) => factsOf(list).kind).join(' or ')
  const all = known.flatMap((keys) => keys ?? [])
  for (const name of names) {
    if (all.includes(name)) continue
    const there =
      all.length === 0
        ? 'There is none yet.'
        : `There are ${joinList(all.slice(0, 10))}${all.length > 10 ? ' and more' : ''}.`
    throw rangeError('wrong-argument', `${owner} names ${quote(name)}, but no ${kinds} has that name. ${there}`)
  }
  return true
}

function patternsOf(patterns: readonly string[]): (text: string) => boolean {
  const exact = new Set(patterns.filter((one) => !one.includes('*')))
  const globs = patterns.filter((one) => one.includes('*')).map((one) => one.split('*'))
  return (text) => exact.has(text) || globs.some((parts) => fitsGlob(parts, text))
}

/** The parts between the stars, in order: without a regular expression, nothing can take long. */
function fitsGlob(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || text.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.endsWith(last) && text.length - last.length >= at
}

function tagsOf(item: Component): readonly unknown[] {
  const meta = (item._meta ?? {}) as JSONObject
  const tags = meta['mcpwire/tags'] ?? meta['tags']
  return Array.isArray(tags) ? tags : []
}

function hasAnnotations(item: Component, wanted: Partial<ToolAnnotations>): boolean {
  const annotations = (item as { annotations?: JSONObject }).annotations ?? {}
  return Object.entries(wanted).every(([name, value]) => annotations[name] === value)
}
