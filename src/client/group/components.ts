// All components of a group, by kind: added and taken away together, so that no server is ever in it by half.

import type { Prompt } from '../../types/features/prompts.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { Tool } from '../../types/features/tools.ts'
import { Reservations, UriOwners } from './uri-owners.ts'

/** The kinds of components, with their types. */
export interface Components {
  tools: Tool
  resources: Resource
  resourceTemplates: ResourceTemplate
  prompts: Prompt
}

export type Part = keyof Components

export const PARTS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const satisfies readonly Part[]

/** What one server has, under the names that the group gives it. */
export type Listings = { [P in Part]: readonly Named<Components[P]>[] }

/** What a server wanted to have and somebody else has and keeps. */
export interface Taken {
  /** Names in the group. */
  readonly names: readonly string[]
  readonly uris: readonly string[]
}

const NOTHING: readonly string[] = []

export class GroupComponents<Owner> {
  readonly tools = new ComponentTable<Owner, Tool>()
  readonly resources = new ComponentTable<Owner, Resource>()
  readonly resourceTemplates = new ComponentTable<Owner, ResourceTemplate>()
  readonly prompts = new ComponentTable<Owner, Prompt>()
  readonly #uris = new UriOwners<Owner>()

  /** The first part with names that are taken, and who has them; the newcomer itself where it lists a name twice. */
  conflictOf(newcomer: Owner, listings: Listings): { part: Part; names: string[]; owners: Owner[] } | undefined {
    for (const part of PARTS) {
      const table = this.#table(part)
      const names = table.conflictsOf(listings[part])
      if (names.length > 0) return { part, names, owners: names.map((name) => table.holderOf(name) ?? newcomer) }
    }
    return undefined
  }

  /** Returns what somebody else has and keeps. */
  replace<P extends Part>(owner: Owner, part: P, components: Listings[P]): Taken {
    const names = this.#table(part).replace(owner, components)
    if (part !== 'resources') return { names, uris: NOTHING }
    const resources = components as Listings['resources']
    const lost = new Set(names)
    const uris = resources.filter(([name]) => !lost.has(name)).map(([, { uri }]) => uri)
    return { names, uris: this.#uris.replace(owner, uris) }
  }

  remove(owner: Owner): void {
    for (const part of PARTS) this[part].remove(owner)
    this.#uris.remove(owner)
  }

  /** Whose resource this is. */
  ownerOf(uri: string): Owner | undefined {
    return this.#uris.of(uri)
  }

  /** Whose resource this was, and may be again. */
  reservedFor(uri: string): Owner | undefined {
    return this.#uris.reservedFor(uri)
  }

  /** TypeScript does not see that each part has the table of its own type. */
  #table<P extends Part>(part: P): ComponentTable<Owner, Components[P]> {
    return this[part] as unknown as ComponentTable<Owner, Components[P]>
  }
}

// The components of one kind that a group has, of all its servers, by the names that the group gives them. A name that its owner
// withdraws stays reserved for it: otherwise another server could take it over, and get the calls that are meant for the first.

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
