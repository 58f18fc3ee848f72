// What is mounted in an `MCPServer`, and what is changed of it: both stand in front of its own components.

import type { CompositeSource } from '../compose/composite/composite-source.ts'
import type { Part, PartGuard } from '../compose/composite/part.ts'
import { knownComponent } from '../compose/sources/known.ts'
import { factsOf, NAMED_LISTS, type NamedList } from '../compose/sources/lists.ts'
import { MountedSource } from '../compose/sources/mounted-source.ts'
import { type Movable, makerOfBelow, type Transform } from '../compose/sources/transform.ts'
import type { Fault } from '../dispatcher/fault.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { orderError, rangeError } from '../primitives/help.ts'
import { loading } from '../primitives/loading.ts'
import { checkKeys } from '../primitives/options.ts'
import { quote } from '../schema/json-schema.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../server/source.ts'
import type { SubscriptionListener } from '../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
import { LIST_CHANGES } from '../wire/method-rows.ts'
import type { Host } from './handlers/host.ts'
import { type CompiledAccess, compileAccess, hasScopes, insufficientScope, isVisible } from './lists/access.ts'
import {
  checkNamespace,
  type MountHandle,
  SERVER_MOUNT_KEYS,
  type ServerMountOptions,
} from './mounting/mount-options.ts'
import { applyAll, keepMounted, letGo, type Mountable, sourceOf } from './mounting/mountable.ts'
import type { RegistrySource } from './registry-source.ts'
import { calling } from './values/calling.ts'

interface Mount {
  readonly name: string
  readonly source: Source
  /** Of a server that is mounted itself. */
  readonly core: ServerCore | undefined
  readonly guard: PartGuard | undefined
  namespace: string | undefined
  isEnabled: boolean
  part: Part | undefined
}

export class Mounts implements Source {
  readonly interceptsToolCalls = true
  readonly takesVendorMethods = true
  readonly #host: Host
  readonly #own: RegistrySource
  readonly #listeners = new Map<SubscriptionListener, () => void>()
  #mounts: readonly Mount[] = []
  #top: Source = this
  /** Below what stays outermost. */
  #below: Movable | undefined
  #composite: CompositeSource | undefined
  #ownPart: Part | undefined
  #loading: Promise<CompositeSource> | undefined

  constructor(host: Host, own: RegistrySource) {
    this.#host = host
    this.#own = own
    host.server.changeSource(this)
  }

  mount(target: Mountable, options: ServerMountOptions = {}): MountHandle {
    checkKeys('mount()', options, SERVER_MOUNT_KEYS)
    const { as: namespace, transforms = [] } = options
    if (namespace !== undefined) checkNamespace(namespace)
    const source = sourceOf(target, this.#host.server)
    const core = source instanceof MountedSource ? source.core : undefined
    const name = namespace ?? core?.info.name ?? 'the mounted source'
    const access = compileAccess(`the mount ${quote(name)}`, options)
    const guard = access.visible === undefined && access.scopes === undefined ? undefined : this.#guardOf(access)
    const changed = applyAll(this.#host.server, source, transforms)
    const mount: Mount = { name, source: changed, core, guard, namespace, isEnabled: true, part: undefined }
    const replaced = this.#checkNames(mount)
    this.#mounts = [...this.#mounts, mount]
    if (core !== undefined) keepMounted(this.#host.server, core)
    this.#own.serveMounted()
    this.#put(mount, replaced)
    return this.#handleOf(mount)
  }

  transform(transforms: readonly Transform[]): void {
    const { server } = this.#host
    const inside = applyAll(
      server,
      this.#below?.source ?? this.#top,
      transforms.filter((one) => makerOfBelow(one) === undefined),
    )
    const outside = transforms.filter((one) => makerOfBelow(one) !== undefined)
    const below = this.#below ?? outside.map(makerOfBelow)[0]?.(inside)
    const bottom = this.#below === undefined ? (below ?? inside) : this.#top
    this.#top = applyAll(server, bottom, outside)
    this.#below = below
    if (below !== undefined) below.source = inside
    this.#own.serveMounted()
    this.#host.server.changeSource(this.#top)
    for (const type of LIST_CHANGES) this.#host.announce(type)
  }

  /** Throws if a mount has the name; with `onDuplicate: 'replace'` it is the server's own from now on. */
  claim(list: NamedList, name: string): void {
    const owner = this.#mounts.find((mount) => mount.isEnabled && frontsOf(mount, list).has(name))
    if (owner === undefined) return
    if (this.#host.onDuplicate === 'error')
      throw duplicate(factsOf(list).kind, name, owner.name, this.#host.server.info.name)
    if (this.#ownPart !== undefined) this.#composite?.give(list, this.#ownPart, name)
  }

  describe(request: ServerRequestContext): MaybePromise<SourceDescription> {
    return this.#ask((source) => source.describe(request))
  }

  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    return this.#ask((source) => source.list(list, request, cursor))
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    return this.#ask((source) => source.handle(request, method, params))
  }

  find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    return this.#ask((source) => source.find?.(list, key, request))
  }

  /** `undefined` where something mounted stands elsewhere, so that nobody knows its names without a request. */
  keys(list: ListMethod): readonly string[] | undefined {
    const own = this.#own.keys(list)
    const mounted = this.#mounts.filter(({ isEnabled }) => isEnabled)
    if (mounted.some(({ source }) => source.keys?.(list) === undefined)) return undefined
    return [...own, ...mounted.flatMap((mount) => [...frontsOf(mount, list)])]
  }

  known(list: ListMethod, key: string): Component | undefined {
    const own = this.#own.known(list, key)
    if (own !== undefined) return own
    for (const mount of this.#mounts) {
      const name = mount.isEnabled ? mount.source.keys?.(list)?.find((one) => frontOf(mount, one) === key) : undefined
      if (name !== undefined) return knownComponent(mount.source, list, name)
    }
    return undefined
  }

  fullName(list: ListMethod, name: string): string | undefined {
    return this.#composite?.fullName(list, name)
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    await this.#ask((source) => source.notify?.(request, method, params))
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return (this.#composite ?? this.#own).mirrored?.(tool, request)
  }

  watch(listener: SubscriptionListener): () => void {
    this.#listeners.set(listener, (this.#composite ?? this.#own).watch(listener))
    return () => {
      this.#listeners.get(listener)?.()
      this.#listeners.delete(listener)
    }
  }

  hold(request: ServerRequestContext): MaybePromise<(() => void) | undefined> {
    return this.#composite?.hold(request)
  }

  async close(): Promise<void> {
    await this.#composite?.close()
  }

  /** Without mounts, its own components are all there is. */
  #ask<T>(question: (source: Source) => MaybePromise<T>): MaybePromise<T> {
    if (this.#composite !== undefined) return question(this.#composite)
    return this.#loading === undefined ? question(this.#own) : this.#loading.then(question)
  }

  #put(mount: Mount, replaced: readonly (readonly [NamedList, string])[]): void {
    const put = (composite: CompositeSource) => {
      if (!this.#mounts.includes(mount)) return
      const { name, namespace, source, guard } = mount
      mount.part = composite.add({ name, namespace, source, guard })
      if (!mount.isEnabled) composite.setEnabled(mount.part, false)
      for (const [list, own] of replaced) composite.give(list, mount.part, own)
    }
    if (this.#composite !== undefined) {
      put(this.#composite)
      return
    }
    this.#loading ??= this.#load()
    const loading = this.#loading.then(put)
    // The next start fails with it, too.
    loading.catch(() => {})
    this.#host.server.startsAfter(loading)
  }

  /** Loaded here: a server that mounts nothing does without. */
  async #load(): Promise<CompositeSource> {
    const { createComposite } = await loading(import('../compose/composite/create-composite.ts'))
    const { server, pageSize, secrets } = this.#host
    const report = (fault: Fault) => server.faults.report(fault)
    const composite = createComposite({ pageSize, cursorSecrets: secrets, report })
    this.#ownPart = composite.add({ name: server.info.name, source: this.#own })
    this.#composite = composite
    for (const [listener, unwatch] of this.#listeners) {
      unwatch()
      this.#listeners.set(listener, composite.watch(listener))
    }
    return composite
  }

  /** The names that the mount takes from others; throws where it must not. */
  #checkNames(mount: Mount): (readonly [NamedList, string])[] {
    const taken: (readonly [NamedList, string])[] = []
    for (const list of NAMED_LISTS) {
      const owners = new Map(this.#own.keys(list).map((name) => [name, this.#host.server.info.name]))
      for (const other of this.#mounts) {
        if (other === mount || !other.isEnabled) continue
        for (const front of frontsOf(other, list)) owners.set(front, other.name)
      }
      for (const own of mount.source.keys?.(list) ?? []) {
        const front = frontOf(mount, own)
        const owner = owners.get(front)
        if (owner === undefined) continue
        if (this.#host.onDuplicate === 'error') throw duplicate(factsOf(list).kind, front, owner, mount.name)
        taken.push([list, own])
      }
    }
    return taken
  }

  #guardOf(access: CompiledAccess): PartGuard {
    const sees = (request: ServerRequestContext) =>
      access.visible === undefined ||
      isVisible(access, calling.loaded.createHandlerContext(this.#host, request), this.#host)
    return {
      isListed: (request) => hasScopes(access, request) && sees(request),
      check: (request) => {
        if (!sees(request)) return false
        if (!hasScopes(access, request)) throw insufficientScope(access.scopes ?? [])
        return true
      },
    }
  }

  #handleOf(mount: Mount): MountHandle {
    const requireHere = () => {
      if (!this.#mounts.includes(mount))
        throw orderError(`The mount ${quote(mount.name)} has been removed. Mount it again instead.`)
    }
    const enable = (isEnabled: boolean) => {
      requireHere()
      mount.isEnabled = isEnabled
      if (mount.part !== undefined) this.#composite?.setEnabled(mount.part, isEnabled)
    }
    return {
      get isEnabled() {
        return mount.isEnabled
      },
      disable: () => enable(false),
      enable: () => enable(true),
      update: (changes) => {
        requireHere()
        checkKeys('update() of a mount', changes, { as: 'string' })
        const { as: namespace } = changes
        if (namespace !== undefined) checkNamespace(namespace)
        this.#checkNames({ ...mount, namespace })
        mount.namespace = namespace
        if (mount.part !== undefined) this.#composite?.rename(mount.part, namespace)
      },
      remove: () => {
        if (!this.#mounts.includes(mount)) return
        this.#mounts = this.#mounts.filter((one) => one !== mount)
        if (mount.part !== undefined) this.#composite?.remove(mount.part)
        if (mount.core !== undefined) letGo(this.#host.server, mount.core)
      },
    }
  }
}

/** Whole names: two that differ are never cut to the same. */
function frontsOf(mount: Mount, list: ListMethod): ReadonlySet<string> {
  return new Set(
    (mount.source.keys?.(list) ?? []).map((own) =>
      (NAMED_LISTS as readonly string[]).includes(list) ? frontOf(mount, own) : own,
    ),
  )
}

function frontOf({ namespace }: Mount, own: string): string {
  return namespace === undefined ? own : `${namespace}_${own}`
}

function duplicate(kind: string, name: string, owner: string, newer: string): RangeError {
  return rangeError(
    'duplicate-name',
    `The ${kind} ${quote(name)} of ${quote(newer)} has the name of a ${kind} of ${quote(owner)}. Mount it under another namespace, or set onDuplicate to 'replace'.`,
  )
}
