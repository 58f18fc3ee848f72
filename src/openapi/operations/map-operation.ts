// One operation as a tool: its arguments, its request, its answer, its credentials.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { OperationCall } from '../call/api-client.ts'
import type { Library, Place } from '../document/library.ts'
import { type Members, objectAt } from '../document/members.ts'
import { MappingProblem } from '../document/problem.ts'
import type { OpenAPIVersion } from '../document/version.ts'
import { planArguments } from '../input/arguments.ts'
import { findBody } from '../input/body.ts'
import { type FoundParameter, findParameters, type ParameterScope } from '../input/parameters.ts'
import { parsePath } from '../request/plan.ts'
import type { SchemaConverter } from '../schemas/converter.ts'
import { lazyTest } from '../schemas/lazy-schema.ts'
import { findAnswer } from './answers.ts'
import type { FoundOperation } from './collect.ts'
import { type Alternatives, credentialTest, readAlternatives, type SecurityScheme } from './security.ts'
import type { Servers } from './servers.ts'

export interface MappingScope {
  readonly library: Library
  readonly converter: SchemaConverter
  readonly version: OpenAPIVersion
  readonly servers: Servers
  readonly schemes: ReadonlyMap<string, SecurityScheme>
  readonly flat: boolean
  readonly strictResponses: boolean
  /** Whether `auth` has headers for a scheme that is not supported otherwise. */
  readonly hasHeaders: (scheme: string) => boolean
  readonly mediaTypeOf: (found: FoundOperation) => string | undefined
}

export interface MappedOperation {
  readonly call: Omit<OperationCall, 'onMisfit' | 'next' | 'operation'>
  readonly input: Members
  readonly output: Members | undefined
  readonly alternatives: Alternatives
  readonly notes: readonly string[]
}

const METHOD = /^[A-Za-z][A-Za-z-]{0,30}$/

/** Throws `MappingProblem` for an operation that cannot be called, and `OpenAPIError` for a server that must not be. */
export function mapOperation(scope: MappingScope, found: FoundOperation): MappedOperation {
  const { operation, pathItem, place } = found
  const notes: string[] = []
  const root: Place = { value: scope.library.root.value, document: scope.library.root, pointer: '#' }
  if (!METHOD.test(operation.method) || /^(?:connect|trace)$/.test(operation.method)) {
    throw new MappingProblem(
      `The method ${JSON.stringify(operation.method.slice(0, 40))} cannot be sent.`,
      operation.pointer,
    )
  }
  const read = readAlternatives(scope.schemes, place, root)
  scope.library.spend(read.reduce((sum, { length }) => sum + 1 + length, 0))
  const alternatives = usable(scope, read, operation.pointer, notes)
  const isReserved = credentialTest(alternatives)
  const parameterScope: ParameterScope = {
    ...scope,
    isCredential: isReserved,
    note: (text) => notes.push(text),
  }
  const path = parsePath(operation.path)
  const parameters = withPathParameters(path.path, findParameters(parameterScope, pathItem, place), notes)
  const body = findBody(parameterScope, place, { flat: scope.flat, mediaType: scope.mediaTypeOf(found) })
  const plan = planArguments(scope.converter, parameters, body)
  const answer = findAnswer(parameterScope, place)
  const base = scope.servers.baseOf(place, pathItem, root)
  if (Object.keys(objectAt(place.value, 'callbacks')).length > 0) notes.push('Its callbacks are left out.')
  if (parameters.some(({ style, schema }) => style === 'deepObject' && mayNest(schema.schema))) {
    notes.push(
      'Nested values of the style deepObject are sent as a[x][y], which is common practice and in no specification.',
    )
  }
  const fitsSchema = answer.output === undefined ? undefined : lazyTest(answer.output)
  const { accept, isDescribed } = answer
  return {
    call: {
      base,
      plan: { method: found.method, ...path, parameters: plan.parameters, body: plan.body, accept, isReserved },
      alternatives,
      fits: (value, status) => (fitsSchema === undefined || !isDescribed(status) ? undefined : fitsSchema(value)),
      listsOutput: scope.strictResponses && answer.output !== undefined,
    },
    input: plan.schema,
    output: scope.strictResponses ? answer.output : undefined,
    alternatives,
    notes: [...notes, ...plan.notes],
  }
}

function mayNest(schema: unknown): boolean {
  return Object.values(objectAt(schema, 'properties')).some((property) => {
    const type = ownMember(property, 'type')
    return type === 'object' || type === 'array' || isPlainObject(ownMember(property, 'properties'))
  })
}

/** Each name in the path needs a value. Documents leave out what is obvious to them: then it is a text. */
function withPathParameters(
  path: readonly string[],
  found: readonly FoundParameter[],
  notes: string[],
): FoundParameter[] {
  const names = new Set(path.filter((_, index) => index % 2 === 1))
  const used = found.filter((parameter) => parameter.in !== 'path' || names.has(parameter.name))
  if (used.length < found.length) notes.push('A parameter that the path does not have is left out.')
  for (const { name } of used.filter((parameter) => parameter.in === 'path')) names.delete(name)
  const missing = [...names].map((name): FoundParameter => ({ ...PATH_TEXT, name }))
  if (missing.length > 0) notes.push('A part of the path that the document does not describe is a text.')
  return [...missing, ...used]
}

const PATH_TEXT: Omit<FoundParameter, 'name'> = {
  in: 'path',
  style: 'simple',
  explode: false,
  allowReserved: false,
  allowEmptyValue: false,
  isRequired: true,
  schema: { schema: { type: 'string' }, references: new Set(), notes: new Set(), size: 20, count: 1 },
}

/** Without those that nothing could satisfy. Throws where none is left. */
function usable(scope: MappingScope, alternatives: Alternatives, pointer: string, notes: string[]): Alternatives {
  const isUsable = (scheme: SecurityScheme) => scheme.scheme !== 'digest' || scope.hasHeaders(scheme.name)
  const left = alternatives.filter((alternative) => alternative.every(({ scheme }) => isUsable(scheme)))
  if (alternatives.length > 0 && left.length === 0) {
    const names = [...new Set(alternatives.flat().map(({ scheme }) => scheme.name))].join(', ')
    throw new MappingProblem(
      `Its security (${names.slice(0, 200)}) is not supported. Pass { headers } for it with the option auth.`,
      pointer,
    )
  }
  if (left.flat().some(({ scheme }) => scheme.type === 'mutualTLS')) {
    notes.push('It needs a client certificate: pass a fetch that has one, and true for the scheme in auth.')
  }
  return left
}
