// How many bytes a value takes as JSON, without making the text where an estimate can tell.

/** No message nests deeper. Beyond it the estimate stops. */
const MAX_DEPTH = 64
/** A control character becomes `\u0000`; no other code unit takes more bytes. */
const MAX_BYTES_PER_UNIT = 6
/** Longer than any number, and than `false`. */
const MAX_SCALAR_BYTES = 25

/** Whether the value, as JSON in UTF-8, takes more than `maxBytes`. Throws `TypeError` for what has no JSON. */
export function exceedsBytes(value: unknown, maxBytes: number): boolean {
  const estimate = new Estimate(maxBytes)
  estimate.add(value, 0)
  if (estimate.most <= maxBytes) return false
  if (estimate.least > maxBytes) return true
  return new TextEncoder().encode(JSON.stringify(value)).length > maxBytes
}

/** The least and the most bytes that a value can take. Stops once `least` is above the limit. */
class Estimate {
  least = 0
  most = 0
  readonly #enough: number

  constructor(enough: number) {
    this.#enough = enough
  }

  add(value: unknown, depth: number): void {
    if (this.least > this.#enough) return
    if (typeof value === 'string') this.#addString(value)
    else if (typeof value === 'object' && value !== null) this.#addCollection(value, depth)
    else this.#addRange(1, typeof value === 'bigint' ? Infinity : MAX_SCALAR_BYTES)
  }

  #addString(text: string): void {
    this.#addRange(text.length + 2, text.length * MAX_BYTES_PER_UNIT + 2)
  }

  #addCollection(collection: object, depth: number): void {
    // An object with `toJSON` cannot be estimated.
    if (depth === MAX_DEPTH || 'toJSON' in collection) {
      this.#addRange(0, Infinity)
      return
    }
    this.#addRange(2, 2)
    if (Array.isArray(collection)) for (const item of collection) this.#addMember(item, depth)
    else for (const [key, value] of Object.entries(collection)) this.#addProperty(key, value, depth)
  }

  #addProperty(key: string, value: unknown, depth: number): void {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return
    this.#addString(key)
    this.#addMember(value, depth)
  }

  #addMember(value: unknown, depth: number): void {
    // A colon or a comma, or none.
    this.#addRange(0, 2)
    this.add(value, depth + 1)
  }

  #addRange(least: number, most: number): void {
    this.least += least
    this.most += most
  }
}
