// The parameters of an operation: where each stands, how it is written, and what it may be.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Library, Place } from '../document/library.ts'
import { listAt, objectAt, pointerTo, textAt } from '../document/members.ts'
import { MappingProblem } from '../document/problem.ts'
import type { OpenAPIVersion } from '../document/version.ts'
import { kindOf } from '../request/media-types.ts'
import { defaultExplode, defaultStyle, isStyleOf, type Location, type ParameterStyle } from '../request/styles.ts'
import type { Converted, SchemaConverter } from '../schemas/converter.ts'
import { cutText } from '../schemas/keywords.ts'

/** A parameter with its schema, before it has a name among the arguments. */
export interface FoundParameter extends ParameterStyle {
  readonly isRequired: boolean
  readonly schema: Converted
  /** The one value that it can have. It is sent always, and is no argument. */
  readonly fixed?: { readonly value: unknown } | undefined
}

export interface ParameterScope {
  readonly library: Library
  readonly converter: SchemaConverter
  readonly version: OpenAPIVersion
  /** Headers, query parameters and cookies that carry credentials: they are never arguments. */
  readonly isCredential: (location: Location, name: string) => boolean
  readonly note: (text: string) => void
}

const MAX_PARAMETERS = 1_000
const MAX_DESCRIPTION = 1_024
const LOCATIONS: ReadonlySet<unknown> = new Set(['path', 'query', 'header', 'cookie', 'querystring'])

/** The specification ignores the first three; the others belong to the connection, or are credentials. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'authorization', 'proxy-authorization', 'cookie', 'host', 'content-length'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
])
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

/** Those of the path item and of the operation, which replace those of the same name and place. */
export function findParameters(scope: ParameterScope, pathItem: Place, operation: Place): FoundParameter[] {
  const holders = [pathItem, operation]
  const count = holders.reduce((sum, { value }) => sum + listAt(value, 'parameters').length, 0)
  if (count > MAX_PARAMETERS) {
    throw new MappingProblem(`It has ${count} parameters; at most ${MAX_PARAMETERS} are read.`, operation.pointer)
  }
  scope.library.spend(count)
  const places = holders.flatMap(({ value, document, pointer }) =>
    listAt(value, 'parameters').map((parameter, index) => ({
      value: parameter,
      document,
      pointer: pointerTo(pointer, 'parameters', index),
    })),
  )
  const found = new Map<string, FoundParameter>()
  for (const place of places) {
    const parameter = readParameter(scope, scope.library.follow(place))
    if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return [...found.values()]
}

function readParameter(scope: ParameterScope, place: Place): FoundParameter | undefined {
  const { value, pointer } = place
  const name = textAt(value, 'name')
  const location = ownMember(value, 'in')
  if (name === undefined || !LOCATIONS.has(location)) {
    scope.note(`The parameter at ${pointer} has no name or no place, and is left out.`)
    return undefined
  }
  const where = location as Location
  if (scope.isCredential(where, name)) return undefined
  if (where === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined
  const isRequired = where === 'path' || ownMember(value, 'required') === true
  const style = readStyle(value, where, scope.version)
  if (style === undefined || (where === 'header' && !HEADER_NAME.test(name))) {
    const reason = style === undefined ? 'a style that its place does not have' : 'a name that no header can have'
    if (isRequired) throw new MappingProblem(`The parameter ${JSON.stringify(name)} has ${reason}.`, pointer)
    scope.note(`The parameter ${JSON.stringify(name)} has ${reason}, and is left out.`)
    return undefined
  }
  const content = readContent(scope, place)
  if (content === undefined && where === 'querystring') {
    throw new MappingProblem(`The parameter ${JSON.stringify(name)} is a whole query, and has no content.`, pointer)
  }
  const schema = describe(scope.converter.convert(content?.place ?? schemaPlace(place), 'input'), value)
  return {
    name,
    in: where,
    ...style,
    content: content?.kind,
    isRequired,
    schema,
    fixed: fixedValue(scope, place, isRequired),
  }
}

type Writing = Pick<ParameterStyle, 'style' | 'explode' | 'allowReserved' | 'allowEmptyValue'>

function readStyle(value: unknown, where: Location, version: OpenAPIVersion): Writing | undefined {
  const given = ownMember(value, 'style')
  const style = given === undefined ? defaultStyle(where) : given
  if (!isStyleOf(where, style) || (style === 'cookie' && version !== '3.2')) return undefined
  const explode = ownMember(value, 'explode')
  const mayReserve = where === 'query' || version === '3.2'
  return {
    style,
    explode: style === 'deepObject' || (typeof explode === 'boolean' ? explode : defaultExplode(style)),
    allowReserved: mayReserve && ownMember(value, 'allowReserved') === true,
    allowEmptyValue: where === 'query' && ownMember(value, 'allowEmptyValue') === true,
  }
}

function schemaPlace({ value, document, pointer }: Place): Place {
  return { value: ownMember(value, 'schema') ?? {}, document, pointer: pointerTo(pointer, 'schema') }
}

/** `content` has exactly one media type. */
function readContent(
  { library }: ParameterScope,
  { value, document, pointer }: Place,
): { place: Place; kind: NonNullable<ParameterStyle['content']> } | undefined {
  const [entry] = Object.entries(objectAt(value, 'content'))
  if (entry === undefined) return undefined
  const [mediaType, given] = entry
  const media = library.follow({ value: given, document, pointer: pointerTo(pointer, 'content', mediaType) })
  const found = kindOf(mediaType)
  const kind = found === 'json' || found === 'form' ? found : 'text'
  return { place: schemaPlace(media), kind }
}

/** The text of the parameter goes before that of its schema. */
function describe(converted: Converted, value: unknown): Converted {
  const description = textAt(value, 'description')
  const isDeprecated = ownMember(value, 'deprecated') === true
  if (description === undefined && !isDeprecated) return converted
  const { schema } = converted
  const described = {
    ...(isPlainObject(schema) ? schema : {}),
    ...(description !== undefined && { description: cutText(description, MAX_DESCRIPTION) }),
    ...(isDeprecated && { deprecated: true }),
  }
  return { ...converted, schema: described, size: converted.size + (description?.length ?? 0) }
}

/** A required parameter with one possible value, such as the version of an API. */
function fixedValue({ converter }: ParameterScope, place: Place, isRequired: boolean): FoundParameter['fixed'] {
  if (!isRequired) return undefined
  const { value } = converter.follow(schemaPlace(place))
  if (!isPlainObject(value)) return undefined
  if (Object.hasOwn(value, 'const')) return { value: value['const'] }
  const options = value['enum']
  return Array.isArray(options) && options.length === 1 ? { value: options[0] } : undefined
}
