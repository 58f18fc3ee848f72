// Requests to the authorization server, limited in time and size and without redirects: the responses decide who gets access.
import { followAny } from '../../primitives/async/abort.ts'
import { joinBytes } from '../../primitives/byte-tools.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'

/** Enough for hundreds of keys. */
const MAX_BODY_BYTES = 1_048_576

export interface IssuerFetchOptions {
  readonly timeoutMs: number
  /** For example one that uses a proxy (default: the runtime's). */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Without the names `HeadersInit` and `BodyInit`, which programs without the types of browsers do not have. */
export interface FetchInit {
  method?: string | undefined
  headers?: ConstructorParameters<typeof Headers>[0] | undefined
  body?: ConstructorParameters<typeof Response>[0] | undefined
  signal?: AbortSignal | undefined
}

/** The response with its body already read. Rejects if that takes too long or the body is too large. */
export type IssuerFetch = (url: string, init: FetchInit) => Promise<Response>

export function createIssuerFetch(options: IssuerFetchOptions): IssuerFetch {
  const { timeoutMs } = options
  return async (url, { method = 'GET', headers, body, signal }) => {
    const timeout = new AbortController()
    const timer = setTimeout(
      () => timeout.abort(new TransportError(`The authorization server sent no response within ${timeoutMs} ms`)),
      timeoutMs,
    )
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

/** An opaque redirect has status 0, which `Response` does not accept. It counts as a failure. */
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
