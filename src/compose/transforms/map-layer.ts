// Changes components one by one, and leads calls by their new names to the old ones. What it hides can't be used.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { parseUriTemplate } from '../../primitives/uri-template/uri-template.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { forCallerAlone } from '../../server/results/caching.ts'
import type { Component, ListMethod, ListPage, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type HeaderAnnotation, readHeaderAnnotations } from '../../wire/headers/header-annotations.ts'
import { type ComponentList, factsOf, itemsOf, keyOf, listFacts } from '../sources/lists.ts'
import { renameError, renameResult, unknownName, unknownResource } from '../sources/unknown.ts'
import { findComponent, wholeList } from '../sources/whole-list.ts'
import { Layer } from './layer.ts'
import type { LayerMaps, Resolved } from './layer-maps.ts'
import { MappedComponents } from './mapped-components.ts'
import { Plans } from './plans.ts'

/** Which list a request takes its component from, and under which member it names it. */
const NAMED: Readonly<Record<string, readonly [ComponentList, 'name' | 'uri']>> = {
  'tools/call': ['tools/list', 'name'],
  'prompts/get': ['prompts/list', 'name'],
  'resources/read': ['resources/list', 'uri'],
  'resources/subscribe': ['resources/list', 'uri'],
}

/** A map that is the same for every caller reads nothing of a request; one that does after all throws. */
const NOBODY = undefined as unknown as ServerRequestContext

export class MapLayer extends Layer {
  readonly #maps: LayerMaps
  readonly #components: MappedComponents
  readonly #plans = new Plans()

  constructor(inner: Source, maps: LayerMaps) {
    super(inner)
    this.#maps = maps
    this.#components = new MappedComponents(maps)
  }

  override list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    const page = this.inner.list(list, request, cursor)
    if (listFacts(list) === undefined || this.#maps.maps[list as ComponentList] === undefined) return page
    const show = (found: ListPage) => this.#components.page(list as ComponentList, found, request)
    const { expected } = this.#maps
    if (expected === undefined) return whenDone(page, show)
    return whenDone(page, (found) => whenDone(expected.see(list, found, request, this.inner), () => show(found)))
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

  /** As it is shown to every caller. */
  override known(list: ListMethod, key: string): Component | undefined {
    const { maps, keyOf: keyOfOld, isPerCaller } = this.#maps
    const map = maps[list as ComponentList]
    if (map === undefined) return super.known(list, key)
    const old =
      keyOfOld === undefined ? key : this.inner.keys?.(list)?.find((one) => keyOfOld(list as never, one) === key)
    const item = old === undefined || isPerCaller ? undefined : super.known(list, old)
    try {
      return item && map(item, NOBODY)
    } catch {
      return undefined
    }
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
    const shown = isThenable(found) ? this.#components.shownTool(tool) : found
    if (shown === undefined) return undefined
    const [before, after] = [shown.item as Tool, shown.mapped as Tool]
    if (before.inputSchema === after.inputSchema) return this.inner.mirrored?.(shown.old, request)
    const reading = readHeaderAnnotations(after.inputSchema)
    return reading.ok ? reading.annotations : undefined
  }

  /** What a layer may hide from another caller is kept for this one alone. */
  #handleNamed(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    member: 'name' | 'uri',
    resolved?: Resolved,
  ): MaybePromise<JSONObject> {
    const answer = this.#answerNamed(request, method, params, list, member, resolved)
    const { isPerCaller, maps } = this.#maps
    const isForAll = maps['resources/list'] === undefined && maps['resources/templates/list'] === undefined
    if (!isPerCaller || isForAll || method !== 'resources/read') return answer
    return whenDone(answer, (result) => forCallerAlone(result, request.protocolVersion))
  }

  #answerNamed(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    member: 'name' | 'uri',
    resolved: Resolved | undefined,
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
        return this.#runAs(request, method, params, list, member, found.old, found)
      }
      if (member === 'name') return this.#runUnlisted(request, method, params, list, key)
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
    old: string,
    found?: Resolved,
  ): MaybePromise<JSONObject> {
    const key = params[member] as string
    if (old === key) return this.#run(request, method, params, list, member, found)
    const fail = (error: unknown): never => {
      throw renameError(error, factsOf(list).kind, old, key)
    }
    try {
      const result = this.#run(request, method, { ...params, [member]: old }, list, member, found)
      if (!isThenable(result)) return renameResult(result, old, key)
      return Promise.resolve(result).then((one) => renameResult(one, old, key), fail)
    } catch (error) {
      return fail(error)
    }
  }

  /** What lists don't show this caller, for its scopes for example: what is behind says why, unless the layer itself hides it. */
  #runUnlisted(
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    list: ComponentList,
    key: string,
  ): MaybePromise<JSONObject> {
    const old = this.#oldKey(list, key)
    if (old === undefined) throw unknownName(factsOf(list).kind, key)
    return whenDone(findComponent(this.inner, list, old, request), (item) => {
      const mapped = item && this.#components.map(list, item, request)
      if (item !== undefined && (mapped === undefined || keyOf(list, mapped) !== key))
        throw unknownName(factsOf(list).kind, key)
      return this.#runAs(request, method, params, list, 'name', old)
    })
  }

  /** The one old key that gets this new one, where the keys alone say it. */
  #oldKey(list: ComponentList, key: string): string | undefined {
    const { isDecidedByKey, keyOf: keyOfOld } = this.#maps
    if (isDecidedByKey !== true || keyOfOld === undefined) return undefined
    return this.inner.keys?.(list)?.find((old) => keyOfOld(list, old) === key)
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
    return call === undefined || method !== 'tools/call' ? go(params) : call(params, go, request, found?.item)
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
      fitting.length === 0 ||
      fitting.some((item) => this.#components.map('resources/templates/list', item, request) !== undefined)
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
    const old = this.#components.oldKey(list, key) ?? key
    return whenDone(this.#findInner(list, old, request), ({ item, inner }) => {
      const mapped = item && this.#components.map(list, item, request)
      const isOld = this.#maps.keepsOld === true && old === key
      if (item !== undefined && mapped !== undefined && (keyOf(list, mapped) === key || isOld))
        return { old, item, mapped, inner }
      if (isLast || this.#knowsKeys(list, key)) return undefined
      return whenDone(wholeList(this.inner, list, request), (pages) => {
        for (const page of pages) for (const one of itemsOf(list, page)) this.#components.map(list, one, request)
        return this.#components.oldKey(list, key) !== undefined ? this.#resolve(list, key, request, true) : undefined
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
