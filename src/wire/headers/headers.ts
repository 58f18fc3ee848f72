// The HTTP headers of MCP: their names, how a value is written and read, and the routing headers that repeat the body.
import { decodeBase64Text, encodeBase64Text } from '../../primitives/base64.ts'
import { LONE_SURROGATE } from '../../primitives/characters.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

export const PROTOCOL_VERSION_HEADER = 'MCP-Protocol-Version'
const METHOD_HEADER = 'Mcp-Method'
const NAME_HEADER = 'Mcp-Name'
export const PARAM_HEADER_PREFIX = 'Mcp-Param-'
/** Legacy era only. */
export const SESSION_ID_HEADER = 'Mcp-Session-Id'
/** Legacy era only. */
export const LAST_EVENT_ID_HEADER = 'Last-Event-ID'

/** One header value that we emit is at most this many characters long. */
export const MAX_HEADER_VALUE_LENGTH = 8 * 1024
/** All headers that mirror the body, names included, are together at most this many characters long. */
const MAX_HEADERS_LENGTH = 16 * 1024

/** Headers that mirror the body, by name. */
export type MirrorHeaders = Record<string, string>

/**
 * Finds a header of a request by its lower-case name. A header that arrived more than once comes as the list of its
 * values, never joined: a gateway that reads the first and a server that reads the last must not be played off.
 */
export type HeaderLookup = (lowerCaseName: string) => string | readonly string[] | undefined

const SENTINEL_START = '=?base64?'
const SENTINEL_END = '?='
const PLAIN = /^(?:[!-~](?:[ -~]*[!-~])?)?$/
const VALID = /^[\t -~]*$/

/** Whether a text can be a header value as it is: printable ASCII without outer spaces. */
export function isPlainHeaderText(text: string): boolean {
  return PLAIN.test(text)
}

/**
 * The value as header text: as it is where that is safe, else in the Base64 sentinel. `undefined` for a string with a
 * lone surrogate: it has no UTF-8 form, and a replacement would name something else than the body does.
 */
export function encodeHeaderValue(value: string): string | undefined {
  if (isPlainHeaderText(value) && !looksEncoded(value)) return value
  if (LONE_SURROGATE.test(value)) return undefined
  return `${SENTINEL_START}${encodeBase64Text(value)}${SENTINEL_END}`
}

/** The value that header text stands for; `undefined` for characters or a sentinel that no encoder writes. */
export function decodeHeaderValue(text: string): string | undefined {
  if (!VALID.test(text)) return undefined
  // Both markers in full: the shared question mark of `=?base64?=` makes it plain text.
  if (!looksEncoded(text) || text.length < SENTINEL_START.length + SENTINEL_END.length) return text
  return decodeBase64Text(text.slice(SENTINEL_START.length, -SENTINEL_END.length))
}

/** Refuses headers that common servers would cut off or reject. A mirrored value may not simply be left out. */
export function assertHeaderLimits(headers: MirrorHeaders): void {
  let total = 0
  for (const [name, value] of Object.entries(headers)) {
    if (value.length > MAX_HEADER_VALUE_LENGTH) throw new LimitError(`header ${name}`, MAX_HEADER_VALUE_LENGTH)
    total += name.length + value.length
  }
  if (total > MAX_HEADERS_LENGTH) throw new LimitError('all mirrored headers together', MAX_HEADERS_LENGTH)
}

/** One header as it arrived, by its lower-case name: its value without outer whitespace, `undefined` when absent, a list when repeated. */
export function readHeader(lowerCaseName: string, lookup: HeaderLookup): string | readonly string[] | undefined {
  const found = lookup(lowerCaseName)
  const value = typeof found === 'object' && found.length < 2 ? found[0] : found
  return typeof value === 'string' ? trimOuterWhitespace(value) : value
}

/** The refusal of a header that is absent, repeated, malformed or at odds with the body. Never quotes a value. */
export function headerMismatch(name: string, problem: string): MCPError {
  return new MCPError(ErrorCode.HeaderMismatch, `Header mismatch: ${name} ${problem}`)
}

/** The local refusal of a request whose mirrored values cannot be written as headers. */
export function unsendable(problem: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, problem, undefined, { local: true })
}

function looksEncoded(text: string): boolean {
  return text.startsWith(SENTINEL_START) && text.endsWith(SENTINEL_END)
}

// By hand, because a pattern anchored at the end alone tries every run of inner spaces.
function trimOuterWhitespace(text: string): string {
  let start = 0
  let end = text.length
  if (end === 0 || !(isWhitespace(text.charCodeAt(0)) || isWhitespace(text.charCodeAt(end - 1)))) return text
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** What the routing headers of a request repeat. */
export interface RoutedRequest {
  readonly method: string
  readonly params?: JSONObject | undefined
  readonly protocolVersion: string
  /** The member of `params` that `Mcp-Name` repeats, for the methods that have one. */
  readonly nameParam?: string | undefined
}

/** The routing headers of a request; a local error where its method or name cannot be written in one. */
export function routingHeaders(request: RoutedRequest): MirrorHeaders {
  const { method, params, protocolVersion, nameParam } = request
  // Spec, Streamable HTTP: only Mcp-Name and Mcp-Param-* have an encoded form.
  if (!isPlainHeaderText(method)) throw unsendable('The method name has characters that no HTTP header can carry')
  const headers: MirrorHeaders = { [PROTOCOL_VERSION_HEADER]: protocolVersion, [METHOD_HEADER]: method }
  const name = nameParam === undefined ? undefined : ownMember(params, nameParam)
  if (typeof name === 'string') {
    const text = encodeHeaderValue(name)
    if (text === undefined) throw unsendable(`params.${nameParam} has a lone surrogate, which no HTTP header can carry`)
    headers[NAME_HEADER] = text
  }
  assertHeaderLimits(headers)
  return headers
}

/** Compares the routing headers with the body; returns the error to answer with if they differ. */
export function checkRoutingHeaders(request: RoutedRequest, lookup: HeaderLookup): MCPError | undefined {
  const { method, params, protocolVersion, nameParam } = request
  return (
    checkPlainHeader(PROTOCOL_VERSION_HEADER, readHeader('mcp-protocol-version', lookup), protocolVersion) ??
    checkPlainHeader(METHOD_HEADER, readHeader('mcp-method', lookup), method) ??
    checkNameHeader(nameParam, params, lookup)
  )
}

function checkPlainHeader(
  name: string,
  value: string | readonly string[] | undefined,
  expected: string,
): MCPError | undefined {
  if (value === undefined) return headerMismatch(name, 'is missing')
  if (typeof value !== 'string') return headerMismatch(name, 'is repeated')
  return value === expected ? undefined : headerMismatch(name, 'differs from the body')
}

function checkNameHeader(
  nameParam: string | undefined,
  params: JSONObject | undefined,
  lookup: HeaderLookup,
): MCPError | undefined {
  const text = readHeader('mcp-name', lookup)
  if (text !== undefined && typeof text !== 'string') return headerMismatch(NAME_HEADER, 'is repeated')
  if (nameParam === undefined) return undefined
  const name = ownMember(params, nameParam)
  if (typeof name !== 'string') {
    // A body without a name is refused as invalid params; here it must only not hide behind a header that has one.
    return text === undefined ? undefined : headerMismatch(NAME_HEADER, `is present but params.${nameParam} is not`)
  }
  if (text === undefined) return headerMismatch(NAME_HEADER, 'is missing')
  const decoded = decodeHeaderValue(text)
  if (decoded === undefined) return headerMismatch(NAME_HEADER, 'is malformed')
  return decoded === name ? undefined : headerMismatch(NAME_HEADER, `differs from params.${nameParam}`)
}
