// Whose resource a URI is, where several servers list it: the first who did, for as long as it is in the group.
import { Reservations } from './reservations.ts'

export class UriOwners<Owner> {
  /** Those who list a URI, the first of them being its owner. */
  readonly #claims = new Map<string, Owner[]>()
  /** URIs that their owner no longer lists. Its claim stays the first. */
  readonly #withdrawn = new Reservations<Owner>()

  /** Who lists the URI and is its owner. */
  of(uri: string): Owner | undefined {
    return this.#withdrawn.holderOf(uri) === undefined ? this.#claims.get(uri)?.[0] : undefined
  }

  /** Who listed the URI first and may list it again. */
  reservedFor(uri: string): Owner | undefined {
    return this.#withdrawn.holderOf(uri)
  }

  /** Replaces all that an owner lists. Returns the URIs that are new to it and that somebody else has and keeps. */
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
