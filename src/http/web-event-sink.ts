// The open end of an event stream that is the body of a web `Response`.
import { createDeferred, type Deferred } from '../primitives/async/promises.ts'
import type { EventSink, ServerSentEvent } from './exchange.ts'
import { formatComment, formatEvent } from './sse-write.ts'

/** What may wait before `send` returns a promise. */
const HIGH_WATER_BYTES = 16 * 1024

const encoder = new TextEncoder()

export class WebEventSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>
  readonly #onGone: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isClosed = false
  #drained: Deferred<void> | undefined

  constructor(onGone: () => void) {
    this.#onGone = onGone
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#resume(),
        cancel: () => this.#disconnect(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
    )
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get queuedBytes(): number {
    return this.#isClosed ? 0 : HIGH_WATER_BYTES - (this.#controller?.desiredSize ?? HIGH_WATER_BYTES)
  }

  send(event: ServerSentEvent): Promise<void> | undefined {
    return this.#write(formatEvent(event))
  }

  comment(text: string): void {
    void this.#write(formatComment(text))
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#controller?.close()
    this.#resume()
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#controller?.error(new Error('The event stream was closed because its reader is too slow.'))
    this.#disconnect()
  }

  #write(text: string): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    this.#controller?.enqueue(encoder.encode(text))
    if ((this.#controller?.desiredSize ?? 1) > 0) return undefined
    this.#drained ??= createDeferred()
    return this.#drained.promise
  }

  #disconnect(): void {
    this.#isClosed = true
    this.#resume()
    this.#onGone()
  }

  #resume(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }
}
