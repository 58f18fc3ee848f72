// The components of one kind that a group has, of all its servers, by the names that the group gives them.

/** A component with the name that it has in the group. */
export type Named<Item> = readonly [name: string, item: Item]

export class ComponentTable<Owner, Item> {
  readonly #items = new Map<string, Item>()
  readonly #owners = new Map<string, Owner>()

  /** By their names in the group. Stays up to date. */
  get items(): ReadonlyMap<string, Item> {
    return this.#items
  }

  get(name: string): { owner: Owner; item: Item } | undefined {
    const item = this.#items.get(name)
    const owner = this.#owners.get(name)
    return item === undefined || owner === undefined ? undefined : { owner, item }
  }

  /** All who have something of this kind that is wanted. */
  ownersOf(isWanted: (item: Item) => boolean): Set<Owner> {
    const owners = new Set<Owner>()
    for (const [name, owner] of this.#owners) {
      const item = this.#items.get(name)
      if (item !== undefined && !owners.has(owner) && isWanted(item)) owners.add(owner)
    }
    return owners
  }

  /** The names that could not be added: those in use, and those that stand here twice. */
  conflictsOf(components: readonly Named<Item>[]): string[] {
    const seen = new Set<string>()
    return components.map(([name]) => name).filter((name) => this.#items.has(name) || seen.size === seen.add(name).size)
  }

  /** Replaces all that an owner has. A name that somebody has already is left to them, and returned. */
  replace(owner: Owner, components: readonly Named<Item>[]): string[] {
    this.remove(owner)
    const taken: string[] = []
    for (const [name, item] of components) {
      if (this.#items.has(name)) {
        taken.push(name)
      } else {
        this.#items.set(name, item)
        this.#owners.set(name, owner)
      }
    }
    return taken
  }

  remove(owner: Owner): void {
    for (const [name, each] of this.#owners) {
      if (each !== owner) continue
      this.#owners.delete(name)
      this.#items.delete(name)
    }
  }
}
