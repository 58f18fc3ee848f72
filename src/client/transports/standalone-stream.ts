// The stream that a session of the legacy era has beside its requests, for what belongs to none of them.
import type { Receiver, TransportContext } from '../../dispatcher/channel.ts'
import { decodeMessage } from '../../dispatcher/decode.ts'
import type { ReadEvent } from '../../http/sse-reader.ts'
import { TransportError } from '../../types/failures.ts'
import type { Backoff } from '../backoff.ts'
import { pause } from '../pause.ts'
import { openEventStream } from './event-stream.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { EventCursor, followStream } from './resumption.ts'

export interface StandaloneOptions {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly transport: TransportContext
  readonly headers: RequestHeaders
  /** Of the connection, whose sessions may come and go. */
  readonly backoff: Backoff
  /** The server had a stream for this session and now says that it does not know it. */
  onForgotten(reason: Error): void
}

export class StandaloneStream {
  readonly #options: StandaloneOptions
  readonly #cursor = new EventCursor()
  readonly #abort = new AbortController()
  #wasOpen = false

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
      // A session that had to be opened anew again and again gets no stream sooner than one that broke as often.
      if (backoff.tries > 1) await pause(backoff.nextDelayMs(), { signal, isBackground: true })
      const failure = await this.#connect()
      backoff.ended()
      if (failure !== undefined && link.policy.maxAttempts === 0) throw failure
      if (link.policy.maxAttempts === 0) return
      await followStream({
        cursor: this.#cursor,
        signal,
        policy: link.policy,
        backoff,
        isBackground: true,
        isDone: () => signal.aborted,
        connect: () => this.#connect(),
      })
    } catch (error) {
      backoff.ended()
      if (!signal.aborted) this.#giveUp(error)
    }
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

  #giveUp(error: unknown): void {
    const status = error instanceof TransportError ? error.status : undefined
    // Spec, Streamable HTTP: a server need not have this stream. Many that lack it answer 404, like to any unknown address.
    if (status === 405 || (status === 404 && !this.#wasOpen)) return
    if (status === 404) {
      this.#options.onForgotten(error as Error)
      return
    }
    const message = 'The stream for messages that belong to no request was given up; calls go on without it'
    this.#options.receiver.fault({ kind: 'transport', message, error })
  }
}
