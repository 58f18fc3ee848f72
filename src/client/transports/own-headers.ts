// Headers that say what the messages say; two opinions on that would be one too many.
import { type HeaderFields, lowerCaseHeaders } from '../../http/header-fields.ts'

const OWN_HEADERS =
  /^(?:accept|content-type|content-length|last-event-id|mcp-(?:protocol-version|session-id|method|name|param-.*))$/

/** The user's headers by lower-case name. Throws `TypeError` for those that are the transport's own. */
export function checkHeaders(headers: HeaderFields | undefined): Record<string, string> {
  const checked = lowerCaseHeaders(headers)
  const own = Object.keys(checked).find((name) => OWN_HEADERS.test(name))
  if (own !== undefined) throw new TypeError(`The header ${own} is set by the transport itself; leave it out`)
  return checked
}
