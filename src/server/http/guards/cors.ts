// CORS headers for origins that are allowed, so that browsers let their pages read the answers.
import type { HttpExchange } from '../../../http/exchange.ts'
import type { KnownKeys } from '../../../primitives/options.ts'

/** Which web pages may read the answers of the endpoint. */
export interface CorsOptions {
  /** Request headers that pages may send besides those of MCP. */
  allowedHeaders?: readonly string[] | undefined
  /** Response headers that pages may read besides those of MCP. */
  exposedHeaders?: readonly string[] | undefined
  /** How long a browser may cache a preflight (default: 10 minutes). */
  maxAgeSeconds?: number | undefined
}

export const CORS_KEYS: KnownKeys<CorsOptions> = {
  allowedHeaders: true,
  exposedHeaders: true,
  maxAgeSeconds: true,
}

export interface Cors {
  /** Allows the page that sent the request to read the answer. */
  allow(exchange: HttpExchange): void
  /** Answers a preflight; `false` where the request is none. */
  answerPreflight(exchange: HttpExchange, methods: string): boolean
}

const EXPOSED = ['Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate', 'Retry-After', 'DPoP-Nonce']
const ALLOWED = [
  'accept',
  'authorization',
  'content-type',
  'dpop',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'traceparent',
  'tracestate',
  'baggage',
]
/** Which arguments are mirrored depends on the tool, so every name of this form is allowed. */
const MIRRORED = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/
const MAX_REQUESTED_HEADERS = 100

/** No wildcard and no credentials: the origin is named, and cookies are not used. */
export function createCors(option: boolean | CorsOptions): Cors | undefined {
  if (option === false) return undefined
  const { allowedHeaders = [], exposedHeaders = [], maxAgeSeconds = 600 } = option === true ? {} : option
  const allowed: ReadonlySet<string> = new Set([...ALLOWED, ...allowedHeaders.map((name) => name.toLowerCase())])
  const exposed = [...EXPOSED, ...exposedHeaders].join(', ')

  return {
    allow(exchange) {
      const origin = exchange.header('origin')
      if (typeof origin !== 'string') return
      exchange.addHeader('access-control-allow-origin', origin)
      exchange.addHeader('access-control-expose-headers', exposed)
      exchange.addHeader('vary', 'Origin')
    },
    answerPreflight(exchange, methods) {
      const isPreflight = exchange.header('access-control-request-method') !== undefined
      if (!isPreflight || exchange.header('origin') === undefined) return false
      exchange.reply(204, undefined, {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestedHeaders(exchange)
          .filter((name) => allowed.has(name) || MIRRORED.test(name))
          .join(', '),
        'access-control-max-age': String(maxAgeSeconds),
      })
      return true
    },
  }
}

function requestedHeaders(exchange: HttpExchange): string[] {
  const value = exchange.headers['access-control-request-headers'] ?? ''
  return value.split(',', MAX_REQUESTED_HEADERS).map((name) => name.trim().toLowerCase())
}
