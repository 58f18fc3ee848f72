// Streamable HTTP, the transport for servers that are reached by a URL.

import type { Transport } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS } from '../../dispatcher/decode.ts'
import { PeerLimit } from '../../dispatcher/peer-max-bytes.ts'
import { displayUrl } from '../../http/display-url.ts'
import { rangeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { ConnectionHealth, type HttpLink } from './http-link.ts'
import { checkUserHeaders, HTTP_CLIENT_KEYS, type HttpClientOptions, parseServerUrl } from './http-options.ts'
import { openPoster } from './open-poster.ts'
import { parseReconnectOptions, type ReconnectOptions } from './retry.ts'
import { StreamableHttpChannel } from './streamable-channel.ts'

/** Options of `streamableHttp()`. */
export interface StreamableHttpOptions extends HttpClientOptions {
  /** How lost streams are resumed and requests that only read are retried; `false` turns both off. */
  reconnect?: ReconnectOptions | false | undefined
  /** The largest message accepted from the server (default: 64 MiB). */
  maxEventBytes?: number | undefined
  /** Whether closing the client ends a legacy session on the server (default: true). */
  terminateOnClose?: boolean | undefined
}

export const STREAMABLE_HTTP_KEYS: KnownKeys<StreamableHttpOptions> = {
  ...HTTP_CLIENT_KEYS,
  reconnect: true,
  maxEventBytes: true,
  terminateOnClose: true,
}

/**
 * A transport for servers that are reached by a URL, in both eras. Opening it sends nothing. Invalid options throw here.
 *
 * @example
 * ```ts
 * import { Client, streamableHttp } from 'mcpwire/client'
 * const transport = streamableHttp('https://example.com/mcp', { reconnect: false })
 * const client = await Client.connect(transport)
 * ```
 */
export function streamableHttp(url: string | URL, options: StreamableHttpOptions = {}): Transport {
  checkKeys('streamableHttp()', options, STREAMABLE_HTTP_KEYS)
  const resource = parseServerUrl(url)
  const { maxEventBytes = CLIENT_LIMITS.maxBytes, terminateOnClose = true } = options
  if (!Number.isSafeInteger(maxEventBytes) || maxEventBytes < 1) {
    throw rangeError('wrong-option', 'maxEventBytes must be a whole number of bytes, at least 1')
  }
  if (options.maxConnections !== undefined && !(options.maxConnections >= 1)) {
    throw rangeError('wrong-option', 'maxConnections must be a number, at least 1')
  }
  const headers = checkUserHeaders(options.headers)
  const settings = {
    url: resource.href,
    // Spec, Streamable HTTP: every POST accepts both kinds of body.
    postHeaders: Object.freeze({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    }),
    streamHeaders: Object.freeze({ accept: 'text/event-stream', ...headers }),
    limits: { ...CLIENT_LIMITS, maxBytes: maxEventBytes },
    policy: parseReconnectOptions(options.reconnect),
  }
  return {
    kind: 'streamable-http',
    target: displayUrl(resource.href),
    async open({ signal, onConnection } = {}) {
      signal?.throwIfAborted()
      const { post, close } = await openPoster(resource, options)
      const health = new ConnectionHealth(onConnection)
      const link: HttpLink = { ...settings, poster: post, health, bodyLimit: new PeerLimit('maxBodyBytes') }
      return new StreamableHttpChannel({ link, terminateOnClose, onClosed: close })
    },
  }
}
