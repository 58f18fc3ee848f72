// All components of a group, by kind: added and taken away together, so that no server is ever in it by half.
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { Prompt } from '../types/prompts.ts'
import type { Resource } from '../types/resources.ts'
import type { Tool } from '../types/tools.ts'
import { ComponentTable, type Named } from './component-table.ts'

/** The kinds of components, with their types. */
export interface Components {
  tools: Tool
  resources: Resource
  prompts: Prompt
}

export type Part = keyof Components

export const PARTS = ['tools', 'resources', 'prompts'] as const satisfies readonly Part[]

/** What one server has, under the names that the group gives it. */
export type Listings = { [P in Part]: readonly Named<Components[P]>[] }

export class GroupComponents<Owner> {
  readonly tools = new ComponentTable<Owner, Tool>()
  readonly resources = new ComponentTable<Owner, Resource>()
  readonly prompts = new ComponentTable<Owner, Prompt>()

  /** Adds all or, when a name is taken, nothing. */
  add(owner: Owner, listings: Listings): void {
    for (const part of PARTS) this.#assertFree(part, listings)
    for (const part of PARTS) this.replace(owner, part, listings[part])
  }

  /** Returns the names that somebody else has and keeps. */
  replace<P extends Part>(owner: Owner, part: P, components: Listings[P]): string[] {
    return this.#table(part).replace(owner, components)
  }

  remove(owner: Owner): void {
    for (const part of PARTS) this[part].remove(owner)
  }

  #assertFree<P extends Part>(part: P, listings: Listings): void {
    const conflicts = this.#table(part).conflictsOf(listings[part])
    if (conflicts.length === 0) return
    const names = conflicts.map((name) => `'${name}'`).join(', ')
    const advice = 'give the group a componentName that tells servers apart'
    const message = `${names} already exist in group ${part}; ${advice}`
    throw new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
  }

  /** TypeScript does not see that each part has the table of its own type. */
  #table<P extends Part>(part: P): ComponentTable<Owner, Components[P]> {
    return this[part] as unknown as ComponentTable<Owner, Components[P]>
  }
}
