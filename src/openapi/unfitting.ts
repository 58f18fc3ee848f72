// Entries of options that fit nothing in the document: most often a word that is spelt in another way there.
import { isPlainObject, ownMember } from '../primitives/json/objects.ts'
import { listAt, textAt } from './document/members.ts'
import type { FoundOperation, OpenAPIOperation } from './operations/collect.ts'
import type { Matcher, OperationMatch } from './operations/filter.ts'
import type { OpenAPIToolsOptions } from './options.ts'

interface Searched {
  readonly found: readonly FoundOperation[]
  /** The value of the document. */
  readonly root: unknown
  readonly schemes: Iterable<string>
  readonly matchers: Readonly<Record<'include' | 'exclude', Matcher>>
}

/** One line for each, in the order of the options. */
export function unfittingEntries(options: OpenAPIToolsOptions, { found, root, schemes, matchers }: Searched): string[] {
  const operations = found.map(({ operation }) => operation)
  const lines = (['include', 'exclude'] as const).flatMap((name) =>
    matchers[name]
      .unfitting(operations)
      .map((match) => `The option ${name} has an entry that fits no operation: ${textOf(match)}.`),
  )
  const look = (name: 'names' | 'mediaType' | 'variables' | 'auth', what: string, list: () => Iterable<string>) => {
    const keys = Object.keys(options[name] ?? {})
    const known = new Set(keys.length === 0 ? [] : list())
    for (const key of keys) {
      if (known.has(key)) continue
      lines.push(`The option ${name} has ${cut(JSON.stringify(key))}, and the document has no such ${what}.`)
    }
  }
  const holders = () => [root, ...found.flatMap(({ pathItem, place }) => [pathItem.value, place.value])]
  look('variables', 'variable of a server', () => holders().flatMap(variablesOf))
  look('names', 'operation', () => operations.flatMap(keysOf))
  look('auth', 'security scheme', () => [...schemes, ...holders().flatMap(neededBy)])
  look('mediaType', 'operation', () => operations.flatMap(keysOf))
  return lines
}

/** What an operation is called in options: its id, or its method and path. */
export function keysOf({ operationId, method, path }: OpenAPIOperation): string[] {
  return [...(operationId === undefined ? [] : [operationId]), `${method.toUpperCase()} ${path}`, `${method} ${path}`]
}

/** Of the first server, which is the one that counts. */
function variablesOf(holder: unknown): string[] {
  const url = textAt(listAt(holder, 'servers')[0], 'url') ?? ''
  return [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}

/** Also schemes that the document names and does not describe. */
function neededBy(holder: unknown): string[] {
  return listAt(holder, 'security')
    .filter(isPlainObject)
    .flatMap((requirement) => Object.keys(requirement))
}

function textOf(match: OperationMatch): string {
  if (typeof match === 'function') return 'a function'
  const members = Object.keys(match).map((key) => {
    const value = ownMember(match, key)
    return `${key} ${value instanceof RegExp ? String(value) : JSON.stringify(value)}`
  })
  return cut(members.join(', '))
}

const MAX_TEXT = 200

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
