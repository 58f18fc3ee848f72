// Host names of URLs: which ones are this machine, and which ones are written the way a URL parser reads them.

/** RFC 6761: `localhost` and every name under it, and the addresses that are reserved for it. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true
  return /^127(?:\.\d{1,3}){3}$/.test(name)
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Whether the text spells the host of the URL that it is parsed to, letter case and the default port aside. A URL parser decodes,
 * folds and drops so much that `x%2Etest`, full-width letters, `@x.test`, `x.test:0443` and `x.test:` are all parsed to `x.test`.
 * Use it where a text from outside is compared with a name of ours. Where the parsed URL itself is requested, compare origins.
 */
export function hasPlainHost(text: string, { host, hostname, protocol }: URL): boolean {
  const written = AUTHORITY.exec(text)?.[1]
  if (written === undefined) return false
  const lower = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return lower === host || lower === `${hostname}:${DEFAULT_PORTS[protocol]}`
}
