// `x-mcp` in a document: what its author says about an operation as a tool.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { ToolAnnotations } from '../../types/features/tools.ts'
import type { Place } from '../document/library.ts'
import { textAt } from '../document/members.ts'

/** What an operation becomes. */
export type OperationKind = 'tool' | 'resource' | 'template' | 'none'

/** The members of `x-mcp` that count; all others are ignored. */
export interface OperationExtension {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly as?: OperationKind | undefined
  readonly exclude?: boolean | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly scopes?: readonly string[] | undefined
}

const KINDS: ReadonlySet<unknown> = new Set(['tool', 'resource', 'template', 'none'])
/** It is read for each operation. */
const MAX_SCOPES = 1_000
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** From the document, the path and the operation; the nearest wins, member by member. */
export function readExtension(places: readonly Place[]): OperationExtension {
  return Object.assign({}, ...places.map(({ value }) => readOne(ownMember(value, 'x-mcp'))))
}

function readOne(value: unknown): OperationExtension {
  if (typeof value === 'boolean') return { exclude: !value }
  if (!isPlainObject(value)) return {}
  const { as, exclude, scopes } = value
  const entries = Object.entries({
    name: textAt(value, 'name'),
    title: textAt(value, 'title'),
    description: textAt(value, 'description'),
    as: KINDS.has(as) ? as : undefined,
    exclude: typeof exclude === 'boolean' ? exclude : undefined,
    annotations: readAnnotations(value['annotations']),
    scopes:
      Array.isArray(scopes) && scopes.length <= MAX_SCOPES && scopes.every((scope) => typeof scope === 'string')
        ? scopes
        : undefined,
  })
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined))
}

function readAnnotations(value: unknown): ToolAnnotations | undefined {
  if (!isPlainObject(value)) return undefined
  const hints = HINTS.filter((hint) => typeof value[hint] === 'boolean').map((hint) => [hint, value[hint]])
  const title = textAt(value, 'title')
  return { ...Object.fromEntries(hints), ...(title !== undefined && { title }) }
}

/** What a method says about a tool: read-only, idempotent, destructive. */
export function annotationsOf(method: string): ToolAnnotations {
  const isSafe = ['get', 'head', 'options', 'query', 'trace'].includes(method)
  return {
    ...(isSafe && { readOnlyHint: true }),
    ...(method === 'put' && { idempotentHint: true }),
    ...(method === 'delete' && { destructiveHint: true, idempotentHint: true }),
    openWorldHint: true,
  }
}
