// HTTP+SSE, the transport of 2024-11-05: one stream of events to read, and a URL that the server chooses to write to.

import type { Channel, Transport } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS } from '../../dispatcher/decode.ts'
import { displayUrl } from '../../http/display-url.ts'
import { lowerCaseHeaders } from '../../http/header-fields.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { HTTP_CLIENT_KEYS, type HttpClientOptions, parseServerUrl } from './http-options.ts'
import { openPoster } from './open-poster.ts'
import { SseChannel } from './sse-channel.ts'

/** Options of `sse()`. */
export interface SseOptions extends HttpClientOptions {
  /** The largest event accepted from the server (default: 64 MiB). */
  maxEventBytes?: number | undefined
  /** How long the server may take to send the URL for messages (default: 10 s). */
  endpointTimeoutMs?: number | undefined
}

export const SSE_KEYS: KnownKeys<SseOptions> = {
  ...HTTP_CLIENT_KEYS,
  maxEventBytes: true,
  endpointTimeoutMs: true,
}

const DEFAULT_ENDPOINT_TIMEOUT_MS = 10_000

/**
 * A transport for servers of 2024-11-05. When the stream ends, so does the connection: this transport cannot resume.
 *
 * @example
 * ```ts
 * import { Client, sse } from 'mcpwire/client'
 * const client = await Client.connect(sse('https://example.com/sse'))
 * ```
 * @deprecated Use `streamableHttp`. HTTP+SSE is deprecated since 2026-07-28.
 */
export function sse(url: string | URL, options: SseOptions = {}): Transport {
  checkKeys('sse()', options, SSE_KEYS)
  const address = parseServerUrl(url)
  const headers = lowerCaseHeaders(options.headers)
  const { maxEventBytes = CLIENT_LIMITS.maxBytes, endpointTimeoutMs = DEFAULT_ENDPOINT_TIMEOUT_MS } = options
  if (!Number.isInteger(maxEventBytes) || maxEventBytes < 1) {
    throw rangeError('wrong-option', 'maxEventBytes must be a whole number of bytes, at least 1')
  }
  assertDuration('endpointTimeoutMs', endpointTimeoutMs)
  return {
    kind: 'sse',
    target: displayUrl(address.href),
    async open({ signal, hold } = {}): Promise<Channel> {
      signal?.throwIfAborted()
      const poster = await openPoster(address, options)
      const channel = new SseChannel({ address, headers, poster, maxEventBytes })
      await channel.open(endpointTimeoutMs, { ...(signal && { signal }), ...(hold && { hold }) })
      return channel
    },
  }
}
