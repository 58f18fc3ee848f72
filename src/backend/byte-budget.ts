// How much the tasks in memory take, per owner and in all, and where that must end.
import { BackendError } from './backend-error.ts'
import { NOBODY } from './task-store.ts'

/** What a task takes beside its texts. */
export const TASK_BYTES = 2_048

export interface ByteLimits {
  /** What the tasks of one owner may take, those that have ended too (default: no limit). Not for `nobody`, who is many. */
  readonly maxBytesPerOwner?: number
  /** What all tasks may take (default: no limit). */
  readonly maxBytes?: number
}

export class ByteBudget {
  readonly #maxPerOwner: number
  readonly #max: number
  readonly #byOwner = new Map<string, number>()
  #total = 0

  constructor({ maxBytesPerOwner = Infinity, maxBytes = Infinity }: ByteLimits) {
    this.#maxPerOwner = maxBytesPerOwner
    this.#max = maxBytes
  }

  /** Throws `BackendError` with the limit that so many more bytes would pass. */
  check(owner: string, bytes: number, operation: string): void {
    if (bytes <= 0) return
    const own = owner === NOBODY ? 0 : (this.#byOwner.get(owner) ?? 0) + bytes
    if (own > this.#maxPerOwner) throw full('maxBytesPerOwner', this.#maxPerOwner, operation)
    if (this.#total + bytes > this.#max) throw full('maxBytes', this.#max, operation)
  }

  change(owner: string, bytes: number): void {
    this.#total += bytes
    const own = (this.#byOwner.get(owner) ?? 0) + bytes
    if (own === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, own)
  }
}

/** A text with a character above U+00FF takes two bytes for each. */
export function bytesOf(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? text.length * 2 : text.length
}

export function bytesOfAll(texts: Readonly<Record<string, string>> | undefined): number {
  let bytes = 0
  for (const name in texts) bytes += bytesOf(name) + bytesOf(texts[name] as string)
  return bytes
}

function full(name: string, max: number, operation: string): BackendError {
  const message = `The tasks in memory would take more than ${max} bytes (${name}).`
  return new BackendError(message, { kind: 'too-large', operation, limit: { name, max } })
}
