// Reads a schema without the validator: what is wrong with it is said at once, and the validator is loaded when a value comes.
import { dialectNamed } from './dialect.ts'
import { copySchema } from './engine/copy.ts'
import type { JSONSchema } from './engine/json-schema.ts'
import { resolveLimits } from './engine/limits.ts'
import { SchemaNode, UNNAMED_BASE } from './engine/node.ts'
import { Budget } from './engine/steps.ts'
import { Library } from './library.ts'

/** A schema that was read. */
export interface Outline {
  /** Later changes of the original do not matter. */
  readonly copy: JSONSchema
  /** Nothing is wrong with it. Otherwise only the validator can tell: it has a pattern, or refers to a meta-schema. */
  readonly isSettled: boolean
}

const PUBLISHED = /^https?:\/\/json-schema\.org\//

class NeedsMetaSchema extends Error {}

/** Throws the `SchemaError` or `LimitError` that compiling throws, unless the outline is not settled. */
export function outlineOf(schema: unknown): Outline {
  const limits = resolveLimits()
  let isSettled = true
  const library = new Library({
    limits,
    budget: new Budget(limits.maxCompilationSteps),
    defaultDialect: dialectNamed('2020-12'),
    documents: {},
    createNode: (part, pointer, resource) => new SchemaNode(part, pointer, resource, () => () => false),
    checkPattern: () => {
      isSettled = false
    },
    findMetaSchema: (uri) => {
      if (PUBLISHED.test(uri)) throw new NeedsMetaSchema()
      return undefined
    },
  })
  const copy = copySchema(schema, limits)
  try {
    library.add(copy, UNNAMED_BASE)
    library.resolveReferences()
  } catch (error) {
    if (!(error instanceof NeedsMetaSchema)) throw error
    isSettled = false
  }
  return { copy, isSettled }
}
