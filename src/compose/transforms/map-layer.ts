// Changes components one by one, and leads calls by their new names to the old ones. What it hides can't be used.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { parseUriTemplate } from '../../primitives/uri-template/uri-template.ts'
import { quote } from '../../schema/json-schema.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListMethod, ListPage, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type HeaderAnnotation, readHeaderAnnotations } from '../../wire/headers/header-annotations.ts'
import { type ComponentList, factsOf, itemsOf, keyOf, listFacts, restOf } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import { renameUnknown, unknownName, unknownResource } from '../sources/unknown.ts'
import { findComponent, wholeList } from '../sources/whole-list.ts'
import { Layer } from './layer.ts'
import { Plans } from './plans.ts'

/** Another form of a component; `undefined` hides it. It must not change the one it is given. */
export type ComponentMap = (item: Component, request: ServerRequestContext) => Component | undefined

/** Around a call of a tool: `params` as the caller sent them, `tool` as the inner source lists it. */
export type CallMap = (
  params: JSONObject,
  next: (params: JSONObject) => MaybePromise<JSONObject>,
  request: ServerRequestContext,
) => MaybePromise<JSONObject>

export interface LayerMaps {
  readonly maps: Partial<Record<ComponentList, ComponentMap>>
  readonly call?: CallMap | undefined
  /** Whether the outcome depends on the caller: then nothing is kept, and lists are private. */
  readonly isPerCaller: boolean
  /** Names that must be there, by list. */
  readonly expected?: Partial<Record<ComponentList, readonly string[]>> | undefined
  /** The new key of an old one, where that is known without the component. */
  readonly keyOf?: ((list: ComponentList, key: string) => string | undefined) | undefined
  /** Old keys that work as well. */
  readonly keepsOld?: boolean | undefined
}

const MAX_SHOWN = 100_000

/** Which list a request takes its component from, and under which member it names it. */
const NAMED: Readonly<Record<string, readonly [ComponentList, 'name' | 'uri']>> = {
  'tools/call': ['tools/list', 'name'],
  'prompts/get': ['prompts/list', 'name'],
  'resources/read': ['resources/list', 'uri'],
  'resources/subscribe': ['resources/list', 'uri'],
}

/** What a key in front stands for. */
export interface Resolved {
  readonly old: string
  readonly item: Component
  readonly mapped: Component
  /** What `old` stands for in the layer behind. */
  readonly inner?: Resolved | undefined
}

export class MapLayer extends Layer {
  readonly #maps: LayerMaps
  /** By list: new keys to old ones, as listings showed them. */
  readonly #tables = new Map<ComponentList, Map<string, string>>()
  readonly #mapped = new Map<ComponentList, WeakMap<Component, Component | null>>()
  /** By new name: the tools that were listed last. */
  readonly #shown = new Map<string, Resolved>()
  readonly #pages = new PreparedPages()
  readonly #plans = new Plans()
  readonly #reported = new Set<string>()

  constructor(inner: Source, maps: LayerMaps) {
    super(inner)
    this.#maps = maps
  }

  override list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    const page = this.inner.list(list, request, cursor)
    if (listFacts(list) === undefined || this.#maps.maps[list as ComponentList] === undefined) return page
    return whenDone(page, (found) => this.#mapPage(list as ComponentList, found, request, cursor))
  }

  override find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    const of = list as ComponentList
    if (this.#maps.maps[of] === undefined) return findComponent(this.inner, of, key, request)
    return whenDone(this.#resolve(of, key, request), (found) => found?.mapped)
  }

  override keys(list: ListMethod): readonly string[] | undefined {
    const keys = this.inner.keys?.(list)
    const { maps, keyOf: keyOfOld } = this.#maps
    if (keys === undefined || maps[list as ComponentList] === undefined) return keys
    return keyOfOld && keys.flatMap((key) => keyOfOld(list as ComponentList, key) ?? [])
  }

  override fullName(): undefined {
    return undefined
  }

  override handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    const named = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined
    if (named !== undefined) return this.#handleNamed(request, method, params, ...named)
    const ref = params['ref']
    if (!isPlainObject(ref) || method !== 'completion/complete') return this.inner.handle(request, method, params)
    const isPrompt = ref['type'] === 'ref/prompt'
    const member = isPrompt ? 'name' : 'uri'
    const list = isPrompt ? 'prompts/list' : 'resources/templates/list'
    if (this.#maps.maps[list] === undefined) return this.inner.handle(request, method, params)
    return whenDone(this.#resolve(list, ref[member] as string, request), (found) => {
      if (found === undefined) throw new MCPError(ErrorCode.InvalidParams, 'Unknown prompt or resource template')
      return this.inner.handle(request, method, { ...params, ref: { ...ref, [member]: found.old } })
    })
  }

  override mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    if (this.#maps.maps['tools/list'] === undefined) return this.inner.mirrored?.(tool, request)
    const found = this.#resolve('tools/list', tool, request)
    // What stands elsewhere is not looked up in time: then the last listing says how the tool is called there.
    const shown = isThenable(found) ? this.#shown.get(tool) : found
    if (shown === undefined) return undefined
    const [before, after] = [shown.item as Tool, shown.mapped as Tool]
    if (before.inputSchema === after.inputSchema) return this.inner.mirrored?.(shown.old, request)
    const reading = readHeaderAnnotations(after.inputSchema)
    return reading.ok ? reading.annotations : undefined
  }

  #handleNamed(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    member: 'name' | 'uri',
    resolved?: Resolved,
  ): MaybePromise<JSONObject> {
    const { maps } = this.#maps
    const isUnmapped = maps[list] === undefined
    if (isUnmapped && (member === 'name' || maps['resources/templates/list'] === undefined)) {
      return this.#run(request, method, params, list, member)
    }
    const key = params[member] as string
    if (resolved === undefined) {
      const planned = this.#plans.run(list, key, request, method, params, member)
      if (planned !== undefined) return planned
    }
    return whenDone(resolved ?? this.#resolve(list, key, request), (found) => {
      if (found !== undefined) {
        if (resolved === undefined) this.#plans.keep(list, key, this, found)
        return this.#runAs(request, method, params, list, member, found)
      }
      if (member === 'name') throw unknownName(factsOf(list).kind, key)
      return whenDone(this.#isShownByTemplate(request, key), (isShown) => {
        if (!isShown) throw unknownResource(key, request.protocolVersion)
        return this.#run(request, method, params, list, member)
      })
    })
  }

  /** The maps of this layer, and the layer behind that it has asked for `found`. */
  step({ inner }: Resolved): {
    readonly maps: LayerMaps
    readonly source: Source
    readonly next: MapLayer | undefined
  } {
    return { maps: this.#maps, source: this.inner, next: inner === undefined ? undefined : asMapLayer(this.inner) }
  }

  #runAs(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    member: 'name' | 'uri',
    found: Resolved,
  ): MaybePromise<JSONObject> {
    const key = params[member] as string
    if (found.old === key) return this.#run(request, method, params, list, member, found)
    const fail = (error: unknown): never => {
      throw renameUnknown(error, factsOf(list).kind, found.old, key)
    }
    try {
      const result = this.#run(request, method, { ...params, [member]: found.old }, list, member, found)
      return isThenable(result) ? Promise.resolve(result).catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }

  /** With `found`, the layers behind need not look for the component again: each has found it for this one. */
  #run(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    member: 'name' | 'uri',
    found?: Resolved,
  ): MaybePromise<JSONObject> {
    const { inner } = this
    const mapped = asMapLayer(inner)
    const { call } = this.#maps
    const go = (given: JSONObject) =>
      mapped !== undefined && found?.inner !== undefined && given[member] === found.old
        ? mapped.#handleNamed(request, method, given, list, member, found.inner)
        : inner.handle(request, method, given)
    return call === undefined || method !== 'tools/call' ? go(params) : call(params, go, request)
  }

  /** A resource that is not listed: hidden with the resource itself, or with every template that it fits. */
  async #isShownByTemplate(request: ServerRequestContext, uri: string): Promise<boolean> {
    const { maps } = this.#maps
    if (maps['resources/list'] !== undefined) {
      const item = await findComponent(this.inner, 'resources/list', uri, request)
      if (item !== undefined) return false
    }
    if (maps['resources/templates/list'] === undefined) return true
    const pages = await wholeList(this.inner, 'resources/templates/list', request)
    const fitting = pages.flatMap((page) => itemsOf('resources/templates/list', page)).filter((item) => fits(item, uri))
    return (
      fitting.length === 0 || fitting.some((item) => this.#map('resources/templates/list', item, request) !== undefined)
    )
  }

  #findInner(
    list: ComponentList,
    key: string,
    request: ServerRequestContext,
  ): MaybePromise<{ item: Component | undefined; inner?: Resolved | undefined }> {
    const { inner } = this
    const mapped = asMapLayer(inner)
    if (mapped !== undefined && mapped.#maps.maps[list] !== undefined)
      return whenDone(mapped.#resolve(list, key, request), (found) => ({ item: found?.mapped, inner: found }))
    return whenDone(findComponent(inner, list, key, request), (item) => ({ item }))
  }

  /** What a new key stands for, if the caller has it. */
  #resolve(
    list: ComponentList,
    key: string,
    request: ServerRequestContext,
    isLast = false,
  ): MaybePromise<Resolved | undefined> {
    const old = this.#tables.get(list)?.get(key) ?? key
    return whenDone(this.#findInner(list, old, request), ({ item, inner }) => {
      const mapped = item && this.#map(list, item, request)
      const isOld = this.#maps.keepsOld === true && old === key
      if (item !== undefined && mapped !== undefined && (keyOf(list, mapped) === key || isOld))
        return { old, item, mapped, inner }
      if (isLast || this.#knowsKeys(list, key)) return undefined
      return whenDone(wholeList(this.inner, list, request), (pages) => {
        for (const page of pages) for (const one of itemsOf(list, page)) this.#map(list, one, request)
        return this.#tables.get(list)?.has(key) === true ? this.#resolve(list, key, request, true) : undefined
      })
    })
  }

  /** Whether no listing could show that another component has this key. */
  #knowsKeys(list: ComponentList, key: string): boolean {
    const { keyOf: keyOfOld } = this.#maps
    if (keyOfOld === undefined) return false
    const keys = this.inner.keys?.(list)
    return keys !== undefined && !keys.some((old) => keyOfOld(list, old) === key)
  }

  #mapPage(list: ComponentList, page: ListPage, request: ServerRequestContext, cursor: string | undefined): ListPage {
    this.#checkExpected(list, page, request, cursor)
    const make = () => {
      const seen = new Set<string>()
      const items = itemsOf(list, page).flatMap((item) => {
        const mapped = this.#map(list, item, request)
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
      const isPrivate = this.#maps.isPerCaller && restOf(list, page)['cacheScope'] !== undefined
      const made = Object.freeze({
        ...page,
        [factsOf(list).member]: Object.freeze(items),
        ...(isPrivate && { cacheScope: 'private' }),
      }) as unknown as ListPage
      serverOfRequest(request).prepared.add(made)
      return made
    }
    return this.#maps.isPerCaller ? make() : this.#pages.get([page], list, make)
  }

  /** A map that throws hides the component: a rule that fails must not show anything. */
  #map(list: ComponentList, item: Component, request: ServerRequestContext): Component | undefined {
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

  /** Names of components that are not there: told once, when the list is seen. */
  #checkExpected(list: ComponentList, page: ListPage, request: ServerRequestContext, cursor: string | undefined): void {
    const expected = this.#maps.expected?.[list]
    if (expected === undefined || cursor !== undefined || page.nextCursor !== undefined) return
    const keys = new Set(itemsOf(list, page).map((item) => keyOf(list, item)))
    for (const name of expected) {
      if (keys.has(name) || this.#reported.has(`absent ${name}`)) continue
      this.#report(
        `absent ${name}`,
        request,
        `A transform names the ${factsOf(list).kind} ${quote(name)}, which is not there.`,
      )
    }
  }

  #report(key: string, request: ServerRequestContext, message: string, error?: unknown): void {
    if (this.#reported.has(key) || this.#reported.size > 1_000) return
    this.#reported.add(key)
    const kind = error === undefined ? 'configuration-warning' : 'handler-failed'
    serverOfRequest(request).faults.report({ kind, message, ...(error !== undefined && { error }) })
  }
}

function fits(item: Component, uri: string): boolean {
  try {
    return parseUriTemplate(keyOf('resources/templates/list', item)).match(uri) !== undefined
  } catch {
    return false
  }
}

/** Outside of the class: a bundler renames a class whose body mentions its own name. */
function asMapLayer(source: Source): MapLayer | undefined {
  return source instanceof MapLayer ? source : undefined
}
