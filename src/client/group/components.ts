// The tools, resources and prompts of all servers of a group, by the names that they have in the group. A server is added and
// removed as a whole. A name that its server withdraws stays reserved for it, or another server could take over its calls.
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

export type ComponentKind = keyof Components

export const COMPONENT_KINDS = [
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
] as const satisfies readonly ComponentKind[]

/** A component with its name in the group. */
export type NamedComponent<Item> = readonly [name: string, item: Item]

/** The components of one server. */
export type Listings = { [K in ComponentKind]: readonly NamedComponent<Components[K]>[] }

/** What a server lists and another server has and keeps. */
export interface TakenNames {
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

  /** The first kind with names that are taken, and their owners; the new server itself where it lists a name twice. */
  findConflict(
    newcomer: Owner,
    listings: Listings,
  ): { kind: ComponentKind; names: string[]; owners: Owner[] } | undefined {
    for (const kind of COMPONENT_KINDS) {
      const table = this.#table(kind)
      const names = table.findConflicts(listings[kind])
      if (names.length > 0) return { kind, names, owners: names.map((name) => table.holderOf(name) ?? newcomer) }
    }
    return undefined
  }

  /** Replaces all components of one kind that an owner has. Returns what another owner has and keeps. */
  replace<K extends ComponentKind>(owner: Owner, kind: K, components: Listings[K]): TakenNames {
    const names = this.#table(kind).replace(owner, components)
    if (kind !== 'resources') return { names, uris: NOTHING }
    const resources = components as Listings['resources']
    const lost = new Set(names)
    const uris = resources.filter(([name]) => !lost.has(name)).map(([, { uri }]) => uri)
    return { names, uris: this.#uris.replace(owner, uris) }
  }

  remove(owner: Owner): void {
    for (const kind of COMPONENT_KINDS) this[kind].remove(owner)
    this.#uris.remove(owner)
  }

  /** The owner that lists this URI. */
  ownerOf(uri: string): Owner | undefined {
    return this.#uris.of(uri)
  }

  /** The owner that listed this URI and may list it again. */
  reservedFor(uri: string): Owner | undefined {
    return this.#uris.reservedFor(uri)
  }

  /** TypeScript does not see that each kind has a table of its own type. */
  #table<K extends ComponentKind>(kind: K): ComponentTable<Owner, Components[K]> {
    return this[kind] as unknown as ComponentTable<Owner, Components[K]>
  }
}

/** The components of one kind. */
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

  /** All owners of a component that is wanted. */
  ownersOf(isWanted: (item: Item) => boolean): Set<Owner> {
    const owners = new Set<Owner>()
    for (const [name, owner] of this.#owners) {
      const item = this.#items.get(name)
      if (item !== undefined && !owners.has(owner) && isWanted(item)) owners.add(owner)
    }
    return owners
  }

  /** The owner of a name, or the owner that it is reserved for. */
  holderOf(name: string): Owner | undefined {
    return this.#owners.get(name) ?? this.#reserved.holderOf(name)
  }

  /** The names that could not be added: those that have a holder, and those that are listed twice. */
  findConflicts(components: readonly NamedComponent<Item>[]): string[] {
    const seen = new Set<string>()
    return components
      .map(([name]) => name)
      .filter((name) => this.holderOf(name) !== undefined || seen.size === seen.add(name).size)
  }

  /** Replaces all components of an owner. Returns the names that another owner has and keeps. */
  replace(owner: Owner, components: readonly NamedComponent<Item>[]): string[] {
    const before = this.#removeItems(owner)
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
    this.#removeItems(owner)
    this.#reserved.releaseAll(owner)
  }

  /** Returns the names of the removed components. */
  #removeItems(owner: Owner): string[] {
    const names: string[] = []
    for (const [name, each] of this.#owners) if (each === owner) names.push(name)
    for (const name of names) {
      this.#owners.delete(name)
      this.#items.delete(name)
    }
    return names
  }
}
