// Names of tools, unique within the server, and the texts that models read.
import { cutText } from '../schemas/keywords.ts'
import { shortName } from '../text/short-name.ts'
import type { OpenAPIOperation } from './collect.ts'

const MAX_NAME = 64
const MAX_DESCRIPTION = 1_024

export class ToolNames {
  readonly #taken = new Set<string>()
  /** By number of digits and beginning: the lowest number that may be free. Documents can have one name thousands of times. */
  readonly #free = new Map<string, number>()

  /** The name that was given, else the operation id, else method and path. */
  take(operation: OpenAPIOperation, given: string | undefined): string {
    const wanted = shortName(given ?? operation.operationId ?? methodAndPath(operation), MAX_NAME)
    const name = wanted === '' ? shortName(methodAndPath(operation), MAX_NAME) : wanted
    const free = this.#taken.has(name) ? this.#numbered(name) : name
    this.#taken.add(free)
    return free
  }

  #numbered(name: string): string {
    for (let digits = 1; ; digits++) {
      const start = `${name.slice(0, MAX_NAME - 1 - digits)}_`
      const key = `${digits} ${start}`
      const end = 10 ** digits
      let number = this.#free.get(key) ?? Math.max(2, end / 10)
      while (number < end && this.#taken.has(`${start}${number}`)) number++
      this.#free.set(key, number)
      if (number < end) return `${start}${number}`
    }
  }
}

/** `get_users_by_id` for `GET /users/{id}`. */
function methodAndPath({ method, path }: OpenAPIOperation): string {
  return `${method}_${path.replace(/\{([^{}]*)\}/g, 'by_$1')}`
}

export type Describe = 'short' | 'full'

/** Summary and description, as Markdown, at most 1,024 characters. */
export function describeOperation(operation: OpenAPIOperation, how: Describe): string | undefined {
  const { summary, description, deprecated } = operation
  const texts =
    how === 'short' ? [summary ?? description] : [summary, description === summary ? undefined : description]
  // Cut before they are joined: operations may share a text of any length, and each would keep a copy.
  const given = texts.filter((text) => text !== undefined).map((text) => text.slice(0, 2 * MAX_DESCRIPTION).trim())
  const text = [...(deprecated ? ['Deprecated.'] : []), ...given].join('\n\n')
  const fallback = `${operation.method.toUpperCase()} ${operation.path}`
  return cutText(text === '' ? fallback : text, MAX_DESCRIPTION)
}
