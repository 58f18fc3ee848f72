// All components of a group, by kind: added and taken away together, so that no server is ever in it by half.
import type { Prompt } from '../../types/features/prompts.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { Tool } from '../../types/features/tools.ts'
import { ComponentTable, type Named } from './component-table.ts'
import { UriOwners } from './uri-owners.ts'

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
