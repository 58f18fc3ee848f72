// Cuts a stream of bytes into lines. A line that is too long to be kept is handed on in parts, as it comes.

export interface LineReceiver {
  /** A whole line, with its line break. */
  line(line: Buffer): void
  /** A part of a line beyond the limit. The last part ends with a line break. */
  part(part: Buffer): void
}

const LINE_BREAK = 0x0a

export class LineSplitter {
  readonly #receiver: LineReceiver
  readonly #maxBytes: number
  #held: Buffer[] = []
  #heldBytes = 0
  #isOversized = false

  constructor(receiver: LineReceiver, maxBytes: number) {
    this.#receiver = receiver
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      this.#add(chunk.subarray(start, end + 1), true)
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start), false)
  }

  #add(bytes: Buffer, isEnd: boolean): void {
    if (!this.#isOversized && this.#heldBytes + bytes.length > this.#maxBytes) {
      this.#isOversized = true
      for (const held of this.#held) this.#receiver.part(held)
      this.#forget()
    }
    if (this.#isOversized) {
      this.#receiver.part(bytes)
      this.#isOversized = !isEnd
    } else if (!isEnd) {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
    } else {
      const line = this.#held.length === 0 ? bytes : Buffer.concat([...this.#held, bytes])
      this.#forget()
      this.#receiver.line(line)
    }
  }

  #forget(): void {
    this.#held = []
    this.#heldBytes = 0
  }
}
