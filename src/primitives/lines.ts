// Cuts a byte stream into lines at 0x0A with a bound on their length; each byte is looked at once.
import { type ByteTools, joinBytes, WEB_BYTES } from './byte-tools.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const NOTHING = new Uint8Array(0)

/** How much of a line that is too long is kept at either end, to tell what it was. */
const KEPT_BYTES = 1_024

/** Room for a line that goes on in the next chunk; doubled as often as it takes. */
const MIN_ROOM_BYTES = 65_536

/** The largest room that waits for the next long line, whoever reads it: new memory costs as much as what is done with it. */
const MAX_SPARE_BYTES = 16 * 1024 * 1024
let spare: Uint8Array | undefined

/** A line that was longer than allowed. Its bytes were dropped while they streamed past, but for both ends. */
export interface OversizeLine {
  readonly oversize: true
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly bytes: number
  /**
   * `begun`: it has just become too long, and is still going on. `endless`: it is still going on at four times the limit.
   * `over`: its end has come, whether any of that was said before or not.
   */
  readonly state: 'begun' | 'endless' | 'over'
}

export type Line = Uint8Array | OversizeLine

/**
 * Give it chunks with `push`, take lines with `next` until there is none. Line ends are not part of a line, and a line is good
 * until the next one is taken.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #tools: ByteTools
  readonly #chunks: Uint8Array[] = []
  #chunk: Uint8Array = NOTHING
  #offset = 0
  /** Holds what has come of a line so far. */
  #room: Uint8Array = NOTHING
  #heldBytes = 0
  /** Whether the room holds the line that was taken last. */
  #isTaken = false
  #oversize: { head: Uint8Array; tail: Uint8Array; bytes: number } | undefined
  #noticed: OversizeLine['state'] | undefined

  constructor(maxBytes: number, tools: ByteTools = WEB_BYTES) {
    this.#maxBytes = maxBytes
    this.#tools = tools
  }

  /** Bytes of an unfinished line, kept or dropped. */
  get unfinishedBytes(): number {
    return this.#oversize?.bytes ?? this.#heldBytes
  }

  /** The beginning of an unfinished line, good until the next chunk. */
  get unfinished(): Uint8Array | undefined {
    return this.#oversize?.head ?? (this.#heldBytes > 0 ? this.#heldLine() : undefined)
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  next(): Line | undefined {
    if (this.#isTaken) this.#clearRoom()
    for (;;) {
      if (this.#offset >= this.#chunk.length && !this.#takeChunk()) return undefined
      const newline = this.#chunk.indexOf(NEWLINE, this.#offset)
      const end = newline === -1 ? this.#chunk.length : newline
      const piece = this.#chunk.subarray(this.#offset, end)
      this.#offset = end + 1
      if (newline !== -1) return this.#finish(piece)
      this.#hold(piece)
      const unfinished = this.#noticeOversize()
      if (unfinished !== undefined) return unfinished
    }
  }

  /** What is left when the stream has ended in the middle of a line. */
  end(): Uint8Array | undefined {
    const rest = this.unfinished
    this.#room = NOTHING
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
    const length = this.#heldBytes + piece.length
    if (length > this.#maxBytes) {
      this.#startDropping(piece)
      return
    }
    if (length > this.#room.length) this.#makeRoom(length)
    this.#room.set(piece, this.#heldBytes)
    this.#heldBytes = length
  }

  #heldLine(): Uint8Array {
    return this.#room.subarray(0, this.#heldBytes)
  }

  #makeRoom(length: number): void {
    const held = this.#heldLine()
    if (spare !== undefined && spare.length >= length) {
      this.#room = spare
      spare = undefined
    } else {
      this.#room = this.#tools.allocate(Math.min(Math.max(length * 2, MIN_ROOM_BYTES), this.#maxBytes))
    }
    this.#room.set(held)
  }

  /** The line that lay there has been read. */
  #clearRoom(): void {
    const { length } = this.#room
    if (length >= (spare?.length ?? 0) && length <= MAX_SPARE_BYTES) spare = this.#room
    this.#room = NOTHING
    this.#isTaken = false
  }

  #startDropping(piece: Uint8Array): void {
    const held = this.#heldLine()
    this.#oversize = {
      head: firstBytes(held.subarray(0, KEPT_BYTES), piece),
      tail: lastBytes(held.subarray(-KEPT_BYTES), piece),
      bytes: this.#heldBytes + piece.length,
    }
    this.#room = NOTHING
    this.#heldBytes = 0
  }

  /** Each state once. */
  #noticeOversize(): OversizeLine | undefined {
    const line = this.#oversize
    if (line === undefined || this.#noticed === 'endless') return undefined
    const state = this.#noticed === undefined ? 'begun' : 'endless'
    if (state === 'endless' && line.bytes <= this.#maxBytes * 4) return undefined
    this.#noticed = state
    return { oversize: true, ...line, state }
  }

  #finish(piece: Uint8Array): Line {
    // The usual case: the whole line lies in one chunk.
    if (this.#heldBytes === 0 && this.#oversize === undefined && piece.length <= this.#maxBytes)
      return withoutReturn(piece)
    this.#hold(piece)
    const dropped = this.#oversize
    const line: Line =
      dropped === undefined ? withoutReturn(this.#heldLine()) : { oversize: true, ...dropped, state: 'over' }
    this.#isTaken = dropped === undefined
    this.#reset()
    return line
  }

  #reset(): void {
    this.#heldBytes = 0
    this.#oversize = undefined
    this.#noticed = undefined
  }
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, line.length - 1) : line
}

function firstBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  return joinBytes(
    [before, piece.subarray(0, KEPT_BYTES - before.length)],
    Math.min(KEPT_BYTES, before.length + piece.length),
  )
}

function lastBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= KEPT_BYTES) return copy(piece.subarray(-KEPT_BYTES))
  const kept = before.subarray(Math.max(0, before.length + piece.length - KEPT_BYTES))
  return joinBytes([kept, piece], kept.length + piece.length)
}

/** Not `slice`: that of Node's `Buffer` makes a view. A view would keep all of its chunk in memory. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
