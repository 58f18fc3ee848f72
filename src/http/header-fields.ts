// Headers that a user gives, checked before anything is sent.

/** RFC 9110, 5.1 and 5.5. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** How a message is framed is between the two ends of each connection. */
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

/** What a user may give as headers. */
export type HeaderFields = Readonly<Record<string, string>> | Headers

/** The headers by lower-case name. Throws `TypeError` for what no header can be, without saying its value. */
export function lowerCaseHeaders(headers: HeaderFields = {}): Record<string, string> {
  const entries = entriesOf(headers).map(([name, value]) => {
    const lowerCase = name.toLowerCase()
    if (!TOKEN.test(name)) throw new TypeError(`No header has the name ${JSON.stringify(name)}`)
    if (FRAMING.has(lowerCase)) throw new TypeError(`The header ${name} is set by the transport itself`)
    if (typeof value !== 'string' || !FIELD_VALUE.test(value)) {
      throw new TypeError(`The header ${name} holds something that a header cannot carry`)
    }
    return [lowerCase, value] as const
  })
  return Object.fromEntries(entries)
}

/** By their own keys a `Map` or an array of pairs would be no headers at all, and the token among them would not be sent. */
function entriesOf(headers: unknown): [string, unknown][] {
  if (isHeaders(headers)) return [...headers]
  if (!isSimpleObject(headers)) {
    throw new TypeError(`headers is ${kindOf(headers)}; write a plain object, { name: value }, or a Headers`)
  }
  return Object.entries(headers)
}

/** Every implementation of `fetch` has a class of its own for them. */
function isHeaders(value: unknown): value is Headers {
  return Object.prototype.toString.call(value) === '[object Headers]' && Symbol.iterator in (value as object)
}

function isSimpleObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // That of another realm has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  return Array.isArray(value) ? 'an array' : `an object of the class ${value.constructor.name}`
}
