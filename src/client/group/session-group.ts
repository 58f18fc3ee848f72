// A group of servers: their tools, resources and prompts in common maps, and each call sent to the server that has the component.

import { orderError } from '../../primitives/help.ts'
import type { AnyArguments, StringMembers } from '../../primitives/json/objects.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, givenOf } from '../../primitives/options.ts'
import type { MCPError } from '../../types/errors/errors.ts'
import type { GetPromptResult, Prompt } from '../../types/features/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { CallToolResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { Client } from '../client.ts'
import { CLIENT_ADVICE, type ClientCallOptions, type ClientToolCallOptions } from '../client-options.ts'
import { connectTimeLeft } from '../opening/open-peer.ts'
import type { ClientTarget } from '../opening/targets.ts'
import { internalsOf } from '../session/internals.ts'
import { firstArgumentError } from '../session/request-options.ts'
import type { ClientSession } from '../session/session.ts'
import { listen } from '../subscriptions/listen.ts'
import { keepListen } from '../subscriptions/load-listen.ts'
import { COMPONENT_KINDS, type ComponentKind, GroupComponents, type Listings } from './components.ts'
import type { ServerEntries } from './configured-servers.ts'
import { ListReader } from './list-reader.ts'
import { watchLists } from './list-watch.ts'
import { changedKinds, GroupMember, type GroupPeer, SessionPeer } from './member.ts'
import {
  type ClientSessionGroupOptions,
  GROUP_CONNECT_KEYS,
  GROUP_OPEN_KEYS,
  type GroupConnectOptions,
  type GroupOpenOptions,
  SESSION_GROUP_KEYS,
} from './options.ts'
import { GroupReports, groupError, nameConflictError } from './reports.ts'
import { templateMatches } from './uri-owners.ts'

/** Passed to `componentName` for a server that does not name itself. */
const ANONYMOUS: Implementation = Object.freeze({ name: 'anonymous', version: '0.0.0' })

/**
 * Several servers as one. The group follows list changes that its servers announce. A name stays with its server until the server
 * leaves the group, even while the server does not list it.
 *
 * @example
 * ```ts
 * import { ClientSessionGroup } from 'mcpwire/client'
 * const group = await ClientSessionGroup.open('mcp.json')
 * for (const [name, tool] of group.tools) console.log(name, tool.description)
 * await group.callTool('add', { a: 1, b: 2 })
 * await group.close()
 * ```
 */
export class ClientSessionGroup implements AsyncDisposable {
  readonly #options: ClientSessionGroupOptions
  readonly #reports: GroupReports
  readonly #lists: ListReader
  readonly #members = new Map<ClientSession, GroupMember>()
  readonly #components = new GroupComponents<GroupMember>()
  readonly #labels = new Set<string>()
  #closing: Promise<void> | undefined

  constructor(options: ClientSessionGroupOptions = {}) {
    checkKeys('new ClientSessionGroup()', options, SESSION_GROUP_KEYS)
    // A group listens before it lists, so that it misses no change: its clients must not have to load anything in between.
    keepListen(listen)
    this.#options = options
    this.#reports = new GroupReports(options.onFault)
    this.#lists = new ListReader(options, this.#reports)
  }

  /**
   * Connects the servers of an `mcpServers` object, or of the file at this path, under the names that they have there. A server
   * that cannot be connected fails the whole group, unless `onFault` is given: then it is reported there, and the group has the
   * others. Keys of an entry that have no meaning here are reported as a `configuration-warning`.
   */
  static async open(source: string | ServerEntries, options: GroupOpenOptions = {}): Promise<ClientSessionGroup> {
    checkKeys('ClientSessionGroup.open()', options, GROUP_OPEN_KEYS)
    const { client, ...groupOptions } = options
    const group = createGroup(groupOptions)
    const { readConfiguredServers } = await loading(import('./configured-servers.ts'))
    const { servers, warnings } = await readConfiguredServers(source)
    for (const message of warnings) group.#reports.configurationWarning(message)
    // Connected at the same time, but added in the order of the entries: of two servers with one URI, the first owns it.
    let turn: Promise<unknown> = Promise.resolve()
    const joining = servers.map((server) => {
      const joined = group.#connect(server.target, { ...client, ...givenOf(server.options), name: server.label }, turn)
      turn = joined.catch(() => {})
      return joined
    })
    await group.#assertJoined(await Promise.allSettled(joining))
    return group
  }

  /** By name in the group, like the other components. Stays up to date. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#components.tools.items
  }

  /** The resources of all servers, by their name in the group. */
  get resources(): ReadonlyMap<string, Resource> {
    return this.#components.resources.items
  }

  /** The resource templates of all servers, by their name in the group. */
  get resourceTemplates(): ReadonlyMap<string, ResourceTemplate> {
    return this.#components.resourceTemplates.items
  }

  /** The prompts of all servers, by their name in the group. */
  get prompts(): ReadonlyMap<string, Prompt> {
    return this.#components.prompts.items
  }

  /** The sessions of all connected servers, in the order of connection. */
  get sessions(): readonly ClientSession[] {
    return [...this.#members.keys()]
  }

  /**
   * Connects as `Client.connect` does, and reads the lists of the server in what is left of `connectTimeoutMs`; lists that take
   * longer are added later. Rejects when a name is taken, and leaves the group as it was.
   */
  async connectToServer(target: ClientTarget, options: GroupConnectOptions = {}): Promise<ClientSession> {
    checkKeys('connectToServer()', options, GROUP_CONNECT_KEYS, CLIENT_ADVICE)
    return this.#connect(target, options, undefined)
  }

  /** Adds a negotiated session, and never closes it. */
  async connectWithSession(
    serverInfo: Implementation,
    session: ClientSession,
    { name }: Pick<GroupConnectOptions, 'name'> = {},
  ): Promise<ClientSession> {
    this.#assertOpen()
    if (session.protocolVersion === undefined) {
      throw orderError('The session is not negotiated. Call initialize() or discover() first.')
    }
    if (this.#members.has(session)) throw orderError('This session is already in the group.')
    return this.#addMember(this.#createMember(new SessionPeer(session), serverInfo, name))
  }

  /** Removes a server and its components from the group, and closes its connection if the group opened it. */
  async disconnectFromServer(session: ClientSession): Promise<void> {
    const member = this.#members.get(session)
    if (member === undefined) throw groupError('This session is not in the group.')
    this.#remove(member)
    await member.peer.close()
  }

  /** Reads the lists of one server again. */
  async refresh(session: ClientSession): Promise<void> {
    const member = this.#members.get(session)
    if (member === undefined) throw groupError('This session is not in the group.')
    await Promise.all(member.offeredKinds.map((kind) => member.refresh(kind)))
  }

  /** By name in the group; the server gets the tool's own name. */
  async callTool(name: string, args?: AnyArguments, options?: ClientToolCallOptions): Promise<CallToolResult> {
    if (typeof name !== 'string') throw firstArgumentError('callTool', name)
    const found = this.#components.tools.get(name)
    if (found === undefined) throw groupError(`No server of the group has a tool '${name}'`)
    return found.owner.peer.callTool(found.item.name, args as JSONObject | undefined, options)
  }

  /**
   * By URI, from the server that lists it; else by name in `resources`; else by URI from a server with a matching template. Where
   * several servers list a URI, it is read from the first that did; of several with a matching template, from the first that
   * joined.
   */
  async readResource(uri: string, options?: ClientCallOptions): Promise<ReadResourceResult> {
    if (typeof uri !== 'string') throw firstArgumentError('readResource', uri)
    const owner = this.#components.ownerOf(uri)
    const named = owner === undefined ? this.#components.resources.get(uri) : undefined
    if (named !== undefined) return named.owner.peer.readResource(named.item.uri, options)
    const reader = owner ?? this.#ownerByTemplate(uri)
    if (reader === undefined) throw groupError(`No server of the group lists a resource '${uri}'`)
    return reader.peer.readResource(uri, options)
  }

  /** By name in the group; the server gets the prompt's own name. */
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options?: ClientCallOptions,
  ): Promise<GetPromptResult> {
    if (typeof name !== 'string') throw firstArgumentError('getPrompt', name)
    const found = this.#components.prompts.get(name)
    if (found === undefined) throw groupError(`No server of the group has a prompt '${name}'`)
    return found.owner.peer.getPrompt(found.item.name, args as Record<string, string> | undefined, options)
  }

  /** Closes all connections that the group opened. Can be called any number of times. */
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
    const client: Client = new Client(target, { ...(onFault && { onFault }), ...givenOf(options) })
    try {
      await client.open()
      const member = this.#createMember(client, client.serverInfo ?? ANONYMOUS, name)
      return await this.#addMember(member, { limitMs: connectTimeLeft(client.session), turn })
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /** Reports failed servers if `onFault` is given and at least one server joined; otherwise closes the group and throws. */
  async #assertJoined(outcomes: readonly PromiseSettledResult<ClientSession>[]): Promise<void> {
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const [first] = failed
    if (first === undefined) return
    if (this.#options.onFault === undefined || failed.length === outcomes.length) {
      await this.close()
      throw first.reason
    }
    for (const { reason } of failed) this.#reports.connectFailed(reason)
  }

  #createMember(peer: GroupPeer, serverInfo: Implementation, name: string | undefined): GroupMember {
    const label = this.#takeLabel(name, serverInfo)
    const identity = { serverInfo, label, isLabelled: name !== undefined }
    const member = new GroupMember(peer, identity, (each, kind) => this.#refreshList(each, kind))
    // Before anything is listed, so that no change is missed.
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

  /**
   * All lists are read before anything is added; then everything is added at once, or nothing. `turn` settles when the servers
   * that come before this one have been added.
   */
  async #addMember(
    member: GroupMember,
    { limitMs = Infinity, turn }: { limitMs?: number; turn?: Promise<unknown> | undefined } = {},
  ): Promise<ClientSession> {
    const { session } = member
    try {
      const listings = await this.#lists.readAll(member, limitMs)
      await turn
      this.#assertOpen()
      if (this.#members.has(session)) throw orderError('This session is already in the group.')
      this.#assertNamesFree(member, listings)
      for (const kind of COMPONENT_KINDS) this.#replaceList(member, kind, listings[kind])
    } catch (error) {
      this.#labels.delete(member.label)
      member.removal.abort(error)
      throw error
    }
    this.#members.set(session, member)
    member.joined()
    return session
  }

  #assertNamesFree(member: GroupMember, listings: Listings): void {
    const found = this.#components.findConflict(member, listings)
    if (found === undefined) return
    throw nameConflictError({
      kind: found.kind,
      names: found.names,
      owners: found.owners.map(({ label }) => label),
      newcomer: member.label,
      hasComponentName: this.#options.componentName !== undefined,
      isLabelled: member.isLabelled,
    })
  }

  #replaceList<K extends ComponentKind>(member: GroupMember, kind: K, listing: Listings[K]): void {
    this.#reports.namesTaken(member, kind, this.#components.replace(member, kind, listing))
  }

  /** Members are in the order in which they joined. */
  #ownerByTemplate(uri: string): GroupMember | undefined {
    const owners = this.#components.resourceTemplates.ownersOf((template) => templateMatches(template, uri))
    const reserved = this.#components.reservedFor(uri)
    if (reserved !== undefined) return owners.has(reserved) ? reserved : undefined
    return [...this.#members.values()].find((member) => owners.has(member))
  }

  async #refreshList(member: GroupMember, kind: ComponentKind): Promise<void> {
    const listing = await this.#lists.read(member, kind)
    if (listing === undefined || this.#members.get(member.session) !== member) return
    this.#replaceList(member, kind, listing)
  }

  #watch(member: GroupMember): void {
    const { peer, session, watchableLists, removal } = member
    if (Object.keys(watchableLists).length === 0) return
    void watchLists({
      filter: watchableLists,
      signal: removal.signal,
      isOver: () => internalsOf(session).endSignal.aborted,
      listen: (filter, options) => peer.listen(filter, options),
      onEvent: (event) => this.#refreshLists(member, changedKinds(event)),
      onOpened: () => this.#refreshLists(member, member.watched()),
      onGap: () => this.#refreshLists(member, member.offeredKinds),
      onGivenUp: (error) => this.#reports.watchEnded(member, error),
    })
  }

  #refreshLists(member: GroupMember, kinds: readonly ComponentKind[]): void {
    for (const kind of kinds) void member.refresh(kind)
  }

  #remove(member: GroupMember): void {
    this.#members.delete(member.session)
    this.#components.remove(member)
    this.#labels.delete(member.label)
    member.removal.abort(new Error('The server was removed from the group.'))
  }

  async #closeAll(): Promise<void> {
    const members = [...this.#members.values()]
    for (const member of members) this.#remove(member)
    await Promise.allSettled(members.map(({ peer }) => peer.close()))
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw orderError('This group is closed. Create a new one.')
  }
}

function labelTaken(name: string): MCPError {
  return groupError(`A server with the name '${name}' is already in the group. Give this one another name.`)
}

/** Beside the class: the bundler renames a class whose body mentions its own name. */
function createGroup(options: ClientSessionGroupOptions): ClientSessionGroup {
  return new ClientSessionGroup(options)
}
