// Names of tools, unique within the server, and the texts that models read.
import { cutText } from '../schemas/keywords.ts'
import { shortName } from '../text/short-name.ts'
import type { OpenAPIOperation } from './collect.ts'

const MAX_NAME = 64
const MAX_DESCRIPTION = 1_024

export class ToolNames {
  readonly #taken = new Set<string>()

  /** The name that was given, else the operation id, else method and path. */
  take(operation: OpenAPIOperation, given: string | undefined): string {
    const wanted = shortName(given ?? operation.operationId ?? methodAndPath(operation), MAX_NAME)
    const name = wanted === '' ? shortName(methodAndPath(operation), MAX_NAME) : wanted
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `_${number}`
      const candidate = name.slice(0, MAX_NAME - end.length) + end
      if (this.#taken.has(candidate)) continue
      this.#taken.add(candidate)
      return candidate
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
  const given = texts.filter((text) => text !== undefined).map((text) => text.trim())
  const text = [...(deprecated ? ['Deprecated.'] : []), ...given].join('\n\n')
  const fallback = `${operation.method.toUpperCase()} ${operation.path}`
  return cutText(text === '' ? fallback : text, MAX_DESCRIPTION)
}
