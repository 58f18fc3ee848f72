// Reads what comes back for one request, in JSON or in events, on one response or on several, until its answer is there.
import type { ReceiveHints, Receiver, SendHints } from '../../dispatcher/channel.ts'
import { decodeMessage } from '../../dispatcher/decode.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import type { ReadEvent } from '../../http/sse-reader.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'
import type { CallFacts, EraRules } from './era-rules.ts'
import { openEventStream, readEvents } from './event-stream.ts'
import { type HttpLink, hasType } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { EventCursor, followStream } from './resume.ts'
import { Backoff, type Setback, streamEnded } from './retry.ts'

/** How long a server may leave a stream open after the answer, which ends it. */
const LINGER_MS = 1_000

/** Stays open until one of the two sides has enough. */
const ENDLESS_METHOD = 'subscriptions/listen'

export interface AnswerReaderOptions {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly rules: EraRules
  readonly call: CallFacts
  readonly hints: SendHints | undefined
  /** Aborted when nobody waits any more. Asked for only where a stream is resumed. */
  signal(): AbortSignal
  onAnswer(): void
  /** The answer is there, but the stream does not end. */
  onLinger(): void
}

export class AnswerReader {
  isAnswered = false
  readonly #options: AnswerReaderOptions
  #cursor: EventCursor | undefined
  #receiveHints: ReceiveHints | undefined
  #linger: Timer | undefined

  constructor(options: AnswerReaderOptions) {
    this.#options = options
  }

  /** To the answer, or to a setback. Rejects where the response can be no answer, or too much of one. */
  async read(response: PostResponse): Promise<Setback | undefined> {
    const type = response.header('content-type')
    // Spec, Streamable HTTP: 202 is for what has no answer.
    if (response.status !== 202 && hasType(type, 'application/json')) return this.#readJson(response)
    if (response.status !== 202 && hasType(type, 'text/event-stream')) return this.#readStream(response)
    throw await explainResponse(response, `'${this.#method}' got no answer`)
  }

  /** Spec 2025-11-25, Streamable HTTP: a GET with the last event id goes on with the stream, whatever opened it. */
  async resume(cursor: EventCursor): Promise<undefined> {
    this.#cursor = cursor
    const { link, rules } = this.#options
    const signal = this.#options.signal()
    const headers = rules.rejoin()
    const what = `The stream of '${this.#method}' could not be resumed`
    await followStream({
      cursor,
      signal,
      policy: link.policy,
      backoff: new Backoff(link.policy),
      isBackground: false,
      isDone: () => this.isAnswered,
      connect: () =>
        openEventStream(link, {
          cursor,
          headers,
          what,
          signal,
          endsWhenSilent: false,
          onEvent: this.#onEvent,
          onId: this.#onId,
        }),
    })
    return undefined
  }

  stop(): void {
    clearTimeout(this.#linger)
  }

  get #method(): string {
    return this.#options.call.method
  }

  async #readJson(response: PostResponse): Promise<Setback | undefined> {
    let text: string
    try {
      text = await response.text(this.#options.link.limits.maxBytes)
    } catch (error) {
      return this.#cut(error)
    }
    void this.#take(this.#decode(text, response.status))
    if (this.isAnswered) return undefined
    throw new TransportError(`The server's response to '${this.#method}' holds no answer to it`, {
      status: response.status,
    })
  }

  async #readStream(response: PostResponse): Promise<Setback | undefined> {
    const { link, rules } = this.#options
    const cursor = new EventCursor()
    this.#cursor = cursor
    let setback: Setback | undefined
    try {
      const endsWhenSilent = this.#method === ENDLESS_METHOD
      await readEvents(response, link, { cursor, endsWhenSilent, onEvent: this.#onEvent, onId: this.#onId })
    } catch (error) {
      setback = this.#cut(error)
    }
    if (this.isAnswered) return undefined
    const canResume = rules.canResume && link.policy.maxAttempts > 0
    if (canResume && cursor.lastEventId !== undefined) return this.resume(cursor)
    return setback ?? { error: streamEnded(this.#method) }
  }

  /** The connection went away while the answer was being read. */
  #cut(error: unknown): Setback {
    if (!isConnectionFailure(error)) throw error
    return { error: streamEnded(this.#method, error) }
  }

  readonly #onId = (id: string): void => this.#options.hints?.onResumptionToken?.(id)

  readonly #onEvent = (event: ReadEvent): Promise<void> | undefined => {
    if (this.#cursor?.accept(event) === false) return undefined
    if (event.id !== undefined) this.#options.hints?.onResumptionToken?.(event.id)
    // Spec 2025-11-25: an event with an id and no data only says where to resume.
    if (event.data === '' || (event.event !== undefined && event.event !== 'message')) return undefined
    const pressure = this.#take(this.#decode(event.data, 200))
    if (this.isAnswered) this.#lingerBriefly()
    return pressure
  }

  #take(message: unknown): Promise<void> | undefined {
    const { link, receiver, rules, call } = this.#options
    link.health.heard()
    const objection = rules.objection(message, call)
    if (objection !== undefined) {
      const text = `On the stream of '${call.method}' the server sent ${objection}; it was dropped`
      receiver.fault({ kind: 'invalid-message', message: text, method: call.method, requestId: call.id })
      return undefined
    }
    if (this.#claimAnswer(message)) {
      if (this.isAnswered) return undefined
      this.isAnswered = true
      this.#options.onAnswer()
    }
    this.#receiveHints ??= { transport: rules.transport, relatedRequestId: call.id }
    return receiver.message(message, this.#receiveHints)
  }

  /** Whether this is the answer; one to a repetition is given the id that the caller knows. */
  #claimAnswer(message: unknown): boolean {
    if (Array.isArray(message)) return message.filter((each) => this.#claimAnswer(each)).length > 0
    if (!isPlainObject(message) || message['method'] !== undefined) return false
    const { id } = message
    if (id === undefined || id === null) return message['error'] !== undefined
    const { wireId, id: ownId } = this.#options.call
    if (!isRequestId(id) || correlationKey(id) !== correlationKey(wireId)) return false
    if (wireId !== ownId) message['id'] = ownId
    return true
  }

  #decode(text: string, status: number): unknown {
    try {
      return decodeMessage(text, this.#options.link.limits)
    } catch (cause) {
      if (cause instanceof LimitError) throw cause
      const message = `The server answered '${this.#method}' with something that is no JSON`
      throw new TransportError(message, { status, cause })
    }
  }

  #lingerBriefly(): void {
    if (this.#linger !== undefined) return
    this.#linger = setTimeout(() => this.#options.onLinger(), LINGER_MS)
    unref(this.#linger)
  }
}
