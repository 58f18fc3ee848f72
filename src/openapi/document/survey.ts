// One walk over a document before it is used: how deep it is, what it refers to outside of itself, and its anchors and ids.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { OpenAPIError } from './openapi-error.ts'

export const MAX_DEPTH = 200
/** Objects, lists and their members. GitHub's document, one of the largest there are, has 600,000. */
const MAX_VALUES = 10_000_000

export interface Survey {
  /** How many members and items there are. */
  readonly values: number
  /** The references that do not begin with `#`. */
  readonly outside: ReadonlySet<string>
  /** By `$anchor` and `$dynamicAnchor`. */
  readonly anchors: ReadonlyMap<string, object>
  /** By `$id`, as written. */
  readonly ids: ReadonlyMap<string, object>
}

class Walk {
  readonly outside = new Set<string>()
  readonly anchors = new Map<string, object>()
  readonly ids = new Map<string, object>()
  values = 0

  visit(value: object, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new OpenAPIError(`The document nests deeper than ${MAX_DEPTH} levels. Move parts of it to components.`)
    }
    if (Array.isArray(value)) {
      this.#count(value.length)
      for (const item of value) if (typeof item === 'object' && item !== null) this.visit(item, depth + 1)
      return
    }
    let members = 0
    for (const key in value) {
      members += 1
      const member = (value as Record<string, unknown>)[key]
      if (typeof member === 'object') {
        if (member !== null) this.visit(member, depth + 1)
      } else if (typeof member === 'string' && key.charCodeAt(0) === DOLLAR) {
        this.#note(key, member, value)
      }
    }
    this.#count(members)
  }

  #count(values: number): void {
    this.values += values
    if (this.values <= MAX_VALUES) return
    throw new OpenAPIError(`The document has more than ${MAX_VALUES} values. Split it into several servers.`)
  }

  #note(key: string, text: string, holder: object): void {
    if (key === '$ref' || key === '$dynamicRef') {
      if (!text.startsWith('#')) this.outside.add(text)
    } else if (key === '$anchor' || key === '$dynamicAnchor') {
      if (!this.anchors.has(text)) this.anchors.set(text, holder)
    } else if (key === '$id') {
      if (!this.ids.has(text)) this.ids.set(text, holder)
    }
  }
}

const DOLLAR = 0x24

/** Throws `OpenAPIError` for a document that is deeper or larger than it may be. One that holds itself is too deep. */
export function surveyDocument(value: unknown): Survey {
  const walk = new Walk()
  if (isPlainObject(value)) walk.visit(value, 1)
  return walk
}
