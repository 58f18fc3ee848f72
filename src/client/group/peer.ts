// What a group needs of each of its servers: a client has it, and a session that was made elsewhere is given it here.

import type { GetPromptResult, Prompt } from '../../types/features/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { CallToolResult, Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ClientCallOptions } from '../client-options.ts'
import { DrivenCalls } from '../session/driven-calls.ts'
import { eachItem } from '../session/pages.ts'
import type { ClientSession } from '../session/session.ts'
import { type ListenOptions, listen } from '../subscriptions/listen.ts'
import type { Subscription } from '../subscriptions/subscription.ts'

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
    return listen(this.session, filter, options)
  }

  async close(): Promise<void> {}
}
