// Servers of this process that a gateway shows beside its sources: no connection stands between.
import type { CompositeSource } from '../../compose/composite/composite-source.ts'
import type { Part } from '../../compose/composite/part.ts'
import { type ComponentList, factsOf, NAMED_LISTS } from '../../compose/sources/lists.ts'
import { MountedSource } from '../../compose/sources/mounted-source.ts'
import { MCPServer } from '../../mcpserver/mcpserver.ts'
import {
  checkNamespace,
  type MountHandle,
  SERVER_MOUNT_KEYS,
  type ServerMountOptions,
} from '../../mcpserver/mounting/mount-options.ts'
import { keepMounted, letGo, type Mountable, sourceOf } from '../../mcpserver/mounting/mountable.ts'
import { orderError, rangeError } from '../../primitives/help.ts'
import { checkKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import { coreOf } from '../../server/internals.ts'
import type { Server } from '../../server/server.ts'

export class GatewayMounts {
  readonly #composite: CompositeSource
  readonly #server: Server
  readonly #mounted = new Set<Part>()

  constructor(composite: CompositeSource, server: Server) {
    this.#composite = composite
    this.#server = server
  }

  mount(target: Mountable, options: ServerMountOptions = {}): MountHandle {
    checkKeys('mount()', options, SERVER_MOUNT_KEYS)
    const { as, ...further } = options
    if (as !== undefined) checkNamespace(as)
    const core = coreOf(this.#server)
    const source = sourceOf(target, core)
    const name = as ?? (source instanceof MountedSource ? source.core.info.name : 'the mounted source')
    // A server around it has the means that a gateway lacks: access by caller, with the context of a handler.
    const shell = new MCPServer(name, { onFault: (fault) => core.faults.report(fault) })
    shell.mount(target, further)
    const child = coreOf(shell.server)
    const part = this.#composite.add({ name, source: new MountedSource(child), namespace: as, wraps: true })
    try {
      this.#checkNames(part, as)
    } catch (error) {
      this.#composite.remove(part)
      throw error
    }
    this.#mounted.add(part)
    keepMounted(core, child)
    return this.#handleOf(part, () => letGo(core, child))
  }

  /** Names that are known without asking anybody. Of what stands elsewhere the older owner keeps a name, once it is seen. */
  #checkNames(part: Part, namespace: string | undefined): void {
    for (const list of NAMED_LISTS) {
      for (const own of part.source.keys?.(list) ?? []) {
        const { front } = part.frontName(list, own, namespace)
        const owner = this.#composite.parts.find(
          (other) => other !== part && other.isEnabled && has(other, list, front),
        )
        if (owner === undefined) continue
        throw rangeError(
          'duplicate-name',
          `The ${factsOf(list).kind} ${quote(front)} of ${quote(part.name)} has the name of a ${factsOf(list).kind} of ${quote(owner.name)}. Mount it under another namespace.`,
        )
      }
    }
  }

  #handleOf(part: Part, gone: () => void): MountHandle {
    const requireHere = () => {
      if (!this.#mounted.has(part))
        throw orderError(`The mount ${quote(part.name)} has been removed. Mount it again instead.`)
    }
    const enable = (isEnabled: boolean) => {
      requireHere()
      this.#composite.setEnabled(part, isEnabled)
    }
    return {
      get isEnabled() {
        return part.isEnabled
      },
      disable: () => enable(false),
      enable: () => enable(true),
      update: (changes) => {
        requireHere()
        checkKeys('update() of a mount', changes, { as: 'string' })
        const { as } = changes
        if (as !== undefined) checkNamespace(as)
        this.#checkNames(part, as)
        this.#composite.rename(part, as)
      },
      remove: () => {
        if (!this.#mounted.delete(part)) return
        gone()
        this.#composite.remove(part)
      },
    }
  }
}

function has(part: Part, list: ComponentList, front: string): boolean {
  return (part.source.keys?.(list) ?? []).some((own) => part.frontName(list, own).front === front)
}
