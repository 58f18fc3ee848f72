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

/** The headers by lower-case name. Throws `TypeError` for what no header can be, without saying its value. */
export function lowerCaseHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
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
