// The options of an HTTP handler, with their defaults.

import type { HttpHandler } from '../../http/exchange.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertDuration, checkKeys, checkLimit, checkNestedKeys, type KnownKeys } from '../../primitives/options.ts'
import { SERVER_CARD_KEYS, type ServerCardOptions } from './card/card-options.ts'
import { CORS_KEYS, type CorsOptions } from './guards/cors.ts'
import { LEGACY_KEYS, type LegacyOptions, SESSION_KEYS } from './legacy/legacy-options.ts'

/** Wraps the endpoint, after the checks of host and origin: authorization, for instance. */
export type HandlerWrapper = (handler: HttpHandler) => HttpHandler

/** The paths of HTTP+SSE, the transport of revision 2024-11-05. */
export interface LegacySsePaths {
  /** Default: `/sse`. */
  path?: string
  /** Default: `/messages`. */
  messagesPath?: string
}

export const LEGACY_SSE_KEYS: KnownKeys<LegacySsePaths> = {
  path: true,
  messagesPath: true,
}

/** Options of `createHandler()`: paths, allowed hosts and origins, limits, legacy sessions. */
export interface HandlerOptions extends LegacyOptions {
  /** The endpoint, matched exactly (default: `/mcp`). */
  path?: string | undefined
  /**
   * Also serves HTTP+SSE, for clients that know nothing newer (default: off).
   * @deprecated Use Streamable HTTP. HTTP+SSE is deprecated since 2026-07-28.
   */
  legacySse?: boolean | LegacySsePaths | undefined
  /**
   * Also serves a server card, which describes the server to clients that have not connected, at the path of the endpoint plus
   * `/server-card` (default: off). Everybody can read it, without a token and from every web page. Experimental: SEP-2127 is a
   * draft, and this option changes with it.
   */
  experimentalServerCard?: boolean | ServerCardOptions | undefined
  /** Answers `ok`, or 503 while the handler closes. `false` for none (default: `/health`). */
  healthPath?: string | false | undefined
  /**
   * For a balancer: answers `ok` while the process should get requests, and 503 once it drains or when its backend has not
   * answered within 5 s. `false` for none (default: `/ready`).
   */
  readyPath?: string | false | undefined
  /**
   * The `Host` values to serve: `name`, `name:port` or `name:*`. By default, requests that come to a loopback address must
   * name a loopback host, and others may name any.
   */
  allowedHosts?: readonly string[] | undefined
  /**
   * The `Origin` values to serve, as in `https://app.example.com`, with `:*` for any port. By default, loopback origins at a
   * loopback host and no others. Requests without an `Origin` are allowed: browser pages always send one.
   */
  allowedOrigins?: readonly string[] | undefined
  /** Answers browsers of allowed origins with CORS headers. On unless `false`. */
  cors?: boolean | CorsOptions | undefined
  /** Wraps the endpoint with authorization. */
  auth?: HandlerWrapper | undefined
  /** Of one request (default: 4 MiB). */
  maxBodyBytes?: number | undefined
  /** How long a body may take to arrive (default: 30 s). */
  bodyTimeoutMs?: number | undefined
  /** Maximum number of concurrent requests (default: 4,096). One more gets a 503 response. */
  maxConcurrentRequests?: number | undefined
  /** Maximum number of concurrent requests of one principal (default: 256). One more gets a 503 response. */
  maxConcurrentRequestsPerPrincipal?: number | undefined
  /** Maximum size of the bodies of concurrent requests, in bytes (default: 256 MiB). */
  maxBytesInFlight?: number | undefined
  /** Maximum size of the bodies of concurrent requests of one principal, in bytes (default: 64 MiB). */
  maxBytesInFlightPerPrincipal?: number | undefined
  /** Maximum number of open subscription streams (default: 10,000). */
  maxStreams?: number | undefined
  /** Maximum number of open subscription streams of one principal (default: 100). GET streams do not count: a session has one. */
  maxStreamsPerPrincipal?: number | undefined
  /** Maximum number of concurrent handlers of modern notifications (default: 1,024). One more is rejected. */
  maxNotificationHandlers?: number | undefined
  /** Maximum number of concurrent handlers of modern notifications of one principal (default: 128). One more is rejected. */
  maxNotificationHandlersPerPrincipal?: number | undefined
}

export const HANDLER_KEYS: KnownKeys<HandlerOptions> = {
  ...LEGACY_KEYS,
  path: true,
  legacySse: true,
  experimentalServerCard: true,
  healthPath: true,
  readyPath: true,
  allowedHosts: 'array',
  allowedOrigins: 'array',
  cors: true,
  auth: 'function',
  maxBodyBytes: 'number',
  bodyTimeoutMs: 'number',
  maxConcurrentRequests: 'number',
  maxConcurrentRequestsPerPrincipal: 'number',
  maxBytesInFlight: 'number',
  maxBytesInFlightPerPrincipal: 'number',
  maxStreams: 'number',
  maxStreamsPerPrincipal: 'number',
  maxNotificationHandlers: 'number',
  maxNotificationHandlersPerPrincipal: 'number',
}

const MIB = 1024 * 1024

/** The settings, complete. */
export interface HandlerSettings {
  readonly path: string
  readonly legacySse: Required<LegacySsePaths> | undefined
  readonly healthPath: string | undefined
  readonly readyPath: string | undefined
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly streamAfterMs: number
  /** `Heartbeat` has the default. */
  readonly keepAliveMs: number | undefined
  readonly maxConcurrentRequests: number
  readonly maxConcurrentRequestsPerPrincipal: number
  readonly maxBytesInFlight: number
  readonly maxBytesInFlightPerPrincipal: number
  readonly maxStreams: number
  readonly maxStreamsPerPrincipal: number
  readonly maxNotificationHandlers: number
  readonly maxNotificationHandlersPerPrincipal: number
}

/** Throws `TypeError` for unknown options. `owner` is the function that got them. */
export function checkHandlerKeys(owner: string, options: HandlerOptions): void {
  checkKeys(owner, options, HANDLER_KEYS)
  checkNestedKeys(`${owner}: sessions`, options.sessions, SESSION_KEYS)
  checkNestedKeys(`${owner}: legacySse`, options.legacySse, LEGACY_SSE_KEYS)
  checkNestedKeys(`${owner}: experimentalServerCard`, options.experimentalServerCard, SERVER_CARD_KEYS)
  checkNestedKeys(`${owner}: cors`, options.cors, CORS_KEYS)
}

/** Throws `RangeError` for a setting that cannot work. */
export function completeSettings(options: HandlerOptions): HandlerSettings {
  const { path = '/mcp', healthPath = '/health', readyPath = '/ready', streamAfterMs = 5_000 } = options
  assertDuration('streamAfterMs', streamAfterMs)
  return {
    path: checkPath('path', path),
    legacySse: completePaths(options.legacySse ?? false),
    healthPath: healthPath === false ? undefined : checkPath('healthPath', healthPath),
    readyPath: readyPath === false ? undefined : checkPath('readyPath', readyPath),
    maxBodyBytes: limit(options, 'maxBodyBytes', 4 * MIB),
    bodyTimeoutMs: limit(options, 'bodyTimeoutMs', 30_000),
    streamAfterMs,
    keepAliveMs: options.keepAliveMs,
    maxConcurrentRequests: limit(options, 'maxConcurrentRequests', 4_096),
    maxConcurrentRequestsPerPrincipal: limit(options, 'maxConcurrentRequestsPerPrincipal', 256),
    maxBytesInFlight: limit(options, 'maxBytesInFlight', 256 * MIB),
    maxBytesInFlightPerPrincipal: limit(options, 'maxBytesInFlightPerPrincipal', 64 * MIB),
    maxStreams: limit(options, 'maxStreams', 10_000),
    maxStreamsPerPrincipal: limit(options, 'maxStreamsPerPrincipal', 100),
    maxNotificationHandlers: limit(options, 'maxNotificationHandlers', 1_024),
    maxNotificationHandlersPerPrincipal: limit(options, 'maxNotificationHandlersPerPrincipal', 128),
  }
}

type NumericOption = {
  [K in keyof HandlerOptions]-?: NonNullable<HandlerOptions[K]> extends number ? K : never
}[keyof HandlerOptions]

function limit(options: HandlerOptions, name: NumericOption, otherwise: number): number {
  return checkLimit(name, options[name] ?? otherwise)
}

function completePaths(option: boolean | LegacySsePaths): Required<LegacySsePaths> | undefined {
  if (option === false) return undefined
  const { path = '/sse', messagesPath = '/messages' } = option === true ? {} : option
  return { path: checkPath('legacySse.path', path), messagesPath: checkPath('legacySse.messagesPath', messagesPath) }
}

function checkPath(name: string, path: string): string {
  if (!/^\/[^?#\s]*$/.test(path))
    throw rangeError('wrong-option', `${name} must begin with a slash and have no query: '${path}'`)
  return path
}
