// The limits of tasks: what they take in memory, per owner and in all, and the error of what would pass a limit.
import { BackendError } from './backend-error.ts'
import { NOBODY, type TaskStoreLimits } from './task-store.ts'

/** What a task takes beside its texts. */
export const TASK_BYTES = 2_048

/** An outcome of so many bytes is always taken: a task must be able to end. 1 KiB, which may be sealed. */
export const FREE_OUTCOME_BYTES = 2_048

export class ByteBudget {
  readonly #byOwner = new Map<string, number>()
  readonly #max: number
  #total = 0

  /** `max` counts whatever limits are given. */
  constructor(max: number) {
    this.#max = max
  }

  /** Throws `BackendError` with the limit that so many more bytes would pass. */
  check(operation: string, owner: string, bytes: number, limits: TaskStoreLimits): void {
    if (bytes <= 0) return
    const { maxBytesPerOwner = Infinity, maxBytes = Infinity } = limits
    const own = owner === NOBODY ? 0 : (this.#byOwner.get(owner) ?? 0) + bytes
    if (own > maxBytesPerOwner) throw limitReached(operation, 'maxBytesPerOwner', limits)
    if (this.#total + bytes > maxBytes) throw limitReached(operation, 'maxBytes', limits)
    if (this.#total + bytes > this.#max) throw limitReached(operation, 'maxBytes', { maxBytes: this.#max })
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

/** The error of an operation that would pass a limit. Nothing was changed. */
export function limitReached(operation: string, name: keyof TaskStoreLimits, limits: TaskStoreLimits): BackendError {
  const max = limits[name] as number
  if (name === 'perOwner' || name === 'total') {
    const message = `There are ${max} open tasks already (${name}).`
    return new BackendError(message, { kind: 'refused', operation, limit: { name, max } })
  }
  const message = `The tasks that are kept would take more than ${max} bytes (${name}).`
  return new BackendError(message, { kind: 'too-large', operation, limit: { name, max } })
}
