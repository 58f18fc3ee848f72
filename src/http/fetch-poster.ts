// A poster over `fetch`, for every runtime that has one and for callers who bring their own.

import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import { createDeferred } from '../primitives/async/promises.ts'
import { withHelp } from '../primitives/help.ts'
import { LimitError, TransportError } from '../types/errors/failures.ts'
import { displayUrl } from './display-url.ts'
import { explainFailure } from './failures.ts'
import { cancelReasonOf, isRequestCancelled, type Poster, type PostRequest, type PostResponse } from './poster.ts'

type Fetch = typeof globalThis.fetch

/** Without `fetch` the runtime's own is taken, as it is at the time of each request. */
export function createFetchPoster(fetch?: Fetch): Poster {
  return async (request) => {
    if (isRequestCancelled(request)) throw cancelReasonOf(request)
    const signal = signalOf(request)
    return signal === undefined ? send(fetch, request) : sendUntilAborted(fetch, { ...request, signal }, signal)
  }
}

/** `fetch` can be cancelled by a signal only. */
function signalOf({ signal, canceller }: PostRequest): AbortSignal | undefined {
  if (canceller === undefined) return signal
  const controller = new AbortController()
  canceller.listen(() => controller.abort(canceller.reason))
  return controller.signal
}

/** Settles when the signal aborts, whatever `fetch` makes of it; a response that comes later is thrown away. */
async function sendUntilAborted(fetch: Fetch | undefined, request: PostRequest, signal: AbortSignal) {
  const aborted = createDeferred<never>()
  const abort = () => aborted.reject(signal.reason)
  listenForAbort(signal, abort)
  const sending = send(fetch, request)
  try {
    return await Promise.race([sending, aborted.promise])
  } catch (error) {
    sending.then((response) => response.cancel()).catch(() => {})
    throw signal.aborted ? signal.reason : error
  } finally {
    forgetAbort(signal, abort)
  }
}

async function send(fetch: Fetch | undefined, request: PostRequest): Promise<PostResponse> {
  const response = await callFetch(fetch ?? globalThis.fetch, request)
  if (!isResponse(response)) throw new TransportError('The fetch function did not resolve to a Response.')
  if (response.type === 'opaqueredirect') throw hiddenRedirect(request.url)
  const answer = new FetchResponse(response, request.url, request.signal)
  if (answer.url === request.url || new URL(answer.url).origin === new URL(request.url).origin) return answer
  // That origin has seen the request already, but its response is not trusted.
  answer.cancel()
  throw withHelp(
    'redirect-refused',
    new TransportError(
      `The fetch function followed a redirect of ${displayUrl(request.url)} to another origin. Use the final URL.`,
    ),
  )
}

async function callFetch(fetch: Fetch | undefined, request: PostRequest): Promise<Response> {
  if (typeof fetch !== 'function') {
    throw new TransportError('This runtime has no fetch. Pass one with the option `fetch`.')
  }
  const { method, url, headers, signal } = request
  const body = request.body ?? request.bytes
  try {
    // Called as a plain function: the `fetch` of a browser throws as a method of another object.
    return await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  } catch (error) {
    throw signal?.aborted ? signal.reason : explainFailure(error, url)
  }
}

function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && 'headers' in value
}

function hiddenRedirect(url: string): TransportError {
  return withHelp(
    'redirect-refused',
    new TransportError(
      `${displayUrl(url)} answered with a redirect, and this runtime hides its target. Use the final URL.`,
    ),
  )
}

/** Longer bodies are read in pieces, so that what is too long by then is not kept. */
const MAX_WHOLE_BYTES = 1_000_000

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/** A `fetch` response as a poster gives it: bounded, and ended by the signal even where `fetch` ignores that. */
class FetchResponse implements PostResponse {
  readonly url: string
  readonly #response: Response
  readonly #signal: AbortSignal | undefined
  #reader: BodyReader | undefined
  #isCancelled = false

  /** `url` is that of the request, since not every `fetch` sets the URL of its response. */
  constructor(response: Response, url: string, signal: AbortSignal | undefined) {
    this.#response = response
    this.url = response.url !== url && URL.canParse(response.url) ? response.url : url
    this.#signal = signal
  }

  get status(): number {
    return this.#response.status
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined
  }

  async text(limit: number): Promise<string> {
    const length = this.#knownLength
    if (length !== undefined && length <= limit) return this.#wholeText(this.#response)
    const decoder = new TextDecoder()
    let text = ''
    let bytes = 0
    for await (const chunk of this.chunks()) {
      bytes += chunk.length
      if (bytes > limit) throw new LimitError('response bytes', limit)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  }

  /** How many bytes the body has, where that is known before it is read: compressed ones grow. */
  get #knownLength(): number | undefined {
    const { headers, body, bodyUsed } = this.#response
    if (!body || bodyUsed || this.#isCancelled || this.#reader !== undefined || headers.get('content-encoding'))
      return undefined
    const length = Number(headers.get('content-length') ?? Number.NaN)
    return Number.isSafeInteger(length) && length <= MAX_WHOLE_BYTES ? length : undefined
  }

  /** In one piece, which runtimes do faster than piece by piece. */
  async #wholeText(response: Response): Promise<string> {
    const signal = this.#signal
    const aborted = createDeferred<never>()
    const abort = () => aborted.reject(signal?.reason)
    if (signal?.aborted) throw signal.reason
    if (signal) listenForAbort(signal, abort)
    try {
      return await Promise.race([response.text(), aborted.promise])
    } catch (error) {
      throw signal?.aborted ? signal.reason : explainFailure(error, this.url)
    } finally {
      if (signal) forgetAbort(signal, abort)
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.#openReader()
    if (reader === undefined) return
    const signal = this.#signal
    // Ends the current read, also where `fetch` ignores the signal.
    const abort = () => this.cancel()
    if (signal?.aborted) abort()
    else if (signal) listenForAbort(signal, abort)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (signal?.aborted) throw signal.reason
        if (done) return
        yield value
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : explainFailure(error, this.url)
    } finally {
      if (signal) forgetAbort(signal, abort)
      this.cancel()
    }
  }

  cancel(): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    try {
      const body = this.#reader ?? this.#response.body
      body?.cancel().catch(() => {})
    } catch {
      // A body that cannot be cancelled holds nothing to free.
    }
  }

  #openReader(): BodyReader | undefined {
    const { body } = this.#response
    if (body === null || body === undefined || this.#isCancelled) return undefined
    if (typeof body.getReader !== 'function') {
      throw new TransportError('The body of the response is not a web stream. Pass a fetch that follows the standard.')
    }
    if (body.locked) throw new TransportError('The body of the response was read already.')
    this.#reader = body.getReader() as BodyReader
    return this.#reader
  }
}
