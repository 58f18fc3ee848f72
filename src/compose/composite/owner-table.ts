// Whose a name is: filled by listings, asked by calls. A name is never taken apart to find its owner.

export interface Owned<Owner> {
  readonly owner: Owner
  /** The name, uri or template text that the owner itself has for it. */
  readonly own: string
  /** Before it was cut to length. */
  readonly full: string
}

interface Entry<Owner> extends Owned<Owner> {
  /** The owner has told of changes since it was last seen there. */
  isStale: boolean
}

export class OwnerTable<Owner extends object> {
  readonly #entries = new Map<string, Entry<Owner>>()
  /** By owner: its own name to the name in front. */
  readonly #fronts = new Map<Owner, Map<string, string>>()

  get(front: string): Owned<Owner> | undefined {
    return this.#entries.get(front)
  }

  /** The name in front of what an owner has. */
  frontOf(owner: Owner, own: string): string | undefined {
    return this.#fronts.get(owner)?.get(own)
  }

  /** The owner of the name: the one that had it before, unless that has lost it. */
  claim(front: string, owner: Owner, own: string, full: string): Owned<Owner> {
    const entry = this.#entries.get(front)
    if (entry !== undefined && entry.owner !== owner && !entry.isStale) return entry
    if (entry !== undefined && entry.own === own && entry.owner === owner) {
      entry.isStale = false
      return entry
    }
    return this.take(front, owner, own, full)
  }

  /** The name is this owner's from here on, whoever had it. */
  take(front: string, owner: Owner, own: string, full: string): Owned<Owner> {
    const before = this.#entries.get(front)
    if (before !== undefined) this.#fronts.get(before.owner)?.delete(before.own)
    const entry = { owner, own, full, isStale: false }
    this.#entries.set(front, entry)
    const fronts = this.#fronts.get(owner) ?? new Map<string, string>()
    fronts.set(own, front)
    this.#fronts.set(owner, fronts)
    return entry
  }

  /** What this owner has may have gone; until it is listed again, calls still find it. */
  markStale(owner: Owner): void {
    for (const front of this.#fronts.get(owner)?.values() ?? []) {
      const entry = this.#entries.get(front)
      if (entry?.owner === owner) entry.isStale = true
    }
  }

  /** This owner has nothing any more. */
  drop(owner: Owner): void {
    for (const front of this.#fronts.get(owner)?.values() ?? []) {
      if (this.#entries.get(front)?.owner === owner) this.#entries.delete(front)
    }
    this.#fronts.delete(owner)
  }

  /** Names in front, with their owners. */
  *entries(): Generator<readonly [string, Owned<Owner>], void, undefined> {
    yield* this.#entries
  }
}
