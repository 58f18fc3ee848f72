// The operations of a document, in its order: by path, with what the path says for all of them.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Library, Place } from '../document/library.ts'
import { listAt, objectAt, pointerTo, textAt } from '../document/members.ts'
import { OpenAPIError } from '../document/openapi-error.ts'
import { MappingProblem } from '../document/problem.ts'
import type { OpenAPIVersion } from '../document/version.ts'

/** One operation as the document has it. */
export interface OpenAPIOperation {
  /** In lower case, such as `get`. */
  readonly method: string
  /** As in the document, such as `/pets/{id}`. */
  readonly path: string
  /** The name that the document gives it. */
  readonly operationId?: string
  /** Its tags, for filters. */
  readonly tags: readonly string[]
  /** What it does, in a line. */
  readonly summary?: string
  /** What it does, in full. */
  readonly description?: string
  /** Whether the document advises against it. */
  readonly deprecated: boolean
  /** Where it stands, as a JSON pointer. */
  readonly pointer: string
}

export interface FoundOperation {
  readonly operation: OpenAPIOperation
  /** As it is sent: methods of `additionalOperations` keep their letters. */
  readonly method: string
  readonly pathItem: Place
  readonly place: Place
  /** Why it cannot be used at all. */
  readonly problem?: string
}

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
/** As many as are looked at; how many become tools is bounded where filters have been asked. */
const MAX_OPERATIONS = 100_000

/** Throws `OpenAPIError` for more operations than are read. */
export function collectOperations(library: Library, version: OpenAPIVersion): FoundOperation[] {
  const { root } = library
  const found: FoundOperation[] = []
  for (const [path, value] of Object.entries(objectAt(root.value, 'paths'))) {
    if (path.startsWith('x-')) continue
    found.push(...inPath(library, version, path, value))
    if (found.length > MAX_OPERATIONS) {
      throw new OpenAPIError(`The document has more than ${MAX_OPERATIONS} operations.`, '#/paths')
    }
  }
  return found
}

function inPath(library: Library, version: OpenAPIVersion, path: string, value: unknown): FoundOperation[] {
  const pointer = pointerTo('#/paths', path)
  const start: Place = { value, document: library.root, pointer }
  let pathItem: Place
  try {
    pathItem = library.follow(start)
  } catch (error) {
    if (!(error instanceof MappingProblem)) throw error
    const operation = describe('get', path, {}, pointer)
    return [{ operation, method: 'GET', pathItem: start, place: start, problem: error.message }]
  }
  // Since 3.1 operations may stand beside a reference, and go before those that it names.
  const own = isPlainObject(value) && value !== pathItem.value ? value : {}
  const methods = version === '3.2' ? [...METHODS, 'query'] : METHODS
  const entries: [string, unknown, string][] = methods.flatMap((method) => {
    const operation = ownMember(own, method) ?? ownMember(pathItem.value, method)
    return isPlainObject(operation) ? [[method.toUpperCase(), operation, method] as [string, unknown, string]] : []
  })
  if (version === '3.2') {
    for (const [method, operation] of Object.entries(objectAt(pathItem.value, 'additionalOperations'))) {
      if (isPlainObject(operation)) entries.push([method, operation, `additionalOperations/${method}`])
    }
  }
  return entries.map(([method, operation, place]) => {
    // A path that others refer to is there once for each of them.
    library.spend(1 + listAt(operation, 'tags').length)
    const at = `${pathItem.pointer === pointer ? pointer : pathItem.pointer}/${place}`
    return {
      operation: describe(method, path, operation, at),
      method,
      pathItem,
      place: { value: operation, document: pathItem.document, pointer: at },
    }
  })
}

function describe(method: string, path: string, value: unknown, pointer: string): OpenAPIOperation {
  const operationId = textAt(value, 'operationId')
  const summary = textAt(value, 'summary')
  const description = textAt(value, 'description')
  return {
    method: method.toLowerCase(),
    path,
    ...(operationId !== undefined && { operationId }),
    tags: listAt(value, 'tags').filter((tag) => typeof tag === 'string'),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    deprecated: ownMember(value, 'deprecated') === true,
    pointer,
  }
}

/** Operations that the API calls, not we: they are reported, and never tools. */
export function collectInbound({ root }: Library): OpenAPIOperation[] {
  return Object.entries(objectAt(root.value, 'webhooks')).flatMap(([name, value]) =>
    METHODS.flatMap((method) => {
      const operation = ownMember(value, method)
      return isPlainObject(operation) ? [describe(method, name, operation, pointerTo('#/webhooks', name, method))] : []
    }),
  )
}
