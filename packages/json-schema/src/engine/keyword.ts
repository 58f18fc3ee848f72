// How a keyword is described, the kinds of value that keywords take, and what the compiler of a keyword sees.

import type { PatternSource } from '../patterns/patterns.ts'
import { escapePointer } from './issue.ts'
import type { JSONObject } from './json-schema.ts'
import type { Check } from './node.ts'
import { type SchemaNode, schemaPathOf } from './node.ts'
import type { Run } from './run.ts'

export type Vocabulary = 'core' | 'applicator' | 'unevaluated' | 'validation' | 'format'

/** Where a keyword's subschemas are inside its value. */
export type Holds = 'schema' | 'schemas' | 'schemaMap' | 'schemaOrSchemas' | 'schemaOrNamesMap'

export interface ValueRule {
  /** Completes `must be …`. */
  readonly expected: string
  accepts(value: unknown): boolean
}

/** One keyword of a dialect: what its value must be, where its subschemas are, and what it checks. */
export interface Keyword {
  readonly name: string
  readonly vocabulary: Vocabulary
  readonly takes?: ValueRule
  readonly holds?: Holds
  /** Runs after all other keywords of its schema, with what they have evaluated. */
  readonly isLate?: boolean
  /** The regular expressions in the value, so that bad ones are rejected with the schema. */
  patternsIn?(value: unknown): string[]
  /** What its check always costs, in steps; what grows with a value it pays for itself. */
  weigh?(value: unknown): number
  /** Absent for keywords that only hold subschemas or that another keyword reads. */
  compile?(site: Site): Check | undefined
}

export const TYPE_NAMES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] as const

export const NUMBER: ValueRule = {
  expected: 'a number',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value),
}

export const POSITIVE_NUMBER: ValueRule = {
  expected: 'a number greater than 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
}

export const COUNT: ValueRule = {
  expected: 'an integer of at least 0',
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
}

export const BOOLEAN: ValueRule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }

export const STRING: ValueRule = { expected: 'a string', accepts: (value) => typeof value === 'string' }

export const ARRAY: ValueRule = { expected: 'an array', accepts: Array.isArray }

export const ANYTHING: ValueRule = { expected: 'anything', accepts: () => true }

export const NAMES: ValueRule = { expected: 'an array of strings', accepts: isArrayOfStrings }

export const NAMES_BY_NAME: ValueRule = {
  expected: 'an object of arrays of strings',
  accepts: (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isArrayOfStrings),
}

export const TYPES: ValueRule = {
  expected: `one of ${TYPE_NAMES.join(', ')}, or a list of them`,
  accepts: (value) => isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
}

/** RFC 3986 reference; only that it is a string is checked here, the rest when it is resolved. */
export const URI_REFERENCE: ValueRule = STRING

export const ANCHOR: ValueRule = {
  expected: 'a name of letters, digits, "-", "_" and "." that begins with a letter or "_"',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
}

export function isArrayOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTypeName(value: unknown): boolean {
  return (TYPE_NAMES as readonly unknown[]).includes(value)
}

/** Reports a misfit and is false. The detail goes to the explanation. */
export type Reject = (value: unknown, run: Run, detail?: string) => false

/** What is the same for every keyword of one compiled schema. */
export interface Program {
  readonly assertsFormats: boolean
  /** Whether any `$dynamicRef` exists; only then are scopes kept. */
  usesDynamicScope: boolean
  readonly patterns: PatternSource
}

/** One keyword at one place of a schema. */
export class Site {
  readonly keyword: string
  readonly node: SchemaNode
  readonly program: Program
  readonly schema: JSONObject

  constructor(keyword: string, node: SchemaNode, schema: JSONObject, program: Program) {
    this.keyword = keyword
    this.node = node
    this.schema = schema
    this.program = program
  }

  get value(): unknown {
    return this.schema[this.keyword]
  }

  get schemaPath(): string {
    const { resource, pointer, schema } = this.node
    return schemaPathOf(resource, typeof schema === 'boolean' ? pointer : `${pointer}/${escapePointer(this.keyword)}`)
  }

  /** The value of a keyword beside this one, if the dialect knows that keyword. */
  sibling(keyword: string): unknown {
    if (!Object.hasOwn(this.schema, keyword)) return undefined
    return this.node.resource.dialect.keywords.has(keyword) ? this.schema[keyword] : undefined
  }

  /** The subschema that is this keyword's value. */
  subschema(): SchemaNode {
    return this.#nodeAt(this.keyword)
  }

  /** The subschema under a keyword beside this one. */
  siblingSchema(keyword: string): SchemaNode | undefined {
    return this.sibling(keyword) === undefined ? undefined : this.#nodeAt(keyword)
  }

  /** The subschemas of a keyword that takes a list. */
  listOfSubschemas(): SchemaNode[] {
    return (this.value as unknown[]).map((_, index) => this.#nodeAt(`${this.keyword}/${index}`))
  }

  /** The subschema under a name, of a keyword that takes a map. */
  namedSubschema(name: string): SchemaNode {
    return this.#nodeAt(`${this.keyword}/${escapePointer(name)}`)
  }

  /** Prepares the rejection of values; the text is made only when someone wants to read it. */
  reject(explain: (value: unknown, detail: string) => string): Reject {
    return (value, run, detail = '') => (run.stopsEarly ? false : run.report(this, explain(value, detail)))
  }

  #nodeAt(segments: string): SchemaNode {
    const node = this.node.resource.document.nodes.get(`${this.node.pointer}/${segments}`)
    if (node === undefined) throw new TypeError(`No schema was found at ${this.schemaPath}`)
    return node
  }
}
