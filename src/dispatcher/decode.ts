// JSON in: bytes or text become a value, within limits on bytes, depth and elements.

import { type ByteTools, WEB_BYTES } from '../primitives/byte-tools.ts'
import { findBreach, isPlainlyHarmless, SHORT_LENGTH, type StructureLimits } from '../primitives/json/json-scan.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import { LimitError } from '../types/errors/failures.ts'

/** How large and how deep a message may be. */
export interface MessageLimits extends StructureLimits {
  /** Bytes of one message. */
  maxBytes: number
}

const MIB = 1024 * 1024

/** What a server takes from a client it does not know. */
export const SERVER_LIMITS: MessageLimits = Object.freeze({ maxBytes: 4 * MIB, maxDepth: 64, maxElements: 100_000 })

/** What a client takes from a server it chose. */
export const CLIENT_LIMITS: MessageLimits = Object.freeze({ maxBytes: 64 * MIB, maxDepth: 64, maxElements: 1_000_000 })

/** How an error calls the bytes of a message. */
export const MESSAGE_BYTES = 'message bytes'

const LIMIT_NAMES: Record<keyof StructureLimits, string> = { maxDepth: 'JSON nesting', maxElements: 'JSON elements' }

const encoder = new TextEncoder()

/**
 * Parses one message. Throws `LimitError` before parsing when a limit would be broken, and `MCPError` -32700 when the bytes are no
 * UTF-8 or the text is no JSON. Of duplicate keys the last one counts, for every reader alike; `__proto__` is a key like any
 * other. `tools` are those of the runtime, where it has better ones.
 */
export function decodeMessage(
  source: Uint8Array | string,
  limits: MessageLimits,
  tools: ByteTools = WEB_BYTES,
): unknown {
  if (source.length > limits.maxBytes) throw new LimitError(MESSAGE_BYTES, limits.maxBytes)
  if (typeof source === 'string') return decodeText(source, limits)
  const text = source.length > SHORT_LENGTH ? undefined : readBytes(source, tools)
  if (text !== undefined && isPlainlyHarmless(text, limits)) return parseText(text)
  checkStructure(source, limits)
  return parseText(text ?? readBytes(source, tools))
}

function decodeText(text: string, limits: MessageLimits): unknown {
  // A UTF-16 unit takes at most three bytes, so most texts need no counting, and the short ones no look at each byte.
  if (text.length * 3 <= limits.maxBytes && isPlainlyHarmless(text, limits)) return parseText(text)
  const bytes = encoder.encode(text)
  if (bytes.length > limits.maxBytes) throw new LimitError(MESSAGE_BYTES, limits.maxBytes)
  checkStructure(bytes, limits)
  return parseText(text)
}

function readBytes(bytes: Uint8Array, tools: ByteTools): string {
  try {
    return tools.readUTF8(bytes)
  } catch {
    throw unreadable()
  }
}

/** Throws `LimitError` when what stands in the bytes from `start` to `end` is nested too deep or has too many elements. */
function checkStructure(bytes: Uint8Array, limits: MessageLimits, start?: number, end?: number): void {
  const breach = findBreach(bytes, limits, start, end)
  if (breach !== undefined) throw new LimitError(LIMIT_NAMES[breach], limits[breach])
}

/** Parses a text whose size and structure are known to be harmless. Throws `MCPError` -32700 when it is no JSON. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable()
  }
}

/** What JSON.parse says would quote the message. */
function unreadable(): MCPError {
  return new MCPError(ErrorCode.ParseError, 'Parse error', undefined, { local: true })
}

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
