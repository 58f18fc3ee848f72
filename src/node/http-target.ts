// Where a request goes, taken from its URL once and not for every request.
import { TransportError } from '../types/failures.ts'

export interface HttpTarget {
  readonly isSecure: boolean
  /** As sockets want it: an IPv6 address without its brackets. */
  readonly hostname: string
  readonly port: string
  readonly path: string
  /** The value of the `Host` header. */
  readonly host: string
}

const MAX_TARGETS = 256

export class TargetCache {
  readonly #targets = new Map<string, HttpTarget>()

  /** Throws `TransportError` for a URL that cannot be requested. */
  find(url: string): HttpTarget {
    const known = this.#targets.get(url)
    if (known !== undefined) return known
    const target = parseTarget(url)
    // Whoever asks for that many different URLs gains nothing from remembering them.
    if (this.#targets.size >= MAX_TARGETS) this.#targets.clear()
    this.#targets.set(url, target)
    return target
  }
}

function parseTarget(text: string): HttpTarget {
  if (!URL.canParse(text)) throw new TransportError('The address of the request is no URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TransportError(`Only http and https can be requested, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TransportError(`The URL for ${url.host} holds credentials; pass them as a header or with \`auth\``)
  }
  return {
    isSecure: url.protocol === 'https:',
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    host: url.host,
  }
}
