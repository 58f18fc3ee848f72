// All schemas that one compilation knows, and where references lead among them. Nothing
// is ever fetched.

import { type Dialect, dialectFor } from './dialect.ts'
import { copySchema } from './engine/copy.ts'
import { isEqual } from './engine/equality.ts'
import { SchemaError } from './engine/errors.ts'
import { quote } from './engine/issue.ts'
import type { JSONObject } from './engine/json-schema.ts'
import { isPlainObject, type JSONSchema, type JSONSchemaObject } from './engine/json-schema.ts'
import type { SchemaLimits } from './engine/limits.ts'
import { type DynamicTarget, type Resource, type SchemaNode, schemaPathOf } from './engine/node.ts'
import type { Budget } from './engine/steps.ts'
import { ENTRY } from './engine/steps.ts'
import { decodeFragment, resolveUri, splitReference } from './engine/uri.ts'
import { createDocument, payForPointer, type SurveyContext, surveySchema } from './survey.ts'

/** Schemas that others may refer to, by the URI that they use for it. */
export type SchemaDocuments = Readonly<Record<string, JSONSchema>>

export interface LibraryOptions {
  readonly limits: SchemaLimits
  readonly budget: Budget
  readonly defaultDialect: Dialect
  readonly documents: SchemaDocuments
  readonly createNode: SurveyContext['createNode']
  readonly checkPattern: SurveyContext['checkPattern']
  /** The published meta-schema with this URI. */
  readonly findMetaSchema: (uri: string) => JSONSchemaObject | undefined
}

/** A dialect of one's own is a table of some forty keywords. */
const DIALECT_STEPS = 1_000

export class Library implements SurveyContext {
  readonly limits: SchemaLimits
  readonly budget: Budget
  readonly createNode: SurveyContext['createNode']
  readonly checkPattern: SurveyContext['checkPattern']
  readonly referring: SchemaNode[] = []
  subschemas = 0
  readonly #defaultDialect: Dialect
  readonly #given: SchemaDocuments
  readonly #findPublished: LibraryOptions['findMetaSchema']
  readonly #resources = new Map<string, Resource>()
  #documents: ReadonlyMap<string, JSONSchema> | undefined

  constructor(options: LibraryOptions) {
    this.limits = options.limits
    this.budget = options.budget
    this.createNode = options.createNode
    this.checkPattern = options.checkPattern
    this.#defaultDialect = options.defaultDialect
    this.#given = options.documents
    this.#findPublished = options.findMetaSchema
  }

  /** Surveys a document; its root is known by the given URI and by its own `$id`. */
  add(schema: JSONSchema, uri: string): SchemaNode {
    const declared = isPlainObject(schema) ? schema['$schema'] : undefined
    if (declared !== undefined && typeof declared !== 'string') {
      throw new SchemaError('"$schema" must be a string', '#/$schema')
    }
    const outermost: Resource = {
      uri,
      schema,
      pointer: '',
      document: createDocument(uri, schema),
      dialect: declared === undefined ? this.#defaultDialect : this.findDialect(declared),
      anchors: new Map(),
      dynamicAnchors: new Map(),
    }
    const root = surveySchema(schema, '', outermost, this)
    this.#resources.set(uri, root.resource)
    return root
  }

  addResource(resource: Resource): void {
    const { uri } = resource
    const other = this.#resources.get(uri)
    if (other !== undefined && !isEqual(other.schema, resource.schema, this.budget)) {
      throw new SchemaError(`the $id ${quote(uri)} is given twice`, schemaPathOf(resource, `${resource.pointer}/$id`))
    }
    this.#resources.set(uri, other ?? resource)
  }

  findDialect(uri: string): Dialect {
    this.budget.spend(DIALECT_STEPS)
    return dialectFor(uri, this.#defaultDialect, (metaSchema) => this.#findMetaSchema(metaSchema))
  }

  /** Resolves every reference, in this document and in those that it leads to. */
  resolveReferences(): { usesDynamicScope: boolean } {
    const resolved: SchemaNode[] = []
    let usesDynamicScope = false
    for (let node = this.referring.pop(); node !== undefined; node = this.referring.pop()) {
      resolved.push(node)
      this.budget.spend(ENTRY)
      const { $ref, $dynamicRef } = node.schema as JSONObject
      if (typeof $ref === 'string') node.target = this.#resolve($ref, node, '$ref').node
      if (typeof $dynamicRef !== 'string' || node.resource.dialect.referenceStandsAlone) continue
      node.dynamicTarget = this.#resolve($dynamicRef, node, '$dynamicRef')
      usesDynamicScope ||= node.dynamicTarget.anchor !== undefined
    }
    rejectLoops(resolved)
    return { usesDynamicScope }
  }

  #resolve(reference: string, from: SchemaNode, keyword: string): DynamicTarget {
    const { location, fragment } = splitReference(reference)
    const resource = location === '' ? from.resource : this.#findResource(location, from.resource)
    const name = decodeFragment(fragment)
    const node = resource === undefined || name === undefined ? undefined : this.#findNode(resource, name)
    if (node === undefined || name === undefined) throw unresolved(reference, from, keyword)
    return { node, anchor: resource?.dynamicAnchors.has(name) ? name : undefined }
  }

  #findResource(location: string, base: Resource): Resource | undefined {
    const uri = resolveUri(location, base.uri, this.budget)
    if (uri === undefined) return undefined
    const known = this.#resources.get(uri)
    if (known !== undefined) return known
    const schema = this.#findDocument(uri)
    return schema === undefined ? undefined : this.add(copySchema(schema, this.limits), uri).resource
  }

  #findNode(resource: Resource, fragment: string): SchemaNode | undefined {
    const { nodes } = resource.document
    if (fragment !== '' && !fragment.startsWith('/')) return resource.anchors.get(fragment)
    return nodes.get(resource.pointer + fragment) ?? this.#surveyStray(resource, fragment)
  }

  /** A pointer may lead to where no keyword holds a schema, such as into an unknown keyword. */
  #surveyStray(start: Resource, pointer: string): SchemaNode | undefined {
    let value: unknown = start.schema
    let resource = start
    let path = start.pointer
    for (const segment of pointer.split('/').slice(1)) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
      value = (value as JSONObject)[key]
      path += `/${segment}`
      payForPointer(path, this.budget)
      resource = resource.document.nodes.get(path)?.resource ?? resource
    }
    return surveySchema(value, path, resource, this)
  }

  #findMetaSchema(uri: string): JSONSchemaObject | undefined {
    const location = resolveUri(uri, undefined, this.budget)
    const schema = location === undefined ? undefined : this.#findDocument(location)
    return isPlainObject(schema) ? schema : undefined
  }

  #findDocument(uri: string): JSONSchema | undefined {
    this.#documents ??= new Map(Object.entries(this.#given).map(([key, schema]) => [resolveUri(key) ?? key, schema]))
    return this.#documents.get(uri) ?? this.#findPublished(uri)
  }
}

function unresolved(reference: string, from: SchemaNode, keyword: string): SchemaError {
  const advice = reference.startsWith('#')
    ? 'there is no such schema here'
    : 'references are never fetched; inline it under "$defs" or give it in the option "documents"'
  const path = schemaPathOf(from.resource, `${from.pointer}/${keyword}`)
  return new SchemaError(`"${keyword}" ${quote(reference)} leads nowhere: ${advice}`, path)
}

/** A chain of `$ref`s that comes back to itself would never look at the value. */
function rejectLoops(nodes: readonly SchemaNode[]): void {
  const ending = new Set<SchemaNode>()
  for (const start of nodes) {
    const chain = new Set<SchemaNode>()
    for (let node: SchemaNode | undefined = start; node !== undefined && !ending.has(node); node = node.target) {
      if (chain.has(node)) {
        throw new SchemaError('"$ref" leads back to itself', schemaPathOf(node.resource, `${node.pointer}/$ref`))
      }
      chain.add(node)
    }
    for (const node of chain) ending.add(node)
  }
}
