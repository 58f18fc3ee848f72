// URI templates (RFC 6570, level 4), matched: from a URI to the values of its variables.

import { matchTemplate } from './match.ts'
import { type CreateMatch, readUriTemplate, type UriTemplate } from './read-template.ts'
import { divideTemplate } from './sections.ts'

export type { UriTemplateMatch } from './match.ts'
export { findTemplateDoubt, type UriTemplate, UriTemplateError } from './read-template.ts'

export const createMatch: CreateMatch = (parts) => {
  const sections = divideTemplate(parts)
  return (uri) => matchTemplate(sections, uri)
}

/** Parses a template; a `UriTemplateError` with the position where it is wrong or past the limits. */
export function parseUriTemplate(text: string): UriTemplate {
  return readUriTemplate(text, createMatch)
}
