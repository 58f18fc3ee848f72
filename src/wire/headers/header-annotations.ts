// Finds the `x-mcp-header` annotations of a tool's input schema, and whether they are such as every peer can follow.
import { isPlainObject } from '../../primitives/json/objects.ts'

/** One argument that is mirrored to the header `Mcp-Param-{name}`. */
export interface HeaderAnnotation {
  /** The name of the header, without its prefix. */
  readonly name: string
  /** The property names that lead from the arguments to the value. */
  readonly path: readonly string[]
  /** The type of the argument, which decides how its value is written. */
  readonly type: MirroredType
}

type MirroredType = 'string' | 'integer' | 'boolean'

/** The annotations of a schema, or why a client over HTTP must drop its tool; the caller adds the tool's name. */
type AnnotationReading =
  | { readonly ok: true; readonly annotations: readonly HeaderAnnotation[] }
  | { readonly ok: false; readonly reason: string }

const KEYWORD = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set<MirroredType>(['string', 'integer', 'boolean'])

/** Where 2020-12 and its forerunners hold further schemas. Not `$ref`, and no keyword whose value is data. */
const KEYWORDS_WITH_SCHEMAS_BY_NAME = [
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
] as const
const KEYWORDS_WITH_SCHEMAS = [
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
] as const

// A schema of an in-process peer may be a graph; the first limit ends even an endless one.
const MAX_SUBSCHEMAS = 100_000
const MAX_ANNOTATIONS = 256
const MAX_DEPTH = 64
const MAX_PLACE_LENGTH = 200

/** A schema that is still to be looked at, and how the walk came to it. */
interface Visit {
  readonly schema: unknown
  readonly key: string
  readonly parent: Visit | undefined
  /** The number of property names that lead here; `undefined` once any other keyword was passed. */
  readonly propertyDepth: number | undefined
}

const NO_ANNOTATIONS: AnnotationReading = { ok: true, annotations: [] }

/** How much of a schema is searched before it is read in full. */
const MAX_SEARCHED = 10_000

/** Reads all annotations of a schema. One that breaks a rule, or stands where no argument is, invalidates them all. */
export function readHeaderAnnotations(inputSchema: unknown): AnnotationReading {
  if (lacksKeyword(inputSchema)) return NO_ANNOTATIONS
  const annotations: HeaderAnnotation[] = []
  const names = new Set<string>()
  const visits: Visit[] = [{ schema: inputSchema, key: '', parent: undefined, propertyDepth: 0 }]
  let visited = 0
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    if (++visited > MAX_SUBSCHEMAS) return refuse(`the schema has more than ${MAX_SUBSCHEMAS} subschemas`)
    const { schema } = visit
    if (!isPlainObject(schema)) continue
    if (Object.hasOwn(schema, KEYWORD)) {
      const annotation = readAnnotation(schema, visit)
      if (typeof annotation === 'string') return refuse(`${KEYWORD} at ${placeOf(visit)} ${annotation}`)
      const name = annotation.name.toLowerCase()
      if (names.has(name)) return refuse(`${KEYWORD} at ${placeOf(visit)} repeats a name that differs at most in case`)
      names.add(name)
      annotations.push(annotation)
      if (annotations.length > MAX_ANNOTATIONS) return refuse(`the schema has more than ${MAX_ANNOTATIONS} annotations`)
    }
    pushSubschemas(schema, visit, visits)
  }
  return { ok: true, annotations: annotations.reverse() }
}

/** Whether the keyword is nowhere in a value, also not where it would be data. Most schemas have none, and this costs little. */
function lacksKeyword(root: unknown): boolean {
  const values: unknown[] = [root]
  for (let place = 0; place < values.length; place++) {
    const value = values[place]
    if (typeof value !== 'object' || value === null) continue
    if (values.length > MAX_SEARCHED || Object.hasOwn(value, KEYWORD)) return false
    for (const key in value) {
      const member = (value as Record<string, unknown>)[key]
      if (typeof member === 'object' && member !== null) values.push(member)
    }
  }
  return true
}

function refuse(reason: string): AnnotationReading {
  return { ok: false, reason }
}

/** The annotation of one schema, or what is wrong with it. */
function readAnnotation(schema: Record<string, unknown>, visit: Visit): HeaderAnnotation | string {
  const name = schema[KEYWORD]
  if (typeof name !== 'string' || name === '') return 'must be a non-empty string'
  if (!TOKEN.test(name)) return 'must be an HTTP token: letters, digits and punctuation, no space or colon'
  if (visit.propertyDepth === undefined) return 'is not reached through properties alone'
  if (visit.propertyDepth === 0) return 'must be on a property, not on the schema as a whole'
  if (visit.propertyDepth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} properties deep`
  const type = mirroredType(Object.hasOwn(schema, 'type') ? schema['type'] : undefined)
  if (type === undefined) return 'is on a property whose type is not string, integer or boolean'
  return { name, path: propertyPath(visit), type }
}

/** A type that a header can carry. `null` beside it is harmless: such an argument sends no header. */
function mirroredType(type: unknown): MirroredType | undefined {
  if (isMirroredType(type)) return type
  if (!Array.isArray(type) || type.length !== 2 || !type.includes('null')) return undefined
  return type.find(isMirroredType)
}

function isMirroredType(type: unknown): type is MirroredType {
  return MIRRORED_TYPES.has(type)
}

// Pushed in order and popped from the end, so the walk meets the last subschema first; the result is turned round.
function pushSubschemas(schema: Record<string, unknown>, parent: Visit, visits: Visit[]): void {
  const { propertyDepth } = parent
  const belowProperty = propertyDepth === undefined ? undefined : propertyDepth + 1
  pushByName(schema, 'properties', parent, belowProperty, visits)
  for (const keyword of KEYWORDS_WITH_SCHEMAS_BY_NAME) pushByName(schema, keyword, parent, undefined, visits)
  for (const keyword of KEYWORDS_WITH_SCHEMAS) {
    if (!Object.hasOwn(schema, keyword)) continue
    const value = schema[keyword]
    const schemas: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const subschema of schemas) visits.push({ schema: subschema, key: keyword, parent, propertyDepth: undefined })
  }
}

function pushByName(
  schema: Record<string, unknown>,
  keyword: string,
  parent: Visit,
  propertyDepth: number | undefined,
  visits: Visit[],
): void {
  const schemas = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
  if (!isPlainObject(schemas)) return
  for (const key of Object.keys(schemas)) visits.push({ schema: schemas[key], key, parent, propertyDepth })
}

function propertyPath(visit: Visit): string[] {
  const path: string[] = []
  for (let step = visit; step.parent !== undefined; step = step.parent) path.push(step.key)
  return path.reverse()
}

/** Where an annotation stands, short and printable, because a peer chose the names on the way. */
function placeOf(visit: Visit): string {
  const place = propertyPath(visit).join('.').slice(0, MAX_PLACE_LENGTH)
  return place === '' ? 'the root' : JSON.stringify(place)
}
