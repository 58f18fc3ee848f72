// Cuts a byte stream into lines at 0x0A with a bound on their length; each byte is looked at once.
import { type ByteTools, WEB_BYTES } from './byte-tools.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const NOTHING = new Uint8Array(0)

/** How much of a line that is too long is kept at either end, to tell what it was. */
const KEPT_BYTES = 1_024

/** Pieces below this are joined as they come: one byte at a time must not cost a view for each. */
const JOINED_BYTES = 65_536

/** A line that was longer than allowed. Its bytes were dropped while they streamed past, but for both ends. */
export interface OversizeLine {
  readonly oversize: true
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly bytes: number
  /** The line is still going on, at four times the limit: whoever writes it knows no lines. */
  readonly endless: boolean
}

export type Line = Uint8Array | OversizeLine

/** Give it chunks with `push`, take lines with `next` until there is none. Line ends are not part of a line. */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #tools: ByteTools
  readonly #chunks: Uint8Array[] = []
  #chunk: Uint8Array = NOTHING
  #offset = 0
  #held: Uint8Array[] = []
  #heldBytes = 0
  #oversize: { head: Uint8Array; tail: Uint8Array; bytes: number } | undefined
  #endlessNoticed = false

  constructor(maxBytes: number, tools: ByteTools = WEB_BYTES) {
    this.#maxBytes = maxBytes
    this.#tools = tools
  }

  /** Bytes of an unfinished line, kept or dropped. */
  get unfinishedBytes(): number {
    return this.#oversize?.bytes ?? this.#heldBytes
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  next(): Line | undefined {
    for (;;) {
      if (this.#offset >= this.#chunk.length && !this.#takeChunk()) return undefined
      const newline = this.#chunk.indexOf(NEWLINE, this.#offset)
      const end = newline === -1 ? this.#chunk.length : newline
      const piece = this.#chunk.subarray(this.#offset, end)
      this.#offset = end + 1
      if (newline !== -1) return this.#finish(piece)
      this.#hold(piece)
      const endless = this.#noticeEndless()
      if (endless !== undefined) return endless
    }
  }

  /** What is left when the stream has ended in the middle of a line. */
  end(): Uint8Array | undefined {
    const rest =
      this.#oversize?.head ?? (this.#heldBytes > 0 ? join(this.#held, this.#heldBytes, this.#tools) : undefined)
    this.#reset()
    return rest
  }

  #takeChunk(): boolean {
    const chunk = this.#chunks.shift()
    this.#chunk = chunk ?? NOTHING
    this.#offset = 0
    return chunk !== undefined
  }

  #hold(piece: Uint8Array): void {
    if (piece.length === 0) return
    if (this.#oversize !== undefined) {
      this.#oversize.bytes += piece.length
      this.#oversize.tail = lastBytes(this.#oversize.tail, piece)
      return
    }
    this.#keep(piece)
    this.#heldBytes += piece.length
    if (this.#heldBytes > this.#maxBytes) this.#startDropping()
  }

  #keep(piece: Uint8Array): void {
    let kept = piece
    for (let last = this.#held.at(-1); last !== undefined; last = this.#held.at(-1)) {
      // Only with one that is no longer, so that each byte is copied a few times at most.
      if (kept.length >= JOINED_BYTES || last.length > kept.length) break
      kept = join([last, kept], last.length + kept.length)
      this.#held.pop()
    }
    this.#held.push(kept)
  }

  #startDropping(): void {
    let tail = NOTHING as Uint8Array
    for (const piece of this.#held) tail = lastBytes(tail, piece)
    this.#oversize = { head: firstBytes(this.#held), tail, bytes: this.#heldBytes }
    this.#held = []
    this.#heldBytes = 0
  }

  #noticeEndless(): OversizeLine | undefined {
    const line = this.#oversize
    if (line === undefined || this.#endlessNoticed || line.bytes <= this.#maxBytes * 4) return undefined
    this.#endlessNoticed = true
    return { oversize: true, ...line, endless: true }
  }

  #finish(piece: Uint8Array): Line {
    // The usual case: the whole line lies in one chunk.
    if (this.#heldBytes === 0 && this.#oversize === undefined && piece.length <= this.#maxBytes)
      return withoutReturn(piece)
    this.#hold(piece)
    const line: Line =
      this.#oversize === undefined
        ? withoutReturn(join(this.#held, this.#heldBytes, this.#tools))
        : { oversize: true, ...this.#oversize, endless: false }
    this.#reset()
    return line
  }

  #reset(): void {
    this.#held = []
    this.#heldBytes = 0
    this.#oversize = undefined
    this.#endlessNoticed = false
  }
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, line.length - 1) : line
}

function join(pieces: readonly Uint8Array[], length: number, tools = WEB_BYTES): Uint8Array {
  const first = pieces[0]
  return first !== undefined && pieces.length === 1 ? first : tools.join(pieces, length)
}

function firstBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const kept: Uint8Array[] = []
  let bytes = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, KEPT_BYTES - bytes)
    kept.push(part)
    bytes += part.length
    if (bytes >= KEPT_BYTES) break
  }
  // A copy: the chunk that a view belongs to must not stay in memory for its sake.
  return copy(join(kept, bytes))
}

function lastBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= KEPT_BYTES) return copy(piece.subarray(-KEPT_BYTES))
  const kept = before.subarray(Math.max(0, before.length + piece.length - KEPT_BYTES))
  return copy(join([kept, piece], kept.length + piece.length))
}

/** Not `slice`: that of Node's `Buffer` makes a view. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
