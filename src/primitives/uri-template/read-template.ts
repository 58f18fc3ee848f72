// URI templates (RFC 6570, level 4), read: their variables, and whether a URI could be read back.

import type { UriTemplateMatch } from './match.ts'
import { type Expression, parseTemplate, type TemplatePart } from './parse.ts'

export { UriTemplateError } from './parse.ts'

/** A parsed template. Made once, used for every request. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly text: string
  /** Each name once, in the order of its first occurrence. */
  readonly variableNames: readonly string[]
  /**
   * The values that make this URI, percent-decoded once, or `undefined`. Never throws; takes time linear in the URI.
   *
   * Without `+` or `#`, a value ends before `/`, `?` and `#`. A value is the shortest that lets the literal after it
   * begin; behind the first expression that may span segments, the same holds from the end. Query names come in any
   * order, may be missing or foreign, and the first of a name counts. A missing variable is no key of the result.
   *
   * `match(expandUriTemplate(text, x))` is `x` for strings, and lists in exploded variables, that are not empty, do not hold
   * the literal that follows and need no prefix, as long as neighbours with no literal between them begin differently.
   */
  match(uri: string): UriTemplateMatch | undefined
}

/** What finds the variables of a URI in a template of these parts. */
export type CreateMatch = (parts: readonly TemplatePart[]) => UriTemplate['match']

/** Parses a template; a `UriTemplateError` with the position where it is wrong or past the limits. `create` is called for the first URI. */
export function readUriTemplate(text: string, create: CreateMatch): UriTemplate {
  const parts = parseTemplate(text)
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables))
  const variableNames = [...new Set(variables.map((variable) => variable.name))]
  let match: UriTemplate['match'] | undefined
  return {
    text,
    variableNames,
    match(uri) {
      match ??= create(parts)
      return match(uri)
    },
  }
}

/** Why a URI cannot be read back by this template, or `undefined`. Throws `UriTemplateError` for what is no template at all. */
export function findTemplateDoubt(text: string): string | undefined {
  const parts = parseTemplate(text)
  const seen = new Set<string>()
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') continue
    const before = parts[at - 1]
    if (isExpression(before) && part.operator.lead === '') {
      return `nothing separates {${lastName(before)}} from {${part.variables[0]?.name}}; put a literal between them`
    }
    for (const { name, prefixLength } of part.variables) {
      if (prefixLength !== undefined) return `{${name}:${prefixLength}} is only a part of its value; use {${name}}`
      if (seen.has(name)) return `the variable ${name} is used twice; give each place a name of its own`
      seen.add(name)
    }
  }
  return undefined
}

function isExpression(part: TemplatePart | undefined): part is Expression {
  return typeof part === 'object'
}

function lastName({ variables }: Expression): string | undefined {
  return variables.at(-1)?.name
}
