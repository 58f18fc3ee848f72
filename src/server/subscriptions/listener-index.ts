// Who listens to which changes, found by their keys: a change costs what its own listeners cost, however many others there are.

/** One listener, until it is removed. */
export interface Listening<Listener> {
  readonly hear: Listener
  /** The keys of the changes that it wants; `undefined` for all changes. */
  readonly keys: readonly string[] | undefined
}

export class ListenerIndex<Listener> {
  readonly #all = new Set<Listening<Listener>>()
  readonly #ofEverything = new Set<Listening<Listener>>()
  /** Most keys have one listener, which needs no set. */
  readonly #byKey = new Map<string, Listening<Listener> | Set<Listening<Listener>>>()

  /** A function that is added twice is two listeners. */
  add(hear: Listener, keys?: readonly string[]): Listening<Listener> {
    const listening: Listening<Listener> = { hear, keys }
    this.#all.add(listening)
    if (keys === undefined) this.#ofEverything.add(listening)
    else for (const key of keys) this.#enter(key, listening)
    return listening
  }

  /** Idempotent. */
  remove(listening: Listening<Listener>): void {
    if (!this.#all.delete(listening)) return
    this.#ofEverything.delete(listening)
    for (const key of listening.keys ?? []) this.#leave(key, listening)
  }

  has(listening: Listening<Listener>): boolean {
    return this.#all.has(listening)
  }

  /** Those who want changes of this key, as they are at present. */
  wanting(key: string): readonly Listening<Listener>[] {
    const known = this.#byKey.get(key)
    if (known === undefined) return [...this.#ofEverything]
    return known instanceof Set ? [...this.#ofEverything, ...known] : [...this.#ofEverything, known]
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  all(): readonly Listening<Listener>[] {
    return [...this.#all]
  }

  #enter(key: string, listening: Listening<Listener>): void {
    const known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, listening)
    else if (known instanceof Set) known.add(listening)
    else if (known !== listening) this.#byKey.set(key, new Set([known, listening]))
  }

  #leave(key: string, listening: Listening<Listener>): void {
    const known = this.#byKey.get(key)
    if (known === listening) this.#byKey.delete(key)
    else if (known instanceof Set && known.delete(listening) && known.size === 0) this.#byKey.delete(key)
  }
}
