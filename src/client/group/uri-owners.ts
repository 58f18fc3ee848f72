// Which server of a group a URI belongs to: the first that listed it, for as long as it is in the group.
import { parseUriTemplate, type UriTemplate } from '../../primitives/uri-template/uri-template.ts'
import type { ResourceTemplate } from '../../types/features/resources.ts'

export class UriOwners<Owner> {
  /** All that list a URI; the first is its owner. */
  readonly #claims = new Map<string, Owner[]>()
  /** URIs that their owner no longer lists, and still owns. */
  readonly #withdrawn = new Reservations<Owner>()

  /** The owner of the URI, if it lists it now. */
  of(uri: string): Owner | undefined {
    return this.#withdrawn.holderOf(uri) === undefined ? this.#claims.get(uri)?.[0] : undefined
  }

  /** The owner of the URI, if it does not list it now. */
  reservedFor(uri: string): Owner | undefined {
    return this.#withdrawn.holderOf(uri)
  }

  /** Replaces all URIs that an owner lists. Returns those that are new to it and that another owner has and keeps. */
  replace(owner: Owner, uris: Iterable<string>): string[] {
    const listed = new Set(uris)
    for (const [uri, owners] of this.#claims) if (!listed.has(uri)) this.#withdraw(uri, owners, owner)
    const taken: string[] = []
    for (const uri of listed) {
      const owners = this.#claims.get(uri)
      if (owners === undefined) {
        this.#claims.set(uri, [owner])
      } else if (!owners.includes(owner)) {
        owners.push(owner)
        taken.push(uri)
      } else if (this.#withdrawn.holderOf(uri) === owner) {
        this.#withdrawn.release(uri)
      }
    }
    return taken
  }

  remove(owner: Owner): void {
    this.#withdrawn.releaseAll(owner)
    for (const [uri, owners] of this.#claims) this.#release(uri, owners, owner)
  }

  #withdraw(uri: string, owners: Owner[], owner: Owner): void {
    if (owners[0] !== owner) {
      this.#release(uri, owners, owner)
      return
    }
    if (this.#withdrawn.holderOf(uri) === owner) return
    const free = this.#withdrawn.reserve(uri, owner)
    if (free !== undefined) this.#release(free, this.#claims.get(free) ?? [], owner)
  }

  #release(uri: string, owners: Owner[], owner: Owner): void {
    const index = owners.indexOf(owner)
    if (index === -1) return
    owners.splice(index, 1)
    if (owners.length === 0) this.#claims.delete(uri)
  }
}

/** Names reserved for one server; beyond that the oldest is released. */
export const MAX_RESERVED = 10_000

/** Names that a server has withdrawn. No other server gets them while that server is in the group. */
export class Reservations<Owner> {
  readonly #holders = new Map<string, Owner>()
  /** The same by owner, the oldest first. */
  readonly #names = new Map<Owner, Set<string>>()

  holderOf(name: string): Owner | undefined {
    return this.#holders.get(name)
  }

  /** Returns the name that had to be released for this, if there is one. */
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

const parsed = new WeakMap<ResourceTemplate, UriTemplate | false>()

/** Whether a template matches a URI. Templates come from servers; one that cannot be parsed matches nothing. */
export function templateMatches(template: ResourceTemplate, uri: string): boolean {
  let reading = parsed.get(template)
  if (reading === undefined) {
    reading = parseOrFalse(template.uriTemplate)
    parsed.set(template, reading)
  }
  return reading !== false && reading.match(uri) !== undefined
}

function parseOrFalse(text: string): UriTemplate | false {
  try {
    return parseUriTemplate(text)
  } catch {
    return false
  }
}
