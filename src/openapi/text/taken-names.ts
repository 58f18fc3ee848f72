// Names that are unique because a number follows those that are taken. Documents can have one name thousands of times.

export class TakenNames {
  readonly #taken = new Set<string>()
  /** By word: the lowest number that may be free. */
  readonly #next = new Map<string, number>()

  /** The word, or the word with the lowest number that is free. */
  take(word: string): string {
    for (let number = this.#next.get(word) ?? 1; ; number++) {
      const name = number === 1 ? word : `${word}_${number}`
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      this.#next.set(word, number + 1)
      return name
    }
  }
}
