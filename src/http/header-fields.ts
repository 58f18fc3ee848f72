// Headers that users pass in options, checked before anything is sent.
import { typeError } from '../primitives/help.ts'

/** RFC 9110, 5.1 and 5.5. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers of one connection, which only the HTTP implementation may set. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers as users may write them. */
export type HeaderFields = Readonly<Record<string, string>> | Headers

/** The headers by lower-case name. Throws `TypeError` for an invalid header, without its value. */
export function lowerCaseHeaders(headers: HeaderFields = {}): Record<string, string> {
  const entries = entriesOf(headers).map(([name, value]) => {
    const lowerCase = name.toLowerCase()
    if (!TOKEN.test(name)) throw typeError('bad-header', `${JSON.stringify(name)} is not a valid header name.`)
    if (FRAMING.has(lowerCase)) throw typeError('bad-header', `The header ${name} is set by the transport. Remove it.`)
    if (typeof value !== 'string' || !FIELD_VALUE.test(value)) {
      throw typeError('bad-header', `The header ${name} has a character that a header cannot hold.`)
    }
    return [lowerCase, value] as const
  })
  return Object.fromEntries(entries)
}

/** The own keys of a `Map` or an array of pairs are no headers; a token in them would not be sent. */
function entriesOf(headers: unknown): [string, unknown][] {
  if (isHeaders(headers)) return [...headers]
  if (!isObjectLiteral(headers)) {
    throw typeError(
      'bad-header',
      `headers is ${headersKind(headers)}; write a plain object, { name: value }, or a Headers.`,
    )
  }
  return Object.entries(headers)
}

/** By name, because each implementation of `fetch` has its own class. */
function isHeaders(value: unknown): value is Headers {
  return Object.prototype.toString.call(value) === '[object Headers]' && Symbol.iterator in (value as object)
}

function isObjectLiteral(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // `Object.prototype` of another realm has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function headersKind(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  return Array.isArray(value) ? 'an array' : `an object of the class ${value.constructor.name}`
}
