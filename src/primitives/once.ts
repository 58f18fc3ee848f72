// What is said once: a warning that comes again says nothing new.

/** Texts come from outside, so that only so many are kept; then nothing more is said. */
const MAX_TEXTS = 1_000
/** What is kept of each. */
const MAX_LENGTH = 1_000

export class Once {
  readonly #said = new Set<string>()

  /** Whether the text comes for the first time. */
  isNew(text: string): boolean {
    const key = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text
    if (this.#said.has(key) || this.#said.size >= MAX_TEXTS) return false
    this.#said.add(key)
    return true
  }
}
