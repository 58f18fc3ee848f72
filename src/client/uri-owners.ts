// Whose resource a URI is, where several servers list it: the first who did, for as long as it does.

export class UriOwners<Owner> {
  /** Those who list a URI, the first of them being its owner. */
  readonly #claims = new Map<string, Owner[]>()

  of(uri: string): Owner | undefined {
    return this.#claims.get(uri)?.[0]
  }

  /** Replaces all that an owner lists. Returns the URIs that are new to it and that somebody else has and keeps. */
  replace(owner: Owner, uris: Iterable<string>): string[] {
    const listed = new Set(uris)
    for (const [uri, owners] of this.#claims) if (!listed.has(uri)) this.#release(uri, owners, owner)
    const taken: string[] = []
    for (const uri of listed) {
      const owners = this.#claims.get(uri)
      if (owners === undefined) {
        this.#claims.set(uri, [owner])
      } else if (!owners.includes(owner)) {
        owners.push(owner)
        taken.push(uri)
      }
    }
    return taken
  }

  remove(owner: Owner): void {
    for (const [uri, owners] of this.#claims) this.#release(uri, owners, owner)
  }

  #release(uri: string, owners: Owner[], owner: Owner): void {
    const index = owners.indexOf(owner)
    if (index === -1) return
    owners.splice(index, 1)
    if (owners.length === 0) this.#claims.delete(uri)
  }
}
