// Streamable HTTP, the transport for servers that are reached by a URL.

import type { Transport } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS } from '../../dispatcher/decode.ts'
import { PeerLimit } from '../../dispatcher/peer-limit.ts'
import { displayUrl } from '../../http/failures.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'
import { ConnectionHealth, type HttpLink } from './http-link.ts'
import { checkHeaders, HTTP_CLIENT_KEYS, type HttpClientOptions, parseServerUrl } from './http-options.ts'
import { openPoster } from './open-poster.ts'
import { type ReconnectOptions, understandReconnect } from './retry.ts'
import { StreamableHttpChannel } from './streamable-channel.ts'

export interface StreamableHttpOptions extends HttpClientOptions {
  /** How streams are picked up again and calls repeated that only look; `false` does neither. */
  reconnect?: ReconnectOptions | false
  /** The most that one message of the server may measure; 64 MiB unless given. */
  maxEventBytes?: number
  /** Whether a session of the legacy era is ended at the server when the client closes. True unless given. */
  terminateOnClose?: boolean
}

export const STREAMABLE_HTTP_KEYS: KnownKeys<StreamableHttpOptions> = {
  ...HTTP_CLIENT_KEYS,
  reconnect: true,
  maxEventBytes: true,
  terminateOnClose: true,
}

/** Reaches a server over HTTP, in whichever era it speaks. Opening sends nothing yet. Options that cannot work throw here. */
export function streamableHttp(url: string | URL, options: StreamableHttpOptions = {}): Transport {
  checkKeys('streamableHttp()', options, STREAMABLE_HTTP_KEYS)
  const resource = parseServerUrl(url)
  const { maxEventBytes = CLIENT_LIMITS.maxBytes, terminateOnClose = true } = options
  if (!Number.isSafeInteger(maxEventBytes) || maxEventBytes < 1) {
    throw new RangeError('maxEventBytes must be a whole number of bytes, at least 1')
  }
  if (options.maxConnections !== undefined && !(options.maxConnections >= 1)) {
    throw new RangeError('maxConnections must be a number, at least 1')
  }
  const headers = checkHeaders(options.headers)
  const settings = {
    url: resource.href,
    // Spec, Streamable HTTP: a client takes both kinds of answer, and says so with every POST.
    postHeaders: Object.freeze({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    }),
    streamHeaders: Object.freeze({ accept: 'text/event-stream', ...headers }),
    limits: { ...CLIENT_LIMITS, maxBytes: maxEventBytes },
    policy: understandReconnect(options.reconnect),
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
