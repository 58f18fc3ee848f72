// What a program may do with the icons and links that a server names. Nothing here, and nothing else in this package, fetches them.
import type { Icon } from '../../types/protocol/metadata.ts'

export interface IconTrust {
  /** Where the server is reached. Then pictures of its own origin will do, and those of others will not. */
  serverUrl?: string | URL
}

/** What every program that shows pictures must know. An SVG can hold scripts, so it is not among them. */
const PICTURE = /^image\/(?:png|jpeg|jpg|gif|webp)$/i
const DATA = /^data:([^;,]*)[;,]/i

/**
 * Whether an icon may be fetched and shown: over `https:`, or a picture within a `data:` uri. Fetch it without credentials,
 * follow no redirect to anywhere else, and trust no byte of it.
 */
export function isSafeIcon({ src, mimeType }: Icon, { serverUrl }: IconTrust = {}): boolean {
  if (mimeType !== undefined && !PICTURE.test(mimeType)) return false
  const url = parse(src)
  if (url?.protocol === 'data:') return PICTURE.test(DATA.exec(src)?.[1] ?? '')
  if (url?.protocol !== 'https:' || holdsUser(url)) return false
  return serverUrl === undefined || url.origin === parse(String(serverUrl))?.origin
}

/** Whether a link can be offered to a person who knows where it leads: `https:` or `http:`, and no user name to hide the host. */
export function isSafeLink(uri: string): boolean {
  const url = parse(uri)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && !holdsUser(url)
}

function holdsUser({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function parse(text: string): URL | undefined {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
}
