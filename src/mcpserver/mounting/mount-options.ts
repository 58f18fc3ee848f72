// The options of mounts, and what `mount()` returns.
import type { Transform } from '../../compose/sources/transform.ts'
import { rangeError } from '../../primitives/help.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { Access } from '../lists/access.ts'

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

const NAMESPACE = /^[A-Za-z0-9_.-]{1,48}$/

/** Throws `RangeError` for what cannot stand before names. */
export function checkNamespace(namespace: unknown): void {
  if (typeof namespace === 'string' && NAMESPACE.test(namespace)) return
  throw rangeError(
    'bad-name',
    `The option as of mount() takes 1 to 48 letters, digits, "_", "-" and ".", not ${JSON.stringify(namespace)}.`,
  )
}
