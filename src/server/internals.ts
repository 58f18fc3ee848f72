// From a server, as its author sees it, to what the modules of this package see of it. A file of its own, without the class: who
// only looks for a server does not load one.
import type { ServerCore } from './core.ts'
import type { Server } from './server.ts'

const cores = new WeakMap<object, ServerCore>()

/** Called by the constructor of `Server`. */
export function keepCore(server: Server, core: ServerCore): void {
  cores.set(server, core)
}

/** `undefined` for anything else than a server, and for a server of another copy of this package. */
export function findCore(server: object): ServerCore | undefined {
  return cores.get(server)
}

/** As `findCore`, for what is known to be a server of this copy. */
export function coreOf(server: Server): ServerCore {
  return findCore(server) as ServerCore
}
