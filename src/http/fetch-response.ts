// A `fetch` response as a poster gives it: bounded, and ended by the signal even where `fetch` has ignored that.
import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import { LimitError, TransportError } from '../types/errors/failures.ts'
import { explainFailure } from './connect-failure.ts'
import type { PostResponse } from './poster.ts'

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

export class FetchResponse implements PostResponse {
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
