// Fetching from the authorization server, with bounds on time and size and no redirect: what comes back decides who gets in.
import { followAny } from '../../primitives/async/abort.ts'
import { joinBytes } from '../../primitives/byte-tools.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'

/** Enough for hundreds of keys. */
const MAX_BODY_BYTES = 1_048_576

export interface GuardedFetchOptions {
  readonly timeoutMs: number
  /** The runtime's own unless given, as for a proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface FetchInit {
  method?: string | undefined
  headers?: HeadersInit | undefined
  body?: BodyInit | null | undefined
  signal?: AbortSignal | undefined
}

/** The response with its body already read. Rejects when that took too long, was too much or led elsewhere. */
export type GuardedFetch = (url: string, init: FetchInit) => Promise<Response>

export function guardFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs } = options
  return async (url, { method = 'GET', headers, body, signal }) => {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(new TransportError(`No answer within ${timeoutMs} ms`)), timeoutMs)
    const either = followAny(signal === undefined ? [timeout.signal] : [timeout.signal, signal])
    try {
      const fetch = options.fetch ?? globalThis.fetch
      const init = { method, redirect: 'manual' as const, signal: either.signal }
      const response = await fetch(url, { ...init, ...(headers && { headers }), ...(body && { body }) })
      const text = await readBody(response)
      return new Response(NO_BODY.has(response.status) ? null : text, {
        status: asStatus(response.status),
        headers: response.headers,
      })
    } finally {
      clearTimeout(timer)
      either.stop()
    }
  }
}

const NO_BODY = new Set([101, 204, 205, 304])

/** An opaque redirect has status 0, which no response can be made with; it is a refusal like any other. */
function asStatus(status: number): number {
  return status >= 200 && status <= 599 ? status : 502
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    length += next.value.length
    if (length > MAX_BODY_BYTES) {
      await reader?.cancel().catch(() => {})
      throw new LimitError('response body bytes', MAX_BODY_BYTES)
    }
    chunks.push(next.value)
  }
  return joinBytes(chunks, length)
}
