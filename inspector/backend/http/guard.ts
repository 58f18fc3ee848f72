// Decides which requests are answered at all: those of our own page, with its token.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is refused. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 405 | 415
  readonly message: string
}

/** 128 random bits. */
export function createToken(): string {
  return randomBytes(16).toString('base64url')
}

export interface GuardOptions {
  readonly token: string
  /** The port that the page is served on. */
  readonly port: () => number
  /** The addresses by which the page may be called, beside those of this machine. */
  readonly hosts: readonly string[]
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

export class Guard {
  readonly #tokenDigest: Buffer
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
    this.#tokenDigest = digest(options.token)
  }

  /**
   * For every request. A page of another site can make a browser send requests here, under any name that resolves to this
   * machine: those carry another `Host` or another `Origin`.
   */
  check({ headers, method }: IncomingMessage): Refused | undefined {
    if (!this.#isOwnHost(headers.host)) {
      return { status: 403, message: 'The Host header names another address.' }
    }
    const { origin } = headers
    if (origin !== undefined && origin !== `http://${headers.host}`) {
      return { status: 403, message: 'Requests of other origins are refused.' }
    }
    if (headers['sec-fetch-site'] !== undefined && !SAME_SITE.has(headers['sec-fetch-site'] as string)) {
      return { status: 403, message: 'Requests of other sites are refused.' }
    }
    if (method !== 'GET' && method !== 'POST') return { status: 405, message: 'Only GET and POST are supported.' }
    return undefined
  }

  /** For requests to the API, after `check`. */
  checkApi({ headers, method }: IncomingMessage): Refused | undefined {
    const [scheme, token] = (headers.authorization ?? '').split(' ', 2)
    if (scheme !== 'Bearer' || token === undefined || !timingSafeEqual(digest(token), this.#tokenDigest)) {
      return { status: 401, message: 'The token is missing or wrong. Open the URL that mcpwire printed.' }
    }
    if (method === 'POST' && !/^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) {
      return { status: 415, message: 'The body must be application/json.' }
    }
    return undefined
  }

  #isOwnHost(host: string | undefined): boolean {
    const port = this.#options.port()
    return [...LOOPBACK_HOSTS, ...this.#options.hosts].some((name) => host === `${name}:${port}`)
  }
}

/** `none`: typed into the address bar, or opened by another program. */
const SAME_SITE: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** Of equal length whatever the input, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
