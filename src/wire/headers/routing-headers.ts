// The headers that repeat a modern request's version, method and name, so that a gateway can route it without its body.
import type { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { ownMember } from '../shapes/own.ts'
import {
  assertHeaderLimits,
  decodeHeaderValue,
  encodeHeaderValue,
  type HeaderLookup,
  headerMismatch,
  isPlainHeaderText,
  METHOD_HEADER,
  type MirrorHeaders,
  NAME_HEADER,
  PROTOCOL_VERSION_HEADER,
  readHeader,
  unsendable,
} from './headers.ts'

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

/** Whether the routing headers say what the body says; the error to answer with where they do not. */
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
