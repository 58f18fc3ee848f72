// Work on many bytes that a runtime may have a faster way for, and the way that there is everywhere.

/** Bytes on a buffer of their own. Not written as `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 cannot read. */
export type OwnBytes = ReturnType<Uint8ArrayConstructor['of']>

export interface ByteTools {
  /** A buffer of so many bytes to write to, with undefined contents. */
  allocate(length: number): Uint8Array
  /** The text from `start` to `end` where all of the bytes are ASCII; `undefined` where that is not sure. */
  readASCII(bytes: Uint8Array, start: number, end: number): string | undefined
  /** Throws `TypeError` where the bytes are no UTF-8. A mark of the byte order at their start is not part of the text. */
  readUTF8(bytes: Uint8Array): string
  isUTF8(bytes: Uint8Array): boolean
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The pieces one after the other, `length` bytes in all. */
export function joinBytes(pieces: readonly Uint8Array[], length: number): OwnBytes {
  const joined = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.length
  }
  return joined
}

export const WEB_BYTES: ByteTools = {
  allocate: (length) => new Uint8Array(length),
  readASCII(bytes, start, end) {
    try {
      const text = decoder.decode(bytes.subarray(start, end))
      return text.length === end - start ? text : undefined
    } catch {
      return undefined
    }
  },
  readUTF8: (bytes) => decoder.decode(bytes),
  isUTF8(bytes) {
    try {
      decoder.decode(bytes)
      return true
    } catch {
      return false
    }
  },
}
