// Callers whose connection ended without them: what it kept for them, until they have another one.
import type { AskedToKeep } from '../back/asked-to-keep.ts'

const MAX_TEXTS = 1_000

export class Missed {
  readonly #byObject = new WeakMap<object, AskedToKeep>()
  readonly #byText = new Map<string, AskedToKeep>()

  add(key: unknown, kept: AskedToKeep): void {
    if (typeof key === 'object' && key !== null) this.#byObject.set(key, kept)
    if (typeof key === 'string' && this.#byText.size < MAX_TEXTS) this.#byText.set(key, kept)
  }

  /** What was kept for this key, once. */
  take(key: unknown): AskedToKeep | undefined {
    const isObject = typeof key === 'object' && key !== null
    const kept = isObject ? this.#byObject.get(key) : this.#byText.get(String(key))
    if (isObject) this.#byObject.delete(key)
    else this.#byText.delete(String(key))
    return kept
  }
}
