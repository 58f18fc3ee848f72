// Tool arguments that travel twice, in the body and as `Mcp-Param-*` headers: how a client writes them and a server compares.

import { ownMember } from '../../primitives/json/objects.ts'
import type { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from './header-annotations.ts'
import {
  assertHeaderLimits,
  decodeHeaderValue,
  encodeHeaderValue,
  type HeaderLookup,
  headerMismatch,
  type MirrorHeaders,
  PARAM_HEADER_PREFIX,
  readHeader,
  unsendable,
} from './headers.ts'

/** A whole number in decimal, with zeros at most behind its point; no exponent, no sign but a minus, no leading zero. */
const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/

/**
 * The headers that mirror the annotated arguments of a call. An argument that is absent or null has none; neither has
 * one that no header can hold, such as an object: whether it fits the schema is for the server to say.
 */
export function paramHeaders(annotations: readonly HeaderAnnotation[], args: JSONObject | undefined): MirrorHeaders {
  const headers: MirrorHeaders = {}
  for (const annotation of annotations) {
    const text = headerTextOf(valueAt(args, annotation.path), annotation)
    if (text !== undefined) headers[headerName(annotation)] = text
  }
  assertHeaderLimits(headers)
  return headers
}

/** Whether the headers say what the annotated arguments say; the error to answer with where they do not. */
export function checkParamHeaders(
  annotations: readonly HeaderAnnotation[],
  args: JSONObject | undefined,
  lookup: HeaderLookup,
): MCPError | undefined {
  for (const annotation of annotations) {
    const name = headerName(annotation)
    const problem = problemWith(readHeader(name.toLowerCase(), lookup), valueAt(args, annotation.path))
    if (problem !== undefined) return headerMismatch(name, problem)
  }
  return undefined
}

function headerName(annotation: HeaderAnnotation): string {
  return PARAM_HEADER_PREFIX + annotation.name
}

function valueAt(args: JSONObject | undefined, path: readonly string[]): unknown {
  let value: unknown = args
  for (const key of path) value = ownMember(value, key)
  return value
}

function headerTextOf(value: unknown, annotation: HeaderAnnotation): string | undefined {
  switch (typeof value) {
    case 'string':
      return encodeHeaderValue(value) ?? refuse(annotation, 'has a lone surrogate, which no HTTP header can carry')
    case 'boolean':
      return String(value)
    case 'number':
      if (!Number.isInteger(value)) return undefined
      if (Number.isSafeInteger(value)) return String(value)
      return refuse(annotation, 'is mirrored in an HTTP header and must be within ±(2^53 − 1)')
    default:
      return undefined
  }
}

function refuse(annotation: HeaderAnnotation, problem: string): never {
  throw unsendable(`The argument for ${headerName(annotation)} ${problem}`)
}

function problemWith(text: string | readonly string[] | undefined, value: unknown): string | undefined {
  if (text !== undefined && typeof text !== 'string') return 'is repeated'
  if (value === undefined || value === null) {
    return text === undefined ? undefined : 'is present but its argument is absent or null'
  }
  if (text === undefined) return 'is missing although its argument is present'
  const decoded = decodeHeaderValue(text)
  if (decoded === undefined) return 'is malformed'
  return differenceFrom(value, decoded)
}

function differenceFrom(value: unknown, decoded: string): string | undefined {
  if (typeof value === 'object') return 'cannot mirror an argument that is an object or array'
  if (typeof value !== 'number') return decoded === String(value) ? undefined : 'differs from its argument'
  // A larger integer has already lost digits when the body was parsed, so it can't be compared.
  if (!Number.isSafeInteger(value)) return 'mirrors an argument that is not an integer within ±(2^53 − 1)'
  return isSameInteger(value, decoded) ? undefined : 'differs from its argument'
}

// Digit by digit, because a float would take a long header for a near number.
function isSameInteger(value: number, decoded: string): boolean {
  if (!WHOLE_NUMBER.test(decoded)) return false
  const point = decoded.indexOf('.')
  const digits = point === -1 ? decoded : decoded.slice(0, point)
  return digits === String(value) || (digits === '-0' && value === 0)
}
