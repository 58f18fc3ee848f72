// Names that a server of a group has withdrawn: nobody else gets them while that server is in the group.

/** Of one server. One that changes its names without end loses the oldest of them. */
export const MAX_RESERVED = 10_000

export class Reservations<Owner> {
  readonly #holders = new Map<string, Owner>()
  /** The same by owner, the oldest first. */
  readonly #names = new Map<Owner, Set<string>>()

  holderOf(name: string): Owner | undefined {
    return this.#holders.get(name)
  }

  /** Returns a name that is free because of this, if there is one. */
  reserve(name: string, owner: Owner): string | undefined {
    const names = this.#names.get(owner) ?? new Set()
    this.#names.set(owner, names)
    names.add(name)
    this.#holders.set(name, owner)
    if (names.size <= MAX_RESERVED) return undefined
    const [oldest] = names
    if (oldest !== undefined) this.release(oldest)
    return oldest
  }

  release(name: string): void {
    const owner = this.#holders.get(name)
    if (owner === undefined) return
    this.#holders.delete(name)
    this.#names.get(owner)?.delete(name)
  }

  releaseAll(owner: Owner): void {
    for (const name of this.#names.get(owner) ?? []) this.#holders.delete(name)
    this.#names.delete(owner)
  }
}
