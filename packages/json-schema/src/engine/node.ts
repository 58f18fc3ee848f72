// The parts that a schema is taken apart into: documents, the resources in them, and one node per subschema.
import type { Dialect } from '../dialect.ts'
import type { Seen } from './evaluate.ts'
import type { JSONSchema } from './json-schema.ts'
import type { Run } from './run.ts'

/** Whether a value fits. Adds to `seen`, where given, which members of the value were evaluated. */
export type Check = (value: unknown, run: Run, seen: Seen | undefined) => boolean

/** One JSON document, with a node for every place where a schema was found. */
export interface SchemaDocument {
  /** Absolute; of our own making for a schema that does not name itself. */
  readonly uri: string
  readonly root: JSONSchema
  /** Nodes by JSON Pointer. */
  readonly nodes: Map<string, SchemaNode>
}

/** A schema with an identity: the document's root, or a subschema with an `$id`. References resolve against it. */
export interface Resource {
  readonly uri: string
  readonly schema: JSONSchema
  /** Where in the document the schema is. */
  readonly pointer: string
  readonly document: SchemaDocument
  readonly dialect: Dialect
  readonly anchors: Map<string, SchemaNode>
  readonly dynamicAnchors: Map<string, SchemaNode>
}

/** What `$dynamicRef` points at: a node, and the anchor to look for in the dynamic scope if there is one. */
export interface DynamicTarget {
  readonly node: SchemaNode
  readonly anchor: string | undefined
}

/** One subschema. Its check is built when it is first needed. */
export class SchemaNode {
  readonly schema: JSONSchema
  readonly pointer: string
  readonly resource: Resource
  /** Where `$ref` and `$dynamicRef` lead; set once the whole schema is known. */
  target: SchemaNode | undefined = undefined
  dynamicTarget: DynamicTarget | undefined = undefined
  check: Check

  constructor(schema: JSONSchema, pointer: string, resource: Resource, compile: (node: SchemaNode) => Check) {
    this.schema = schema
    this.pointer = pointer
    this.resource = resource
    this.check = (value, run, seen) => {
      this.check = compile(this)
      return this.check(value, run, seen)
    }
  }
}

/** The place of a node for people: `#/properties/age`, with the document's URI where it has one of its own. */
export function schemaPathOf(resource: Resource, pointer: string): string {
  const { uri } = resource.document
  return uri.startsWith(UNNAMED_BASE) ? `#${pointer}` : `${uri}#${pointer}`
}

/** The base of schemas without an identity. Hierarchical, so that relative `$id`s inside them work. */
export const UNNAMED_BASE = 'mcpwire://schema/'
