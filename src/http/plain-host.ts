// Host names as they are written. A URL parser decodes, folds and drops so much that different texts come out as one host.

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Whether the text spells the host of the URL that it is parsed to, letter case and the default port aside. Not so `x%2Etest`,
 * full-width letters, `@x.test`, `x.test:0443` or `x.test:`, which are all parsed to `x.test`. Ask it where a text that somebody
 * else wrote is compared with a name of ours; where the parsed URL itself is requested, its origin is what counts.
 */
export function hasPlainHost(text: string, { host, hostname, protocol }: URL): boolean {
  const written = AUTHORITY.exec(text)?.[1]
  if (written === undefined) return false
  const lower = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return lower === host || lower === `${hostname}:${DEFAULT_PORTS[protocol]}`
}
