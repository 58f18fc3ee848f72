// The open end of an event stream over `node:http`.
import type { ServerResponse } from 'node:http'
import type { EventSink, ServerSentEvent } from '../../http/exchange.ts'
import { formatComment, formatEvent } from '../../http/sse-write.ts'

/** So long the head of an answer waits for the first event: in one write they cost a quarter less than in two. */
const SOON_MS = 2

export class NodeEventSink implements EventSink {
  readonly #response: ServerResponse
  #hasBegun = false
  #draining: Promise<void> | undefined

  /** Expects a response whose head is written and not sent. */
  constructor(response: ServerResponse) {
    this.#response = response
    // A write to a broken connection emits an error; `close` reports the end.
    response.on('error', ignore)
    beginSoon(this)
  }

  /** Sends the head, where no event has taken it along. */
  begin(): void {
    if (this.#hasBegun || this.isClosed) return
    this.#hasBegun = true
    this.#response.flushHeaders()
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  get queuedBytes(): number {
    return this.#response.destroyed ? 0 : this.#response.writableLength
  }

  send(event: ServerSentEvent): Promise<void> | undefined {
    return this.#write(formatEvent(event))
  }

  comment(text: string): void {
    void this.#write(formatComment(text))
  }

  close(): void {
    if (!this.isClosed) this.#response.end()
  }

  destroy(): void {
    this.#response.destroy()
  }

  #write(text: string): Promise<void> | undefined {
    if (this.isClosed) return undefined
    this.#hasBegun = true
    if (this.#response.write(text)) return undefined
    this.#draining ??= this.#untilDrained()
    return this.#draining
  }

  /** One pair of listeners for all writes that wait; the end of the stream resolves them too. */
  #untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off('drain', done)
        this.#response.off('close', done)
        this.#draining = undefined
        resolve()
      }
      this.#response.on('drain', done)
      this.#response.on('close', done)
    })
  }
}

let beginning: NodeEventSink[] | undefined

/** One timer for all that begin at about the same time. */
function beginSoon(sink: NodeEventSink): void {
  if (beginning === undefined) {
    beginning = []
    setTimeout(beginAll, SOON_MS)
  }
  beginning.push(sink)
}

function beginAll(): void {
  const sinks = beginning ?? []
  beginning = undefined
  for (const sink of sinks) sink.begin()
}

function ignore(): void {}
