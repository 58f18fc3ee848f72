// A poster over `fetch`, for every runtime that has one and for callers who bring their own.
import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import { createDeferred } from '../primitives/async/promises.ts'
import { LimitError, TransportError } from '../types/errors/failures.ts'
import { displayUrl, explainFailure } from './failures.ts'
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

/** The only way of giving up that `fetch` knows. */
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
  if (!isResponse(response)) throw new TransportError('The fetch function resolved to something that is no Response')
  if (response.type === 'opaqueredirect') throw hiddenRedirect(request.url)
  const answer = new FetchResponse(response, request.url, request.signal)
  if (new URL(answer.url).origin === new URL(request.url).origin) return answer
  // Too late for the request, which that origin has seen; but what it says is not taken for the word of ours.
  answer.cancel()
  throw new TransportError(`The fetch function followed a redirect of ${displayUrl(request.url)} to another origin`)
}

async function callFetch(fetch: Fetch | undefined, request: PostRequest): Promise<Response> {
  if (typeof fetch !== 'function') {
    throw new TransportError('This runtime has no fetch; pass one with the option `fetch`')
  }
  const { method, url, headers, body, signal } = request
  try {
    // Called as a plain function: the one of a browser refuses to be a method of anything else.
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
  return new TransportError(
    `${displayUrl(url)} answers with a redirect, and this runtime does not tell where to; use the final URL instead`,
  )
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/** A `fetch` response as a poster gives it: bounded, and ended by the signal even where `fetch` ignores that. */
class FetchResponse implements PostResponse {
  readonly url: string
  readonly #response: Response
  readonly #signal: AbortSignal | undefined
  #reader: BodyReader | undefined
  #isCancelled = false

  /** `url` is what was asked for, since not every `fetch` says where its response came from. */
  constructor(response: Response, url: string, signal: AbortSignal | undefined) {
    this.#response = response
    this.url = URL.canParse(response.url) ? response.url : url
    this.#signal = signal
  }

  get status(): number {
    return this.#response.status
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined
  }

  async text(limit: number): Promise<string> {
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

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.#openReader()
    if (reader === undefined) return
    const signal = this.#signal
    // Ends the read that is under way, also where `fetch` does not know the signal.
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
      // A body that cannot be cancelled has nothing that could be freed.
    }
  }

  #openReader(): BodyReader | undefined {
    const { body } = this.#response
    if (body === null || body === undefined || this.#isCancelled) return undefined
    if (typeof body.getReader !== 'function') {
      throw new TransportError('The body of the response is no web stream; pass a fetch that follows the standard')
    }
    if (body.locked) throw new TransportError('The body of the response is being read already, or was')
    this.#reader = body.getReader() as BodyReader
    return this.#reader
  }
}
