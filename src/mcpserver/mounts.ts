// What is mounted in an `MCPServer`, and what is changed of it: both stand in front of its own components.
import type { CompositeSource } from '../compose/composite/composite-source.ts'
import type { Part, PartGuard } from '../compose/composite/part.ts'
import { addLayer } from '../compose/sources/layers.ts'
import { MountedSource } from '../compose/sources/mounted-source.ts'
import type { Transform } from '../compose/sources/transform.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { orderError, rangeError, typeError } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { checkKeys, checkKind, describeKind, type KnownKeys } from '../primitives/options.ts'
import { quote } from '../schema/json-schema.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import { findCore } from '../server/internals.ts'
import type { Server } from '../server/server.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../server/source.ts'
import type { SubscriptionListener } from '../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
import { createHandlerContext } from './handlers/context.ts'
import type { Host } from './handlers/host.ts'
import {
  type Access,
  type CompiledAccess,
  compileAccess,
  hasScopes,
  insufficientScope,
  isVisible,
} from './lists/access.ts'
import type { RegistrySource } from './registry-source.ts'

/** What can be mounted: an `MCPServer`, a proxy or a gateway, a `Server`, or a source of one's own. */
export type Mountable = HasServer | Server | Source

interface HasServer {
  /** The low-level server of an `MCPServer`, a proxy or a gateway. */
  readonly server: Server
}

/** Options of `server.mount()`. */
export interface ServerMountOptions<Life = unknown> extends Access<Life> {
  /** The namespace: tools and prompts are named `as_name` (default: none, names stay as they are). */
  as?: string | undefined
  /** Change what is mounted, before it gets its namespace. In order, the last outermost (default: none). */
  transforms?: readonly Transform[] | undefined
}

export const SERVER_MOUNT_KEYS: KnownKeys<ServerMountOptions> = {
  as: 'string',
  transforms: 'array',
  visible: true,
  scopes: true,
}

/** Returned by `server.mount()`: changes, disables or removes the mount. */
export interface MountHandle {
  /** False after `disable()`. Clients then see nothing of it. */
  readonly isEnabled: boolean
  /** Changes the namespace. Throws, and changes nothing, if a name is taken. */
  update(changes: { as?: string | undefined }): void
  /** Hides all of it until `enable()`. Calls that run go on. */
  disable(): void
  /** Shows it again after `disable()`. */
  enable(): void
  /** Removes it for good. Calls that run go on to their end. */
  remove(): void
}

interface Mount {
  readonly name: string
  readonly source: Source
  readonly guard: PartGuard | undefined
  namespace: string | undefined
  isEnabled: boolean
  part: Part | undefined
}

type NamedList = Extract<ListMethod, 'tools/list' | 'prompts/list'>

/** The servers that are mounted in a server, so that none is mounted in itself. */
const mountedIn = new WeakMap<ServerCore, Set<ServerCore>>()

export class Mounts implements Source {
  readonly interceptsToolCalls = true
  readonly takesVendorMethods = true
  readonly #host: Host
  readonly #own: RegistrySource
  readonly #listeners = new Map<SubscriptionListener, () => void>()
  #mounts: readonly Mount[] = []
  #top: Source = this
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
    const source = this.#sourceOf(target)
    const name = namespace ?? (source instanceof MountedSource ? source.core.info.name : 'the mounted source')
    const access = compileAccess(`the mount ${quote(name)}`, options as Access)
    const guard = access.visible === undefined && access.scopes === undefined ? undefined : this.#guardOf(access)
    const changed = applyAll(source, transforms)
    const mount: Mount = { name, source: changed, guard, namespace, isEnabled: true, part: undefined }
    const replaced = this.#checkNames(mount)
    this.#mounts = [...this.#mounts, mount]
    if (source instanceof MountedSource) keepMounted(this.#host.server, source.core)
    this.#own.serveMounted()
    this.#put(mount, replaced)
    return this.#handleOf(mount)
  }

  transform(transforms: readonly Transform[]): void {
    this.#top = applyAll(this.#top, transforms, (layer) => addLayer(this.#host.server, layer))
    this.#own.serveMounted()
    this.#host.server.changeSource(this.#top)
    for (const type of CHANGES) this.#host.announce(type)
  }

  /** Throws if a mount has the name; with `onDuplicate: 'replace'` it is the server's own from now on. */
  claim(list: NamedList, name: string): void {
    const owner = this.#mounts.find((mount) => mount.isEnabled && frontsOf(mount, list).has(name))
    if (owner === undefined) return
    if (this.#host.onDuplicate === 'error') throw duplicate(kindOf(list), name, owner.name, this.#host.server.info.name)
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
    const { createComposite } = await import('../compose/composite/create-composite.ts')
    const { server, pageSize } = this.#host
    const composite = createComposite({ pageSize, report: (fault) => server.faults.report(fault) })
    this.#ownPart = composite.add({ name: server.info.name, source: this.#own })
    this.#composite = composite
    for (const [listener, unwatch] of this.#listeners) {
      unwatch()
      this.#listeners.set(listener, composite.watch(listener))
    }
    return composite
  }

  #sourceOf(target: Mountable): Source {
    if (typeof target !== 'object' || target === null) throw notMountable(target)
    const core = findCore('server' in target ? target.server : target)
    if (core === undefined) {
      if (isPlainObject(target) || typeof (target as Source).list === 'function') return checkSource(target as Source)
      throw notMountable(target)
    }
    if (core === this.#host.server || reaches(core, this.#host.server))
      throw rangeError(
        'wrong-argument',
        `${quote(core.info.name)} can't be mounted in ${quote(this.#host.server.info.name)}: that would mount a server in itself.`,
      )
    return new MountedSource(core)
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
        if (this.#host.onDuplicate === 'error') throw duplicate(kindOf(list), front, owner, mount.name)
        taken.push([list, own])
      }
    }
    return taken
  }

  #guardOf(access: CompiledAccess): PartGuard {
    const sees = (request: ServerRequestContext) =>
      access.visible === undefined || isVisible(access, createHandlerContext(this.#host, request), this.#host)
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
        const { source } = mount
        if (source instanceof MountedSource) mountedIn.get(this.#host.server)?.delete(source.core)
      },
    }
  }
}

const NAMED_LISTS: readonly NamedList[] = ['tools/list', 'prompts/list']
const CHANGES = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const

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

function kindOf(list: NamedList): string {
  return list.slice(0, list.indexOf('s/'))
}

function applyAll(source: Source, transforms: readonly Transform[], onLayer?: (layer: Source) => void): Source {
  return transforms.reduce((inner, transform) => {
    checkKind('Each transform', transform, 'function', "hide(['secret'])")
    const layer = transform(inner)
    onLayer?.(layer)
    return layer
  }, source)
}

const NAMESPACE = /^[A-Za-z0-9_.-]{1,48}$/

function checkNamespace(namespace: unknown): void {
  if (typeof namespace === 'string' && NAMESPACE.test(namespace)) return
  throw rangeError(
    'bad-name',
    `The option as of mount() takes 1 to 48 letters, digits, "_", "-" and ".", not ${JSON.stringify(namespace)}.`,
  )
}

function keepMounted(parent: ServerCore, child: ServerCore): void {
  const children = mountedIn.get(parent) ?? new Set()
  children.add(child)
  mountedIn.set(parent, children)
}

/** Whether `wanted` is mounted in `core`, directly or around. */
function reaches(core: ServerCore, wanted: ServerCore): boolean {
  const children = mountedIn.get(core)
  return children !== undefined && (children.has(wanted) || [...children].some((child) => reaches(child, wanted)))
}

function checkSource(source: Source): Source {
  for (const member of ['describe', 'list', 'handle', 'watch'] as const) {
    if (typeof source[member] !== 'function') throw notMountable(source)
  }
  return source
}

function notMountable(target: unknown): TypeError {
  const isTarget = typeof target === 'string' || target instanceof URL || (isPlainObject(target) && 'command' in target)
  if (isTarget)
    return typeError(
      'wrong-argument',
      'mount() takes a server of this process. To mount a URL or a command, write mount(createProxy(target)) with createProxy from mcpwire/proxy.',
    )
  const given = isPlainObject(target) ? 'an object that is neither' : describeKind(target)
  return typeError('wrong-argument', `mount() takes a server or a source, not ${given}.`)
}

function duplicate(kind: string, name: string, owner: string, newer: string): RangeError {
  return rangeError(
    'duplicate-name',
    `The ${kind} ${quote(name)} of ${quote(newer)} has the name of a ${kind} of ${quote(owner)}. Mount it under another namespace, or set onDuplicate to 'replace'.`,
  )
}
