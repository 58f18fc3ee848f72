// Whole lines that came in one piece, made text together: one call for all of them costs less than one for each.
import type { ByteTools } from '../primitives/byte-tools.ts'
import { isPlainlyHarmless } from '../primitives/json/json-scan.ts'
import { checkStructure, decodeMessage, type MessageLimits, parseText } from './decode.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const TAB = 0x09
const SPACE = 0x20

export class LineRun {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #end: number
  readonly #tools: ByteTools
  /** Where each byte is a character of its own: those from `start` on, the last line end left out. */
  readonly #text: string | undefined
  #lineStart = 0
  #lineEnd: number

  /** From `start` to the line end at `end`. */
  constructor(bytes: Uint8Array, start: number, end: number, tools: ByteTools) {
    this.#bytes = bytes
    this.#start = start
    this.#end = end
    this.#tools = tools
    this.#text = tools.readASCII(bytes, start, end)
    this.#lineEnd = start - 1
  }

  get isOver(): boolean {
    return this.#lineEnd >= this.#end
  }

  /** Steps to the next line. */
  advance(): void {
    this.#lineStart = this.#lineEnd + 1
    this.#lineEnd = this.#findLineEnd()
  }

  /** The line that we are at. */
  get line(): Uint8Array {
    return this.#bytes.subarray(this.#lineStart, this.#lineEnd)
  }

  /** Whether there is nothing but spaces in the line. */
  get isBlank(): boolean {
    for (let at = this.#lineStart; at < this.#lineEnd; at++) {
      const byte = this.#bytes[at]
      if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false
    }
    return true
  }

  /** The line as a message. Throws what `decodeMessage` throws. */
  parse(limits: MessageLimits): unknown {
    if (this.#text === undefined) return decodeMessage(this.line, limits, this.#tools)
    const text = this.#text.slice(this.#lineStart - this.#start, this.#lineEnd - this.#start)
    if (!isPlainlyHarmless(text, limits)) checkStructure(this.#bytes, limits, this.#lineStart, this.#lineEnd)
    return parseText(text)
  }

  #findLineEnd(): number {
    if (this.#text === undefined) return this.#bytes.indexOf(NEWLINE, this.#lineStart)
    const at = this.#text.indexOf('\n', this.#lineStart - this.#start)
    return at === -1 ? this.#end : at + this.#start
  }
}
