// Bodies of requests, by their media types.
import { decodeBase64 } from '../../primitives/base64.ts'
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { encodeStrict, scalarText } from './encode.ts'
import { concreteType, isMediaType, type MediaKind } from './media-types.ts'
import { createMultipart, type Part } from './multipart.ts'
import { ArgumentRefusal } from './refusal.ts'
import { type ParameterStyle, queryPairs, type StyleSettings } from './styles.ts'

/** How one property of a form is written. */
export interface PropertyEncoding {
  /** `style`, `explode` and `allowReserved`, where the document gives one of them. */
  readonly style?: ParameterStyle | undefined
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Its value is bytes. */
  readonly isBinary: boolean
}

export interface BodyFormat {
  readonly mediaType: string
  readonly kind: MediaKind
  /** By name of the property, for forms. */
  readonly encoding: ReadonlyMap<string, PropertyEncoding>
}

export interface WrittenBody {
  readonly contentType: string
  readonly body: string | OwnBytes
}

/** Throws `ArgumentRefusal` for what the media type cannot carry. */
export function writeBody(format: BodyFormat, value: unknown, settings: StyleSettings): WrittenBody {
  const contentType = concreteType(format.mediaType)
  switch (format.kind) {
    case 'json':
      return { contentType, body: JSON.stringify(value) }
    case 'lines':
      return { contentType, body: writeLines(contentType, value) }
    case 'form':
      return { contentType, body: writeForm(format, requireObject(value), settings) }
    case 'multipart':
      return createMultipart(contentType, Object.entries(requireObject(value)).flatMap(partsOf(format)))
    case 'text':
    case 'xml':
    case 'events':
      return { contentType, body: typeof value === 'string' ? value : JSON.stringify(value) }
    default:
      return { contentType, body: bytesOf(value, 'body') }
  }
}

function requireObject(value: unknown): Record<string, unknown> {
  if (isPlainObject(value)) return value
  throw new ArgumentRefusal('body', 'must be an object.')
}

/** RFC 7464 puts a record separator before each text. */
function writeLines(contentType: string, value: unknown): string {
  const start = contentType.startsWith('application/json-seq') ? '\u001e' : ''
  const items = Array.isArray(value) ? value : [value]
  return items.map((item) => `${start}${JSON.stringify(item)}\n`).join('')
}

function writeForm({ encoding }: BodyFormat, value: Record<string, unknown>, settings: StyleSettings): string {
  const pairs = Object.entries(value).flatMap(([name, member]) => {
    const { style, contentType } = encoding.get(name) ?? {}
    if (member === undefined || (member === null && !settings.nullAsEmpty)) return []
    if (style !== undefined) return queryPairs(style, member, name, settings)
    if (contentType !== undefined && /json/i.test(contentType)) {
      return [`${encodeStrict(name)}=${encodeStrict(JSON.stringify(member))}`]
    }
    return defaultPairs(name, member, settings)
  })
  return pairs.join('&')
}

/** `form` with `explode`, and JSON for what that cannot say. */
function defaultPairs(name: string, member: unknown, settings: StyleSettings): string[] {
  const items: readonly unknown[] = Array.isArray(member) ? member : isPlainObject(member) ? Object.values(member) : []
  const isNested = items.some((item) => typeof item === 'object' && item !== null)
  if (!isNested) return queryPairs({ ...FORM, name }, member, name, settings)
  return [`${encodeStrict(name)}=${encodeStrict(JSON.stringify(member))}`]
}

const FORM: Omit<ParameterStyle, 'name'> = {
  in: 'query',
  style: 'form',
  explode: true,
  allowReserved: false,
  allowEmptyValue: false,
}

function partsOf({ encoding }: BodyFormat): (entry: [string, unknown]) => Part[] {
  return ([name, member]) => {
    const how = encoding.get(name) ?? { isBinary: false }
    const values = Array.isArray(member) ? member : [member]
    return values.filter((value) => value !== undefined && value !== null).map((value) => toPart(name, value, how))
  }
}

function toPart(name: string, value: unknown, { contentType, headers = {}, isBinary }: PropertyEncoding): Part {
  const [firstType] = (contentType ?? '').split(',')
  const type = firstType !== undefined && isMediaType(firstType.trim()) ? concreteType(firstType.trim()) : undefined
  if (isBinary) return filePart(name, value, type, headers)
  if (typeof value === 'object') {
    return { name, type: type ?? 'application/json', headers, content: JSON.stringify(value) }
  }
  return { name, type, headers, content: scalarText(value, name) }
}

/** A file: base64 with its name and type, or text as it is. */
function filePart(
  name: string,
  value: unknown,
  type: string | undefined,
  headers: Readonly<Record<string, string>>,
): Part {
  if (!isPlainObject(value)) {
    return { name, type: type ?? 'text/plain', headers, fileName: name, content: scalarText(value, name) }
  }
  const mimeType = ownMember(value, 'mimeType')
  if (mimeType !== undefined && (typeof mimeType !== 'string' || !isMediaType(mimeType))) {
    throw new ArgumentRefusal(name, 'has a mimeType that is none. Use one such as image/png.')
  }
  const fileName = ownMember(value, 'name')
  return {
    name,
    type: mimeType ?? type ?? 'application/octet-stream',
    headers,
    fileName: typeof fileName === 'string' && fileName !== '' ? fileName : name,
    content: bytesOf(ownMember(value, 'data'), name),
  }
}

function bytesOf(value: unknown, argument: string): OwnBytes {
  const bytes = typeof value === 'string' ? decodeBase64(value.replace(/\s+/g, '')) : undefined
  if (bytes !== undefined) return bytes as OwnBytes
  throw new ArgumentRefusal(argument, 'must be bytes in Base64.')
}
