// Several sources as one: each name leads to the source that has it.

import type { Fault } from '../../dispatcher/fault.ts'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { methodNotFound } from '../../server/runner.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { NodeListener } from '../../server/subscriptions/node-bus.ts'
import type { SubscriptionEvent } from '../../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import { TurnChanges } from '../sources/list-changes.ts'
import { type ComponentList, factsOf, listFacts } from '../sources/lists.ts'
import { renameUnknown, unknownName } from '../sources/unknown.ts'
import { findComponent } from '../sources/whole-list.ts'
import { CompositeLists } from './composite-lists.ts'
import { completeElsewhere, handleVendor, interceptIfNeeded, readFirst, watchAll } from './composite-routes.ts'
import { mergeDescriptions } from './descriptions.ts'
import type { Naming } from './names.ts'
import { Part, type PartOptions } from './part.ts'

export interface CompositeOptions {
  readonly naming: Naming
  /** Most items on a page of a list; without it the pages of the sources decide. */
  readonly pageSize?: number | undefined
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
  readonly #reported = new Set<string>()
  #parts: readonly Part[] = []
  #nextId = 0

  constructor(options: CompositeOptions) {
    this.#options = options
    this.#lists = new CompositeLists(() => this.#parts, {
      pageSize: options.pageSize,
      onListFailure: (part, error) => this.#listFailed(part, error),
      onCollision: (list, front, newer, owner) => this.#collided(list, front, newer, owner),
    })
  }

  get parts(): readonly Part[] {
    return this.#parts
  }

  /** Adds a source after those that are there. Its names and the like must have been checked. */
  add(options: PartOptions): Part {
    const part = new Part(this.#nextId++, this.#options.naming, options)
    this.#parts = [...this.#parts, part]
    this.#watches.set(
      part,
      part.source.watch((event, isFromElsewhere?: boolean) => this.#heard(part, event, isFromElsewhere)),
    )
    this.#announceAll()
    return part
  }

  remove(part: Part): void {
    if (!this.#parts.includes(part)) return
    this.#parts = this.#parts.filter((one) => one !== part)
    this.#watches.get(part)?.()
    this.#watches.delete(part)
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
  }

  /** The name is that of this part from here on, whoever had it. */
  give(list: ComponentList, part: Part, own: string): void {
    this.#lists.give(list, part, own)
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const parts = this.#parts.filter((part) => part.isListed(request))
    const described = parts.map(async (part) => {
      try {
        return { part, description: await part.source.describe(request) }
      } catch (error) {
        this.#listFailed(part, error)
        return { part, description: {} }
      }
    })
    return mergeDescriptions(await Promise.all(described))
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
    owned: { readonly owner: Part; readonly own: string } | undefined,
  ): MaybePromise<JSONObject> {
    const front = params['name'] as string
    const { kind } = factsOf(list)
    if (owned === undefined || !owned.owner.isOpen(request)) throw unknownName(kind, front)
    const { owner: part, own } = owned
    const fail = (error: unknown): never => {
      throw renameUnknown(error, kind, own, front)
    }
    try {
      const result = interceptIfNeeded(part, request, method, params, (ctx, given) =>
        part.source.handle(ctx, method, own === front ? given : { ...given, name: own }),
      )
      if (!isThenable(result)) return part.showResult(result)
      return Promise.resolve(result).then((one) => part.showResult(one), fail)
    } catch (error) {
      return fail(error)
    }
  }

  #heard(part: Part, event: SubscriptionEvent, isFromElsewhere?: boolean): void {
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

  #collided(list: ComponentList, front: string, newer: Part, owner: Part): void {
    const { kind } = factsOf(list)
    this.#report(`${list} ${front}`, {
      kind: 'configuration-warning',
      message: `The ${kind} ${quote(front)} of ${quote(newer.name)} is left out: ${quote(owner.name)} has that name already.`,
      remedy: "Mount one of them under another namespace, or set naming.onCollision to 'prefix'.",
    })
  }

  #report(key: string, fault: Fault): void {
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) return
    this.#reported.add(key)
    this.#options.report(fault)
  }
}

const MAX_REPORTED = 10_000
