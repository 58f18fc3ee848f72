// What a group of servers can be told.
import type { OnFault } from '../../dispatcher/fault.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { CLIENT_KEYS, type ClientOptions } from '../client-options.ts'

/** Which server of a group something belongs to. */
export interface GroupServer {
  /** What it is called in the group: the `name` that it was connected with, else its own, with a number where that is taken. */
  readonly label: string
  readonly serverInfo: Implementation
}

export interface ClientSessionGroupOptions {
  /** What a component is called in the group. Its own name unless given; to the server it always keeps that. */
  componentName?: (name: string, server: GroupServer) => string
  /** Told of lists that could not be read and of names that were taken; also by its clients, unless they have their own. */
  onFault?: OnFault
}

export const SESSION_GROUP_KEYS: KnownKeys<ClientSessionGroupOptions> = {
  componentName: 'function',
  onFault: 'function',
}

export interface GroupConnectOptions extends ClientOptions {
  /** The label of the server in the group, so that two of one kind can be told apart. */
  name?: string
}

export const GROUP_CONNECT_KEYS: KnownKeys<GroupConnectOptions> = { ...CLIENT_KEYS, name: 'string' }

export interface GroupOpenOptions extends ClientSessionGroupOptions {
  /** For every server. */
  client?: ClientOptions
}

export const GROUP_OPEN_KEYS: KnownKeys<GroupOpenOptions> = { ...SESSION_GROUP_KEYS, client: 'object' }
