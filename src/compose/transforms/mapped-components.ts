// Components as a layer shows them: each mapped once where that is the same for every caller, and what is wrong with a map told once.
import { Once } from '../../primitives/once.ts'
import { quote } from '../../schema/json-schema.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { withItems } from '../sources/changed-page.ts'
import { type ComponentList, factsOf, itemsOf, keyOf } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import type { ComponentMap, LayerMaps, Resolved } from './layer-maps.ts'

const MAX_SHOWN = 100_000

export class MappedComponents {
  readonly #maps: LayerMaps
  /** By list: new keys to old ones, as listings showed them. */
  readonly #tables = new Map<ComponentList, Map<string, string>>()
  readonly #mapped = new Map<ComponentList, WeakMap<Component, Component | null>>()
  /** By new name: the tools that were listed last. */
  readonly #shown = new Map<string, Resolved>()
  readonly #pages = new PreparedPages()
  readonly #once = new Once()

  constructor(maps: LayerMaps) {
    this.#maps = maps
  }

  /** The old key of a new one, as listings showed it. */
  oldKey(list: ComponentList, key: string): string | undefined {
    return this.#tables.get(list)?.get(key)
  }

  /** A tool as it was listed last. */
  shownTool(name: string): Resolved | undefined {
    return this.#shown.get(name)
  }

  page(list: ComponentList, page: ListPage, request: ServerRequestContext): ListPage {
    const make = () => {
      const seen = new Set<string>()
      const items = itemsOf(list, page).flatMap((item) => {
        const mapped = this.map(list, item, request)
        if (mapped === undefined) return []
        const key = keyOf(list, mapped)
        if (seen.has(key)) {
          this.#report(
            `twice ${key}`,
            request,
            `Two of the ${factsOf(list).kind}s are named ${quote(key)} after a transform; the second is left out.`,
          )
          return []
        }
        seen.add(key)
        return [mapped]
      })
      return withItems(list, page, items, this.#maps.isPerCaller, request)
    }
    return this.#maps.isPerCaller ? make() : this.#pages.get([page], list, make)
  }

  /** A map that throws hides the component: a rule that fails must not show anything. */
  map(list: ComponentList, item: Component, request: ServerRequestContext): Component | undefined {
    const map = this.#maps.maps[list] as ComponentMap
    const kept = this.#mapped.get(list) ?? new WeakMap<Component, Component | null>()
    this.#mapped.set(list, kept)
    const known = this.#maps.isPerCaller ? undefined : kept.get(item)
    if (known !== undefined) return known ?? undefined
    let mapped: Component | undefined
    try {
      mapped = map(item, request)
    } catch (error) {
      this.#report(
        `threw ${keyOf(list, item)}`,
        request,
        `A transform threw for the ${factsOf(list).kind} ${quote(keyOf(list, item))}, so it is hidden.`,
        error,
      )
    }
    if (mapped !== undefined && mapped !== item) mapped = Object.freeze(mapped)
    if (mapped !== undefined && list === 'tools/list' && !this.#maps.isPerCaller) this.#show(item, mapped)
    if (!this.#maps.isPerCaller && Object.isFrozen(item)) kept.set(item, mapped ?? null)
    if (mapped !== undefined && keyOf(list, mapped) !== keyOf(list, item)) {
      const table = this.#tables.get(list) ?? new Map<string, string>()
      table.set(keyOf(list, mapped), keyOf(list, item))
      this.#tables.set(list, table)
    }
    return mapped
  }

  #show(item: Component, mapped: Component): void {
    const key = keyOf('tools/list', mapped)
    if (this.#shown.size >= MAX_SHOWN && !this.#shown.has(key)) this.#shown.clear()
    this.#shown.set(key, { old: keyOf('tools/list', item), item, mapped })
  }

  #report(key: string, request: ServerRequestContext, message: string, error?: unknown): void {
    if (!this.#once.isNew(key)) return
    const kind = error === undefined ? 'configuration-warning' : 'handler-failed'
    serverOfRequest(request).faults.report({ kind, message, ...(error !== undefined && { error }) })
  }
}
