// Whose a name is that is in no table: sources that could have it are listed, and the one whose namespace it begins with is asked.

import { principalKey } from '../../http/principal.ts'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { throughOf } from '../../server/ways.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { type ComponentList, factsOf, itemsOf } from '../sources/lists.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { wholeList } from '../sources/whole-list.ts'
import { ownerByNamespace } from './namespaces.ts'
import type { Owned, OwnerTable } from './owner-table.ts'
import type { Part, Search } from './part.ts'

/** How long a source is not listed again for names that it does not have. */
const SEARCH_PAUSE_MS = 5_000
const MAX_SEARCHERS = 1_024

/** Whose a name is. */
export interface Found extends Owned<Part> {
  /** Why its source is not there, where it has told so by now. */
  readonly failure?: unknown
}

export interface SearchMeans {
  parts(): readonly Part[]
  table(list: ComponentList): OwnerTable<Part>
  /** Gets what a source has listed. */
  learn(list: ComponentList, part: Part, items: readonly Component[]): void
  /** A source could not be listed. What it throws is the answer. */
  onListFailure(part: Part, error: unknown, list: ComponentList): void
}

export class OwnerSearch {
  readonly #means: SearchMeans

  constructor(means: SearchMeans) {
    this.#means = means
  }

  /** The longest namespace first. Each source is listed with all its pages. */
  find(list: ComponentList, front: string, request: ServerRequestContext): MaybePromise<Found | undefined> {
    const isNamed = factsOf(list).key === 'name'
    const candidates = this.#means
      .parts()
      .filter(
        (part) => part.isListed(request) && (!isNamed || part.mayHave(front) || part.naming.onCollision === 'prefix'),
      )
      .toSorted((a, b) => (b.namespace?.length ?? 0) - (a.namespace?.length ?? 0))
    const failures = new Map<Part, unknown>()
    const lookIn = (index: number): MaybePromise<Found | undefined> => {
      const part = candidates[index]
      if (part === undefined)
        return isNamed ? (this.#unlisted(list, front) ?? this.#byNamespace(list, front, failures)) : undefined
      return whenDone(this.#list(list, part, request), (failure) => {
        failures.set(part, failure)
        return this.#means.table(list).get(front) ?? lookIn(index + 1)
      })
    }
    return lookIn(0)
  }

  /** What lists don't show this caller, because of its scopes for example: the source that has the name says what becomes of the call. */
  #unlisted(list: ComponentList, front: string): Owned<Part> | undefined {
    for (const owner of this.#means.parts()) {
      if (!owner.isEnabled || !owner.mayHave(front)) continue
      for (const own of owner.source.keys?.(list) ?? []) {
        const name = owner.frontName(list, own)
        if (name.front === front) return { owner, own, full: name.full }
      }
    }
    return undefined
  }

  /** A source may have more than it lists for a caller, and may be away: it says what becomes of a name that begins as its own do. */
  #byNamespace(list: ComponentList, front: string, failures: ReadonlyMap<Part, unknown>): Found | undefined {
    const owner = ownerByNamespace(this.#means.parts(), list, front)
    const own = owner?.ownName(front) ?? ''
    if (owner === undefined || own === '' || owner.frontName(list, own).front !== front) return undefined
    const failure = failures.get(owner)
    return { owner, own, full: front, ...(saysAway(failure) && { failure }) }
  }

  /** Resolves to why it failed, if it did. */
  #list(list: ComponentList, part: Part, request: ServerRequestContext): MaybePromise<unknown> {
    const caller = principalKey(request.auth)
    const now = serverOfRequest(request).clock.monotonic()
    // What layers reach is more than what they show.
    const key = `${list} ${throughOf(request)?.layers.size ?? 0} ${caller}`
    const last = part.searches.get(key)
    // Who asks while the source is being listed waits for that list.
    if (last !== undefined && now - last.at < SEARCH_PAUSE_MS) return last.running
    const take = (pages: readonly ListPage[]) => {
      this.#means.learn(
        list,
        part,
        pages.flatMap((page) => itemsOf(list, page)),
      )
      if (list === 'resources/list') part.isResourcesSeen = true
    }
    try {
      const pages = wholeList(part.source, list, request)
      if (!isThenable(pages)) return take(pages)
      // What answers at once costs nothing; what does not is asked now and then.
      if (part.searches.size >= MAX_SEARCHERS) part.searches.clear()
      const running = Promise.resolve(pages)
        .then(take, (error) => this.#failed(part, error, list))
        .finally(() => {
          search.running = undefined
        })
      const search: Search = { at: now, running }
      part.searches.set(key, search)
      return running
    } catch (error) {
      return this.#failed(part, error, list)
    }
  }

  #failed(part: Part, error: unknown, list: ComponentList): unknown {
    if (isMethodMissing(error)) {
      part.isResourcesSeen ||= list === 'resources/list'
      return undefined
    }
    this.#means.onListFailure(part, error, list)
    return error
  }

  /**
   * Where nobody is known to have a resource, sources that were never listed in full are listed once, all at the same time: who lists it
   * goes before those with a template that fits.
   */
  async learnOwner(uri: string, request: ServerRequestContext): Promise<void> {
    const list = 'resources/list'
    if (this.#means.table(list).get(uri) !== undefined) return
    const able = this.#means.parts().filter((part) => part.isListed(request) && part.ownUri(uri) !== undefined)
    if (able.length < 2) return
    const unseen = able.filter((part) => !part.isResourcesSeen)
    // A source that fails has been reported, and is no reason to read nothing from the others.
    await Promise.allSettled(unseen.map(async (part) => this.#list(list, part, request)))
  }
}

/** Failures of proxies by which the source is not there. */
const AWAY: ReadonlySet<unknown> = new Set(['G011', 'G013'])

/** A proxy passes nothing on under `id` that its source says. */
function saysAway(error: unknown): boolean {
  const { mcpwire } = ((error instanceof MCPError && error.data) || {}) as { mcpwire?: { id?: unknown } }
  return AWAY.has(mcpwire?.id)
}
