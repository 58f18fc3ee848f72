// The user and password of a URL, taken out of it before it is used: addresses end up in messages, logs and keys.
import { isLoopbackHost } from '../http/loopback-host.ts'
import { encodeBase64Text } from '../primitives/base64.ts'

export interface PlainAddress {
  /** Without credentials. */
  readonly url: URL
  /** The credentials as a header, where there are any. */
  readonly headers: Record<string, string>
}

/** Throws `TypeError` where the password would travel in the clear to another machine. */
export function readUrlCredentials(given: URL): PlainAddress {
  const { username, password } = given
  if (username === '' && password === '') return { url: given, headers: {} }
  const url = new URL(given)
  url.username = ''
  url.password = ''
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new TypeError(`Refused to send the password in the URL to ${url.origin} over plain http; use https`)
  }
  const credentials = `${decode(username)}:${decode(password)}`
  return { url, headers: { authorization: `Basic ${encodeBase64Text(credentials)}` } }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
