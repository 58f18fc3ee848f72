// The body of a request: which media type is sent, and whether its properties stand among the arguments.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Place } from '../document/library.ts'
import { type Members, objectAt, pointerTo, textAt } from '../document/members.ts'
import { MappingProblem } from '../document/problem.ts'
import type { BodyFormat, PropertyEncoding } from '../request/bodies.ts'
import { chooseMediaType, isMediaType, kindOf } from '../request/media-types.ts'
import { defaultExplode, isStyleOf } from '../request/styles.ts'
import type { Converted } from '../schemas/converter.ts'
import { flatten } from './flat-body.ts'
import type { ParameterScope } from './parameters.ts'

export interface FoundBody {
  readonly format: BodyFormat
  readonly isRequired: boolean
  /** By name of the property, where the properties are arguments; otherwise the body is one argument. */
  readonly members?: ReadonlyMap<string, Converted> | undefined
  /** Properties that a body must have. */
  readonly requiredMembers: readonly string[]
  readonly dependentRequired?: Members | undefined
  /** Whether other properties are sent as well: a schema for them, or any. */
  readonly additional?: Converted | undefined
  /** The schema of the one argument, where the properties are none. */
  readonly whole?: Converted | undefined
}

export interface BodyOptions {
  readonly flat: boolean
  /** The media type that the author wants. */
  readonly mediaType?: string | undefined
}

/** What a file is among the arguments. */
const FILE = {
  anyOf: [
    { type: 'string', description: 'The text of the file.' },
    {
      type: 'object',
      properties: {
        data: { type: 'string', contentEncoding: 'base64' },
        name: { type: 'string', description: 'The name of the file.' },
        mimeType: { type: 'string', description: 'Such as image/png.' },
      },
      required: ['data'],
      additionalProperties: false,
    },
  ],
}

/** `undefined` where the operation has no body. */
export function findBody(scope: ParameterScope, operation: Place, options: BodyOptions): FoundBody | undefined {
  const given = ownMember(operation.value, 'requestBody')
  if (!isPlainObject(given)) return undefined
  const pointer = pointerTo(operation.pointer, 'requestBody')
  const place = scope.library.follow({ value: given, document: operation.document, pointer })
  const content = objectAt(place.value, 'content')
  scope.library.spend(Object.keys(content).length)
  const mediaType = options.mediaType ?? chooseMediaType(Object.keys(content).filter(isMediaType))
  if (mediaType === undefined) return undefined
  if (!Object.hasOwn(content, mediaType)) {
    throw new MappingProblem(`The operation takes no body of the type ${mediaType}.`, pointer)
  }
  const media = scope.library.follow({
    value: content[mediaType],
    document: place.document,
    pointer: pointerTo(place.pointer, 'content', mediaType),
  })
  const isRequired = ownMember(place.value, 'required') === true
  return describeBody(shapeBody(scope, media, mediaType, isRequired, options), textAt(place.value, 'description'))
}

function shapeBody(
  scope: ParameterScope,
  media: Place,
  mediaType: string,
  isRequired: boolean,
  { flat }: BodyOptions,
): FoundBody {
  const kind = kindOf(mediaType)
  const items = kind === 'lines' ? ownMember(media.value, 'itemSchema') : undefined
  const schema: Place = {
    value: items ?? ownMember(media.value, 'schema') ?? {},
    document: media.document,
    pointer: pointerTo(media.pointer, items === undefined ? 'schema' : 'itemSchema'),
  }
  const isForm = kind === 'form' || kind === 'multipart'
  const shape = isForm || (flat && kind === 'json') ? flatten(scope.converter, schema) : undefined
  const names = [...(shape?.properties.keys() ?? [])]
  const format: BodyFormat = {
    mediaType,
    kind,
    encoding: isForm ? readEncoding(scope, media, names, shape?.properties, kind) : NO_ENCODING,
  }
  if (shape === undefined || (isForm && !flat)) {
    return { format, isRequired, requiredMembers: [], whole: wholeBody(scope, schema, kind, items !== undefined) }
  }
  const members = new Map<string, Converted>()
  for (const [name, place] of shape.properties) {
    const converted = scope.converter.convert(place, 'input')
    members.set(
      name,
      kind === 'multipart' && format.encoding.get(name)?.isBinary === true ? asFile(converted) : converted,
    )
  }
  const additional = shape.additional === undefined ? undefined : scope.converter.convert(shape.additional, 'input')
  const { required, dependentRequired } = shape
  return { format, isRequired, members, requiredMembers: required, dependentRequired, additional }
}

const NO_ENCODING: BodyFormat['encoding'] = new Map()

function wholeBody({ converter }: ParameterScope, schema: Place, kind: BodyFormat['kind'], isItem: boolean): Converted {
  const converted = converter.convert(schema, 'input')
  if (isItem) return { ...converted, schema: { type: 'array', items: converted.schema } }
  if (kind === 'json' || kind === 'form' || kind === 'multipart' || kind === 'lines') return converted
  const isText = kind === 'text' || kind === 'xml' || kind === 'events'
  const description = isText ? `The body as ${kind === 'xml' ? 'XML' : 'text'}.` : 'The body as bytes in Base64.'
  return { ...EMPTY, schema: { type: 'string', description, ...(!isText && { contentEncoding: 'base64' }) } }
}

const EMPTY: Converted = { schema: {}, references: new Set(), notes: new Set(), size: 100, count: 1 }

/** The one argument says what the document says about the body. */
function describeBody(body: FoundBody, description: string | undefined): FoundBody {
  const { whole } = body
  if (whole === undefined || description === undefined || !isPlainObject(whole.schema)) return body
  return { ...body, whole: { ...whole, schema: { description, ...whole.schema } } }
}

function asFile({ schema }: Converted): Converted {
  const file =
    isPlainObject(schema) && typeof schema['description'] === 'string'
      ? { description: schema['description'], ...FILE }
      : FILE
  const isList = isPlainObject(schema) && schema['type'] === 'array'
  return { ...EMPTY, schema: isList ? { type: 'array', items: FILE } : file, size: 400, count: 6 }
}

function readEncoding(
  scope: ParameterScope,
  media: Place,
  names: readonly string[],
  properties: ReadonlyMap<string, Place> | undefined,
  kind: BodyFormat['kind'],
): BodyFormat['encoding'] {
  const encoding = objectAt(media.value, 'encoding')
  const found = new Map<string, PropertyEncoding>()
  for (const name of names) {
    const given = Object.hasOwn(encoding, name) ? encoding[name] : undefined
    const place = properties?.get(name)
    const isBinary = kind === 'multipart' && place !== undefined && holdsBytes(scope, place, 0)
    if (!isPlainObject(given) && !isBinary) continue
    const contentType = textAt(given, 'contentType')
    found.set(name, {
      style: readStyle(name, given),
      contentType,
      headers: fixedHeaders(scope, given, media),
      isBinary: isBinary || (kind === 'multipart' && isFileType(contentType)),
    })
  }
  return found
}

function readStyle(name: string, given: unknown): PropertyEncoding['style'] {
  const style = ownMember(given, 'style') ?? 'form'
  const explode = ownMember(given, 'explode')
  const allowReserved = ownMember(given, 'allowReserved')
  const isSaid = [ownMember(given, 'style'), explode, allowReserved].some((value) => value !== undefined)
  if (!isSaid || !isStyleOf('query', style)) return undefined
  return {
    name,
    in: 'query',
    style,
    explode: style === 'deepObject' || (typeof explode === 'boolean' ? explode : defaultExplode(style)),
    allowReserved: allowReserved === true,
    allowEmptyValue: false,
  }
}

function isFileType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  return contentType.split(',').every((type) => ['binary', 'media'].includes(kindOf(type)))
}

function holdsBytes({ converter }: ParameterScope, place: Place, depth: number): boolean {
  const { value, document, pointer } = converter.follow(place)
  if (!isPlainObject(value)) return false
  if (value['format'] === 'binary' || value['format'] === 'byte') return true
  if (typeof value['contentMediaType'] === 'string' || value['contentEncoding'] === 'base64') return true
  if (!isPlainObject(value['items']) || depth > 0) return false
  return holdsBytes({ converter } as ParameterScope, { value: value['items'], document, pointer }, depth + 1)
}

const HEADER = /^[A-Za-z0-9-]{1,100}$/

/** Headers of a part that can have one value only. All others would need an argument of their own. */
function fixedHeaders({ library }: ParameterScope, given: unknown, media: Place): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const all = Object.entries(objectAt(given, 'headers'))
  library.spend(all.length)
  for (const [name, header] of all) {
    if (!HEADER.test(name) || /^content-(?:type|disposition)$/i.test(name)) continue
    const { value } = library.follow({ value: header, document: media.document, pointer: media.pointer })
    const schema = objectAt(value, 'schema')
    const options = schema['enum']
    const only = schema['const'] ?? (Array.isArray(options) && options.length === 1 ? options[0] : schema['default'])
    if ((typeof only === 'string' && /^[\x20-\x7e]*$/.test(only)) || typeof only === 'number')
      headers[name] = String(only)
  }
  return headers
}
