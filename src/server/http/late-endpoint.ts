// A part of an endpoint that is loaded with the first request for it: most endpoints never get one.
import type { CloseOptions } from '../../dispatcher/dispatcher.ts'

interface Closable {
  close(options?: CloseOptions): Promise<void>
}

export class LateEndpoint<Endpoint extends Closable> {
  readonly #load: () => Promise<Endpoint>
  #loading: Promise<Endpoint> | undefined
  #endpoint: Endpoint | undefined
  #isClosed = false

  constructor(load: () => Promise<Endpoint>) {
    this.#load = load
  }

  /** `undefined` before the first request. */
  get current(): Endpoint | undefined {
    return this.#endpoint
  }

  /** At once where it is loaded. */
  use(work: (endpoint: Endpoint) => Promise<void> | void): Promise<void> | void {
    if (this.#endpoint !== undefined) return work(this.#endpoint)
    this.#loading ??= this.#open()
    return this.#loading.then(work)
  }

  /** What was never used has nothing to close. */
  async close(options?: CloseOptions): Promise<void> {
    this.#isClosed = true
    const endpoint = this.#endpoint ?? (await this.#loading?.catch(() => undefined))
    await endpoint?.close(options)
  }

  async #open(): Promise<Endpoint> {
    try {
      const endpoint = await this.#load()
      // It answers on, as one does that was closed after its first request.
      if (this.#isClosed) void endpoint.close()
      this.#endpoint = endpoint
      return endpoint
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}
