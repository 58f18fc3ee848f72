// The stream of a legacy session that carries messages of the server which belong to no request, such as list changes.
import type { Receiver, TransportContext } from '../../dispatcher/channel.ts'
import { decodeMessage } from '../../dispatcher/decode.ts'
import type { ReadEvent } from '../../http/sse-reader.ts'
import { pause } from '../../primitives/async/abort.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { openEventStream } from './event-stream.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { statusOf } from './http-status.ts'
import { EventCursor, resumeStream } from './resume.ts'
import { type Backoff, isTransient } from './retry.ts'

export interface StandaloneOptions {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly transport: TransportContext
  readonly headers: RequestHeaders
  /** Of the connection, which may have several sessions one after the other. */
  readonly backoff: Backoff
  /** The server had a stream for this session and now responds with 404. Resolves when there is a new session. */
  onSessionExpired(reason: Error): Promise<void>
}

export class StandaloneStream {
  readonly #options: StandaloneOptions
  readonly #cursor = new EventCursor()
  readonly #abort = new AbortController()
  #wasOpen = false
  #isOutageReported = false

  constructor(options: StandaloneOptions) {
    this.#options = options
  }

  start(): void {
    void this.#run()
  }

  stop(): void {
    this.#abort.abort()
  }

  async #run(): Promise<void> {
    const { link, backoff } = this.#options
    const { signal } = this.#abort
    try {
      // A session that expires again and again is treated like a stream that breaks off as often.
      if (backoff.retries > 1) await pause(backoff.nextDelayMs(), { signal, isBackground: true })
      const failure = await this.#connect()
      backoff.ended()
      if (link.policy.maxAttempts === 0) throw failure ?? new TransportError('The server ended the stream')
      await this.#resume()
    } catch (error) {
      backoff.ended()
      if (!signal.aborted && (await this.#shouldRetry(error))) await this.#keepReconnecting()
    }
  }

  /** Subscribers may wait for as long as the client is open, so the server may be away for any time. */
  async #keepReconnecting(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        await this.#resume()
      } catch (error) {
        this.#options.backoff.ended()
        if (signal.aborted || !(await this.#shouldRetry(error))) return
      }
    }
  }

  #resume(): Promise<void> {
    const { link, backoff } = this.#options
    const { signal } = this.#abort
    return resumeStream({
      cursor: this.#cursor,
      signal,
      policy: link.policy,
      backoff,
      isBackground: true,
      isDone: () => signal.aborted,
      connect: () => this.#connect(),
    })
  }

  #connect(): Promise<Error | undefined> {
    const { link, headers } = this.#options
    return openEventStream(link, {
      cursor: this.#cursor,
      headers,
      what: 'The stream for messages that belong to no request did not open',
      signal: this.#abort.signal,
      endsWhenSilent: true,
      onOpen: () => {
        this.#wasOpen = true
        this.#isOutageReported = false
        this.#options.backoff.opened()
      },
      onEvent: (event) => this.#onEvent(event),
    })
  }

  #onEvent(event: ReadEvent): Promise<void> | undefined {
    if (!this.#cursor.accept(event) || event.data === '') return undefined
    if (event.event !== undefined && event.event !== 'message') return undefined
    const { link, receiver, transport } = this.#options
    return receiver.message(decodeMessage(event.data, link.limits), { transport })
  }

  /** Whether to reconnect after this error. Reports an outage once, and the end of all attempts. */
  async #shouldRetry(error: unknown): Promise<boolean> {
    const status = statusOf(error)
    // Spec, Streamable HTTP: a server need not have this stream. Many that lack it respond with 404, as for any unknown path.
    if (!this.#wasOpen && (status === 404 || status === 405)) return false
    const failure = status === 404 ? await this.#renewSession(error as Error) : error
    if (failure === undefined || this.#abort.signal.aborted) return false
    // A server that never had the stream may reject it with any error. A server that had it will have it again.
    const hadStream = this.#wasOpen || (failure instanceof Error && isTransient(failure))
    const retries = hadStream && status !== 405 && this.#options.link.policy.maxAttempts > 0
    if (!hadStream) this.#report('is not available; requests still work', failure)
    else if (!retries) this.#giveUp(failure)
    else if (!this.#isOutageReported) this.#report('is down; the client keeps trying to reopen it', failure)
    this.#isOutageReported = retries
    return retries
  }

  /** Returns what prevented a new session. */
  async #renewSession(reason: Error): Promise<unknown> {
    try {
      await this.#options.onSessionExpired(reason)
      return undefined
    } catch (error) {
      return error
    }
  }

  #giveUp(error: unknown): void {
    this.#report('was lost and is not reopened; requests still work', error)
    const reason = error instanceof Error ? error : new TransportError('The stream failed', { cause: error })
    this.#options.link.health.notificationsLost(reason)
  }

  #report(what: string, error: unknown): void {
    const message = `The stream for messages that belong to no request ${what}`
    this.#options.receiver.fault({ kind: 'transport', message, error })
  }
}
