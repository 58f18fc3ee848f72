// Keeps the last bytes of a stream, however much goes by.

const NEWLINE = 0x0a

export class ByteTail {
  readonly #max: number
  #buffer: Uint8Array = new Uint8Array(0)
  #length = 0
  #isCut = false

  constructor(max: number) {
    this.#max = max
  }

  push(chunk: Uint8Array): void {
    // Twice the room, so that bytes are moved once in a while and not with each chunk.
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(this.#max * 2)
    const piece = chunk.subarray(-this.#max)
    if (this.#length + piece.length > this.#buffer.length) this.#keepLast(this.#max - piece.length)
    this.#buffer.set(piece, this.#length)
    this.#length += piece.length
    if (this.#length > this.#max || piece.length < chunk.length) this.#isCut = true
  }

  /** All there is; once something was dropped, the whole lines at the end, or the end of a single line that is longer. */
  bytes(): Uint8Array {
    const bytes = this.#buffer.subarray(Math.max(0, this.#length - this.#max), this.#length)
    const lineStart = this.#isCut ? bytes.indexOf(NEWLINE) + 1 : 0
    return lineStart < bytes.length ? bytes.subarray(lineStart) : bytes
  }

  #keepLast(count: number): void {
    this.#buffer.copyWithin(0, this.#length - count, this.#length)
    this.#length = count
  }
}
