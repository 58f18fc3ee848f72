// Serves the server card (SEP-2127, a draft) at the path of the endpoint plus `/server-card`, to everybody.
import type { HttpExchange, ReplyHeaders } from '../../http/exchange.ts'
import { rejectInvalid, rejectMethod } from './answers/reply.ts'
import { type CardSubject, checkCard, checkCardUrl, createCard } from './card/card-document.ts'
import type { ServerCardOptions } from './card/card-options.ts'
import { type Guard, hostOf, isLoopbackName, parseAuthority } from './guards/host-origin.ts'
import { isForPath } from './routes.ts'

const SUFFIX = '/server-card'
const MEDIA_TYPE = 'application/mcp-server-card+json'
const ONE_HOUR = 3_600
/** Entity tags of one `If-None-Match` that are looked at. */
const MAX_TAGS = 100

/** Every page may read the card: it holds public data alone. */
const CORS_HEADERS: ReplyHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
}

export interface CardSettings {
  /** Of the endpoint. */
  readonly path: string
  /** Whether answers have CORS headers. */
  readonly cors: boolean
  readonly guard: Guard
}

interface PreparedCard {
  readonly url: string
  readonly body: string
  readonly tag: string
}

export class CardEndpoint {
  readonly #subject: CardSubject
  readonly #options: ServerCardOptions
  readonly #settings: CardSettings
  readonly #path: string
  readonly #url: string | undefined
  /** Nearly all requests name the same host, so the last card is kept. */
  #last: PreparedCard | undefined

  constructor(subject: CardSubject, options: ServerCardOptions, settings: CardSettings) {
    checkCard(subject, options)
    this.#subject = subject
    this.#options = options
    this.#settings = settings
    this.#path = `${settings.path.replace(/\/$/, '')}${SUFFIX}`
    this.#url = options.url === undefined ? undefined : checkCardUrl(options.url)
  }

  isFor(exchange: HttpExchange): boolean {
    if (isForPath(exchange, this.#path)) return true
    // A router that matched the whole path knows which one it is.
    return exchange.routedPath === '' && exchange.path.endsWith(SUFFIX)
  }

  answer(exchange: HttpExchange): void {
    const { cors, guard } = this.#settings
    if (cors) for (const [name, value] of Object.entries(CORS_HEADERS)) exchange.addHeader(name, value)
    // The card repeats the host, and caches keep it by the URL: what the URL says must be allowed as well.
    const rejection = guard.checkHost(exchange) ?? guard.checkHost(exchange, cardHostOf(exchange))
    if (rejection !== undefined) rejectInvalid(exchange, rejection.status, rejection.message)
    else if (exchange.method === 'OPTIONS') exchange.reply(204)
    else if (exchange.method === 'GET' || exchange.method === 'HEAD') this.#send(exchange)
    else rejectMethod(exchange, 'GET, HEAD')
  }

  #send(exchange: HttpExchange): void {
    const { body, tag } = this.#cardAt(this.#url ?? endpointOf(exchange))
    const validators = {
      etag: tag,
      'cache-control': `public, max-age=${this.#options.maxAgeSeconds ?? ONE_HOUR}`,
      ...(this.#url === undefined && { vary: 'Host' }),
    }
    if (knowsTag(exchange, tag)) exchange.reply(304, undefined, validators)
    else exchange.reply(200, body, { ...validators, 'content-type': MEDIA_TYPE })
  }

  #cardAt(url: string): PreparedCard {
    if (this.#last?.url !== url) {
      const body = JSON.stringify(createCard(this.#subject, this.#options, url))
      this.#last = { url, body, tag: `"${digest(body)}"` }
    }
    return this.#last
  }
}

/** The host of the URL, where there is one: it says where the request went, and the header says what its sender likes. */
function cardHostOf(exchange: HttpExchange): string | readonly string[] | undefined {
  return exchange.urlHost ?? hostOf(exchange)
}

/** The endpoint as the client of a request for its card sees it. The host was checked. */
function endpointOf(exchange: HttpExchange): string {
  const host = String(cardHostOf(exchange))
  // Only local servers are reached without TLS; a proxy may have ended it before this process.
  const isLocal = isLoopbackName(parseAuthority(host)?.name ?? '')
  const scheme = isLocal && exchange.isSecure !== true ? 'http' : 'https'
  return `${scheme}://${host}${exchange.path.slice(0, -SUFFIX.length) || '/'}`
}

/** RFC 9110, 13.1.2: a list of tags, compared weakly, or `*`. */
function knowsTag(exchange: HttpExchange, tag: string): boolean {
  const value = exchange.header('if-none-match')
  if (value === undefined) return false
  const tags = (typeof value === 'string' ? value : value.join(',')).split(',', MAX_TAGS)
  return tags.some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))
}

/** 64 bits of FNV-1a over the characters: tells cards of one server apart, and protects nothing. */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let i = 0; i < text.length; i++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}
