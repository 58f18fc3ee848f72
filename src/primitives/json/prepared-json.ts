// JSON that is sent over and over: written out once, when it is first needed, and kept as long as its object.

/** The member that holds it. Not enumerable where a copy with other members could bring along a text that no longer fits. */
export const PREPARED = Symbol('prepared JSON')

/** What is shorter than this is as well put into one text with what stands around it. */
const MIN_PIECE_BYTES = 16 * 1024

/** The text of one object, and its bytes for those who write bytes. */
export class PreparedJSON {
  readonly #write: () => string
  #text: string | undefined
  #closing: Uint8Array | undefined
  #line: Uint8Array | undefined

  constructor(write: () => string) {
    this.#write = write
  }

  get text(): string {
    this.#text ??= this.#write()
    return this.#text
  }

  /** Whether it came from a peer, and was not made here. */
  get isReceived(): boolean {
    return false
  }

  /** Whether it is worth writing by itself, as bytes. */
  get isLong(): boolean {
    return this.text.length >= MIN_PIECE_BYTES
  }

  /** In UTF-8, together with the brace that closes the answer around it: then an answer has no more than two pieces. */
  get closingBytes(): Uint8Array {
    this.#closing ??= this.closingLine.subarray(0, -1)
    return this.#closing
  }

  /** The same, and a line break. */
  get closingLine(): Uint8Array {
    this.#line ??= new TextEncoder().encode(`${this.text}}\n`)
    return this.#line
  }
}

/** The object without the text that it came as, for those who may change something within it. */
export function withoutReceived<T extends object>(value: T): T {
  return findPreparedJSON(value)?.isReceived === true ? { ...value } : value
}

/** Freezes an object whose JSON will be made once. The caller promises that nothing inside it will change either. */
export function prepareJSON<T extends object>(value: T): Readonly<T> {
  const prepared = new PreparedJSON(() => JSON.stringify(value))
  return Object.freeze(Object.defineProperty(value, PREPARED, { value: prepared }))
}

/** The JSON of an object that was prepared, `undefined` for anything else. */
export function findPreparedJSON(value: unknown): PreparedJSON | undefined {
  return (value as { readonly [PREPARED]?: PreparedJSON } | null | undefined)?.[PREPARED]
}

/** Whether an object was prepared here: frozen, so that many may have it. */
export function isPrepared(value: unknown): boolean {
  return findPreparedJSON(value)?.isReceived === false
}
