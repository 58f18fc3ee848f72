// One server of a group: what it has to offer, and when that has to be looked at again.

import type { GetPromptResult, Prompt } from '../../types/features/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { CallToolResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { ClientCallOptions } from '../client-options.ts'
import { DrivenCalls } from '../session/driven-calls.ts'
import { internalsOf } from '../session/internals.ts'
import { eachItem } from '../session/pages.ts'
import type { ClientSession } from '../session/session.ts'
import { type ListenOptions, listen } from '../subscriptions/listen.ts'
import type { ServerEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { type Components, PARTS, type Part } from './components.ts'

/** Runs `work` soon after each `request()`, but never twice at the same time and never more than once in advance. */
export class RepeatedTask {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `work` must not reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves when a run is over that began after this call. */
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

const PARTS_OF_EVENT: Readonly<Record<ServerEvent['type'], readonly Part[]>> = {
  toolsListChanged: ['tools'],
  resourcesListChanged: ['resources', 'resourceTemplates'],
  promptsListChanged: ['prompts'],
  resourceUpdated: [],
}

/** The parts that an event says have changed. */
export function partsOf(event: ServerEvent): readonly Part[] {
  return PARTS_OF_EVENT[event.type]
}

export class GroupMember {
  readonly peer: GroupPeer
  /** Of its own, because a client that was closed no longer shows the session that it had. */
  readonly session: ClientSession
  readonly serverInfo: Implementation
  /** What the server is called in the group. */
  readonly label: string
  /** Whether the user chose the label. */
  readonly isLabelled: boolean
  /** Ends what was started for this member. */
  readonly departure = new AbortController()
  readonly #refreshes: Readonly<Record<Part, RepeatedTask>>
  readonly #missed = new Set<Part>()
  #isAdmitted = false

  constructor(
    peer: GroupPeer,
    identity: Pick<GroupMember, 'serverInfo' | 'label' | 'isLabelled'>,
    refresh: (member: GroupMember, part: Part) => Promise<void>,
  ) {
    this.peer = peer
    this.session = peer.session
    this.serverInfo = identity.serverInfo
    this.label = identity.label
    this.isLabelled = identity.isLabelled
    const refreshOf = (part: Part) => new RepeatedTask(() => refresh(this, part))
    this.#refreshes = {
      tools: refreshOf('tools'),
      resources: refreshOf('resources'),
      resourceTemplates: refreshOf('resourceTemplates'),
      prompts: refreshOf('prompts'),
    }
  }

  /** What the server says it has; a server that was taken on trust and says nothing may have anything. */
  get offeredParts(): readonly Part[] {
    const capabilities = this.session.serverCapabilities ?? {}
    if (Object.keys(capabilities).length === 0) return PARTS
    return PARTS.filter((part) => capabilities[part === 'resourceTemplates' ? 'resources' : part] !== undefined)
  }

  /** The lists whose changes the server says it tells of. */
  get watchable(): SubscriptionFilter {
    const { tools, resources, prompts } = this.session.serverCapabilities ?? {}
    return {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
    }
  }

  /** All components of one kind, on all pages, as they are now. */
  async list<P extends Part>(part: P): Promise<Components[P][]> {
    const items: Components[P][] = []
    const listing = this.peer[part]({ cacheMode: 'refresh' }) as AsyncIterable<Components[P]>
    for await (const item of listing) items.push(item)
    return items
  }

  /** Looks again at what has changed: now, or as soon as the member is in the group. */
  async refresh(part: Part): Promise<void> {
    if (this.#isAdmitted) await this.#refreshes[part].request()
    else this.#missed.add(part)
  }

  /** The member is in the group from here on. */
  admit(): void {
    this.#isAdmitted = true
    for (const part of this.#missed) void this.refresh(part)
    this.#missed.clear()
  }
}

// What a group needs of each of its servers: a client has it, and a session that was made elsewhere is given it here.

export interface GroupPeer {
  readonly session: ClientSession
  callTool(name: string, args?: JSONObject, options?: ClientCallOptions): Promise<CallToolResult>
  readResource(uri: string, options?: ClientCallOptions): Promise<ReadResourceResult>
  getPrompt(name: string, args?: Record<string, string>, options?: ClientCallOptions): Promise<GetPromptResult>
  tools(options: { cacheMode: 'refresh' }): AsyncIterable<Tool>
  resources(options: { cacheMode: 'refresh' }): AsyncIterable<Resource>
  resourceTemplates(options: { cacheMode: 'refresh' }): AsyncIterable<ResourceTemplate>
  prompts(options: { cacheMode: 'refresh' }): AsyncIterable<Prompt>
  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<Subscription>
  close(): Promise<void>
}

/** Over a negotiated session that somebody else opened and will close. */
export class SessionPeer implements GroupPeer {
  readonly session: ClientSession
  readonly #calls: DrivenCalls

  constructor(session: ClientSession) {
    this.session = session
    this.#calls = new DrivenCalls(session)
  }

  callTool(name: string, args?: JSONObject, options: ClientCallOptions = {}): Promise<CallToolResult> {
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
