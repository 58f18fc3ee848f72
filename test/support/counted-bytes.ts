// Bytes that count how many of them are looked at.

export interface LookCounter {
  looked: number
}

/** Each byte that is read by its index, or passed by a search, counts. So it does in every view of these bytes. */
export function countLooks(source: Uint8Array, counter: LookCounter): Uint8Array {
  return new Proxy(source, {
    get(_, key) {
      if (key === 'length') return source.length
      if (key === 'subarray') {
        return (start?: number, end?: number) => countLooks(source.subarray(start, end), counter)
      }
      if (key === 'indexOf') {
        return (byte: number, from = 0) => search(source, byte, from, counter)
      }
      if (typeof key !== 'string' || !/^-?\d+$/.test(key)) throw new Error(`${String(key)} of bytes is not counted`)
      counter.looked += 1
      return source[Number(key)]
    },
  })
}

/** Bytes that count what searches pass, and are otherwise like any other: decoders take them. */
export class SearchedBytes extends Uint8Array {
  static counter: LookCounter = { looked: 0 }

  override indexOf(byte: number, from = 0): number {
    return search(new Uint8Array(this.buffer, this.byteOffset, this.length), byte, from, SearchedBytes.counter)
  }
}

function search(source: Uint8Array, byte: number, from: number, counter: LookCounter): number {
  const found = source.indexOf(byte, from)
  counter.looked += Math.max(0, (found === -1 ? source.length : found + 1) - from)
  return found
}
