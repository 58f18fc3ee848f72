// The stream that a session of the legacy era has beside its requests, for what belongs to none of them.
import type { Receiver, TransportContext } from '../../dispatcher/channel.ts'
import { decodeMessage } from '../../dispatcher/decode.ts'
import type { ReadEvent } from '../../http/sse-reader.ts'
import { pause } from '../../primitives/async/pause.ts'
import { openEventStream } from './event-stream.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { statusOf } from './http-status.ts'
import { EventCursor, followStream } from './resume.ts'
import { type Backoff, mayPass } from './retry.ts'

export interface StandaloneOptions {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly transport: TransportContext
  readonly headers: RequestHeaders
  /** Of the connection, whose sessions may come and go. */
  readonly backoff: Backoff
  /** The server had a stream for this session and now says that it does not know it. Resolves when there is a new session. */
  onForgotten(reason: Error): Promise<void>
}

export class StandaloneStream {
  readonly #options: StandaloneOptions
  readonly #cursor = new EventCursor()
  readonly #abort = new AbortController()
  #wasOpen = false
  #isOutageTold = false

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
      if (link.policy.maxAttempts > 0) await this.#follow()
    } catch (error) {
      backoff.ended()
      if (!signal.aborted && (await this.#isPassing(error))) await this.#goOn()
    }
  }

  /** Somebody may listen for as long as the client is open, so that a server may be away for any time. */
  async #goOn(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        await this.#follow()
      } catch (error) {
        this.#options.backoff.ended()
        if (signal.aborted || !(await this.#isPassing(error))) return
      }
    }
  }

  #follow(): Promise<void> {
    const { link, backoff } = this.#options
    const { signal } = this.#abort
    return followStream({
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
        this.#isOutageTold = false
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

  /** Whether the stream is to be tried further. Says what has gone wrong, once. */
  async #isPassing(error: unknown): Promise<boolean> {
    const status = statusOf(error)
    // Spec, Streamable HTTP: a server need not have this stream. Many that lack it answer 404, like to any unknown address.
    if (status === 405 || (status === 404 && !this.#wasOpen)) return false
    const failure = status === 404 ? await this.#renewal(error as Error) : error
    if (failure === undefined || this.#abort.signal.aborted) return false
    // A server that never had the stream may refuse it with any error. One that had it will have it again.
    const isWanted = this.#wasOpen || (failure instanceof Error && mayPass(failure))
    const passes = isWanted && this.#options.link.policy.maxAttempts > 0
    if (!passes) this.#report('was given up; calls go on without it', failure)
    else if (!this.#isOutageTold) this.#report('is down; calls go on without it, and it is tried further', failure)
    this.#isOutageTold = passes
    return passes
  }

  /** What kept the server from having a new session. */
  async #renewal(reason: Error): Promise<unknown> {
    try {
      await this.#options.onForgotten(reason)
      return undefined
    } catch (error) {
      return error
    }
  }

  #report(what: string, error: unknown): void {
    const message = `The stream for messages that belong to no request ${what}`
    this.#options.receiver.fault({ kind: 'transport', message, error })
  }
}
