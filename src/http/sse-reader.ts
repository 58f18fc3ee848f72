// Reads server-sent events from bytes, with limits on the size of an event and on the work in one turn of the event loop.
import { LimitError } from '../types/errors/failures.ts'
import { PAUSED, type ReadEvent, type SseNotes, SseParser } from './sse-parser.ts'

export type { ReadEvent } from './sse-parser.ts'

interface SseReadOptions extends SseNotes {
  /** The most that one event, or one line of any kind, may measure. */
  maxEventBytes: number
  /** A promise in return means: read no further until it resolves. An exception ends the reading. */
  onEvent(event: ReadEvent): Promise<void> | undefined | void
}

/** For names of fields and an id, which are not part of the measured data. */
const OTHER_FIELDS_LENGTH = 1_024

// Other work gets a turn after so many lines, events or bytes: a server can write faster than we read.
const WORK_PER_TURN = 65_536
const LINES_AT_ONCE = 8_192
const WORK_PER_EVENT = 64
const BYTES_PER_WORK = 8

/**
 * Resolves when the stream has ended; half an event at the end is dropped. Rejects with `LimitError`, or with what the source
 * or a callback threw. The source is released in each case.
 */
export async function readServerSentEvents(chunks: AsyncIterable<Uint8Array>, options: SseReadOptions): Promise<void> {
  const { maxEventBytes } = options
  const decoder = new TextDecoder()
  const parser = new SseParser(maxEventBytes + OTHER_FIELDS_LENGTH, options)
  let work = 0
  for await (const chunk of chunks) {
    parser.push(decoder.decode(chunk, { stream: true }))
    work += 1 + chunk.length / BYTES_PER_WORK
    for (;;) {
      const step = parser.read(LINES_AT_ONCE)
      work += step === PAUSED ? LINES_AT_ONCE : WORK_PER_EVENT
      if (step !== undefined && step !== PAUSED) {
        if (exceedsBytes(step.data, maxEventBytes)) throw tooLong(maxEventBytes)
        const pressure = options.onEvent(step)
        if (pressure !== undefined) await pressure
      }
      if (work >= WORK_PER_TURN) {
        work = 0
        await nextTurn()
      }
      if (step === undefined) break
    }
    // Only now: the events before the one that is too long are valid.
    if (parser.isOverflowing) throw tooLong(maxEventBytes)
  }
}

function tooLong(maxEventBytes: number): LimitError {
  return new LimitError('event bytes', maxEventBytes)
}

/** A timer, because promises alone keep other timers waiting. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Whether the text takes more than `max` bytes. */
function exceedsBytes(text: string, max: number): boolean {
  // A UTF-16 unit takes one to three bytes.
  if (text.length > max) return true
  return text.length * 3 > max && new TextEncoder().encode(text).length > max
}
