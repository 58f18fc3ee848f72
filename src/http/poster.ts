// The client side of HTTP: a poster sends one request and resolves to one response. Authorization wraps posters.

import type { OwnBytes } from '../primitives/byte-tools.ts'

export interface PostRequest {
  /** In capitals. */
  readonly method: string
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** In place of `body`. */
  readonly bytes?: OwnBytes
  /** Aborting ends the request and whatever of the response is still being read. */
  readonly signal?: AbortSignal
  /** The same for this request alone, at a lower cost; no signal is needed besides it. */
  readonly canceller?: Canceller
  /** Called when the request has to wait for a person, for a login for example; returns a function to call after that. */
  readonly hold?: () => () => void
  /**
   * Called with the address of each new connection; `false` rejects it. Set for URLs that a peer named.
   * A poster that cannot see addresses, such as one over `fetch`, does not call it.
   */
  readonly allowsAddress?: (address: string) => boolean
}

/** A response whose head has arrived. Read its body in one of two ways, or call `cancel`. */
export interface PostResponse {
  readonly status: number
  /** Where the response came from, after redirects. */
  readonly url: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** The whole body, decoded; rejects with `LimitError` once it exceeds `limit` bytes. */
  text(limit: number): Promise<string>
  /** As `text`; a long body as its bytes, which were found to be UTF-8. Where the runtime has it. */
  textOrBytes?(limit: number): Promise<string | Uint8Array>
  /** The body as it arrives, decoded from its content encoding; the reader counts. */
  chunks(): AsyncIterable<Uint8Array>
  /** Reads no further and frees the connection. Idempotent, also after the end. */
  cancel(): void
}

/**
 * Sends one HTTP request and follows no redirect. Rejects with `TransportError` when no response came, with the reason given
 * when it was aborted; a response of any status resolves.
 */
export interface Poster {
  (request: PostRequest): Promise<PostResponse>
  /** Closes idle connections; requests in flight continue. Idempotent. */
  close?(): void
}

/** Wraps a poster and adds credentials, as OAuth does. */
export interface AuthProvider {
  /** `resource` is the endpoint of the transport. `facts` is what is known about it besides. */
  authorize(poster: Poster, resource: URL, facts?: ResourceFacts): Poster
}

/** What a document says about a resource that says nothing itself. */
export interface ResourceFacts {
  /** Where its authorization server describes itself. The author has confirmed the origin. */
  readonly metadataUrl?: string | undefined
}

/** Cancels one request, as an AbortSignal does; creating a signal and listening to it costs a tenth of the request itself. */
export class Canceller {
  #listener: (() => void) | undefined
  #isCancelled = false
  #reason: unknown

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get reason(): unknown {
    return this.#reason
  }

  /** The first call counts. */
  cancel(reason: unknown): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#reason = reason
    this.#listener?.()
  }

  /** Sets the one listener and replaces the one before: a request is in one place at a time. Must not be cancelled yet. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** Removes this listener if it is still the current one. */
  forget(listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined
  }
}

type Cancellable = Pick<PostRequest, 'signal' | 'canceller'>

/** Whether the caller no longer waits for this request. */
export function isRequestCancelled({ signal, canceller }: Cancellable): boolean {
  return canceller?.isCancelled === true || signal?.aborted === true
}

/** Why a cancelled request was cancelled. */
export function cancelReasonOf({ signal, canceller }: Cancellable): unknown {
  return canceller?.isCancelled === true ? canceller.reason : signal?.reason
}
