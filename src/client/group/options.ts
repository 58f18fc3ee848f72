// The options of a group of servers.
import type { OnFault } from '../../dispatcher/fault.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { CLIENT_KEYS, type ClientOptions } from '../client-options.ts'

/** One server of a group, as `componentName` sees it. */
export interface GroupServer {
  /** Its name in the group: the `name` that it was connected with, else its own, with a number where that is taken. */
  readonly label: string
  /** The name and version that the server gave itself. */
  readonly serverInfo: Implementation
}

/** Options of `new ClientSessionGroup()`. */
export interface ClientSessionGroupOptions {
  /** Returns the name of a component in the group (default: its own name). The server always gets its own name. */
  componentName?: ((name: string, server: GroupServer) => string) | undefined
  /** Gets faults of the group, such as lists that could not be read, and faults of clients that have no `onFault` of their own. */
  onFault?: OnFault | undefined
}

export const SESSION_GROUP_KEYS: KnownKeys<ClientSessionGroupOptions> = {
  componentName: 'function',
  onFault: 'function',
}

/** Options of `group.connectToServer()`: those of a client, and the server's label. */
export interface GroupConnectOptions extends ClientOptions {
  /** The label of the server in the group, which distinguishes two servers of one kind. */
  name?: string | undefined
}

export const GROUP_CONNECT_KEYS: KnownKeys<GroupConnectOptions> = { ...CLIENT_KEYS, name: 'string' }

/** Options of `ClientSessionGroup.open()`. */
export interface GroupOpenOptions extends ClientSessionGroupOptions {
  /** Options for the client of every server. */
  client?: ClientOptions | undefined
}

export const GROUP_OPEN_KEYS: KnownKeys<GroupOpenOptions> = { ...SESSION_GROUP_KEYS, client: 'object' }
