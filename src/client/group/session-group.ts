// Many servers as one: their tools, resources and prompts under one roof, each call sent to whom it belongs.

import type { AnyArguments, StringMembers } from '../../primitives/json/objects.ts'
import { checkKeys } from '../../primitives/options.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { GetPromptResult, Prompt } from '../../types/features/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { CallToolResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { Client } from '../client.ts'
import { CLIENT_ADVICE, type ClientCallOptions } from '../client-options.ts'
import type { ClientTarget } from '../opening/targets.ts'
import { internalsOf } from '../session/internals.ts'
import { firstArgumentError } from '../session/request-options.ts'
import type { ClientSession } from '../session/session.ts'
import { GroupComponents, type Listings, type Named, PARTS, type Part } from './components.ts'
import type { ServerEntries } from './configured-servers.ts'
import { watchLists } from './list-watch.ts'
import { GroupMember, type GroupPeer, partsOf, SessionPeer } from './member.ts'
import {
  type ClientSessionGroupOptions,
  GROUP_CONNECT_KEYS,
  GROUP_OPEN_KEYS,
  type GroupConnectOptions,
  type GroupOpenOptions,
  SESSION_GROUP_KEYS,
} from './options.ts'
import { conflictError, GroupReports } from './reports.ts'
import { templateMatches } from './uri-owners.ts'

/** Given to `componentName` for a server that does not say who it is. */
const ANONYMOUS: Implementation = Object.freeze({ name: 'anonymous', version: '0.0.0' })

/**
 * Keeps up with changes of the servers' lists by itself, where a server announces them. A name that a server had stays its own
 * until it leaves the group, also while it does not list it.
 */
export class ClientSessionGroup implements AsyncDisposable {
  readonly #options: ClientSessionGroupOptions
  readonly #reports: GroupReports
  readonly #members = new Map<ClientSession, GroupMember>()
  readonly #components = new GroupComponents<GroupMember>()
  readonly #labels = new Set<string>()
  #closing: Promise<void> | undefined

  constructor(options: ClientSessionGroupOptions = {}) {
    checkKeys('new ClientSessionGroup()', options, SESSION_GROUP_KEYS)
    this.#options = options
    this.#reports = new GroupReports(options.onFault)
  }

  /**
   * A group of the servers of an `mcpServers` object, or of the file at this path, by the names that they have there. A server
   * that cannot be connected fails the whole, unless `onFault` is given: then it is told of there, and the others are in the
   * group. What an entry holds that means nothing here goes to `onFault` as a `configuration-warning`.
   */
  static async open(source: string | ServerEntries, options: GroupOpenOptions = {}): Promise<ClientSessionGroup> {
    checkKeys('ClientSessionGroup.open()', options, GROUP_OPEN_KEYS)
    const { client, ...groupOptions } = options
    const group = createGroup(groupOptions)
    const { readConfiguredServers } = await import('./configured-servers.ts')
    const { servers, warnings } = await readConfiguredServers(source)
    for (const message of warnings) group.#reports.warn(message)
    // All at once, but taken in by the order of the entries: of what two of them have, the first is to be the owner.
    let turn: Promise<unknown> = Promise.resolve()
    const joining = servers.map((server) => {
      const joined = group.#connect(server.target, { ...client, ...server.options, name: server.label }, turn)
      turn = joined.catch(() => {})
      return joined
    })
    await group.#assertJoined(await Promise.allSettled(joining))
    return group
  }

  /** By their names in the group, as are the other components. Stays up to date. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#components.tools.items
  }

  get resources(): ReadonlyMap<string, Resource> {
    return this.#components.resources.items
  }

  get resourceTemplates(): ReadonlyMap<string, ResourceTemplate> {
    return this.#components.resourceTemplates.items
  }

  get prompts(): ReadonlyMap<string, Prompt> {
    return this.#components.prompts.items
  }

  get sessions(): readonly ClientSession[] {
    return [...this.#members.keys()]
  }

  /** Connects as `Client.connect` does. When a name is taken, rejects, and the group is as it was before. */
  async connectToServer(target: ClientTarget, options: GroupConnectOptions = {}): Promise<ClientSession> {
    checkKeys('connectToServer()', options, GROUP_CONNECT_KEYS, CLIENT_ADVICE)
    return this.#connect(target, options, undefined)
  }

  /** Takes in a session that is negotiated already, and never closes it. */
  async connectWithSession(
    serverInfo: Implementation,
    session: ClientSession,
    { name }: Pick<GroupConnectOptions, 'name'> = {},
  ): Promise<ClientSession> {
    this.#assertOpen()
    if (session.protocolVersion === undefined)
      throw new Error('A group takes negotiated sessions: call initialize() or discover() first')
    if (this.#members.has(session)) throw new Error('This session is in the group already')
    return this.#admit(this.#createMember(new SessionPeer(session), serverInfo, name))
  }

  /** Takes a server and all it has out of the group, and closes its connection if the group opened it. */
  async disconnectFromServer(session: ClientSession): Promise<void> {
    const member = this.#members.get(session)
    if (member === undefined) throw refusal('This session is not in the group')
    this.#remove(member)
    await member.peer.close()
  }

  /** Reads the lists of one server anew. */
  async refresh(session: ClientSession): Promise<void> {
    const member = this.#members.get(session)
    if (member === undefined) throw refusal('This session is not in the group')
    await Promise.all(member.offeredParts.map((part) => member.refresh(part)))
  }

  /** By its name in the group; the server hears the tool's own. */
  async callTool(name: string, args?: AnyArguments, options?: ClientCallOptions): Promise<CallToolResult> {
    if (typeof name !== 'string') throw firstArgumentError('callTool', name)
    const found = this.#components.tools.get(name)
    if (found === undefined) throw refusal(`No server of the group has a tool '${name}'`)
    return found.owner.peer.callTool(found.item.name, args as JSONObject | undefined, options)
  }

  /**
   * By its URI, from the server that lists it; else by its name in `resources`; else by a URI from the server that has a template
   * for it. Where several list a URI, the first that did stays the one, whatever the others list later; of several with a template
   * for it, it is the one that joined first.
   */
  async readResource(uri: string, options?: ClientCallOptions): Promise<ReadResourceResult> {
    if (typeof uri !== 'string') throw firstArgumentError('readResource', uri)
    const owner = this.#components.ownerOf(uri)
    const named = owner === undefined ? this.#components.resources.get(uri) : undefined
    if (named !== undefined) return named.owner.peer.readResource(named.item.uri, options)
    const reader = owner ?? this.#ownerByTemplate(uri)
    if (reader === undefined) throw refusal(`No server of the group lists a resource '${uri}'`)
    return reader.peer.readResource(uri, options)
  }

  /** By its name in the group; the server hears the prompt's own. */
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options?: ClientCallOptions,
  ): Promise<GetPromptResult> {
    if (typeof name !== 'string') throw firstArgumentError('getPrompt', name)
    const found = this.#components.prompts.get(name)
    if (found === undefined) throw refusal(`No server of the group has a prompt '${name}'`)
    return found.owner.peer.getPrompt(found.item.name, args as Record<string, string> | undefined, options)
  }

  /** Closes all connections that the group opened. Any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #connect(
    target: ClientTarget,
    { name, ...options }: GroupConnectOptions,
    turn: Promise<unknown> | undefined,
  ): Promise<ClientSession> {
    this.#assertOpen()
    const { onFault } = this.#options
    if (name !== undefined && this.#labels.has(name)) throw labelTaken(name)
    const client: Client = new Client(target, { ...(onFault && { onFault }), ...options })
    try {
      await client.open()
      await turn
      return await this.#admit(this.#createMember(client, client.serverInfo ?? ANONYMOUS, name))
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /** What failed is told of where somebody listens and something is left; otherwise nothing is. */
  async #assertJoined(outcomes: readonly PromiseSettledResult<ClientSession>[]): Promise<void> {
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const [first] = failed
    if (first === undefined) return
    if (this.#options.onFault === undefined || failed.length === outcomes.length) {
      await this.close()
      throw first.reason
    }
    for (const { reason } of failed) this.#reports.notInGroup(reason)
  }

  #createMember(peer: GroupPeer, serverInfo: Implementation, name: string | undefined): GroupMember {
    const label = this.#takeLabel(name, serverInfo)
    const identity = { serverInfo, label, isLabelled: name !== undefined }
    const member = new GroupMember(peer, identity, (each, part) => this.#refreshPart(each, part))
    // Before anything is listed, so that no change falls between the two.
    this.#watch(member)
    return member
  }

  #takeLabel(name: string | undefined, serverInfo: Implementation): string {
    if (name !== undefined && this.#labels.has(name)) throw labelTaken(name)
    let label = name ?? serverInfo.name
    for (let number = 2; this.#labels.has(label); number += 1) label = `${serverInfo.name}-${number}`
    this.#labels.add(label)
    return label
  }

  /** Everything is listed before anything is added, and then all is added at once or nothing. */
  async #admit(member: GroupMember): Promise<ClientSession> {
    const { session } = member
    try {
      const listings = await this.#listAll(member)
      this.#assertOpen()
      if (this.#members.has(session)) throw new Error('This session is in the group already')
      this.#assertFree(member, listings)
      for (const part of PARTS) this.#replace(member, part, listings[part])
    } catch (error) {
      this.#labels.delete(member.label)
      member.departure.abort(error)
      throw error
    }
    this.#members.set(session, member)
    member.admit()
    return session
  }

  #assertFree(member: GroupMember, listings: Listings): void {
    const found = this.#components.conflictOf(member, listings)
    if (found === undefined) return
    throw conflictError({
      part: found.part,
      names: found.names,
      owners: found.owners.map(({ label }) => label),
      newcomer: member.label,
      hasComponentName: this.#options.componentName !== undefined,
      isLabelled: member.isLabelled,
    })
  }

  #replace<P extends Part>(member: GroupMember, part: P, listing: Listings[P]): void {
    this.#reports.taken(member, part, this.#components.replace(member, part, listing))
  }

  /** Members are in the order in which they joined. */
  #ownerByTemplate(uri: string): GroupMember | undefined {
    const owners = this.#components.resourceTemplates.ownersOf((template) => templateMatches(template, uri))
    const reserved = this.#components.reservedFor(uri)
    if (reserved !== undefined) return owners.has(reserved) ? reserved : undefined
    return [...this.#members.values()].find((member) => owners.has(member))
  }

  async #listAll(member: GroupMember): Promise<Listings> {
    const listings: Listings = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
    await Promise.all(member.offeredParts.map((part) => this.#listPart(member, part, listings)))
    return listings
  }

  /** A server that cannot list one kind of things still has the others. */
  async #listPart<P extends Part>(member: GroupMember, part: P, listings: Partial<Listings>): Promise<void> {
    try {
      listings[part] = this.#named(member, await member.list(part)) as Listings[P]
    } catch (error) {
      // Templates have no capability of their own: a server of resources need not have any.
      const isAbsent = part === 'resourceTemplates' && isMethodNotFound(error)
      if (!isAbsent && !member.departure.signal.aborted) this.#reports.unlisted(member, part, error)
    }
  }

  async #refreshPart(member: GroupMember, part: Part): Promise<void> {
    const listings: Partial<Listings> = {}
    await this.#listPart(member, part, listings)
    const listing = listings[part]
    if (listing === undefined || this.#members.get(member.session) !== member) return
    this.#replace(member, part, listing)
  }

  #named<Item extends { name: string }>(member: GroupMember, items: readonly Item[]): Named<Item>[] {
    const { componentName } = this.#options
    const { label, serverInfo } = member
    return items.map((item) => [componentName?.(item.name, { label, serverInfo }) ?? item.name, item])
  }

  #watch(member: GroupMember): void {
    const { peer, session, watchable, departure } = member
    if (Object.keys(watchable).length === 0) return
    void watchLists({
      filter: watchable,
      signal: departure.signal,
      isOver: () => internalsOf(session).endSignal.aborted,
      listen: (filter, options) => peer.listen(filter, options),
      onEvent: (event) => this.#refreshAll(member, partsOf(event)),
      onGap: () => this.#refreshAll(member, member.offeredParts),
      onGivenUp: (error) => this.#reports.notFollowed(member, error),
    })
  }

  #refreshAll(member: GroupMember, parts: readonly Part[]): void {
    for (const part of parts) void member.refresh(part)
  }

  #remove(member: GroupMember): void {
    this.#members.delete(member.session)
    this.#components.remove(member)
    this.#labels.delete(member.label)
    member.departure.abort(new Error('The server was taken out of the group'))
  }

  async #closeAll(): Promise<void> {
    const members = [...this.#members.values()]
    for (const member of members) this.#remove(member)
    await Promise.allSettled(members.map(({ peer }) => peer.close()))
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new Error('This group was closed; make a new one')
  }
}

function refusal(message: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
}

function labelTaken(name: string): MCPError {
  return refusal(`A server with the name '${name}' is in the group already; give this one another name`)
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.MethodNotFound
}

/** Beside the class: the bundler renames a class whose body mentions its own name. */
function createGroup(options: ClientSessionGroupOptions): ClientSessionGroup {
  return new ClientSessionGroup(options)
}
