// Server-sent events as the WHATWG standard has them: text goes in as it comes, events come out one at a time.

/** One event as it came: what the stream left out is `undefined`. */
export interface ReadEvent {
  readonly data: string
  readonly event: string | undefined
  readonly id: string | undefined
}

/** What a stream says beside its events. */
export interface SseNotes {
  /** As the server wrote it; whoever waits so long clamps it. */
  onRetry?: ((ms: number) => void) | undefined
  onComment?: (() => void) | undefined
  /** Something that is no event gave the last id: there was no data with it. */
  onId?: ((id: string) => void) | undefined
}

/** Reading has come to the number of lines that was asked for; more are there. */
export const PAUSED = Symbol('paused')

/** The next event; `undefined` when the text is used up, or holds more than is allowed. */
export type ParserStep = ReadEvent | typeof PAUSED | undefined

const NONE = -1
const SPACE = 0x20

export class SseParser {
  readonly #maxLength: number
  readonly #notes: SseNotes
  #text = ''
  #at = 0
  /** The next ends of a line; each is searched for once, or the search would cost more with every line. */
  #nextFeed = NONE
  #nextReturn = NONE
  /** What has come of a line whose end has not. */
  #held = ''
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

  /** Whether a line, or the data of one event, was longer than allowed. Nothing is read after it. */
  get isOverflowing(): boolean {
    return this.#isOverflowing
  }

  /** Takes the next piece, once the one before is used up. */
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
      const line = this.#nextLine()
      if (line === undefined) return undefined
      const event = line === '' ? this.#dispatch() : this.#take(line)
      if (event !== undefined) return event
      if (this.#isOverflowing) return undefined
    }
    return PAUSED
  }

  #nextLine(): string | undefined {
    const end = this.#findLineEnd()
    if (end === NONE) {
      this.#hold()
      return undefined
    }
    const piece = this.#text.slice(this.#at, end)
    this.#at = this.#text.startsWith('\r\n', end) ? end + 2 : end + 1
    if (this.#held === '') return piece.length > this.#maxLength ? this.#overflow() : piece
    const line = this.#held + piece
    this.#held = ''
    return line.length > this.#maxLength ? this.#overflow() : line
  }

  #findLineEnd(): number {
    if (this.#isOverflowing) return NONE
    if (this.#nextFeed !== NONE && this.#nextFeed < this.#at) this.#nextFeed = this.#text.indexOf('\n', this.#at)
    if (this.#nextReturn !== NONE && this.#nextReturn < this.#at) this.#nextReturn = this.#text.indexOf('\r', this.#at)
    if (this.#nextFeed === NONE) return this.#nextReturn
    return this.#nextReturn === NONE ? this.#nextFeed : Math.min(this.#nextFeed, this.#nextReturn)
  }

  #hold(): void {
    if (this.#at < this.#text.length) this.#held += this.#text.slice(this.#at)
    this.#text = ''
    this.#at = 0
    this.#nextFeed = NONE
    this.#nextReturn = NONE
    if (this.#held.length > this.#maxLength) this.#overflow()
  }

  #overflow(): undefined {
    this.#isOverflowing = true
    this.#held = ''
    return undefined
  }

  /** A line that is not empty: a comment, or a field and its value. */
  #take(line: string): undefined {
    const colon = line.indexOf(':')
    if (colon === 0) {
      this.#notes.onComment?.()
      return
    }
    const start = colon !== NONE && line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1
    switch (colon === NONE ? line : line.slice(0, colon)) {
      case 'data':
        this.#addData(colon === NONE ? '' : line.slice(start))
        return
      case 'event':
        this.#event = (colon === NONE ? '' : line.slice(start)) || undefined
        return
      case 'id':
        this.#setId(colon === NONE ? '' : line.slice(start))
        return
      case 'retry':
        if (colon !== NONE) this.#setRetry(line.slice(start))
        return
      default:
        return
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    if (this.#data.length > this.#maxLength) this.#overflow()
  }

  #setId(value: string): void {
    if (!value.includes('\0')) this.#id = value
  }

  #setRetry(value: string): void {
    if (/^[0-9]+$/.test(value)) this.#notes.onRetry?.(Number(value))
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
