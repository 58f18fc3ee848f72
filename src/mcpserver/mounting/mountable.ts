// What can be mounted in a server, as a source: other servers of this process, and sources of one's own.
import { MountedSource } from '../../compose/sources/mounted-source.ts'
import { putInFront, type Transform } from '../../compose/sources/transform.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKind, describeKind } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerCore } from '../../server/core.ts'
import { findCore } from '../../server/internals.ts'
import type { Server } from '../../server/server.ts'
import type { Source } from '../../server/source.ts'

/** What can be mounted: an `MCPServer`, a proxy or a gateway, a `Server`, or a source of one's own. */
export type Mountable = HasServer | Server | Source

interface HasServer {
  /** The low-level server of an `MCPServer`, a proxy or a gateway. */
  readonly server: Server
}

/** The servers that are mounted in a server, and how often, so that none is mounted in itself. */
const mountedIn = new WeakMap<ServerCore, Map<ServerCore, number>>()

/** Throws `TypeError` for what is none, and `RangeError` for a server that would be mounted in itself. */
export function sourceOf(target: Mountable, host: ServerCore): Source {
  if (typeof target !== 'object' || target === null) throw notMountable(target)
  const core = findCore('server' in target ? target.server : target)
  if (core === undefined) {
    if (isPlainObject(target) || typeof (target as Source).list === 'function') return foreign(target as Source, host)
    throw notMountable(target)
  }
  if (core === host || reaches(core, host))
    throw rangeError(
      'wrong-argument',
      `${quote(core.info.name)} can't be mounted in ${quote(host.info.name)}: that would mount a server in itself.`,
    )
  return new MountedSource(core)
}

/** Of one's own. */
function foreign(source: Source, host: ServerCore): Source {
  if (source.keepsResults !== true) host.hasForeignLayers = true
  return checkSource(source)
}

/** Each transform stands around those before it. */
export function applyAll(server: ServerCore, source: Source, transforms: readonly Transform[]): Source {
  return transforms.reduce((inner, transform) => {
    checkKind('Each transform', transform, 'function', "hide(['secret'])")
    return putInFront(server, inner, transform)
  }, source)
}

/** The child can't have the parent mounted in it any more, until `letGo`. */
export function keepMounted(parent: ServerCore, child: ServerCore): void {
  const children = mountedIn.get(parent) ?? new Map<ServerCore, number>()
  children.set(child, (children.get(child) ?? 0) + 1)
  mountedIn.set(parent, children)
}

/** Takes back one `keepMounted`. */
export function letGo(parent: ServerCore, child: ServerCore): void {
  const children = mountedIn.get(parent)
  const count = children?.get(child) ?? 0
  if (count > 1) children?.set(child, count - 1)
  else children?.delete(child)
}

/** Whether `wanted` is mounted in `core`, directly or around. */
function reaches(core: ServerCore, wanted: ServerCore): boolean {
  const children = mountedIn.get(core)
  return (
    children !== undefined && (children.has(wanted) || [...children.keys()].some((child) => reaches(child, wanted)))
  )
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
