// Walks a schema document once: finds every subschema, names it, and rejects what no schema may contain.

import type { Dialect } from './dialect.ts'
import { isEqual } from './engine/equality.ts'
import { LimitError, SchemaError } from './engine/errors.ts'
import { escapePointer, quote } from './engine/issue.ts'
import type { JSONObject } from './engine/json-schema.ts'
import { isPlainObject, type JSONSchema } from './engine/json-schema.ts'
import type { Keyword } from './engine/keyword.ts'
import type { SchemaLimits } from './engine/limits.ts'
import { type Resource, type SchemaDocument, type SchemaNode, schemaPathOf } from './engine/node.ts'
import type { Budget } from './engine/steps.ts'
import { copySteps } from './engine/steps.ts'
import { resolveUri, splitReference } from './engine/uri.ts'
import { isArrayOfStrings } from './engine/value-rules.ts'

/** What a survey needs, and where it stores what it finds. */
export interface SurveyContext {
  readonly limits: SchemaLimits
  /** Bounds work that grows more than the schema does. */
  readonly budget: Budget
  /** Subschemas found so far, in all documents. */
  subschemas: number
  /** Nodes whose references are still to be resolved. */
  readonly referring: SchemaNode[]
  findDialect(uri: string): Dialect
  addResource(resource: Resource): void
  createNode(schema: JSONSchema, pointer: string, resource: Resource): SchemaNode
  checkPattern(source: string, schemaPath: string): void
}

/** Surveys the subschema at a pointer of a document, and everything in it. */
export function surveySchema(
  schema: unknown,
  pointer: string,
  parent: Resource,
  context: SurveyContext,
  depth = 0,
): SchemaNode {
  payForPointer(pointer, context.budget)
  const known = parent.document.nodes.get(pointer)
  if (known !== undefined) return known
  if (typeof schema !== 'boolean' && !isPlainObject(schema)) {
    throw new SchemaError('must be a schema, which is an object or a boolean', schemaPathOf(parent, pointer))
  }
  checkLimits(context, depth)
  const resource = typeof schema === 'boolean' ? parent : resourceOf(schema, pointer, parent, context)
  const node = context.createNode(schema, pointer, resource)
  resource.document.nodes.set(pointer, node)
  if (typeof schema !== 'boolean') surveyKeywords(schema, node, context, depth)
  return node
}

/** V8 takes the length of a longer text for its hash: in a table, all pointers of one length would collide. */
const MAX_POINTER_LENGTH = 16_000

/** Each pointer is written and looked up anew, with all that leads to it, here and when its keyword is compiled. */
export function payForPointer(pointer: string, budget: Budget): void {
  if (pointer.length > MAX_POINTER_LENGTH) throw new LimitError('characters of a schema pointer', MAX_POINTER_LENGTH)
  budget.spend(POINTER_STEPS + copySteps(pointer.length))
}

/** A node, its place in the table, and its compilation. */
const POINTER_STEPS = 100

function checkLimits(context: SurveyContext, depth: number): void {
  const { maxSchemaDepth, maxSubschemas } = context.limits
  context.subschemas += 1
  if (context.subschemas > maxSubschemas) throw new LimitError('subschemas', maxSubschemas)
  if (depth > maxSchemaDepth) throw new LimitError('schema depth', maxSchemaDepth)
}

/** The resource that a schema belongs to: one of its own if it has an `$id`, else that of its parent. */
function resourceOf(schema: JSONObject, pointer: string, parent: Resource, context: SurveyContext): Resource {
  const { $id, $schema } = schema
  if (typeof $id !== 'string' || isOverruledByReference(schema, parent.dialect)) return parent
  const { location, fragment } = splitReference($id)
  if (fragment !== '' && !parent.dialect.referenceStandsAlone) {
    throw new SchemaError('"$id" must not have a fragment; use "$anchor"', schemaPathOf(parent, `${pointer}/$id`))
  }
  if (location === '') return parent
  const uri = resolveUri(location, parent.uri, context.budget)
  if (uri === undefined) {
    throw new SchemaError('"$id" must be a URI reference', schemaPathOf(parent, `${pointer}/$id`))
  }
  const resource: Resource = {
    uri,
    schema,
    pointer,
    document: parent.document,
    dialect: pointer !== '' && typeof $schema === 'string' ? context.findDialect($schema) : parent.dialect,
    anchors: new Map(),
    dynamicAnchors: new Map(),
  }
  context.addResource(resource)
  return resource
}

function isOverruledByReference(schema: JSONObject, dialect: Dialect): boolean {
  return dialect.referenceStandsAlone && Object.hasOwn(schema, '$ref')
}

function surveyKeywords(schema: JSONObject, node: SchemaNode, context: SurveyContext, depth: number): void {
  const { dialect } = node.resource
  const standsAlone = isOverruledByReference(schema, dialect)
  if (!standsAlone) addAnchors(schema, node, context.budget)
  if (Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, '$dynamicRef')) context.referring.push(node)
  for (const name of Object.keys(schema)) {
    const keyword = dialect.keywords.get(name)
    // Draft-07: what stands beside `$ref` has no meaning, except as a place that references may lead to.
    if (keyword === undefined || (standsAlone && name !== '$ref' && name !== 'definitions')) continue
    checkValue(keyword, schema[name], node, context)
    surveySubschemas(keyword, schema[name], node, context, depth + 1)
  }
}

function checkValue(keyword: Keyword, value: unknown, node: SchemaNode, context: SurveyContext): void {
  const { name, takes } = keyword
  if (takes !== undefined && !takes.accepts(value)) throw invalidKeyword(node, name, takes.expected)
  if (keyword.patternsIn === undefined || (takes === undefined && !isPlainObject(value))) return
  for (const source of keyword.patternsIn(value)) {
    context.checkPattern(source, schemaPathOf(node.resource, `${node.pointer}/${name}`))
  }
}

function surveySubschemas(
  { name, holds }: Keyword,
  value: unknown,
  node: SchemaNode,
  context: SurveyContext,
  depth: number,
): void {
  if (holds === undefined) return
  const visit = (schema: unknown, pointer: string) => surveySchema(schema, pointer, node.resource, context, depth)
  const pointer = `${node.pointer}/${escapePointer(name)}`
  if (holds === 'schema' || (holds === 'schemaOrSchemas' && !Array.isArray(value))) {
    if (Array.isArray(value)) throw invalidKeyword(node, name, listAdvice(name))
    visit(value, pointer)
  } else if (holds === 'schemas' || holds === 'schemaOrSchemas') {
    if (!Array.isArray(value) || value.length === 0) throw invalidKeyword(node, name, 'a list of one or more schemas')
    for (const [index, schema] of value.entries()) visit(schema, `${pointer}/${index}`)
  } else {
    if (!isPlainObject(value)) throw invalidKeyword(node, name, 'an object of schemas')
    for (const [key, schema] of Object.entries(value)) {
      if (holds === 'schemaOrNamesMap' && isArrayOfStrings(schema)) continue
      visit(schema, `${pointer}/${escapePointer(key)}`)
    }
  }
}

function listAdvice(name: string): string {
  return name === 'items' ? 'one schema; for tuples use "prefixItems", or say "$schema": draft-07' : 'one schema'
}

function invalidKeyword(node: SchemaNode, keyword: string, expected: string): SchemaError {
  const path = schemaPathOf(node.resource, `${node.pointer}/${escapePointer(keyword)}`)
  return new SchemaError(`"${keyword}" must be ${expected}`, path)
}

function addAnchors(schema: JSONObject, node: SchemaNode, budget: Budget): void {
  const { anchors, dynamicAnchors, dialect } = node.resource
  const { $id, $anchor, $dynamicAnchor } = schema
  if (dialect.referenceStandsAlone) {
    const fragment = typeof $id === 'string' ? splitReference($id).fragment : ''
    if (fragment !== '') addAnchor(anchors, fragment, node, budget)
    return
  }
  if (typeof $anchor === 'string') addAnchor(anchors, $anchor, node, budget)
  if (typeof $dynamicAnchor !== 'string') return
  addAnchor(anchors, $dynamicAnchor, node, budget)
  addAnchor(dynamicAnchors, $dynamicAnchor, node, budget)
}

function addAnchor(anchors: Map<string, SchemaNode>, name: string, node: SchemaNode, budget: Budget): void {
  if (name.length > MAX_POINTER_LENGTH) throw new LimitError('characters of a schema anchor', MAX_POINTER_LENGTH)
  const other = anchors.get(name)
  if (other !== undefined && !isEqual(other.schema, node.schema, budget)) {
    throw new SchemaError(`the anchor ${quote(name)} is given twice`, schemaPathOf(node.resource, node.pointer))
  }
  anchors.set(name, other ?? node)
}

/** A document that has not been surveyed yet. */
export function createDocument(uri: string, root: JSONSchema): SchemaDocument {
  return { uri, root, nodes: new Map() }
}
