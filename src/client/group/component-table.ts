// The components of one kind that a group has, of all its servers, by the names that the group gives them. A name that its owner
// withdraws stays reserved for it: otherwise another server could take it over, and get the calls that are meant for the first.
import { Reservations } from './uri-owners.ts'

/** A component with the name that it has in the group. */
export type Named<Item> = readonly [name: string, item: Item]

export class ComponentTable<Owner, Item> {
  readonly #items = new Map<string, Item>()
  readonly #owners = new Map<string, Owner>()
  readonly #reserved = new Reservations<Owner>()

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

  /** Who has a name, or had it last and may have it again. */
  holderOf(name: string): Owner | undefined {
    return this.#owners.get(name) ?? this.#reserved.holderOf(name)
  }

  /** The names that could not be added: those that somebody holds, and those that stand here twice. */
  conflictsOf(components: readonly Named<Item>[]): string[] {
    const seen = new Set<string>()
    return components
      .map(([name]) => name)
      .filter((name) => this.holderOf(name) !== undefined || seen.size === seen.add(name).size)
  }

  /** Replaces all that an owner has. A name that somebody else holds is left to them, and returned. */
  replace(owner: Owner, components: readonly Named<Item>[]): string[] {
    const before = this.#withdraw(owner)
    const taken: string[] = []
    for (const [name, item] of components) {
      const isFree = !this.#items.has(name) && (this.#reserved.holderOf(name) ?? owner) === owner
      if (isFree) {
        this.#items.set(name, item)
        this.#owners.set(name, owner)
        this.#reserved.release(name)
      } else {
        taken.push(name)
      }
    }
    for (const name of before) if (!this.#items.has(name)) this.#reserved.reserve(name, owner)
    return taken
  }

  remove(owner: Owner): void {
    this.#withdraw(owner)
    this.#reserved.releaseAll(owner)
  }

  /** Returns the names. */
  #withdraw(owner: Owner): string[] {
    const names: string[] = []
    for (const [name, each] of this.#owners) if (each === owner) names.push(name)
    for (const name of names) {
      this.#owners.delete(name)
      this.#items.delete(name)
    }
    return names
  }
}
