// How a keyword is described, and what the compiler of a keyword sees.

import type { PatternSource } from '../patterns/patterns.ts'
import { escapePointer } from './issue.ts'
import type { JSONObject } from './json-schema.ts'
import type { Check } from './node.ts'
import { type SchemaNode, schemaPathOf } from './node.ts'
import type { Run } from './run.ts'
import type { ValueRule } from './value-rules.ts'

export type Vocabulary = 'core' | 'applicator' | 'unevaluated' | 'validation' | 'format'

/** Where a keyword's subschemas are inside its value. */
export type Holds = 'schema' | 'schemas' | 'schemaMap' | 'schemaOrSchemas' | 'schemaOrNamesMap'

/** One keyword of a dialect: what its value must be, and where its subschemas are. */
export interface Keyword {
  readonly name: string
  readonly vocabulary: Vocabulary
  readonly takes?: ValueRule
  readonly holds?: Holds
  /** Runs after all other keywords of its schema, with what they have evaluated. */
  readonly isLate?: boolean
  /** The regular expressions in the value, so that bad ones are rejected with the schema. */
  patternsIn?(value: unknown): string[]
}

/** What a keyword checks. */
export interface KeywordCheck {
  /** What the check always costs, in steps; what grows with a value it pays for itself. */
  weigh?(value: unknown): number
  compile(site: Site): Check | undefined
}

/** By the name of the keyword. None for keywords that only hold subschemas or that another keyword reads. */
export type KeywordChecks = Readonly<Record<string, KeywordCheck>>

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
