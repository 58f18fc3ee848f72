// One of the sources of a composite: its namespace, who may use it, and how its components are named in front.
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component, Source } from '../../server/source.ts'
import { boundWayOf, takeWay } from '../../server/ways.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ComponentList, factsOf, keyOf } from '../sources/lists.ts'
import { cutName, joinName, type Naming } from './names.ts'
import { mapResultUris, prefixUri, unprefixUri } from './uris.ts'

/** Who may use a part. */
export interface PartGuard {
  /** Whether lists show what is in it. */
  isListed(request: ServerRequestContext): boolean
  /** False where the caller must not know of it; throws where the caller lacks something that it may know of. */
  check(request: ServerRequestContext): boolean
}

export interface PartOptions {
  /** For messages, for the instructions and for `naming.origin`. */
  readonly name: string
  /** In front of the names of its components; without it they stay as they are. */
  readonly namespace?: string | undefined
  readonly source: Source
  readonly guard?: PartGuard | undefined
  /** Whether it is a server around another one: both tell of the same change, one after the other. */
  readonly wraps?: boolean | undefined
}

/** The name of a component in front, whole and as it is listed. */
export interface FrontName {
  readonly full: string
  readonly front: string
}

/** A listing that looks for an unknown name. */
export interface Search {
  readonly at: number
  /** Until the source has answered. */
  running: Promise<unknown> | undefined
}

export class Part {
  readonly name: string
  readonly source: Source
  readonly guard: PartGuard | undefined
  /** Whatever it stands beside the others in. */
  readonly #crossing: object
  /** Never used again, so that cursors of a part that has gone find no other. */
  readonly id: number
  readonly naming: Naming
  readonly wraps: boolean
  namespace: string | undefined
  isEnabled = true
  /** Whether its resources were listed to the end since they last changed. */
  isResourcesSeen = false
  /** By list and caller. */
  readonly searches = new Map<string, Search>()

  constructor(
    crossing: object,
    id: number,
    naming: Naming,
    { name, namespace, source, guard, wraps = false }: PartOptions,
  ) {
    this.#crossing = crossing
    this.id = id
    this.naming = naming
    this.name = name
    this.namespace = namespace
    this.source = source
    this.guard = guard
    this.wraps = wraps
  }

  isListed(request: ServerRequestContext): boolean {
    return this.isEnabled && this.#isOnWay(request) && (this.guard === undefined || this.guard.isListed(request))
  }

  isOpen(request: ServerRequestContext): boolean {
    return this.isEnabled && this.#isOnWay(request) && (this.guard === undefined || this.guard.check(request))
  }

  /** From here on the request is with this part. */
  enter(request: ServerRequestContext): void {
    takeWay(request, this.#crossing, this)
  }

  /** A layer reaches what is behind it, and nothing beside that. */
  #isOnWay(request: ServerRequestContext): boolean {
    const way = boundWayOf(request, this.#crossing)
    return way === undefined || way === this
  }

  /** Whether a name in front could be one of this part. */
  mayHave(front: string): boolean {
    const { namespace, naming } = this
    return namespace === undefined || front.startsWith(`${namespace}${naming.separator}`)
  }

  /** What stands after the namespace in a name in front. */
  ownName(front: string): string {
    const { namespace, naming } = this
    return namespace === undefined ? front : front.slice(namespace.length + naming.separator.length)
  }

  frontName(list: ComponentList, own: string, namespace = this.namespace): FrontName {
    if (factsOf(list).key !== 'name') {
      const front = this.frontUri(own)
      return { full: front, front }
    }
    const full = joinName(namespace, this.source.fullName?.(list, own) ?? own, this.naming)
    // A name that the source chose itself stays as it is, however long.
    return { full, front: namespace === undefined && full === own ? own : cutName(full, this.naming.maxLength) }
  }

  frontUri(uri: string): string {
    return this.#prefixes ? prefixUri(this.namespace as string, uri) : uri
  }

  /** `undefined` where the URI can't be one of this part. */
  ownUri(uri: string): string | undefined {
    return this.#prefixes ? unprefixUri(this.namespace as string, uri) : uri
  }

  /** The whole component, with its name in front. */
  show(list: ComponentList, item: Component, front: string): Component {
    const { key } = factsOf(list)
    const { namespace, naming } = this
    const changes: JSONObject = {}
    if (keyOf(list, item) !== front) changes[key] = front
    if (key !== 'name' && namespace !== undefined) changes['name'] = joinName(namespace, item.name, naming)
    if (naming.origin) changes['_meta'] = { ...item._meta, 'mcpwire/source': { name: this.name } }
    return Object.keys(changes).length === 0 ? item : (Object.freeze({ ...item, ...changes }) as Component)
  }

  /** A result with the URIs that clients know. */
  showResult(result: JSONObject): JSONObject {
    return this.#prefixes ? mapResultUris(result, (uri) => this.frontUri(uri)) : result
  }

  get #prefixes(): boolean {
    return this.naming.resources === 'prefix' && this.namespace !== undefined
  }
}
