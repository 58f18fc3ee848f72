// Formats of names on the network: RFC 1123 host names, RFC 4291 addresses, RFC 3986 URIs, RFC 5321 mail addresses.

const MAX_HOSTNAME_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

// RFC 5890, 2.3.1: hyphens in the third and fourth place are reserved, and "xn--" is the one prefix in use.
const RESERVED_LABEL = /^(?!xn)..--/i

/** Whether the Punycode after "xn--" stands for a sensible name is not looked into. */
export function isHostname(text: string): boolean {
  if (text.length > MAX_HOSTNAME_LENGTH) return false
  return text.split('.').every((label) => LABEL.test(label) && !RESERVED_LABEL.test(label))
}

export function isIPv4(text: string): boolean {
  const parts = text.split('.', 5)
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

const MAX_IPV6_LENGTH = 45

export function isIPv6(text: string): boolean {
  if (text.length > MAX_IPV6_LENGTH) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const hasIPv4 = isIPv4(all.at(-1) ?? '') && !text.endsWith('::')
  const hexGroups = hasIPv4 ? all.slice(0, -1) : all
  if (!hexGroups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  const size = hexGroups.length + (hasIPv4 ? 2 : 0)
  return halves.length === 2 ? size < 8 : size === 8
}

// RFC 5321, 4.5.3.1: a longer address cannot be delivered to.
const MAX_EMAIL_LENGTH = 320
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const QUOTED_LOCAL_PART = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_EMAIL_LENGTH) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (!LOCAL_PART.test(local) && !QUOTED_LOCAL_PART.test(local)) return false
  if (!domain.startsWith('[')) return isHostname(domain)
  const address = domain.endsWith(']') ? domain.slice(1, -1) : ''
  return address.startsWith('IPv6:') ? isIPv6(address.slice('IPv6:'.length)) : isIPv4(address)
}

const NOT_IN_URIS = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/
const BRACKET = /[[\]]/
const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*:/

export function isUri(text: string): boolean {
  return SCHEME.test(text) && isUriReference(text)
}

/** RFC 3986: one `#` at most, brackets around IP literals only, and no colon in a relative first segment. */
export function isUriReference(text: string): boolean {
  if (NOT_IN_URIS.test(text)) return false
  const [beforeFragment, fragment] = cut(text, '#')
  const [beforeQuery, query] = cut(beforeFragment, '?')
  if (fragment.includes('#') || BRACKET.test(fragment) || BRACKET.test(query)) return false
  const scheme = SCHEME.exec(beforeQuery)?.[0] ?? ''
  const hierarchy = beforeQuery.slice(scheme.length)
  if (!hierarchy.startsWith('//')) return isPath(hierarchy, scheme !== '')
  const [authority, path] = cut(hierarchy.slice(2), '/')
  return isAuthority(authority) && isPath(path, true)
}

/** What stands before and after the first mark. */
function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function isPath(path: string, mayHaveColonFirst: boolean): boolean {
  return !BRACKET.test(path) && (mayHaveColonFirst || !cut(path, '/')[0].includes(':'))
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const userInfo = authority.slice(0, authority.length - host.length)
  if (BRACKET.test(userInfo) || userInfo.indexOf('@') !== userInfo.lastIndexOf('@')) return false
  const literal = /^\[([^\]]*)\](?::\d*)?$/.exec(host)
  if (literal !== null) return isIPv6(literal[1] ?? '') || /^v[0-9a-f]+\..+$/i.test(literal[1] ?? '')
  return /^[^[\]:]*(?::\d*)?$/.test(host)
}
