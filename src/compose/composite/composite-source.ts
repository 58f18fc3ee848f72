// Several sources as one: each name leads to the source that has it.

import type { Fault } from '../../dispatcher/fault.ts'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { Once } from '../../primitives/once.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { methodNotFound } from '../../server/results/method-not-found.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { NodeListener } from '../../server/subscriptions/node-bus.ts'
import type { SubscriptionEvent } from '../../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import { TurnChanges } from '../sources/list-changes.ts'
import { type ComponentList, factsOf, keyOf, listFacts } from '../sources/lists.ts'
import { renameError, renameResult, unknownName } from '../sources/unknown.ts'
import { findComponent } from '../sources/whole-list.ts'
import { CompositeLists } from './composite-lists.ts'
import { completeElsewhere, handleVendor, holdAll, interceptIfNeeded, readFirst, watchAll } from './composite-routes.ts'
import { mergeDescriptions } from './descriptions.ts'
import type { Naming } from './names.ts'
import { overlapOf } from './namespaces.ts'
import type { Found } from './owner-search.ts'
import { Part, type PartOptions } from './part.ts'

export interface CompositeOptions {
  readonly naming: Naming
  /** Most items on a page of a list; without it the pages of the sources decide. */
  readonly pageSize?: number | undefined
  /** Lists sources before a resource is read that none is known to have (default: no). */
  readonly learnsResources?: boolean | undefined
  /** Secrets for the tags of cursors, the same on all nodes (default: none). */
  readonly cursorSecrets?: readonly Uint8Array[] | undefined
  /** Gets what is wrong and belongs to no call. */
  readonly report: (fault: Fault) => void
  /** A source could not be listed. What it throws is the answer; else the source is left out (default: it is reported, once each). */
  readonly onListFailure?: ((name: string, error: unknown) => void) | undefined
  /** Which source answers a method that names no component. `undefined` for none. */
  readonly route?:
    | ((method: string, params: JSONObject, request: ServerRequestContext) => string | undefined)
    | undefined
}

export class CompositeSource implements Source {
  /** Parts that do so themselves are left to it; for all others it is done here. */
  readonly interceptsToolCalls = true
  readonly #options: CompositeOptions
  readonly #lists: CompositeLists
  readonly #watches = new Map<Part, () => void>()
  readonly #listeners = new Set<{ readonly notify: NodeListener }>()
  readonly #changes = new TurnChanges((event, isFromElsewhere) => this.#tellAll(event, isFromElsewhere))
  readonly #once = new Once()
  #parts: readonly Part[] = []
  #nextId = 0

  constructor(options: CompositeOptions) {
    this.#options = options
    this.#lists = new CompositeLists(() => this.#parts, {
      pageSize: options.pageSize,
      learnsResources: options.learnsResources,
      cursorSecrets: options.cursorSecrets,
      onListFailure: (part, error) => this.#listFailed(part, error),
      onMisfit: (part, list, item, problem) => this.#misfits(part, list, item, problem),
      onCollision: (list, front, newer, owner) => this.#collided(list, front, newer, owner),
    })
  }

  get parts(): readonly Part[] {
    return this.#parts
  }

  /** Adds a source after those that are there. Its names and the like must have been checked. */
  add(options: PartOptions): Part {
    const part = new Part(this, this.#nextId++, this.#options.naming, options)
    this.#parts = [...this.#parts, part]
    this.#watches.set(
      part,
      part.source.watch((event, isFromElsewhere?: boolean) => this.#heard(part, event, isFromElsewhere)),
    )
    // One that wraps another tells of it itself, once that one is loaded.
    if (options.wraps !== true) this.#announceAll()
    this.#warnOfOverlap(part)
    return part
  }

  remove(part: Part): void {
    if (!this.#parts.includes(part)) return
    this.#parts = this.#parts.filter((one) => one !== part)
    this.#watches.get(part)?.()
    this.#watches.delete(part)
    this.#lists.hasLost = true
    this.#changed(part)
  }

  setEnabled(part: Part, isEnabled: boolean): void {
    if (part.isEnabled === isEnabled) return
    part.isEnabled = isEnabled
    this.#changed(part)
  }

  rename(part: Part, namespace: string | undefined): void {
    if (part.namespace === namespace) return
    part.namespace = namespace
    this.#changed(part)
    this.#warnOfOverlap(part)
  }

  /** The name is that of this part from here on, whoever had it. */
  give(list: ComponentList, part: Part, own: string): void {
    this.#lists.give(list, part, own)
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const parts = this.#parts.filter((part) => part.isListed(request))
    let isPerCaller = this.#parts.some(({ isEnabled, guard }) => isEnabled && guard !== undefined)
    const described = parts.map(async (part) => {
      try {
        return { part, description: await part.source.describe(request) }
      } catch (error) {
        this.#listFailed(part, error)
        isPerCaller = true
        return { part, description: {} }
      }
    })
    const descriptions = await Promise.all(described)
    return mergeDescriptions(descriptions, isPerCaller)
  }

  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    if (listFacts(list) === undefined) throw methodNotFound(list)
    return whenDone(this.#lists.page(list as ComponentList, request, cursor), (page) => {
      if (page === undefined) throw methodNotFound(list)
      return page
    })
  }

  find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    if (listFacts(list) === undefined) return undefined
    const of = list as ComponentList
    return whenDone(this.#lists.resolve(of, key, request), (owned) => {
      const { owner: part, own = '' } = owned ?? {}
      if (part === undefined || !part.isListed(request)) return undefined
      return whenDone(findComponent(part.source, of, own, request), (item) => item && part.show(of, item, key))
    })
  }

  keys(list: ListMethod): readonly string[] | undefined {
    if (listFacts(list) === undefined) return undefined
    // Sources may still come.
    if (this.#parts.length === 0) return undefined
    const all: string[] = []
    for (const part of this.#parts.filter(({ isEnabled }) => isEnabled)) {
      const own = part.source.keys?.(list)
      // Of what stands elsewhere nobody knows it without asking.
      if (own === undefined) return undefined
      for (const name of own) all.push(part.frontName(list as ComponentList, name).front)
    }
    return all
  }

  fullName(list: ListMethod, name: string): string | undefined {
    return listFacts(list) && this.#lists.table(list as ComponentList).get(name)?.full
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    switch (method) {
      case 'tools/call':
        return this.#callNamed('tools/list', request, method, params)
      case 'prompts/get':
        return this.#callNamed('prompts/list', request, method, params)
      case 'resources/read':
        return readFirst(this.#parts, this.#lists, request, method, params)
      case 'resources/subscribe':
        return watchAll(this.#parts, this.#lists, request, method, params)
      case 'completion/complete':
        return completeElsewhere(this.#parts, this.#lists, request, method, params)
      default:
        return handleVendor(this.#parts, this.#options.route, request, method, params)
    }
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    const open = this.#parts.filter((part) => part.isOpen(request))
    await Promise.all(open.map(async ({ source }) => source.notify?.(request, method, params)))
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    const owned = this.#lists.resolve('tools/list', tool, request)
    if (isThenable(owned)) {
      // The call itself waits for the same search, and tells of its failure.
      Promise.resolve(owned).catch(() => {})
      return undefined
    }
    if (owned === undefined || !owned.owner.isListed(request)) return undefined
    return owned.owner.source.mirrored?.(owned.own, request)
  }

  hold(request: ServerRequestContext): MaybePromise<(() => void) | undefined> {
    return holdAll(this.#parts, request)
  }

  watch(notify: NodeListener): () => void {
    const listener = { notify }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ source }) => source.close?.()))
  }

  #callNamed(
    list: ComponentList,
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
  ): MaybePromise<JSONObject> {
    const front = params['name'] as string
    const owned = this.#lists.resolve(list, front, request)
    if (isThenable(owned))
      return Promise.resolve(owned).then((found) => this.#callOwned(list, request, method, params, found))
    return this.#callOwned(list, request, method, params, owned)
  }

  #callOwned(
    list: ComponentList,
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    owned: Found | undefined,
  ): MaybePromise<JSONObject> {
    const front = params['name'] as string
    const { kind } = factsOf(list)
    if (owned === undefined || !owned.owner.isOpen(request)) throw unknownName(kind, front)
    const { owner: part, own } = owned
    // Asking it again at once would count as one more failure.
    if (owned.failure !== undefined) throw owned.failure
    const fail = (error: unknown): never => {
      throw renameError(error, kind, own, front)
    }
    try {
      const result = interceptIfNeeded(part, request, method, params, (ctx, given) => {
        part.enter(ctx)
        return part.source.handle(ctx, method, own === front ? given : withName(given, own))
      })
      if (!isThenable(result)) return part.showResult(renameResult(result, own, front))
      return Promise.resolve(result).then((one) => part.showResult(renameResult(one, own, front)), fail)
    } catch (error) {
      return fail(error)
    }
  }

  #heard(part: Part, event: SubscriptionEvent, isFromElsewhere?: boolean): void {
    if (part.wraps) this.#changes.hold()
    const front = event.type === 'resourceUpdated' ? { ...event, uri: part.frontUri(event.uri) } : event
    this.#changes.add(front, isFromElsewhere)
    if (event.type !== 'resourceUpdated' && event.type !== 'extensionChanged') this.#lists.changed(part)
  }

  #changed(part: Part): void {
    this.#lists.forget(part)
    this.#announceAll()
  }

  #announceAll(): void {
    for (const type of LIST_CHANGES) this.#changes.add({ type })
  }

  #tellAll(event: SubscriptionEvent, isFromElsewhere?: boolean): void {
    for (const { notify } of [...this.#listeners]) notify(event, isFromElsewhere)
  }

  #listFailed(part: Part, error: unknown): void {
    const { onListFailure } = this.#options
    if (onListFailure !== undefined) {
      onListFailure(part.name, error)
      return
    }
    this.#report(`failed ${part.id}`, {
      kind: 'handler-failed',
      message: `The mounted source ${quote(part.name)} can't be listed. What it offers is left out until it can.`,
      error,
    })
  }

  #misfits(part: Part, list: ComponentList, item: Component, problem: string): void {
    const key = keyOf(list, item)
    this.#report(`misfit ${part.id} ${list} ${key}`, {
      kind: 'invalid-message',
      message: `The ${factsOf(list).kind} ${quote(key)} of ${quote(part.name)} is left out, since it is not formed as clients expect: ${problem}`,
    })
  }

  #collided(list: ComponentList, front: string, newer: Part, owner: Part): void {
    const { kind } = factsOf(list)
    this.#report(`${list} ${front}`, {
      kind: 'configuration-warning',
      message: `The ${kind} ${quote(front)} of ${quote(newer.name)} is left out: ${quote(owner.name)} has that name already.`,
      remedy: "Mount one of them under another namespace, or set naming.onCollision to 'prefix'.",
    })
  }

  #warnOfOverlap(part: Part): void {
    const [shorter, longer] = overlapOf(this.#parts, part) ?? []
    if (shorter === undefined || longer === undefined) return
    this.#report(`overlap ${shorter.namespace} ${longer.namespace}`, {
      kind: 'configuration-warning',
      message: `The namespace ${quote(longer.namespace as string)} begins as names of ${quote(shorter.name)} do. Names that begin with it belong to ${quote(longer.name)}; such names of ${quote(shorter.name)} are left out.`,
      remedy: 'Give one of them another namespace, or set another naming.separator.',
    })
  }

  #report(facts: string, fault: Fault): void {
    if (this.#once.isNew(facts)) this.#options.report(fault)
  }
}

/** In two steps: V8 takes several times as long for one literal with both. */
function withName(params: JSONObject, name: string): JSONObject {
  const named = { ...params }
  named['name'] = name
  return named
}
