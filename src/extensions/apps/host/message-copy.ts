// A message from another window as plain JSON: what the browser delivers may hold cycles, maps, files and any amount of data.
import { typeError } from '../../../primitives/help.ts'
import { LimitError } from '../../../types/errors/failures.ts'

const MAX_DEPTH = 64
/** What a value costs beside its text. */
const VALUE_BYTES = 8

/**
 * A copy that is JSON and nothing else. Members that are `undefined` are left out. Throws `LimitError` beyond `maxBytes` and for
 * deep values, and `TypeError` for values that JSON does not have.
 */
export function copyMessage(value: unknown, maxBytes: number): unknown {
  return new MessageCopy(maxBytes).copy(value, MAX_DEPTH)
}

class MessageCopy {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  copy(value: unknown, depthLeft: number): unknown {
    this.#count(VALUE_BYTES)
    switch (typeof value) {
      case 'string':
        this.#count(value.length)
        return value
      case 'boolean':
        return value
      case 'number':
        if (!Number.isFinite(value)) throw typeError('not-json', 'A message has a number that JSON does not have')
        return value
      case 'object':
        if (value === null) return null
        if (depthLeft === 0) throw new LimitError('maxDepth', MAX_DEPTH, 'A message is nested too deep')
        return Array.isArray(value) ? this.#copyList(value, depthLeft - 1) : this.#copyObject(value, depthLeft - 1)
      default:
        throw typeError('not-json', `A message has a ${typeof value}, which JSON does not have`)
    }
  }

  #copyList(list: readonly unknown[], depthLeft: number): unknown[] {
    // A list can be sparse, and longer than anything that was sent.
    this.#count(list.length)
    return Array.from(list, (item) => (item === undefined ? null : this.copy(item, depthLeft)))
  }

  #copyObject(object: object, depthLeft: number): Record<string, unknown> {
    const prototype = Object.getPrototypeOf(object)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw typeError('not-json', 'A message has an object that JSON does not have')
    }
    const copied: Record<string, unknown> = {}
    for (const key of Object.keys(object)) {
      const member = (object as Record<string, unknown>)[key]
      if (member === undefined) continue
      this.#count(key.length)
      const value = this.copy(member, depthLeft)
      if (key === '__proto__') Object.defineProperty(copied, key, { value, ...ORDINARY })
      else copied[key] = value
    }
    return copied
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) {
      throw new LimitError('maxMessageBytes', this.#maxBytes, `A message is larger than ${this.#maxBytes} bytes`)
    }
  }
}

const ORDINARY = { enumerable: true, configurable: true, writable: true }
