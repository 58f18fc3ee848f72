// What the peer has said of the longest message that it takes: nothing longer is sent to it on this connection.
import { isPlainObject } from '../primitives/json/objects.ts'
import { LimitError } from '../types/errors/failures.ts'

/** A UTF-16 unit takes at most three bytes. */
const MAX_BYTES_PER_UNIT = 3

export class PeerLimit {
  readonly #name: string
  #max = Infinity
  #longest = 0

  /** `name`: how the peer calls the limit in its refusals. */
  constructor(name: string) {
    this.#name = name
  }

  /** An error of the peer, which may tell of the limit. Not where nothing was that long: then it is another connection's. */
  note(error: unknown): void {
    const data = isPlainObject(error) ? error['data'] : undefined
    if (!isPlainObject(data) || data['limit'] !== this.#name) return
    const { max } = data
    const isLimit = typeof max === 'number' && Number.isSafeInteger(max) && max > 0
    if (isLimit && max < this.#longest * MAX_BYTES_PER_UNIT) this.#max = Math.min(this.#max, max)
  }

  /** Why a text cannot be sent, if that is so. */
  findBreach(text: string): LimitError | undefined {
    const { length } = text
    if (length > this.#longest) this.#longest = length
    if (length * MAX_BYTES_PER_UNIT <= this.#max) return undefined
    const max = this.#max
    if (length <= max && new TextEncoder().encode(text).length <= max) return undefined
    return new LimitError(this.#name, max, `The message is longer than the ${max} bytes that the peer takes`)
  }
}
