// JSON that came from a peer, as it came: numbers of any size and spelling, every key, in their order. Only proxies load this.

import { PREPARED, PreparedJSON } from './prepared-json.ts'

const CLOSE_BRACE = 0x7d
const NEWLINE = 0x0a

export class ReceivedJSON extends PreparedJSON {
  override get isReceived(): boolean {
    return true
  }
}

/** What is long stays bytes: `bytes` holds it from `start` to `end`, without line breaks. */
export class ReceivedBytes extends ReceivedJSON {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #end: number

  constructor(bytes: Uint8Array, start: number, end: number, read: () => string) {
    super(read)
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  override get isLong(): boolean {
    return true
  }

  /** Mostly the brace that closed the answer around it follows right away. */
  override get closingBytes(): Uint8Array {
    if (this.#bytes[this.#end] === CLOSE_BRACE) return this.#bytes.subarray(this.#start, this.#end + 1)
    return this.closingLine.subarray(0, -1)
  }

  override get closingLine(): Uint8Array {
    const line = new Uint8Array(this.#end - this.#start + 2)
    line.set(this.#bytes.subarray(this.#start, this.#end))
    line[line.length - 2] = CLOSE_BRACE
    line[line.length - 1] = NEWLINE
    return line
  }
}

/** Gives an object the text that it came as. Whoever changes the object makes another one, which has no such text. */
export function keepReceived<T extends object>(value: T, text: ReceivedJSON): T {
  return Object.defineProperty(value, PREPARED, { value: text })
}
