// One server of a group: what it offers, and when its lists have to be read again.
import type { GetPromptResult, Prompt } from '../../types/features/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { CallToolResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { DrivenCalls } from '../calls/driven-calls.ts'
import type { ClientCallOptions, ClientToolCallOptions } from '../client-options.ts'
import { internalsOf } from '../session/internals.ts'
import { eachItem } from '../session/pages.ts'
import type { ClientSession } from '../session/session.ts'
import { type ListenOptions, listen } from '../subscriptions/listen.ts'
import type { ChangeEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { COMPONENT_KINDS, type ComponentKind, type Components } from './components.ts'

export class GroupMember {
  readonly peer: GroupPeer
  /** Kept here, because a closed client no longer returns its session. */
  readonly session: ClientSession
  readonly serverInfo: Implementation
  /** The name of the server in the group. */
  readonly label: string
  /** Whether the user chose the label. */
  readonly isLabelled: boolean
  /** Aborts when the server leaves the group, and ends what was started for it. */
  readonly removal = new AbortController()
  readonly #refreshes: Readonly<Record<ComponentKind, RepeatedTask>>
  /** Lists to read again as soon as the server has joined. */
  readonly #outdated = new Set<ComponentKind>()
  /** Lists that were read while their changes were not announced yet; `undefined` once they are. */
  #early: Set<ComponentKind> | undefined = new Set()
  #hasJoined = false

  constructor(
    peer: GroupPeer,
    identity: Pick<GroupMember, 'serverInfo' | 'label' | 'isLabelled'>,
    refresh: (member: GroupMember, kind: ComponentKind) => Promise<void>,
  ) {
    this.peer = peer
    this.session = peer.session
    this.serverInfo = identity.serverInfo
    this.label = identity.label
    this.isLabelled = identity.isLabelled
    const refreshOf = (kind: ComponentKind) => new RepeatedTask(() => refresh(this, kind))
    this.#refreshes = {
      tools: refreshOf('tools'),
      resources: refreshOf('resources'),
      resourceTemplates: refreshOf('resourceTemplates'),
      prompts: refreshOf('prompts'),
    }
  }

  /** What the server's capabilities offer; a session without a handshake may have no capabilities and still offer anything. */
  get offeredKinds(): readonly ComponentKind[] {
    const capabilities = this.session.serverCapabilities ?? {}
    if (Object.keys(capabilities).length === 0) return COMPONENT_KINDS
    return COMPONENT_KINDS.filter(
      (kind) => capabilities[kind === 'resourceTemplates' ? 'resources' : kind] !== undefined,
    )
  }

  /** The lists whose changes the server announces. */
  get watchableLists(): SubscriptionFilter {
    const { tools, resources, prompts } = this.session.serverCapabilities ?? {}
    return {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
    }
  }

  /** All components of one kind, on all pages, not from a cache. */
  async list<K extends ComponentKind>(kind: K, limitMs = Infinity): Promise<Components[K][]> {
    const items: Components[K][] = []
    const options = { cacheMode: 'refresh', ...(limitMs !== Infinity && { maxTotalMs: limitMs }) } as const
    const listing = this.peer[kind](options) as AsyncIterable<Components[K]>
    for await (const item of listing) items.push(item)
    this.#early?.add(kind)
    return items
  }

  /** Reads a list again: now, or as soon as the server has joined the group. */
  async refresh(kind: ComponentKind): Promise<void> {
    if (this.#hasJoined) await this.#refreshes[kind].request()
    else this.#outdated.add(kind)
  }

  /** Changes are announced from now on. Returns the lists that were read before. */
  watched(): readonly ComponentKind[] {
    const early = [...(this.#early ?? [])]
    this.#early = undefined
    return early
  }

  /** The server is in the group from now on. */
  joined(): void {
    this.#hasJoined = true
    for (const kind of this.#outdated) void this.refresh(kind)
    this.#outdated.clear()
  }
}

const KINDS_OF_EVENT: Readonly<Record<ChangeEvent['type'], readonly ComponentKind[]>> = {
  toolsListChanged: ['tools'],
  resourcesListChanged: ['resources', 'resourceTemplates'],
  promptsListChanged: ['prompts'],
  resourceUpdated: [],
}

/** The kinds of components that an event says have changed. */
export function changedKinds(event: ChangeEvent): readonly ComponentKind[] {
  return KINDS_OF_EVENT[event.type]
}

/** Runs `work` soon after each `request()`, never twice at the same time, and with at most one further run waiting. */
export class RepeatedTask {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `work` must not reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves at the end of a run that began after this call. */
  request(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#start()
    })
    return this.#next
  }

  #start(): Promise<void> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}

export interface PeerListOptions {
  readonly cacheMode: 'refresh'
  /** For all pages together. */
  readonly maxTotalMs?: number
}

/** What a group needs of each server: a `Client` has it, and `SessionPeer` adds it to a session that was opened elsewhere. */
export interface GroupPeer {
  readonly session: ClientSession
  callTool(name: string, args?: JSONObject, options?: ClientToolCallOptions): Promise<CallToolResult>
  readResource(uri: string, options?: ClientCallOptions): Promise<ReadResourceResult>
  getPrompt(name: string, args?: Record<string, string>, options?: ClientCallOptions): Promise<GetPromptResult>
  tools(options: PeerListOptions): AsyncIterable<Tool>
  resources(options: PeerListOptions): AsyncIterable<Resource>
  resourceTemplates(options: PeerListOptions): AsyncIterable<ResourceTemplate>
  prompts(options: PeerListOptions): AsyncIterable<Prompt>
  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<Subscription>
  close(): Promise<void>
}

/** Over a negotiated session that its owner opened and will close. */
export class SessionPeer implements GroupPeer {
  readonly session: ClientSession
  readonly #calls: DrivenCalls

  constructor(session: ClientSession) {
    this.session = session
    this.#calls = new DrivenCalls(session)
  }

  callTool(name: string, args?: JSONObject, options: ClientToolCallOptions = {}): Promise<CallToolResult> {
    return this.#calls.callTool(name, args, options)
  }

  async readResource(uri: string, options: ClientCallOptions = {}): Promise<ReadResourceResult> {
    return (await this.#calls.readResource(uri, options)).result
  }

  getPrompt(name: string, args?: Record<string, string>, options: ClientCallOptions = {}): Promise<GetPromptResult> {
    return this.#calls.getPrompt(name, args, options)
  }

  tools(): AsyncIterable<Tool> {
    return eachItem(
      (cursor) => this.session.listTools(cursor === undefined ? {} : { cursor }),
      ({ tools }) => tools,
    )
  }

  resources(): AsyncIterable<Resource> {
    return eachItem(
      (cursor) => this.session.listResources(cursor === undefined ? {} : { cursor }),
      ({ resources }) => resources,
    )
  }

  resourceTemplates(): AsyncIterable<ResourceTemplate> {
    return eachItem(
      (cursor) => this.session.listResourceTemplates(cursor === undefined ? {} : { cursor }),
      ({ resourceTemplates }) => resourceTemplates,
    )
  }

  prompts(): AsyncIterable<Prompt> {
    return eachItem(
      (cursor) => this.session.listPrompts(cursor === undefined ? {} : { cursor }),
      ({ prompts }) => prompts,
    )
  }

  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<Subscription> {
    return listen(internalsOf(this.session), filter, options)
  }

  async close(): Promise<void> {}
}
