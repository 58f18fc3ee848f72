// URI templates (RFC 6570, level 4), read backwards: from a URI to the values it was made of.
import { matchTemplate } from './match.ts'
import { parseTemplate } from './parse.ts'
import { divideTemplate, type Sections } from './sections.ts'
import type { UriTemplateMatch } from './values.ts'

export { UriTemplateError } from './parse.ts'
export type { UriTemplateMatch } from './values.ts'

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

/** Parses a template; a `UriTemplateError` with the position where it is wrong or past the limits. */
export function parseUriTemplate(text: string): UriTemplate {
  const parts = parseTemplate(text)
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables))
  const variableNames = [...new Set(variables.map((variable) => variable.name))]
  let sections: Sections | undefined
  return {
    text,
    variableNames,
    match(uri) {
      sections ??= divideTemplate(parts)
      return matchTemplate(sections, uri)
    },
  }
}
