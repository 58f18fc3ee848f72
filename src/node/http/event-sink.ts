// The open end of an event stream over `node:http`.
import type { ServerResponse } from 'node:http'
import type { EventSink, ServerSentEvent } from '../../http/exchange.ts'
import { formatComment, formatEvent } from '../../http/sse-write.ts'

export class NodeEventSink implements EventSink {
  readonly #response: ServerResponse
  #draining: Promise<void> | undefined

  constructor(response: ServerResponse) {
    this.#response = response
    // A write to a broken connection emits an error; `close` reports the end.
    response.on('error', ignore)
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

function ignore(): void {}
