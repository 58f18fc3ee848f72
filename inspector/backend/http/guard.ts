// Decides which requests are answered at all: those of our own page, with the secret of its session.
import type { IncomingMessage } from 'node:http'
import type { Sessions } from './sessions.ts'

/** Why a request is refused. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 405 | 415
  readonly message: string
}

export interface GuardOptions {
  readonly sessions: Pick<Sessions, 'find'>
  /** The port that the page is served on. */
  readonly port: () => number
  /** The addresses by which the page may be called, beside those of this machine. */
  readonly hosts: readonly string[]
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

export class Guard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /**
   * For every request. A page of another site can make a browser send requests here, under any name that resolves to this
   * machine: those carry another `Host` or another `Origin`.
   */
  check({ headers, method, url }: IncomingMessage): Refused | undefined {
    if (!this.#isOwnHost(headers.host)) {
      return { status: 403, message: 'The Host header names another address.' }
    }
    const { origin } = headers
    if (origin !== undefined && origin !== `http://${headers.host}`) {
      return { status: 403, message: 'Requests of other origins are refused.' }
    }
    const site = headers['sec-fetch-site']
    if (site !== undefined && !OWN_SITES.has(site as string) && !opensThePage(headers, url)) {
      return { status: 403, message: 'Requests of other sites are refused.' }
    }
    if (method !== 'GET' && method !== 'POST') return { status: 405, message: 'Only GET and POST are supported.' }
    return undefined
  }

  /** For requests to the API, after `check`. */
  checkBody({ headers, method }: IncomingMessage): Refused | undefined {
    if (method === 'GET' || /^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) return undefined
    return { status: 415, message: 'The body must be application/json.' }
  }

  /** The session that a request to the API belongs to. */
  sessionOf({ headers }: IncomingMessage): string | Refused {
    const [scheme, secret] = (headers.authorization ?? '').split(' ', 2)
    const session = scheme !== 'Bearer' || secret === undefined ? undefined : this.#options.sessions.find(secret)
    return session ?? { status: 401, message: 'This page has no session. Open it by a link that mcpwire printed.' }
  }

  #isOwnHost(host: string | undefined): boolean {
    const port = this.#options.port()
    return [...LOOPBACK_HOSTS, ...this.#options.hosts].some((name) => host === `${name}:${port}`)
  }
}

/** `none`: typed into the address bar, or opened by another program. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * A link to the page may be anywhere, as in a terminal that is a web page, or the file that leads there. The page itself holds
 * nothing of anybody, and the opener gets no hold of its window.
 */
function opensThePage(headers: IncomingMessage['headers'], url: string | undefined): boolean {
  return url === '/' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}
