// Checks icons and links that a server names before a program shows them. Nothing in this package fetches them.
import type { Icon } from '../types/protocol/metadata.ts'

/** What `isSafeIcon()` requires beside the rules that hold for every icon. */
export interface IconTrust {
  /** The URL of the server. If given, only icons of its origin are accepted. */
  serverUrl?: string | URL
}

/** An SVG can hold scripts, so it is not accepted. */
const PICTURE = /^image\/(?:png|jpeg|jpg|gif|webp)$/i
const DATA = /^data:([^;,]*)[;,]/i

/**
 * Whether an icon may be fetched and shown: over `https:`, or an image in a `data:` URI. Fetch it without credentials, follow
 * no redirect to another origin, and treat its bytes as untrusted.
 *
 * @example
 * ```ts
 * import { isSafeIcon } from 'mcpwire/client'
 * const serverUrl = 'https://example.com/mcp'
 * const icons = client.serverInfo?.icons?.filter((icon) => isSafeIcon(icon, { serverUrl }))
 * ```
 */
export function isSafeIcon({ src, mimeType }: Icon, { serverUrl }: IconTrust = {}): boolean {
  if (mimeType !== undefined && !PICTURE.test(mimeType)) return false
  const url = parseUrl(src)
  if (url?.protocol === 'data:') return PICTURE.test(DATA.exec(src)?.[1] ?? '')
  if (url?.protocol !== 'https:' || hasCredentials(url)) return false
  return serverUrl === undefined || url.origin === parseUrl(String(serverUrl))?.origin
}

/**
 * Whether a link may be shown to a user: `https:` or `http:`, without credentials that could hide the host.
 *
 * @example
 * ```ts
 * import { isSafeLink } from 'mcpwire/client'
 * const { websiteUrl = '' } = client.serverInfo ?? {}
 * if (isSafeLink(websiteUrl)) console.log(websiteUrl)
 * ```
 */
export function isSafeLink(uri: string): boolean {
  const url = parseUrl(uri)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && !hasCredentials(url)
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function parseUrl(text: string): URL | undefined {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
}
