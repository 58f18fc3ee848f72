// Many servers as one: their tools, resources and prompts under one roof, each call sent to whom it belongs.

import { type Fault, FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import type { AnyArguments, StringMembers } from '../primitives/arguments.ts'
import { checkKeys, type KnownKeys } from '../primitives/known-keys.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { Implementation } from '../types/implementation.ts'
import type { JSONObject } from '../types/json.ts'
import type { GetPromptResult, Prompt } from '../types/prompts.ts'
import type { ReadResourceResult, Resource } from '../types/resources.ts'
import type { CallToolResult, Tool } from '../types/tools.ts'
import { Client } from './client.ts'
import type { ClientCallOptions, ClientOptions } from './client-options.ts'
import type { Named } from './component-table.ts'
import { GroupComponents, type Listings, type Part } from './group-components.ts'
import { GroupMember, partOf } from './group-member.ts'
import { type GroupPeer, SessionPeer } from './group-peer.ts'
import { eventOf } from './server-events.ts'
import type { ClientSession } from './session.ts'
import type { ClientTarget } from './targets.ts'
import { watchLists } from './watch-lists.ts'

export interface ClientSessionGroupOptions {
  /** What a component is called in the group. Its own name unless given; to the server it always keeps that. */
  componentName?: (name: string, serverInfo: Implementation) => string
  /** Told of lists that could not be read and of names that were taken; also by its clients, unless they have their own. */
  onFault?: OnFault
}

export const SESSION_GROUP_KEYS: KnownKeys<ClientSessionGroupOptions> = {
  componentName: true,
  onFault: true,
}

/** Given to `componentName` for a server that does not say who it is. */
const ANONYMOUS: Implementation = Object.freeze({ name: 'anonymous', version: '0.0.0' })

/** Keeps up with changes of the servers' lists by itself, where a server announces them. */
export class ClientSessionGroup implements AsyncDisposable {
  readonly #options: ClientSessionGroupOptions
  readonly #faults: FaultReporter
  readonly #members = new Map<ClientSession, GroupMember>()
  readonly #components = new GroupComponents<GroupMember>()
  #closing: Promise<void> | undefined

  constructor(options: ClientSessionGroupOptions = {}) {
    checkKeys('new ClientSessionGroup()', options, SESSION_GROUP_KEYS)
    this.#options = options
    this.#faults = new FaultReporter(options.onFault)
  }

  /** By their names in the group, as are `resources` and `prompts`. Stays up to date. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#components.tools.items
  }

  get resources(): ReadonlyMap<string, Resource> {
    return this.#components.resources.items
  }

  get prompts(): ReadonlyMap<string, Prompt> {
    return this.#components.prompts.items
  }

  get sessions(): readonly ClientSession[] {
    return [...this.#members.keys()]
  }

  /** Connects as `Client.connect` does. When a name is taken, rejects, and the group is as it was before. */
  async connectToServer(target: ClientTarget, options: ClientOptions = {}): Promise<ClientSession> {
    this.#assertOpen()
    const { onFault } = this.#options
    let member: GroupMember | undefined
    const client: Client = new Client(target, {
      ...(onFault && { onFault }),
      ...options,
      onMessage: (message, ctx) => {
        // In the modern era a subscription of the group tells of changes.
        if (member?.session.initializeResult !== undefined) this.#notice(member, message.method, message.params)
        return options.onMessage?.(message, ctx)
      },
    })
    try {
      await client.open()
      member = this.#createMember(client, client.serverInfo ?? ANONYMOUS)
      return await this.#admit(member)
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /**
   * Takes in a session that is negotiated already, and never closes it. In the legacy era its notifications go to its
   * own `onMessage`, so that changes of its lists are seen when `refresh` is called.
   */
  async connectWithSession(serverInfo: Implementation, session: ClientSession): Promise<ClientSession> {
    this.#assertOpen()
    if (!session.isNegotiated)
      throw new Error('A group takes negotiated sessions: call initialize() or discover() first')
    if (this.#members.has(session)) throw new Error('This session is in the group already')
    return this.#admit(this.#createMember(new SessionPeer(session), serverInfo))
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
    const found = this.#components.tools.get(name)
    if (found === undefined) throw refusal(`No server of the group has a tool '${name}'`)
    return found.owner.peer.callTool(found.item.name, args as JSONObject | undefined, options)
  }

  /** By its URI, from the server that lists it; where several do, from the one that joined first. */
  async readResource(uri: string, options?: ClientCallOptions): Promise<ReadResourceResult> {
    const owner = this.#components.resources.find((resource) => resource.uri === uri)
    if (owner === undefined) throw refusal(`No server of the group lists a resource '${uri}'`)
    return owner.peer.readResource(uri, options)
  }

  /** By its name in the group; the server hears the prompt's own. */
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options?: ClientCallOptions,
  ): Promise<GetPromptResult> {
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

  #createMember(peer: GroupPeer, serverInfo: Implementation): GroupMember {
    const member = new GroupMember(peer, serverInfo, (each, part) => this.#refreshPart(each, part))
    // Before anything is listed, so that no change falls between the two.
    this.#watch(member)
    return member
  }

  /** Everything is listed before anything is added, and then all is added at once or nothing. */
  async #admit(member: GroupMember): Promise<ClientSession> {
    const { session } = member
    try {
      const listings = await this.#listAll(member)
      this.#assertOpen()
      if (this.#members.has(session)) throw new Error('This session is in the group already')
      this.#components.add(member, listings)
    } catch (error) {
      member.departure.abort(error)
      throw error
    }
    this.#members.set(session, member)
    member.admit()
    return session
  }

  async #listAll(member: GroupMember): Promise<Listings> {
    const listings: Listings = { tools: [], resources: [], prompts: [] }
    await Promise.all(member.offeredParts.map((part) => this.#listPart(member, part, listings)))
    return listings
  }

  /** A server that cannot list one kind of things still has the others. */
  async #listPart<P extends Part>(member: GroupMember, part: P, listings: Partial<Listings>): Promise<void> {
    try {
      listings[part] = this.#named(member, await member.list(part)) as Listings[P]
    } catch (error) {
      if (!member.departure.signal.aborted) this.#reportUnlisted(part, error)
    }
  }

  async #refreshPart(member: GroupMember, part: Part): Promise<void> {
    const listings: Partial<Listings> = {}
    await this.#listPart(member, part, listings)
    const listing = listings[part]
    if (listing === undefined || this.#members.get(member.session) !== member) return
    for (const name of this.#components.replace(member, part, listing)) this.#reportTaken(part, name)
  }

  #named<Item extends { name: string }>(member: GroupMember, items: readonly Item[]): Named<Item>[] {
    const { componentName } = this.#options
    return items.map((item) => [componentName?.(item.name, member.serverInfo) ?? item.name, item])
  }

  #watch(member: GroupMember): void {
    const { peer, session, watchable, departure } = member
    if (session.discoverResult === undefined || Object.keys(watchable).length === 0) return
    void watchLists({
      filter: watchable,
      signal: departure.signal,
      isOver: () => session.endSignal.aborted,
      listen: (filter, options) => peer.listen(filter, options),
      onEvent: (event) => this.#refreshAfter(member, partOf(event)),
      onGap: () => {
        for (const part of member.offeredParts) this.#refreshAfter(member, part)
      },
      onGivenUp: (error) =>
        this.#report({ kind: 'notification-failed', message: 'Changes of a server are no longer followed', error }),
    })
  }

  #notice(member: GroupMember, method: string, params: unknown): void {
    const event = eventOf(method, params)
    if (event !== undefined) this.#refreshAfter(member, partOf(event))
  }

  #refreshAfter(member: GroupMember, part: Part | undefined): void {
    if (part !== undefined) void member.refresh(part)
  }

  #remove(member: GroupMember): void {
    this.#members.delete(member.session)
    this.#components.remove(member)
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

  #reportUnlisted(part: Part, error: unknown): void {
    this.#report({ kind: 'invalid-message', message: `The ${part} of a server could not be listed`, error })
  }

  #reportTaken(part: Part, name: string): void {
    const message = `A server has a new name among its ${part} that another one has already: '${name.slice(0, 128)}'`
    this.#report({ kind: 'invalid-message', message })
  }

  #report(fault: Fault): void {
    this.#faults.report(fault)
  }
}

function refusal(message: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
}
