// Reads server-sent events out of bytes as the WHATWG standard says, with a bound on what one of them may hold.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { LimitError } from '../types/failures.ts'
import { exceedsBytes } from './text-size.ts'

/** One event as it came: what the stream left out is `undefined`. */
export interface ReadEvent {
  readonly data: string
  readonly event: string | undefined
  readonly id: string | undefined
}

export interface SseReadOptions {
  /** The most that one event, or one line of any kind, may measure. */
  maxEventBytes: number
  /** A promise in return asks to read no further until it resolves; whatever is thrown ends the reading. */
  onEvent(event: ReadEvent): Promise<void> | undefined | void
  /** As the server wrote it; whoever waits so long clamps it. */
  onRetry?(ms: number): void
  onComment?(): void
}

/** Room for names of fields and a last id, which are no part of the data that is measured. */
const OTHER_FIELDS_BYTES = 1_024

/**
 * Resolves when the stream has ended; half an event at the end is dropped. Rejects with `LimitError`, or with what the source
 * or a callback threw; the source is let go in each case.
 */
export async function readServerSentEvents(chunks: AsyncIterable<Uint8Array>, options: SseReadOptions): Promise<void> {
  const decoder = new SseDecoder(options)
  for await (const chunk of chunks) {
    for (const event of decoder.decode(chunk)) {
      const pressure = options.onEvent(event)
      if (pressure !== undefined) await pressure
    }
    // Only now: what came before the breach is good.
    if (decoder.breach !== undefined) throw decoder.breach
  }
}

class SseDecoder {
  readonly #text = new TextDecoder()
  readonly #parser: { feed(text: string): void }
  readonly #maxBytes: number
  #events: ReadEvent[] = []
  #endedInReturn = false
  breach: LimitError | undefined

  constructor({ maxEventBytes, onRetry, onComment }: SseReadOptions) {
    this.#maxBytes = maxEventBytes
    this.#parser = createParser({
      maxBufferSize: maxEventBytes + OTHER_FIELDS_BYTES,
      onEvent: (event) => this.#take(event),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#refuse()
      },
      ...(onRetry && { onRetry }),
      ...(onComment && { onComment: () => onComment() }),
    })
    // The parser takes the first three characters for a BOM that nobody decoded; ours is gone by then.
    this.#parser.feed('')
  }

  decode(chunk: Uint8Array): readonly ReadEvent[] {
    this.#events = []
    const text = this.#unifyLineEnds(this.#text.decode(chunk, { stream: true }))
    if (text !== '') this.#parser.feed(text)
    return this.#events
  }

  /**
   * A lone CR ends a line at once, also as the last byte of a chunk; the parser would wait for what follows, and look for CRs
   * in quadratic time.
   */
  #unifyLineEnds(text: string): string {
    if (text === '') return text
    const rest = this.#endedInReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedInReturn = text.endsWith('\r')
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
  }

  #take({ data, event, id }: EventSourceMessage): void {
    if (this.breach !== undefined) return
    if (exceedsBytes(data, this.#maxBytes)) this.#refuse()
    else this.#events.push({ data, event, id })
  }

  #refuse(): void {
    this.breach ??= new LimitError('event bytes', this.#maxBytes)
  }
}
