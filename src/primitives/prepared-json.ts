// JSON that is sent over and over: written out once, when it is first needed, and kept as long as its object.

/** Not enumerable, so that a copy with other members does not bring along a text that no longer fits. */
const PREPARED = Symbol('prepared JSON')

/** The text of one object, and its bytes for those who write bytes. */
export class PreparedJSON {
  readonly #value: object
  #text: string | undefined
  #bytes: Uint8Array | undefined

  constructor(value: object) {
    this.#value = value
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value)
    return this.#text
  }

  /** In UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(this.text)
    return this.#bytes
  }
}

/** Freezes an object whose JSON will be made once. The caller promises that nothing inside it will change either. */
export function prepareJSON<T extends object>(value: T): Readonly<T> {
  return Object.freeze(Object.defineProperty(value, PREPARED, { value: new PreparedJSON(value) }))
}

/** The JSON of an object that was prepared, `undefined` for anything else. */
export function findPreparedJSON(value: unknown): PreparedJSON | undefined {
  return (value as { readonly [PREPARED]?: PreparedJSON } | null | undefined)?.[PREPARED]
}
