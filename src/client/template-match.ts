// Whether a server's template stands for a URI. Templates come from servers: one that cannot be read stands for nothing.
import { parseUriTemplate, type UriTemplate } from '../primitives/uri-template/uri-template.ts'
import type { ResourceTemplate } from '../types/features/resources.ts'

const parsed = new WeakMap<ResourceTemplate, UriTemplate | false>()

export function templateMatches(template: ResourceTemplate, uri: string): boolean {
  let reading = parsed.get(template)
  if (reading === undefined) {
    reading = read(template.uriTemplate)
    parsed.set(template, reading)
  }
  return reading !== false && reading.match(uri) !== undefined
}

function read(text: string): UriTemplate | false {
  try {
    return parseUriTemplate(text)
  } catch {
    return false
  }
}
