// Parses server-sent events by the WHATWG standard: text goes in as it arrives, events come out one at a time.

/** One event; fields that the stream left out are `undefined`. */
export interface ReadEvent {
  readonly data: string
  readonly event: string | undefined
  readonly id: string | undefined
}

/** What a stream has besides events. */
export interface SseNotes {
  /** As the server wrote it; the listener clamps it. */
  onRetry?: ((ms: number) => void) | undefined
  onComment?: (() => void) | undefined
  /** An id without data, which is no event. */
  onId?: ((id: string) => void) | undefined
}

/** The requested number of lines was read; there are more. */
export const PAUSED = Symbol('paused')

/** The next event; `undefined` at the end of the text, or when an event is too long. */
type ParserStep = ReadEvent | typeof PAUSED | undefined

const NONE = -1
const LINE_FEED = 0x0a
const SPACE = 0x20
const COLON = 0x3a

export class SseParser {
  readonly #maxLength: number
  readonly #notes: SseNotes
  #text = ''
  #at = 0
  /** The next line ends; each is searched once, so that the cost per line stays constant. */
  #nextFeed = NONE
  #nextReturn = NONE
  /** The beginning of a line whose end has not arrived. */
  #partialLine = ''
  #endedInReturn = false
  #data: string | undefined
  #event: string | undefined
  #id: string | undefined
  #isOverflowing = false

  /** A line and the data of an event measure at most so many UTF-16 units. */
  constructor(maxLength: number, notes: SseNotes) {
    this.#maxLength = maxLength
    this.#notes = notes
  }

  /** Whether a line, or the data of one event, was too long. Nothing is read after it. */
  get isOverflowing(): boolean {
    return this.#isOverflowing
  }

  /** Takes the next piece of text, after the one before was read to its end. */
  push(text: string): void {
    if (text === '') return
    // A CR has ended its line at once; a LF that follows belongs to it.
    this.#at = this.#endedInReturn && text.startsWith('\n') ? 1 : 0
    this.#endedInReturn = text.endsWith('\r')
    this.#text = text
    this.#nextFeed = text.indexOf('\n', this.#at)
    this.#nextReturn = text.indexOf('\r', this.#at)
  }

  /** Reads to the end of the next event, at most so many lines. */
  read(maxLines: number): ParserStep {
    for (let lines = 0; lines < maxLines; lines++) {
      const end = this.#findLineEnd()
      if (end === NONE) {
        this.#keepPartialLine()
        return undefined
      }
      const start = this.#at
      const isPair = end === this.#nextReturn && this.#text.charCodeAt(end + 1) === LINE_FEED
      this.#at = isPair ? end + 2 : end + 1
      const event =
        this.#partialLine === '' ? this.#takeLine(this.#text, start, end) : this.#takePartialLine(start, end)
      if (event !== undefined) return event
      if (this.#isOverflowing) return undefined
    }
    return PAUSED
  }

  #takePartialLine(start: number, end: number): ReadEvent | undefined {
    const line = this.#partialLine + this.#text.slice(start, end)
    this.#partialLine = ''
    return this.#takeLine(line, 0, line.length)
  }

  #findLineEnd(): number {
    if (this.#isOverflowing) return NONE
    if (this.#nextFeed !== NONE && this.#nextFeed < this.#at) this.#nextFeed = this.#text.indexOf('\n', this.#at)
    if (this.#nextReturn !== NONE && this.#nextReturn < this.#at) this.#nextReturn = this.#text.indexOf('\r', this.#at)
    if (this.#nextFeed === NONE) return this.#nextReturn
    return this.#nextReturn === NONE ? this.#nextFeed : Math.min(this.#nextFeed, this.#nextReturn)
  }

  #keepPartialLine(): void {
    if (this.#at < this.#text.length) this.#partialLine += this.#text.slice(this.#at)
    this.#text = ''
    this.#at = 0
    this.#nextFeed = NONE
    this.#nextReturn = NONE
    if (this.#partialLine.length > this.#maxLength) this.#overflow()
  }

  #overflow(): undefined {
    this.#isOverflowing = true
    this.#partialLine = ''
    return undefined
  }

  /** The line from `start` to `end`: empty, a comment, or a field and its value. No search goes beyond its end. */
  #takeLine(text: string, start: number, end: number): ReadEvent | undefined {
    if (start === end) return this.#dispatch()
    if (end - start > this.#maxLength) return this.#overflow()
    switch (text.charCodeAt(start)) {
      case 0x64: // d
        this.#addData(readField('data', text, start, end))
        break
      case 0x65: // e
        this.#setEvent(readField('event', text, start, end))
        break
      case 0x69: // i
        this.#setId(readField('id', text, start, end))
        break
      case 0x72: // r
        this.#setRetry(readField('retry', text, start, end))
        break
      case COLON:
        this.#notes.onComment?.()
        break
      default:
    }
    return undefined
  }

  #addData(value: string | undefined): void {
    if (value === undefined) return
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    if (this.#data.length > this.#maxLength) this.#overflow()
  }

  #setEvent(value: string | undefined): void {
    if (value !== undefined) this.#event = value === '' ? undefined : value
  }

  #setId(value: string | undefined): void {
    if (value !== undefined && !value.includes('\0')) this.#id = value
  }

  #setRetry(value: string | undefined): void {
    if (value !== undefined && /^[0-9]+$/.test(value)) this.#notes.onRetry?.(Number(value))
  }

  /** An empty line. */
  #dispatch(): ReadEvent | undefined {
    const data = this.#data
    const event = this.#event
    const id = this.#id
    this.#data = undefined
    this.#event = undefined
    this.#id = undefined
    if (data !== undefined) return { data, event, id }
    if (id !== undefined) this.#notes.onId?.(id)
    return undefined
  }
}

/** The value of this field; `undefined` if the line has another field. */
function readField(field: string, text: string, start: number, end: number): string | undefined {
  if (!text.startsWith(field, start)) return undefined
  const colon = start + field.length
  if (colon === end) return ''
  if (text.charCodeAt(colon) !== COLON) return undefined
  return text.slice(text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1, end)
}
