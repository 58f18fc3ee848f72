// Options of the clients at the back of a proxy, which speak for its callers.
import type { ClientMiddleware } from '../../client/session/middleware.ts'
import { checkUserHeaders } from '../../client/transports/http-options.ts'
import { parseReconnectOptions, type ReconnectOptions } from '../../client/transports/retry.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import { assertCount, assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'

/** Options of the clients at the back of a proxy. What a client answers and declares is the matter of the caller. */
export interface ProxyClientOptions {
  /** Who the source sees (default: the caller's own `clientInfo`). */
  clientInfo?: Implementation | undefined
  /** For a target that is a URL: headers of every request. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** For a target that is a URL: a token, a function that returns the current one, or an OAuth provider. */
  auth?: HttpAuth | undefined
  /** Maximum time for connecting, in milliseconds (default: 10 s for a URL, 30 s for other targets). */
  connectTimeoutMs?: number | undefined
  /** How often a source may ask for input in one call (default: 10). */
  inputRequiredMaxRounds?: number | undefined
  /** Functions around every request and notification that goes to the source. The first one is outermost (default: none). */
  middleware?: readonly ClientMiddleware[] | undefined
  /** For a target that is a URL: how lost streams are resumed and requests that only read are retried; `false` turns both off. */
  reconnect?: ReconnectOptions | false | undefined
  /**
   * Calls a tool once more on a new connection where the first one was lost, if the source lists it as read-only or idempotent
   * (default: `false`). Only for sources whose listings you trust.
   */
  repeatSafeTools?: boolean | undefined
}

export const PROXY_CLIENT_KEYS: KnownKeys<ProxyClientOptions> = {
  clientInfo: 'object',
  headers: true,
  auth: true,
  connectTimeoutMs: 'number',
  inputRequiredMaxRounds: 'number',
  middleware: 'array',
  reconnect: true,
  repeatSafeTools: 'boolean',
}

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkProxyClient(owner: string, options: ProxyClientOptions): void {
  checkKeys(`client of ${owner}`, options, PROXY_CLIENT_KEYS)
  const { headers, connectTimeoutMs, inputRequiredMaxRounds, reconnect } = options
  checkUserHeaders(headers)
  if (connectTimeoutMs !== undefined) assertDuration('client.connectTimeoutMs', connectTimeoutMs)
  if (inputRequiredMaxRounds !== undefined) assertCount('client.inputRequiredMaxRounds', inputRequiredMaxRounds, 0)
  if (reconnect !== undefined) parseReconnectOptions(reconnect)
}
