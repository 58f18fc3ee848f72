// Which operations become tools: matches by id, tag, path and method.
import { typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { OpenAPIOperation } from './collect.ts'

/** An operation fits if every member that is given fits. A function decides by itself. */
export type OperationMatch = OperationPattern | ((operation: OpenAPIOperation) => boolean)

/** What an operation must be like to fit. */
export interface OperationPattern {
  /** The operation id, or a pattern of it. */
  operationId?: string | RegExp | undefined
  /** Any of these tags. */
  tags?: readonly string[] | undefined
  /** The path: as in the document, with `*` for one part and `**` for any number of them, or a pattern. */
  path?: string | RegExp | undefined
  /** Any of these methods, in lower case. */
  methods?: readonly string[] | undefined
}

const KEYS: KnownKeys<OperationPattern> = { operationId: true, tags: 'array', path: true, methods: 'array' }

export interface Matcher {
  /** Whether any entry fits. */
  fits(operation: OpenAPIOperation): boolean
  /** The entries that fit none of all operations. */
  unfitting(operations: readonly OpenAPIOperation[]): OperationMatch[]
}

/** Throws `TypeError` for what is no match. */
export function compileMatches(owner: string, matches: readonly OperationMatch[]): Matcher {
  const entries = matches.map((match) => ({
    match,
    fits: typeof match === 'function' ? match : compile(owner, match),
    hasFitted: false,
  }))
  return {
    fits: (operation) => {
      const entry = entries.find(({ fits }) => fits(operation))
      if (entry !== undefined) entry.hasFitted = true
      return entry !== undefined
    },
    // Those that were not asked, since one before them did.
    unfitting: (operations) =>
      entries.filter(({ fits, hasFitted }) => !hasFitted && !operations.some(fits)).map(({ match }) => match),
  }
}

function compile(owner: string, match: OperationPattern): (operation: OpenAPIOperation) => boolean {
  checkKeys(`openAPIServer(): ${owner}`, match, KEYS)
  const { operationId, tags, path, methods } = match
  if ([operationId, tags, path, methods].every((member) => member === undefined)) {
    throw typeError('wrong-option', `An entry of ${owner} is empty. Give it an operationId, tags, a path or methods.`)
  }
  const isPath = path === undefined ? undefined : textTest(path, true)
  const isId = operationId === undefined ? undefined : textTest(operationId, false)
  const wanted = methods?.map((method) => String(method).toLowerCase())
  return (operation) =>
    (isId === undefined || (operation.operationId !== undefined && isId(operation.operationId))) &&
    (tags === undefined || tags.some((tag) => operation.tags.includes(tag))) &&
    (isPath === undefined || isPath(operation.path)) &&
    (wanted === undefined || wanted.includes(operation.method))
}

function textTest(wanted: string | RegExp, isGlob: boolean): (text: string) => boolean {
  if (typeof wanted === 'string') {
    if (!isGlob || !wanted.includes('*')) return (text) => text === wanted
    // Any number of parts may be none: `/pets/**` has `/pets` too.
    const parts = wanted.split(/(\/\*\*$|\*\*|\*)/).map((part) => {
      if (part === '/**') return '(?:/.*)?'
      if (part === '**') return '.*'
      return part === '*' ? '[^/]*' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    })
    const pattern = new RegExp(`^${parts.join('')}$`)
    return (text) => pattern.test(text)
  }
  return (text) => {
    // A global pattern would go on where it ended the last time.
    wanted.lastIndex = 0
    return wanted.test(text)
  }
}
